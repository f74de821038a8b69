//! Types of what device functions return.
//!
//! Only the compiler knows their signatures. A variable that holds such a value therefore has the type
//! [`Type::Returned`] until its first use: where a type is expected, it has that one; where a component of it is taken,
//! it is a [`Type::ReturnedArray`]. One that is only passed on to other functions needs no type.

use super::{Parsed, Parser};
use crate::extent::Extent;
use crate::ir::{Expr, ExprKind, Place, Type, VariableId};

impl Parser {
    /// The first value of a variable without a type.
    pub(super) fn untyped(&mut self, value: &syn::Expr) -> Parsed<Expr> {
        let value = self.expression(value, None)?;
        let ty = if let ExprKind::Call { .. } = &value.kind { Type::Returned } else { value.ty };
        Ok(Expr { ty, ..value })
    }

    /// Gives a returned value the type that is expected where it stands.
    pub(super) fn settle(&mut self, value: Expr, want: Option<Type>) -> Expr {
        let (ExprKind::Variable(Place { variable, index: None, .. }), Some(want)) = (&value.kind, want)
        else {
            return value;
        };
        let fits = match value.ty {
            Type::Returned => true,
            Type::ReturnedArray => matches!(want, Type::Array(..)),
            _ => false,
        };
        if !fits {
            return value;
        }
        self.variables[variable.0].ty = want;
        Expr { ty: want, ..value }
    }

    /// A value whose type must be known here, such as one that a condition selects: f64 if nothing tells.
    pub(super) fn known(&mut self, at: &syn::Expr, value: Expr) -> Parsed<Expr> {
        let value = if value.ty == Type::Returned { self.settle(value, Some(Type::REAL)) } else { value };
        match (&value.kind, value.ty) {
            (ExprKind::Variable(place), Type::ReturnedArray) => self.unknown_length(at, place.variable),
            _ => Ok(value),
        }
    }

    /// The type of a variable of which a component is taken.
    pub(super) fn indexed(&mut self, variable: VariableId) -> Type {
        let ty = &mut self.variables[variable.0].ty;
        if *ty == Type::Returned {
            *ty = Type::ReturnedArray;
        }
        *ty
    }

    /// The type of a variable to which a value is assigned as a whole.
    pub(super) fn assigned(
        &mut self,
        at: &syn::Expr,
        variable: VariableId,
        value: &syn::Expr,
    ) -> Parsed<Type> {
        let ty = self.variables[variable.0].ty;
        if !ty.is_returned() {
            return Ok(ty);
        }
        let known = self.guess(value).filter(|ty| !ty.is_returned());
        match (ty, known) {
            (Type::ReturnedArray, None | Some(Type::Scalar(_))) => self.unknown_length(at, variable),
            (_, known) => {
                let ty = known.unwrap_or(Type::REAL);
                self.variables[variable.0].ty = ty;
                Ok(ty)
            }
        }
    }

    /// Says, once a variable, that its length must be written.
    fn unknown_length<T>(&mut self, at: &syn::Expr, variable: VariableId) -> Parsed<T> {
        let name = &self.variables[variable.0].name;
        let message = format!(
            "the number of components of `{name}` is not known here: say it where `{name}` is declared, \
             `let {name}: [f64; 4] = ...`"
        );
        self.forget_variable(variable);
        let error = Extent::of(at).error(message);
        self.errors.push(error);
        Err(super::Failed)
    }
}
