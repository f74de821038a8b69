//! Which parameters receive exactly the negatives of another's increments: a flux that leaves one cell and enters the
//! next.
//!
//! If every component receives one addition, of a value that cannot change in between, with opposite signs in the two
//! parameters, then the two sums, each from -0.0, are negatives of each other to the last bit, zeros included. With
//! several additions they might not be: 1 - 1 and -1 + 1 are both +0.

use crate::ir::{Arithmetic, Block, ExprKind, Function, Mode, Role, Scalar, Statement, Variable, VariableId};
use crate::unroll::{Loops, assigned, components};

/// An argument of a loop: the components of a parameter, or of one target of a parameter at all targets of a map.
pub struct LoopArgument {
    variable: usize,
    components: std::ops::Range<usize>,
    /// Whether it is one of several of its parameter.
    at_target: bool,
}

/// The arguments of a kernel's loops, in the order of parameters and targets.
pub fn arguments(function: &Function) -> Vec<LoopArgument> {
    let operands = function.variables.iter().take_while(|v| matches!(v.role, Role::Operand(_)));
    let of = |(variable, operand): (usize, &Variable)| {
        let (dim, at_target) = (operand.dim(), operand.targets.is_some());
        (0..operand.targets.unwrap_or(1)).map(move |t| LoopArgument {
            variable,
            components: t * dim..(t + 1) * dim,
            at_target,
        })
    };
    operands.enumerate().flat_map(of).collect()
}

/// Pairs of `Inc` arguments by number; the second's increments are the negatives of the first's. No argument is in two
/// pairs. Those at all targets of a map are paired only among themselves.
pub fn opposites(function: &Function) -> Vec<(usize, usize)> {
    let (additions, arguments) = (Additions::of(function), arguments(function));
    let mut pairs: Vec<(usize, usize)> = Vec::new();
    for (j, second) in arguments.iter().enumerate() {
        let is_free = |k: usize| pairs.iter().all(|&(a, b)| a != k && b != k);
        let fits = |first: &LoopArgument| match (first.at_target, second.at_target) {
            (false, false) => additions.are_opposite(first, second),
            _ => first.variable == second.variable && additions.are_opposite(first, second),
        };
        let first = (0..j).find(|&i| is_free(i) && fits(&arguments[i]));
        pairs.extend(first.map(|i| (i, j)));
    }
    pairs
}

/// A component of a variable that cannot be assigned, in one pass through the block that declares it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Value {
    variable: VariableId,
    pass: usize,
    component: usize,
}

/// What is added to a component of a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Added {
    Nothing,
    Once {
        value: Value,
        subtracted: bool,
    },
    /// More than one addition, or an addition not of such a value, or not in every call.
    Otherwise,
}

/// What a call adds to the components of its `Inc` parameters.
struct Additions<'f> {
    function: &'f Function,
    loops: Loops,
    /// By parameter; empty for those that are not `Inc` of f64.
    of: Vec<Vec<Added>>,
    /// By variable: how often it has been declared so far.
    passes: Vec<usize>,
}

impl Additions<'_> {
    fn of(function: &Function) -> Additions<'_> {
        let increments =
            function.variables.iter().take_while(|v| matches!(v.role, Role::Operand(_))).map(|variable| {
                let counts =
                    variable.role == Role::Operand(Mode::Inc) && variable.ty.scalar() == Scalar::Real;
                vec![Added::Nothing; if counts { variable.ty.components() } else { 0 }]
            });
        let (of, passes) = (increments.collect(), vec![0; function.variables.len()]);
        let mut additions = Additions { function, loops: Loops::of(function), of, passes };
        additions.block(&function.body);
        additions
    }

    fn are_opposite(&self, first: &LoopArgument, second: &LoopArgument) -> bool {
        let added = |argument: &LoopArgument| {
            self.of[argument.variable].get(argument.components.clone()).unwrap_or_default()
        };
        let (first, second) = (added(first), added(second));
        let opposite = |pair: (&Added, &Added)| match pair {
            (Added::Once { value: a, subtracted: s }, Added::Once { value: b, subtracted: t }) => {
                a == b && s != t
            }
            _ => false,
        };
        !first.is_empty() && first.len() == second.len() && first.iter().zip(second).all(opposite)
    }

    fn block(&mut self, block: &Block) {
        for statement in &block.statements {
            self.statement(statement);
        }
    }

    fn statement(&mut self, statement: &Statement) {
        match statement {
            Statement::Let { variable, .. } => self.passes[variable.0] += 1,
            Statement::Assign { place, op, value, .. } => {
                let Some(to) = self.of.get(place.variable.0) else { return };
                let target = components(place, self.function, &self.loops);
                let from = match &value.kind {
                    ExprKind::Variable(from) if self.is_fixed(from.variable) => Some(from),
                    _ => None,
                };
                let added = from.map(|from| (from.variable, components(from, self.function, &self.loops)));
                let added = match (added, op) {
                    (Some((variable, from)), Some(op @ (Arithmetic::Add | Arithmetic::Sub)))
                        if (from.len(), target.len()) == (1, 1) =>
                    {
                        let value = Value { variable, pass: self.passes[variable.0], component: from.start };
                        Added::Once { value, subtracted: *op == Arithmetic::Sub }
                    }
                    _ => Added::Otherwise,
                };
                let target = if to.is_empty() { 0..0 } else { target };
                for component in target {
                    let of = &mut self.of[place.variable.0][component];
                    *of = if *of == Added::Nothing { added } else { Added::Otherwise };
                }
            }
            Statement::If { then, otherwise, .. } => {
                for branch in [then, otherwise] {
                    for (variable, components) in assigned(branch, self.function, &mut self.loops) {
                        if let Some(of) = self.of.get_mut(variable.0).filter(|of| !of.is_empty()) {
                            components.into_iter().for_each(|component| of[component] = Added::Otherwise);
                        }
                    }
                }
            }
            Statement::For { index, range, body } => {
                for value in range.clone() {
                    self.loops.set(*index, value);
                    self.block(body);
                }
            }
            Statement::Block(block) => self.block(block),
        }
    }

    /// The variable keeps its values once declared.
    fn is_fixed(&self, variable: VariableId) -> bool {
        match self.function.variable(variable).role {
            Role::Local { mutable } => !mutable,
            Role::Operand(mode) => mode == Mode::Read,
            Role::Argument => true,
        }
    }
}
