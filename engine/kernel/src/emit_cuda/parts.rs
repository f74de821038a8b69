//! Text being divided into pieces.

use proc_macro2::TokenStream;
use quote::quote;

/// Text with references in between.
#[derive(Clone, Default)]
pub(super) struct Parts(Vec<Part>);

#[derive(Clone)]
enum Part {
    Source(String),
    /// What follows was written on this line of the Rust source.
    Line(usize),
    /// An expression of type `SourcePiece`.
    Piece(TokenStream),
}

impl Parts {
    pub(super) fn of(source: impl Into<String>) -> Parts {
        Parts(vec![Part::Source(source.into())])
    }

    pub(super) fn piece(piece: TokenStream) -> Parts {
        Parts(vec![Part::Piece(piece)])
    }

    pub(super) fn push(&mut self, source: &str) {
        match self.0.last_mut() {
            Some(Part::Source(text)) => text.push_str(source),
            _ => self.0.push(Part::Source(source.into())),
        }
    }

    pub(super) fn push_line(&mut self, line: usize) {
        self.0.push(Part::Line(line));
    }

    pub(super) fn push_piece(&mut self, piece: TokenStream) {
        self.0.push(Part::Piece(piece));
    }

    pub(super) fn append(&mut self, other: Parts) {
        for part in other.0 {
            match part {
                Part::Source(text) => self.push(&text),
                part => self.0.push(part),
            }
        }
    }

    /// These parts, with a separator between them.
    pub(super) fn joined(all: impl IntoIterator<Item = Parts>, separator: &str) -> Parts {
        let mut joined = Parts::default();
        for (i, parts) in all.into_iter().enumerate() {
            if i > 0 {
                joined.push(separator);
            }
            joined.append(parts);
        }
        joined
    }

    /// Expressions of type `cfd_engine::source::SourcePiece`.
    pub(super) fn into_pieces(self) -> Vec<TokenStream> {
        let piece = |part| match part {
            Part::Source(text) => quote!(::cfd_engine::source::SourcePiece::Source(#text)),
            Part::Line(line) => {
                let line = u32::try_from(line).unwrap_or(u32::MAX);
                quote!(::cfd_engine::source::SourcePiece::Line(#line))
            }
            Part::Piece(tokens) => tokens,
        };
        self.0.into_iter().map(piece).collect()
    }
}
