//! Loops and component numbers: what is known once loops are unrolled.

use std::collections::{BTreeMap, BTreeSet};

use crate::ir::{Block, Function, Index, IndexOp, LoopId, Place, Statement, VariableId};

/// The current values of the loop variables.
#[derive(Clone, Debug)]
pub struct Loops(Vec<usize>);

impl Loops {
    /// Those before any loop of the function.
    pub fn of(function: &Function) -> Loops {
        Loops(vec![0; function.loops.len()])
    }

    /// Gives a loop variable its value in one iteration.
    pub fn set(&mut self, index: LoopId, value: usize) {
        self.0[index.0] = value;
    }

    /// The value of a component number; `None` if it is negative or too large on the way.
    pub fn value(&self, index: &Index) -> Option<usize> {
        match index {
            Index::Literal(value) => Some(*value),
            Index::Loop(id) => Some(self.0[id.0]),
            Index::Binary(op, left, right) => {
                let (left, right) = (self.value(left)?, self.value(right)?);
                match op {
                    IndexOp::Add => left.checked_add(right),
                    IndexOp::Sub => left.checked_sub(right),
                    IndexOp::Mul => left.checked_mul(right),
                    IndexOp::Div => left.checked_div(right),
                    IndexOp::Rem => left.checked_rem(right),
                }
            }
            Index::AtTarget(at) => {
                let target = self.value(&at.target).filter(|&target| target < at.targets)?;
                let component = self.value(&at.component).filter(|&component| component < at.dim)?;
                Some(target * at.dim + component)
            }
        }
    }

    /// The value of a checked component number.
    pub fn checked_value(&self, index: &Index) -> usize {
        self.value(index).expect("the check has refused every index that has no value")
    }

    /// The loop variables in an index and their values, as `i = 1, j = 0`; empty for a literal index.
    pub fn describe(&self, index: &Index, function: &Function) -> String {
        fn collect(index: &Index, found: &mut Vec<usize>) {
            match index {
                Index::Literal(_) => {}
                Index::Loop(id) if found.contains(&id.0) => {}
                Index::Loop(id) => found.push(id.0),
                Index::Binary(_, left, right) => {
                    collect(left, found);
                    collect(right, found);
                }
                Index::AtTarget(at) => {
                    collect(&at.target, found);
                    collect(&at.component, found);
                }
            }
        }
        let mut found = Vec::new();
        collect(index, &mut found);
        let pairs: Vec<String> =
            found.into_iter().map(|id| format!("{} = {}", function.loops[id], self.0[id])).collect();
        pairs.join(", ")
    }
}

/// Components that a block assigns, by variable.
pub type Assigned = BTreeMap<VariableId, BTreeSet<usize>>;

/// The components of outside variables that a branch of an `if` assigns, on any path.
pub fn assigned(block: &Block, function: &Function, loops: &mut Loops) -> Assigned {
    let mut found = Assigned::new();
    collect(&block.statements, function, loops, &mut found);
    found.retain(|variable, _| *variable < block.first);
    found
}

fn collect(statements: &[Statement], function: &Function, loops: &mut Loops, found: &mut Assigned) {
    for statement in statements {
        match statement {
            // Expressions assign nothing outside themselves.
            Statement::Let { .. } => {}
            Statement::Assign { place, .. } => {
                let components = components(place, function, loops);
                found.entry(place.variable).or_default().extend(components);
            }
            Statement::If { then, otherwise, .. } => {
                collect(&then.statements, function, loops, found);
                collect(&otherwise.statements, function, loops, found);
            }
            Statement::For { index, range, body } => {
                for value in range.clone() {
                    loops.set(*index, value);
                    collect(&body.statements, function, loops, found);
                }
            }
            Statement::Block(block) => collect(&block.statements, function, loops, found),
        }
    }
}

/// The components that a place stands for: one, or all of the variable. Out-of-range ones are left out.
pub fn components(place: &Place, function: &Function, loops: &Loops) -> std::ops::Range<usize> {
    let all = function.variable(place.variable).ty.components();
    match &place.index {
        None => 0..all,
        Some(index) => match loops.value(index) {
            Some(value) if value < all => value..value + 1,
            _ => 0..0,
        },
    }
}
