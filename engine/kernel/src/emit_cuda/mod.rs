//! CUDA C for every kernel and device function: the intermediate representation as text.
//!
//! The source is assembled when the program runs, because only the compiler, not the macro, knows the called functions
//! and the named constants. It is a list of pieces: text, and references.
//!
//! ```text
//! mod     the items: `cfd_engine::source::KernelSource` of a kernel or of a device function
//! body    statements and expressions
//! parts   text being divided into pieces
//! ```

mod body;
mod parts;

use proc_macro2::TokenStream;
use quote::quote;

use crate::calls::Calls;
use crate::ir::{Function, Mode, Role, Scalar, Type};
use crate::ops::calls;
use crate::parse::Signature;
use parts::Parts;

/// The `KernelSource` of a function, as a constant expression. Without a function (it had errors), it is empty.
pub fn source(signature: &Signature, function: Option<&Function>) -> TokenStream {
    let name = signature.name.to_string();
    let calls = function.map(calls).unwrap_or_default();
    let pieces = function.map(|function| definition(signature, function, &calls)).unwrap_or_default();
    let pieces = pieces.into_pieces();
    calls.scope(quote! {
        {
            const PIECES: &[::cfd_engine::source::SourcePiece] = &[#(#pieces),*];
            ::cfd_engine::source::KernelSource {
                name: #name,
                module: ::core::module_path!(),
                file: ::core::file!(),
                pieces: PIECES,
            }
        }
    })
}

/// `CFD_FUNCTION result name(parameters) { body }`
fn definition(signature: &Signature, function: &Function, calls: &Calls) -> Parts {
    let mut parts = Parts::default();
    parts.push(&format!("CFD_FUNCTION {} ", signature.result.map_or("void".into(), type_name)));
    parts.push_piece(quote!(::cfd_engine::source::SourcePiece::OwnName));
    let mut parameters: Vec<String> = function.variables[..signature.parameters.len()]
        .iter()
        .enumerate()
        .flat_map(|(id, variable)| {
            let (names, ty) = match variable.targets {
                None => (vec![body::variable_name(function, id)], variable.ty),
                Some(targets) => {
                    let names = (0..targets).map(|target| body::target_name(function, id, target));
                    (names.collect(), Type::Array(variable.ty.scalar(), variable.dim()))
                }
            };
            let constant = match variable.role {
                Role::Operand(Mode::Read) | Role::Argument => "const ",
                Role::Operand(_) | Role::Local { .. } => "",
            };
            names.into_iter().map(move |name| format!("{constant}{}& {name}", type_name(ty)))
        })
        .collect();
    // Kernels always have them, so that all loops call their kernels alike.
    if signature.constants.is_some() || signature.result.is_none() {
        parameters.push(format!("const Constants& {}", body::CONSTANTS));
    }
    parts.push(&format!("({}) {{", parameters.join(", ")));
    parts.append(body::emit(function, calls));
    parts.push("\n}\n");
    parts
}

/// The type in CUDA C; `Row` is defined in the prelude.
fn type_name(ty: Type) -> String {
    let scalar = match ty.scalar() {
        Scalar::Real => "double",
        Scalar::Int => "int",
        Scalar::Bool => "bool",
    };
    match ty {
        Type::Scalar(_) => scalar.into(),
        Type::Array(_, n) => format!("Row<{scalar}, {n}>"),
        Type::Returned | Type::ReturnedArray => "auto".into(),
    }
}
