//! Rust for every lane type: the intermediate representation as a function generic over `R: Real`.
//!
//! ```text
//! mod     the items: a kernel's type and function, a device function and its count
//! body    statements and expressions
//! ```

mod body;

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};
use syn::Visibility;

use crate::copies::copies;
use crate::hygiene::{in_context_of, temporary};
use crate::ir::{Function, Scalar, Type};
use crate::opposites::opposites;
use crate::ops;
use crate::parse::{Parameter, Signature};

/// Lints that generated code would trigger by its form.
fn allowances() -> TokenStream {
    quote!(#[allow(
        clippy::all, clippy::pedantic, clippy::nursery, clippy::restriction,
        unused_parens, unused_braces, unused_mut, unused_assignments, unused_qualifications,
    )])
}

/// A kernel's type, with its `impl Kernel`, and the function of the same name, which a loop is called with. Without a
/// function (it had errors), the kernel does nothing. `cuda` is its `KernelSource`.
pub fn kernel(
    signature: &Signature,
    function: Option<&Function>,
    cuda: &TokenStream,
    is_scalar: bool,
) -> TokenStream {
    let Signature { attributes, visibility, name, .. } = signature;
    let types: Vec<&TokenStream> = signature.parameters.iter().map(|parameter| &parameter.tokens).collect();
    let names: Vec<&Ident> = signature.parameters.iter().map(|parameter| &parameter.name).collect();
    let texts: Vec<String> = signature.parameters.iter().flat_map(argument_names).collect();
    let (constants, constants_type) = constants(signature);
    let args = temporary("args");
    let operations = operations(function);
    let copies = function.is_some_and(copies);
    let mut sources: Vec<usize> = (0..texts.len()).collect();
    function.map(opposites).unwrap_or_default().into_iter().for_each(|(i, j)| sources[j] = i);
    let body = match function {
        Some(function) => {
            let body = body::emit(function);
            quote! { let (#(#names,)*) = #args; #body }
        }
        None => quote! { let _ = (#args, #constants); },
    };
    let documentation = operands_documentation(signature);
    let (text, allowances) = (name.to_string(), allowances());
    let (module, inside) = (format_ident!("__kernel_{name}"), inside(visibility));
    let call = quote! {
        #allowances
        #[inline(always)]
        fn call<R: ::cfd_engine::lane::Real>(
            #args: &mut <Self::Params as ::cfd_engine::kernel::Params>::Locals<R>,
            #constants: &Self::Constants,
        ) {
            #body
        }
    };
    let call = in_context_of(call, name.span());
    quote! {
        mod #module {
            #[doc(hidden)]
            #[derive(Clone, Copy, Debug)]
            #[allow(non_camel_case_types, dead_code)]
            #inside struct #name {}

            #(#attributes)*
            #documentation
            #inside fn #name() -> #name {
                #name {}
            }
        }
        #[allow(unused_imports)]
        #visibility use #module::#name;

        impl ::cfd_engine::kernel::Kernel for #name {
            type Params = (#(#types,)*);
            type Constants = #constants_type;
            const NAME: &'static str = #text;
            const ARGUMENT_NAMES: &'static [&'static str] = &[#(#texts),*];
            const OPS: ::cfd_engine::kernel::OpCount = #operations;
            const COPIES: bool = #copies;
            const SCALAR: bool = #is_scalar;
            const ROW_SOURCES: &'static [usize] = &[#(#sources),*];
            const SOURCE: &'static ::cfd_engine::source::KernelSource = &#cuda;
            #call
        }
    }
}

/// A device function, generic over lanes; and, in the namespace of types, its operation count and CUDA source.
pub fn device(signature: &Signature, function: Option<&Function>, cuda: &TokenStream) -> TokenStream {
    let Signature { attributes, visibility, name, .. } = signature;
    let mut parameters: Vec<TokenStream> = signature
        .parameters
        .iter()
        .map(|parameter| {
            let (name, ty) = (&parameter.name, lane_type(parameter.ty));
            quote!(#name: #ty)
        })
        .collect();
    if let Some(constants) = &signature.constants {
        let (name, ty) = (&constants.name, &constants.ty);
        parameters.push(quote!(#name: &#ty));
    }
    let result = signature.result.map(lane_type);
    let operations = operations(function);
    let body = match function {
        Some(function) => body::emit(function),
        None => {
            let names = signature.parameters.iter().map(|parameter| &parameter.name);
            let names = names.chain(signature.constants.as_ref().map(|constants| &constants.name));
            quote! { let _ = (#(#names,)*); ::core::unimplemented!() }
        }
    };
    let allowances = allowances();
    let computed = quote! {
        #allowances
        #[inline(always)]
        #visibility fn #name<R: ::cfd_engine::lane::Real>(#(#parameters),*) -> #result {
            #body
        }
    };
    let computed = in_context_of(computed, name.span());
    quote! {
        #(#attributes)*
        #computed

        #[doc(hidden)]
        #[allow(non_camel_case_types, dead_code)]
        #visibility enum #name {}

        impl ::cfd_engine::kernel::DeviceFunction for #name {}

        #[allow(dead_code, clippy::approx_constant)]
        impl #name {
            /// Operations of one call.
            #visibility const OPS: ::cfd_engine::kernel::OpCount = #operations;
            /// The function as CUDA C.
            #visibility const SOURCE: ::cfd_engine::source::KernelSource = #cuda;
        }
    }
}

/// The names of a loop's arguments for a parameter: the parameter's own, or `x[0]`, `x[1]`, ... at all targets of a
/// map.
fn argument_names(parameter: &Parameter) -> Vec<String> {
    let name = &parameter.name;
    match parameter.targets {
        None => vec![name.to_string()],
        Some(targets) => (0..targets).map(|target| format!("{name}[{target}]")).collect(),
    }
}

/// The count of a function; empty for one that had errors.
fn operations(function: Option<&Function>) -> TokenStream {
    match function {
        Some(function) => ops::count(function),
        None => quote!(::cfd_engine::kernel::OpCount::NONE),
    }
}

/// The constants parameter's name and type; a kernel without one takes `()`.
fn constants(signature: &Signature) -> (Ident, TokenStream) {
    match &signature.constants {
        Some(constants) => (constants.name.clone(), constants.ty.clone()),
        None => (temporary("constants"), quote!(())),
    }
}

/// A visibility as it is written one module further inside.
fn inside(visibility: &Visibility) -> TokenStream {
    match visibility {
        Visibility::Inherited => quote!(pub(super)),
        Visibility::Restricted(restricted) => {
            let path = &restricted.path;
            match path.segments.first().map(|first| first.ident.to_string()).as_deref() {
                Some("self") => {
                    let rest = path.segments.iter().skip(1);
                    quote!(pub(in super #(::#rest)*))
                }
                Some("super") => quote!(pub(in super::#path)),
                _ => quote!(#visibility),
            }
        }
        Visibility::Public(_) => quote!(#visibility),
    }
}

/// The end of a documented kernel's documentation: its operands, which the function does not show.
fn operands_documentation(signature: &Signature) -> Option<TokenStream> {
    signature.attributes.iter().find(|attribute| attribute.path().is_ident("doc"))?;
    let operands: Vec<String> = signature
        .parameters
        .iter()
        .map(|parameter| format!("`{}: {}`", parameter.name, parameter.tokens.to_string().replace(' ', "")))
        .collect();
    let line = format!("Operands: {}.", operands.join(", "));
    Some(quote!(#[doc = ""] #[doc = #line]))
}

fn lane_type(ty: Type) -> TokenStream {
    let scalar = match ty.scalar() {
        Scalar::Real => quote!(R),
        Scalar::Int => quote!(R::Int),
        Scalar::Bool => quote!(R::Mask),
    };
    match ty {
        Type::Scalar(_) => scalar,
        Type::Array(_, n) => quote!([#scalar; #n]),
        Type::Returned | Type::ReturnedArray => quote!(_),
    }
}
