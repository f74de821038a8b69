//! What types cannot show: access modes, components in range, Write parameters assigned on every path.
//!
//! The check walks through the function as the unrolled program runs, including both branches of every `if`. For each
//! Write parameter, it keeps the components that have been assigned on every path so far.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::ir::{
    Argument, Arithmetic, AtTarget, Block, Expr, ExprKind, Function, Index, Mode, Place, Role, Statement,
    VariableId,
};
use crate::parse::combine;
use crate::unroll::{Loops, components};

/// Checks a parsed function. All errors are combined into one.
pub fn check(function: &Function) -> syn::Result<()> {
    let written = (0..function.variables.len())
        .map(VariableId)
        .filter(|id| function.variable(*id).role == Role::Operand(Mode::Write))
        .map(|id| (id, vec![false; function.variable(id).ty.components()]))
        .collect();
    let mut checker = Checker {
        function,
        loops: Loops::of(function),
        errors: Vec::new(),
        written,
        assignable: VariableId(0),
    };
    checker.block(&function.body);
    if checker.errors.is_empty() {
        checker.complete();
    }
    combine(checker.errors)
}

struct Checker<'f> {
    function: &'f Function,
    loops: Loops,
    errors: Vec<syn::Error>,
    /// Components of Write parameters that are assigned on every path so far.
    written: BTreeMap<VariableId, Vec<bool>>,
    /// Variables before this one lie outside the current value block and must not be assigned in it.
    assignable: VariableId,
}

