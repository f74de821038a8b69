//! Places in the source.

use proc_macro2::{Ident, Span, TokenStream};
use quote::ToTokens;

/// The extent of an expression in the source, for messages that point at all of it.
#[derive(Clone, Copy, Debug)]
pub struct Extent {
    first: Span,
    last: Span,
}

impl Extent {
    /// From the first to the last token.
    pub fn of(tokens: &impl ToTokens) -> Extent {
        let mut spans = tokens.to_token_stream().into_iter().map(|token| token.span());
        let first = spans.next().unwrap_or_else(Span::call_site);
        Extent { first, last: spans.last().unwrap_or(first) }
    }

    /// One span for generated tokens: the whole extent where the compiler can join spans, otherwise its beginning.
    pub fn span(self) -> Span {
        self.first.join(self.last).unwrap_or(self.first)
    }

    /// The source line on which it begins.
    pub fn line(self) -> usize {
        self.first.unwrap().line()
    }

    /// An error that points here.
    pub fn error(self, message: impl std::fmt::Display) -> syn::Error {
        // The error's extent comes from tokens; two placeholders carry both ends.
        let ends: TokenStream = [self.first, self.last]
            .into_iter()
            .flat_map(|span| Ident::new("x", span).to_token_stream())
            .collect();
        syn::Error::new_spanned(ends, message)
    }
}
