//! Whether a kernel only copies its first operand to its second.

use crate::ir::{ExprKind, Function, Mode, Role, Statement, VariableId};
use crate::unroll::{Loops, components};

/// True for a checked kernel of a `Read` and a `Write` operand in which every assignment copies a component of one to
/// the same component of the other.
pub fn copies(function: &Function) -> bool {
    let [from, to, ..] = &function.variables[..] else { return false };
    (from.role, to.role) == (Role::Operand(Mode::Read), Role::Operand(Mode::Write))
        && from.ty == to.ty
        && (from.targets, to.targets) == (None, None)
        && function.variables.iter().filter(|v| matches!(v.role, Role::Operand(_))).count() == 2
        && all_copy(&function.body.statements, function, &mut Loops::of(function))
}

fn all_copy(statements: &[Statement], function: &Function, loops: &mut Loops) -> bool {
    statements.iter().all(|statement| match statement {
        Statement::Assign { place, op: None, value, .. } => {
            let ExprKind::Variable(from) = &value.kind else { return false };
            (from.variable, place.variable) == (VariableId(0), VariableId(1))
                && components(from, function, loops) == components(place, function, loops)
        }
        Statement::For { index, range, body } => range.clone().all(|value| {
            loops.set(*index, value);
            all_copy(&body.statements, function, loops)
        }),
        Statement::Block(block) => all_copy(&block.statements, function, loops),
        _ => false,
    })
}
