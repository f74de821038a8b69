//! Leaves of expressions: literals, fields of the constants, named constants.

use quote::ToTokens;
use syn::Lit;

use super::{Binding, Failed, Parsed, Parser, single, text};
use crate::extent::Extent;
use crate::ir::{Expr, ExprKind, Scalar, Source, Type};

impl Parser {
    /// A literal and the sign before it.
    pub(super) fn literal(
        &mut self,
        at: &syn::Expr,
        literal: &Lit,
        negative: bool,
        want: Option<Type>,
    ) -> Parsed<Expr> {
        let extent = Extent::of(at);
        let sign = if negative { "-" } else { "" };
        match literal {
            Lit::Float(float) => match float.suffix() {
                "" | "f64" => self.real(at, &format!("{sign}{}", float.base10_digits())),
                _ => self.fail(at, "kernels compute in f64: drop the suffix"),
            },
            Lit::Int(int) if int.suffix() == "f64" => {
                self.real(at, &format!("{sign}{}", int.base10_digits()))
            }
            Lit::Int(int) if matches!(int.suffix(), "" | "i32") => {
                if want.map(Type::scalar) == Some(Scalar::Real) {
                    let message =
                        format!("expected f64, found an integer: write `{sign}{}.0`", int.base10_digits());
                    return self.fail(at, message);
                }
                match format!("{sign}{}", int.base10_digits()).parse() {
                    Ok(value) => Ok(Expr { ty: Type::INT, kind: ExprKind::Int(value), extent }),
                    Err(_) => self.fail(at, "this integer does not fit an i32"),
                }
            }
            Lit::Bool(value) if !negative => {
                Ok(Expr { ty: Type::BOOL, kind: ExprKind::Bool(value.value), extent })
            }
            _ => {
                let message = format!("`{}` is not a kernel literal: use `1.0`, `1`, `true`", text(at));
                self.fail(at, message)
            }
        }
    }

    fn real(&mut self, at: &syn::Expr, digits: &str) -> Parsed<Expr> {
        match digits.parse::<f64>() {
            Ok(value) if value.is_finite() => {
                Ok(Expr { ty: Type::REAL, kind: ExprKind::Real(value), extent: Extent::of(at) })
            }
            _ => self.fail(at, "this number does not fit an f64"),
        }
    }

    /// `c.field`, `c.field[i]`, `NAME`, `path::NAME[i]`: of the expected type, f64 if there is none.
    pub(super) fn constant(&mut self, expr: &syn::Expr, want: Option<Type>) -> Parsed<Expr> {
        let (base, index) = match expr {
            syn::Expr::Index(indexed) => (&*indexed.expr, Some(&*indexed.index)),
            _ => (expr, None),
        };
        let source = match base {
            syn::Expr::Field(field) => self.constants_field(field)?,
            syn::Expr::Path(path) => self.named_constant(path)?,
            _ => {
                return self
                    .fail(base, "only variables and constants have components: bind this with `let` first");
            }
        };
        let index = index.map(|index| self.index(index)).transpose()?;
        let ty = match want {
            Some(ty) if ty.scalar() == Scalar::Bool => {
                return self.fail(expr, format!("expected {ty}; a constant is f64, i32 or [f64; N]"));
            }
            Some(ty @ Type::Scalar(_)) => ty,
            Some(ty) if index.is_none() => ty,
            _ => Type::REAL,
        };
        Ok(Expr { ty, kind: ExprKind::Constant { source, index }, extent: Extent::of(expr) })
    }

    fn constants_field(&mut self, field: &syn::ExprField) -> Parsed<Source> {
        let base = match &*field.base {
            syn::Expr::Path(path) => single(&path.path).map(|name| (name, self.lookup(name))),
            _ => None,
        };
        match (base, &field.member) {
            (Some((_, Some(Binding::Constants))), syn::Member::Named(name)) => {
                Ok(Source::Field(name.clone()))
            }
            (Some((_, Some(Binding::Unknown))), _) => Err(Failed),
            (Some((name, None)), _) => self.unknown_variable(name),
            _ => {
                let message = "only the constants have fields; components are selected by `[0]`, `[1]`, ...";
                self.fail(field, message)
            }
        }
    }

    fn named_constant(&mut self, path: &syn::ExprPath) -> Parsed<Source> {
        if let Some(name) = single(&path.path) {
            match self.lookup(name) {
                Some(Binding::Constants) => {
                    let message = format!(
                        "the constants are read by field, as in `{name}.gamma`, or handed to a device function as they \
                         are"
                    );
                    return self.fail(path, message);
                }
                Some(Binding::Unknown) => return Err(Failed),
                Some(_) => unreachable!("variables and loop variables are places"),
                None => {}
            }
        }
        let last = path.path.segments.last().map(|segment| segment.ident.to_string()).unwrap_or_default();
        let is_constant = last.chars().any(char::is_uppercase) && !last.chars().any(char::is_lowercase);
        if is_constant {
            return Ok(Source::Path(path.to_token_stream()));
        }
        self.unknown_variable(path)
    }

    pub(super) fn unknown_variable<T>(&mut self, name: &impl ToTokens) -> Parsed<T> {
        let message = format!(
            "unknown variable `{}`; in scope are: {} (named constants are written in upper case)",
            text(name),
            self.names_in_scope()
        );
        self.fail(name, message)
    }
}
