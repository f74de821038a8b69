//! From syntax to [`ir`](crate::ir): resolves names, finds types, refuses everything outside the subset.
//!
//! ```text
//! signature     parameters and result
//! statement     assignment, if, for
//! local         let
//! inference     types of what device functions return
//! expression    operators, calls, arrays, types by context
//! literal       numbers, names, constants
//! index         component numbers and loop bounds
//! ```
//!
//! A statement that cannot be parsed is reported and left out; parsing continues, so that one compilation shows every
//! error. Anything that depends on an omitted declaration is passed over in silence.

mod expression;
mod index;
mod inference;
mod literal;
mod local;
mod signature;
mod statement;

use proc_macro2::Ident;
use quote::ToTokens;

use crate::extent::Extent;
use crate::ir::{Function, Index, LoopId, Role, Type, Variable, VariableId};

pub use signature::{Kind, Parameter, Signature, value_type};

/// The error has already been reported.
pub struct Failed;

type Parsed<T> = Result<T, Failed>;

/// What a name in scope stands for.
#[derive(Clone, Copy)]
enum Binding {
    Variable(VariableId),
    Loop(LoopId),
    /// A component number with a name: a position in [`Parser::indices`].
    Index(usize),
    Constants,
    /// A declaration that could not be parsed.
    Unknown,
}

/// The state of parsing one function.
struct Parser {
    errors: Vec<syn::Error>,
    scope: Vec<(String, Binding)>,
    variables: Vec<Variable>,
    loops: Vec<Ident>,
    indices: Vec<Index>,
    /// The product of the iterations of the loops around the current statement.
    iterations: usize,
}

/// Parses a body under its signature. All errors are combined into one.
pub fn function(signature: &Signature, body: &syn::Block) -> syn::Result<Function> {
    let mut parser = Parser {
        errors: Vec::new(),
        scope: Vec::new(),
        variables: Vec::new(),
        loops: Vec::new(),
        indices: Vec::new(),
        iterations: 1,
    };
    if let Some(constants) = &signature.constants {
        parser.scope.push((constants.name.to_string(), Binding::Constants));
    }
    for parameter in &signature.parameters {
        parser.declare(&parameter.name, parameter.ty, parameter.role);
        parser.variables.last_mut().expect("just declared").targets = parameter.targets;
    }
    let body = match signature.result {
        Some(result) => parser.value_block(body, Some(result)),
        None => Ok(parser.statement_block(body)),
    };
    combine(std::mem::take(&mut parser.errors))?;
    let Ok(body) = body else { unreachable!("a failure has been reported") };
    Ok(Function {
        variables: parser.variables,
        constants: signature.constants.as_ref().map(|constants| constants.name.clone()),
        loops: parser.loops,
        body,
    })
}

/// All errors as one, if there are any.
pub fn combine(errors: Vec<syn::Error>) -> syn::Result<()> {
    let all = errors.into_iter().reduce(|mut all, next| {
        all.combine(next);
        all
    });
    all.map_or(Ok(()), Err)
}

impl Parser {
    /// Reports an error at some tokens.
    fn fail<T>(&mut self, at: &impl ToTokens, message: impl std::fmt::Display) -> Parsed<T> {
        self.errors.push(Extent::of(at).error(message));
        Err(Failed)
    }

    fn declare(&mut self, name: &Ident, ty: Type, role: Role) -> VariableId {
        let id = VariableId(self.variables.len());
        self.variables.push(Variable { name: name.clone(), ty, role, targets: None });
        self.scope.push((name.to_string(), Binding::Variable(id)));
        id
    }

    fn lookup(&self, name: &Ident) -> Option<Binding> {
        let name = name.to_string();
        self.scope.iter().rev().find(|(known, _)| *known == name).map(|(_, binding)| *binding)
    }

    /// Suppresses further errors about a variable.
    fn forget_variable(&mut self, variable: VariableId) {
        let known = |binding: &Binding| matches!(binding, Binding::Variable(id) if *id == variable);
        self.scope.iter_mut().filter(|(_, binding)| known(binding)).for_each(|(_, b)| *b = Binding::Unknown);
    }

    /// Names that may be written here, for messages.
    fn names_in_scope(&self) -> String {
        let mut names: Vec<&str> = self.scope.iter().map(|(name, _)| name.as_str()).collect();
        names.sort_unstable();
        names.dedup();
        names.join(", ")
    }
}

/// The single identifier of a path, if it is just that.
fn single(path: &syn::Path) -> Option<&Ident> {
    path.get_ident()
}

/// Tokens as a programmer would write them, for messages: without the spaces that printing tokens inserts.
fn text(tokens: &impl ToTokens) -> String {
    let mut text = tokens.to_token_stream().to_string();
    for (printed, written) in
        [(" :: ", "::"), (" . ", "."), (" ,", ","), (" [", "["), (" (", "("), (" ;", ";")]
    {
        text = text.replace(printed, written);
    }
    text
}

/// A type as a programmer would write it, for messages.
fn type_text(ty: &syn::Type) -> String {
    text(ty).replace(" < ", "<").replace(" >", ">").replace("& ", "&")
}