impl Checker<'_> {
    fn block(&mut self, block: &Block) {
        for statement in &block.statements {
            self.statement(statement);
        }
        if let Some(value) = &block.value {
            self.expression(value);
        }
    }

    /// A block inside an expression: it may assign only its own variables.
    fn value_block(&mut self, block: &Block) {
        let outside = std::mem::replace(&mut self.assignable, block.first);
        self.block(block);
        self.assignable = outside;
    }

    fn statement(&mut self, statement: &Statement) {
        match statement {
            Statement::Let { value, .. } => self.expression(value),
            Statement::Assign { place, op, value, extent } => {
                self.expression(value);
                if let Err(message) = self.may_assign(place, *op) {
                    self.errors.push(extent.error(message));
                    return;
                }
                self.in_range(place);
                let assigned = components(place, self.function, &self.loops);
                if let Some(written) = self.written.get_mut(&place.variable) {
                    written[assigned].fill(true);
                }
            }
            Statement::If { condition, then, otherwise } => {
                self.expression(condition);
                let before = self.written.clone();
                self.block(then);
                let after_then = std::mem::replace(&mut self.written, before);
                self.block(otherwise);
                for (variable, written) in &mut self.written {
                    for (here, there) in written.iter_mut().zip(&after_then[variable]) {
                        *here &= there;
                    }
                }
            }
            Statement::For { index, range, body } => {
                let errors = self.errors.len();
                for value in range.clone() {
                    self.loops.set(*index, value);
                    self.block(body);
                    // Later iterations would repeat the message at the same place.
                    if self.errors.len() > errors {
                        break;
                    }
                }
            }
            Statement::Block(block) => self.block(block),
        }
    }

    fn may_assign(&self, place: &Place, op: Option<Arithmetic>) -> Result<(), String> {
        let variable = self.function.variable(place.variable);
        let name = &variable.name;
        if place.variable < self.assignable {
            return Err(format!(
                "`{name}` is declared outside this value: a block that gives a value assigns only its own variables; \
                 assign `{name}` in an `if` statement"
            ));
        }
        let adds = matches!(op, Some(Arithmetic::Add | Arithmetic::Sub));
        match variable.role {
            Role::Local { mutable: true } | Role::Operand(Mode::Rw) => Ok(()),
            Role::Local { mutable: false } => {
                Err(format!("`{name}` is assigned: declare it `let mut {name}`"))
            }
            Role::Argument => Err(format!(
                "`{name}` is an argument and keeps its value: copy it, `let mut {name} = {name};`"
            )),
            Role::Operand(Mode::Read) => {
                Err(format!("`{name}` is Read and cannot be assigned: declare it Write, Rw or Inc"))
            }
            Role::Operand(Mode::Write) if op.is_some() => Err(format!(
                "`{name}` is Write: set its components with `=`; to change the values that are there, declare it Rw, \
                 to add to them, Inc"
            )),
            Role::Operand(Mode::Write) => Ok(()),
            Role::Operand(mode @ (Mode::Min | Mode::Max)) if op.is_some() => {
                Err(format!("`{name}` is {mode:?}: set this element's candidate with `=`"))
            }
            Role::Operand(Mode::Min | Mode::Max) => Ok(()),
            Role::Operand(Mode::Inc | Mode::Sum) if adds => Ok(()),
            Role::Operand(mode @ (Mode::Inc | Mode::Sum)) => {
                Err(format!("`{name}` is {mode:?}: a kernel only adds to it, with `+=` or `-=`"))
            }
        }
    }

    fn read(&mut self, place: &Place) {
        let function = self.function;
        let variable = function.variable(place.variable);
        let name = &variable.name;
        if !self.in_range(place) {
            return;
        }
        match variable.role {
            Role::Operand(mode @ (Mode::Inc | Mode::Sum)) => {
                let message = format!(
                    "`{name}` is {mode:?} and cannot be read: its value is not known before all elements have added to \
                     it; collect in a local variable and add that"
                );
                self.errors.push(place.extent.error(message));
            }
            Role::Operand(mode @ (Mode::Min | Mode::Max)) => {
                let message = format!(
                    "`{name}` is {mode:?} and cannot be read: keep the candidate in a local variable"
                );
                self.errors.push(place.extent.error(message));
            }
            Role::Operand(Mode::Write) => {
                let written = &self.written[&place.variable];
                let missing: Vec<usize> = components(place, function, &self.loops)
                    .filter(|component| !written[*component])
                    .collect();
                if !missing.is_empty() {
                    let message = format!(
                        "`{name}` is Write and {} here, on some path: assign first, or declare it Rw",
                        not_assigned(&missing)
                    );
                    self.errors.push(place.extent.error(message));
                }
            }
            _ => {}
        }
    }

    fn in_range(&mut self, place: &Place) -> bool {
        let variable = self.function.variable(place.variable);
        let Some(index) = &place.index else { return true };
        if let Index::AtTarget(at) = index {
            return self.target_in_range(place, at);
        }
        let range = 0..variable.ty.components();
        let Some(message) = self.out_of_range(index, &range) else { return true };
        let all = range.end - range.start;
        let has = match all {
            1 => "only component 0".to_string(),
            usize::MAX => "those that its function returns".to_string(),
            _ => format!("components 0 to {}", all - 1),
        };
        self.errors.push(place.extent.error(format!("{message} for `{}`, which has {has}", variable.name)));
        false
    }

    fn target_in_range(&mut self, place: &Place, at: &AtTarget) -> bool {
        let name = &self.function.variable(place.variable).name;
        let target = self.out_of_range(&at.target, &(0..at.targets));
        let component = self.out_of_range(&at.component, &(0..at.dim));
        let message = match (target, component) {
            (None, None) => return true,
            (Some(message), _) => {
                format!("{message} for the targets of `{name}`, which are 0 to {}", at.targets - 1)
            }
            (None, Some(message)) => {
                format!("{message} for the components of `{name}`, which are 0 to {}", at.dim - 1)
            }
        };
        self.errors.push(place.extent.error(message));
        false
    }

    /// Says what is wrong with an index, if anything.
    fn out_of_range(&self, index: &Index, range: &Range<usize>) -> Option<String> {
        let value = self.loops.value(index);
        if value.is_some_and(|value| range.contains(&value)) {
            return None;
        }
        let index_text =
            value.map_or("a negative or undefined index".to_string(), |value| format!("index {value}"));
        let loops = self.loops.describe(index, self.function);
        let with = if loops.is_empty() { loops } else { format!(" (with {loops})") };
        Some(format!("{index_text}{with} is out of range"))
    }

    fn expression(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Real(_) | ExprKind::Int(_) | ExprKind::Bool(_) => {}
            // The length of a constant array is unknown here; the compiler checks it in the generated code.
            ExprKind::Constant { index, .. } => {
                if let Some(message) =
                    index.as_ref().and_then(|index| self.out_of_range(index, &(0..usize::MAX)))
                {
                    self.errors.push(expr.extent.error(message));
                }
            }
            ExprKind::Variable(place) => self.read(place),
            ExprKind::Negate(inner) | ExprKind::Not(inner) | ExprKind::Repeat(inner) => {
                self.expression(inner)
            }
            ExprKind::Arithmetic(_, left, right)
            | ExprKind::Compare(_, left, right)
            | ExprKind::Logic(_, left, right) => {
                self.expression(left);
                self.expression(right);
            }
            ExprKind::Math(_, operands) | ExprKind::Array(operands) => {
                operands.iter().for_each(|operand| self.expression(operand));
            }
            ExprKind::Call { arguments, .. } => {
                for argument in arguments {
                    if let Argument::Value(value) = argument {
                        self.expression(value);
                    }
                }
            }
            ExprKind::If { condition, then, otherwise } => {
                self.expression(condition);
                self.value_block(then);
                self.value_block(otherwise);
            }
            ExprKind::Block(block) => self.value_block(block),
        }
    }

    /// Every component of every Write parameter has its value at the end.
    fn complete(&mut self) {
        for (id, written) in &self.written {
            let missing: Vec<usize> = (0..written.len()).filter(|component| !written[*component]).collect();
            if missing.is_empty() {
                continue;
            }
            let name = &self.function.variable(*id).name;
            let message = format!(
                "`{name}` is Write<{}> and {} on every path: assign it, or declare `{name}` Rw",
                written.len(),
                not_assigned(&missing)
            );
            self.errors.push(syn::Error::new(name.span(), message));
        }
    }
}

fn not_assigned(components: &[usize]) -> String {
    let list: Vec<String> = components.iter().map(usize::to_string).collect();
    match components.len() {
        1 => format!("component {} is not assigned", list[0]),
        _ => format!("components {} are not assigned", list.join(", ")),
    }
}
