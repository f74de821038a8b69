//! The engine's name in the crate that contains a kernel.
//!
//! Generated code says `::cfd_engine`. A crate may depend on the engine under another name, or through `cfd-api`.

use proc_macro_crate::{FoundCrate, crate_name};
use proc_macro2::{Group, Ident, TokenStream, TokenTree};
use quote::{ToTokens, format_ident, quote};

const ENGINE: &str = "cfd_engine";

/// Generated code with the engine's name in the crate being compiled.
pub fn resolved(code: TokenStream) -> TokenStream {
    match name() {
        Some(name) => renamed(code, &name),
        None => code,
    }
}

/// What to put in place of `::cfd_engine`; none where it is right.
fn name() -> Option<TokenStream> {
    let ident = |name: &str| format_ident!("{name}");
    match crate_name("cfd-engine") {
        // The engine's own tests and examples know it by its name.
        Ok(FoundCrate::Itself) => None,
        Ok(FoundCrate::Name(name)) => (name != ENGINE).then(|| ident(&name).into_token_stream()),
        Err(_) => {
            let name = match crate_name("cfd-api").ok()? {
                FoundCrate::Itself => ident("cfd_api"),
                FoundCrate::Name(name) => ident(&name),
            };
            Some(quote!(#name::engine))
        }
    }
}

fn renamed(code: TokenStream, name: &TokenStream) -> TokenStream {
    let mut colons = 0;
    code.into_iter()
        .flat_map(|token| {
            let follows_colons = colons >= 2;
            colons = if matches!(&token, TokenTree::Punct(p) if p.as_char() == ':') { colons + 1 } else { 0 };
            match token {
                TokenTree::Ident(ident) if follows_colons && is_engine(&ident) => name.clone(),
                TokenTree::Group(group) => {
                    let mut changed = Group::new(group.delimiter(), renamed(group.stream(), name));
                    changed.set_span(group.span());
                    TokenTree::Group(changed).into()
                }
                token => token.into(),
            }
        })
        .collect()
}

fn is_engine(ident: &Ident) -> bool {
    ident == ENGINE
}
