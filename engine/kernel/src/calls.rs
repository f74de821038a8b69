//! The device functions that a function calls.
//!
//! In addition to a `#[device]` function there is a type of the same name, with its operation count and its source. A
//! function without the attribute has none: generated code that looks for the type finds a fallback that only says so.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};

/// The functions called, each once, in the order of their first calls.
#[derive(Default)]
pub struct Calls(Vec<TokenStream>);

impl Calls {
    /// Adds a function unless it is already there.
    pub fn add(&mut self, path: &TokenStream) {
        if self.position(path).is_none() {
            self.0.push(path.clone());
        }
    }

    fn position(&self, path: &TokenStream) -> Option<usize> {
        let text = path.to_string();
        self.0.iter().position(|known| known.to_string() == text)
    }

    /// The name of a function's type within [`Calls::scope`].
    pub fn type_of(&self, path: &TokenStream) -> Ident {
        name(self.position(path).expect("every call has been taken in"))
    }

    /// Statements of a [`Calls::scope`]: the compiler refuses, where it is called, what is not a device function.
    pub fn check(&self) -> TokenStream {
        let check = |(i, path): (usize, &TokenStream)| {
            let at = path.clone().into_iter().next().map_or(Span::call_site(), |token| token.span());
            let ty = Ident::new(&name(i).to_string(), at);
            quote_spanned!(at=> ::cfd_engine::kernel::called_as_device_function::<#ty>();)
        };
        self.0.iter().enumerate().map(check).collect()
    }

    /// A constant expression in a scope where the types have their names.
    pub fn scope(&self, expression: TokenStream) -> TokenStream {
        if self.0.is_empty() {
            return expression;
        }
        let names: Vec<Ident> = (0..self.0.len()).map(name).collect();
        let paths = &self.0;
        quote! {{
            #(
                #[allow(non_camel_case_types, dead_code)]
                enum #names {}
                #[allow(dead_code)]
                impl #names {
                    const OPS: ::cfd_engine::kernel::OpCount = ::cfd_engine::kernel::OpCount::NONE;
                    const SOURCE: ::cfd_engine::source::KernelSource = ::cfd_engine::source::KernelSource::NONE;
                }
            )*
            {
                #( #[allow(unused_imports)] use #paths as #names; )*
                #expression
            }
        }}
    }
}

/// Names that no name of the source has: the fallback types must be hidden by the functions' own.
fn name(position: usize) -> Ident {
    format_ident!("__called_{position}", span = Span::call_site())
}
