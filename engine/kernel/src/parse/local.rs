//! `let`: one name, or several names for the values of a tuple or the components of an array.

use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use quote::ToTokens;
use syn::{Expr, Pat};

use super::{Binding, Failed, Parsed, Parser, text, value_type};
use crate::ir::{self, Index, Place, Role, Scalar, Statement, Type, Variable, VariableId};

/// What a `let` declares.
const NAMES: &str =
    "only plain names are declared: `let x = ...;`, `let (a, b) = (x, y);`, `let [a, b] = row;`";

impl Parser {
    pub(super) fn local(&mut self, local: &syn::Local) -> Parsed<Vec<Statement>> {
        let (pattern, annotation) = match &local.pat {
            Pat::Type(typed) => (&*typed.pat, Some(&*typed.ty)),
            pattern => (pattern, None),
        };
        let ident = match pattern {
            Pat::Ident(ident) => ident,
            Pat::Tuple(_) | Pat::Slice(_) => {
                let parsed = self.several(local, pattern, annotation);
                if parsed.is_err() {
                    self.forget(pattern);
                }
                return parsed;
            }
            _ => {
                self.fail::<()>(pattern, NAMES).ok();
                self.forget(pattern);
                return Err(Failed);
            }
        };
        let parsed = self.local_value(local, ident, annotation);
        match parsed {
            Ok(value) => {
                let role = Role::Local { mutable: ident.mutability.is_some() };
                let variable = self.declare(&ident.ident, value.ty, role);
                Ok(vec![Statement::Let { variable, value }])
            }
            Err(Failed) => {
                self.scope.push((ident.ident.to_string(), Binding::Unknown));
                Err(Failed)
            }
        }
    }

    fn local_value(
        &mut self,
        local: &syn::Local,
        ident: &syn::PatIdent,
        annotation: Option<&syn::Type>,
    ) -> Parsed<ir::Expr> {
        if ident.by_ref.is_some() || ident.subpat.is_some() {
            return self.fail(ident, NAMES);
        }
        let want = self.annotated(annotation)?;
        let value = self.initial_value(local, &ident.ident.to_string())?;
        self.expression(value, want)
    }

    fn annotated(&mut self, annotation: Option<&syn::Type>) -> Parsed<Option<Type>> {
        annotation.map(value_type).transpose().map_err(|error| {
            self.errors.push(error);
            Failed
        })
    }

    fn initial_value<'e>(&mut self, local: &'e syn::Local, name: &str) -> Parsed<&'e Expr> {
        if let Some(attribute) = local.attrs.first() {
            return self.fail(attribute, "attributes are not supported inside a kernel");
        }
        let Some(init) = &local.init else {
            let message = format!("`{name}` needs a value when it is declared: `let mut {name} = 0.0;`");
            return self.fail(local, message);
        };
        if let Some((token, _)) = &init.diverge {
            return self.fail(token, "`let ... else` is not supported in a kernel");
        }
        Ok(&init.expr)
    }

    /// `let (a, b) = (x, y);` and `let [a, b] = row;`: evaluates the values first, then declares the names.
    fn several(
        &mut self,
        local: &syn::Local,
        pattern: &Pat,
        annotation: Option<&syn::Type>,
    ) -> Parsed<Vec<Statement>> {
        let value = self.initial_value(local, &text(pattern))?;
        let (names, mut statements, places) = match pattern {
            Pat::Tuple(tuple) => {
                let names: Vec<&Pat> = tuple.elems.iter().collect();
                let values = self.tuple(value, names.len())?;
                let types = self.tuple_types(annotation, names.len())?;
                let values: Vec<Parsed<ir::Expr>> =
                    values.into_iter().zip(types).map(|(value, want)| self.expression(value, want)).collect();
                let values = values.into_iter().collect::<Parsed<Vec<ir::Expr>>>()?;
                let (statements, places) = values.into_iter().map(|value| self.hidden(value)).unzip();
                (names, statements, places)
            }
            Pat::Slice(slice) => {
                let names: Vec<&Pat> = slice.elems.iter().collect();
                let known = self.annotated(annotation)?.or_else(|| self.guess(value));
                let want = known.unwrap_or(Type::Array(Scalar::Real, names.len()));
                if want.components() != names.len() || matches!(want, Type::Scalar(_)) {
                    let message = format!("{} names, but the value is {want}", names.len());
                    return self.fail(pattern, message);
                }
                let value = self.expression(value, Some(want))?;
                let (statement, place) = self.hidden(value);
                let component = |m| Place { index: Some(Index::Literal(m)), ..place.clone() };
                (names, vec![statement], (0..want.components()).map(component).collect::<Vec<Place>>())
            }
            _ => unreachable!("the caller has looked"),
        };
        for (name, place) in names.into_iter().zip(places) {
            match name {
                Pat::Ident(ident) if ident.by_ref.is_none() && ident.subpat.is_none() => {
                    let (ty, extent) = (self.place_type(&place), place.extent);
                    let role = Role::Local { mutable: ident.mutability.is_some() };
                    let variable = self.declare(&ident.ident, ty, role);
                    let value = ir::Expr { ty, kind: ir::ExprKind::Variable(place), extent };
                    statements.push(Statement::Let { variable, value });
                }
                Pat::Wild(_) => {}
                other => return self.fail(other, NAMES),
            }
        }
        Ok(statements)
    }

    /// The values of `(x, y)`.
    fn tuple<'e>(&mut self, value: &'e Expr, count: usize) -> Parsed<Vec<&'e Expr>> {
        match value {
            Expr::Tuple(tuple) if tuple.elems.len() == count => Ok(tuple.elems.iter().collect()),
            Expr::Tuple(tuple) => self.fail(value, format!("{} values for {count} names", tuple.elems.len())),
            _ => self.fail(
                value,
                "a kernel has no tuples but those that stand here: `let (a, b) = (x, y);`; \
                                   for the components of an array, write `let [a, b] = ...;`",
            ),
        }
    }

    fn tuple_types(&mut self, annotation: Option<&syn::Type>, count: usize) -> Parsed<Vec<Option<Type>>> {
        match annotation {
            None => Ok(vec![None; count]),
            Some(syn::Type::Tuple(tuple)) if tuple.elems.len() == count => {
                tuple.elems.iter().map(|ty| self.annotated(Some(ty))).collect()
            }
            Some(other) => self.fail(other, format!("the type of {count} names is a tuple of {count} types")),
        }
    }

    /// A variable without a name in the source.
    fn hidden(&mut self, value: ir::Expr) -> (Statement, Place) {
        let variable = VariableId(self.variables.len());
        let name = Ident::new(&format!("value_{}", variable.0), Span::mixed_site());
        let role = Role::Local { mutable: false };
        self.variables.push(Variable { name, ty: value.ty, role, targets: None });
        let place = Place { variable, index: None, extent: value.extent };
        (Statement::Let { variable, value }, place)
    }

    /// Suppresses errors about the names in a pattern that has been refused.
    fn forget(&mut self, pattern: &Pat) {
        for token in flatten(pattern.to_token_stream()) {
            self.scope.push((token, Binding::Unknown));
        }
    }
}

/// All identifiers in some tokens.
fn flatten(tokens: TokenStream) -> Vec<String> {
    let mut names = Vec::new();
    for token in tokens {
        match token {
            TokenTree::Ident(ident) => names.push(ident.to_string()),
            TokenTree::Group(group) => names.extend(flatten(group.stream())),
            _ => {}
        }
    }
    names
}
