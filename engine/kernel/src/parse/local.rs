//! `let`: one name, or several names for the values of a tuple or the components of an array; names for values, or for
//! component numbers, which are put in wherever the name is used.

use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;
use syn::{Expr, Pat};

use super::{Binding, Failed, Parsed, Parser, text, value_type};
use crate::hygiene::temporary;
use crate::ir::{self, Index, Place, Role, Scalar, Statement, Type, Variable, VariableId};

/// What a `let` declares.
const NAMES: &str =
    "only plain names are declared: `let x = ...;`, `let (a, b) = (x, y);`, `let [a, b] = row;`";

/// What a name stands for.
enum Named {
    Value(ir::Expr),
    Index(Index),
}

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
        let parsed = self.one(local, ident, annotation);
        if parsed.is_err() {
            self.scope.push((ident.ident.to_string(), Binding::Unknown));
        }
        parsed
    }

    fn one(
        &mut self,
        local: &syn::Local,
        ident: &syn::PatIdent,
        annotation: Option<&syn::Type>,
    ) -> Parsed<Vec<Statement>> {
        if ident.by_ref.is_some() || ident.subpat.is_some() {
            return self.fail(ident, NAMES);
        }
        let value = self.initial_value(local, &ident.ident.to_string())?;
        match self.named(value, annotation)? {
            Named::Value(value) => Ok(vec![self.declare_value(ident, value)]),
            Named::Index(index) => {
                self.declare_index(ident, index)?;
                Ok(Vec::new())
            }
        }
    }

    fn named(&mut self, value: &Expr, annotation: Option<&syn::Type>) -> Parsed<Named> {
        if annotation.map_or_else(|| self.is_index(value), is_usize) {
            return self.index(value).map(Named::Index);
        }
        let value = match self.annotated(annotation)? {
            None => self.untyped(value),
            want => self.expression(value, want),
        };
        value.map(Named::Value)
    }

    fn declare_value(&mut self, ident: &syn::PatIdent, value: ir::Expr) -> Statement {
        let role = Role::Local { mutable: ident.mutability.is_some() };
        let variable = self.declare(&ident.ident, value.ty, role);
        Statement::Let { variable, value }
    }

    fn declare_index(&mut self, ident: &syn::PatIdent, index: Index) -> Parsed<()> {
        if ident.mutability.is_some() {
            return self.fail(ident, "a component number keeps its value: declare it without `mut`");
        }
        self.scope.push((ident.ident.to_string(), Binding::Index(self.indices.len())));
        self.indices.push(index);
        Ok(())
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
        let mut statements = Vec::new();
        let (names, values): (Vec<&Pat>, Vec<Named>) = match pattern {
            Pat::Tuple(tuple) => {
                let names: Vec<&Pat> = tuple.elems.iter().collect();
                let values = self.tuple(value, names.len())?;
                let types = self.tuple_types(annotation, names.len())?;
                let values: Vec<Parsed<Named>> =
                    values.into_iter().zip(types).map(|(value, ty)| self.named(value, ty)).collect();
                let values = values.into_iter().collect::<Parsed<Vec<Named>>>()?;
                let hide = |named| match named {
                    Named::Value(value) => Named::Value(value_of(self.hidden(value, &mut statements))),
                    index => index,
                };
                (names, values.into_iter().map(hide).collect())
            }
            Pat::Slice(slice) => {
                let names: Vec<&Pat> = slice.elems.iter().collect();
                let guess = self.guess(value).filter(|ty| !ty.is_returned());
                let known = self.annotated(annotation)?.or(guess);
                let want = known.unwrap_or(Type::Array(Scalar::Real, names.len()));
                if want.components() != names.len() || matches!(want, Type::Scalar(_)) {
                    let message = format!("{} names, but the value is {want}", names.len());
                    return self.fail(pattern, message);
                }
                let value = self.expression(value, Some(want))?;
                let (_, place) = self.hidden(value, &mut statements);
                let component = |m| {
                    let place = Place { index: Some(Index::Literal(m)), ..place.clone() };
                    Named::Value(value_of((Type::Scalar(want.scalar()), place)))
                };
                (names, (0..want.components()).map(component).collect())
            }
            _ => unreachable!("the caller has looked"),
        };
        for (name, named) in names.into_iter().zip(values) {
            match (name, named) {
                (Pat::Ident(ident), named) if ident.by_ref.is_none() && ident.subpat.is_none() => match named
                {
                    Named::Value(value) => statements.push(self.declare_value(ident, value)),
                    Named::Index(index) => self.declare_index(ident, index)?,
                },
                (Pat::Wild(_), _) => {}
                (other, _) => return self.fail(other, NAMES),
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

    fn tuple_types<'t>(
        &mut self,
        annotation: Option<&'t syn::Type>,
        count: usize,
    ) -> Parsed<Vec<Option<&'t syn::Type>>> {
        match annotation {
            None => Ok(vec![None; count]),
            Some(syn::Type::Tuple(tuple)) if tuple.elems.len() == count => {
                Ok(tuple.elems.iter().map(Some).collect())
            }
            Some(other) => self.fail(other, format!("the type of {count} names is a tuple of {count} types")),
        }
    }

    /// A variable without a name in the source, and its type.
    fn hidden(&mut self, value: ir::Expr, statements: &mut Vec<Statement>) -> (Type, Place) {
        let variable = VariableId(self.variables.len());
        let name = temporary(&format!("value_{}", variable.0));
        let (ty, role) = (value.ty, Role::Local { mutable: false });
        self.variables.push(Variable { name, ty, role, targets: None });
        let place = Place { variable, index: None, extent: value.extent };
        statements.push(Statement::Let { variable, value });
        (ty, place)
    }

    /// Suppresses errors about the names in a pattern that has been refused.
    fn forget(&mut self, pattern: &Pat) {
        for token in flatten(pattern.to_token_stream()) {
            self.scope.push((token, Binding::Unknown));
        }
    }
}

/// The value at a place.
fn value_of((ty, place): (Type, Place)) -> ir::Expr {
    ir::Expr { ty, extent: place.extent, kind: ir::ExprKind::Variable(place) }
}

/// The type of a component number.
fn is_usize(ty: &syn::Type) -> bool {
    matches!(ty, syn::Type::Path(path) if path.path.is_ident("usize"))
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
