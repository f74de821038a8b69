//! Places in the source.

use proc_macro2::{Ident, Span, TokenStream};
use quote::ToTokens;

/// The stretch of source an expression was written in, for messages that point at all of it.
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

    /// One span for generated tokens: the whole stretch where the compiler can join spans, else its beginning.
    pub fn span(self) -> Span {
        self.first.join(self.last).unwrap_or(self.first)
    }

    /// The line of the source in which it begins.
    pub fn line(self) -> usize {
        self.first.unwrap().line()
    }

    /// An error that points here.
    pub fn error(self, message: impl std::fmt::Display) -> syn::Error {
        // The error's extent is taken from tokens; two placeholders carry both ends.
        let ends: TokenStream = [self.first, self.last]
            .into_iter()
            .flat_map(|span| Ident::new("x", span).to_token_stream())
            .collect();
        syn::Error::new_spanned(ends, message)
    }
}
