//! Names and spans of generated code.
//!
//! A loop is compiled again when something changes on which its code depends. The place of a macro's expansion is such
//! a thing: it counts from the beginning of the enclosing module's file, of whose length the compiler takes note. Code
//! with that place would be compiled again after any edit of the file. What a kernel computes is therefore given the
//! context of the source around it, as if written there.

use proc_macro2::{Group, Ident, Span, TokenStream, TokenTree};
use quote::format_ident;

/// A name that no name of the source has, though it stands among them.
pub fn temporary(name: &str) -> Ident {
    format_ident!("__{name}", span = Span::call_site())
}

/// Generated code in the context of a token of the source.
pub fn in_context_of(code: TokenStream, of: Span) -> TokenStream {
    let in_context = |mut token: TokenTree| {
        if let TokenTree::Group(group) = token {
            let mut changed = Group::new(group.delimiter(), in_context_of(group.stream(), of));
            changed.set_span(group.span());
            token = changed.into();
        }
        // Its own context is what it means.
        if !matches!(&token, TokenTree::Ident(ident) if ident == "$crate") {
            token.set_span(token.span().resolved_at(of));
        }
        token
    };
    code.into_iter().map(in_context).collect()
}
