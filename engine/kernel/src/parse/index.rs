//! Component numbers, loop bounds and array lengths: integers known when the kernel is compiled.

use super::{Binding, Parsed, Parser, single, text};
use crate::ir::{Index, IndexOp};

const MAX_LENGTH: usize = 4096;

impl Parser {
    /// A component number: literals, loop variables and names of other component numbers under `+ - * / %`.
    pub(super) fn index(&mut self, expr: &syn::Expr) -> Parsed<Index> {
        match expr {
            syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Int(literal), .. }) => {
                match (literal.base10_parse(), literal.suffix()) {
                    (Ok(value), "" | "usize") => Ok(Index::Literal(value)),
                    _ => self.fail(literal, "not a component number: write an integer like `2`"),
                }
            }
            syn::Expr::Paren(paren) => self.index(&paren.expr),
            syn::Expr::Group(group) => self.index(&group.expr),
            syn::Expr::Binary(binary) => {
                let Some(op) = index_op(&binary.op) else { return self.not_an_index(expr) };
                let left = self.index(&binary.left)?;
                let right = self.index(&binary.right)?;
                Ok(Index::Binary(op, Box::new(left), Box::new(right)))
            }
            syn::Expr::Path(path) => {
                let Some(name) = single(&path.path) else { return self.not_an_index(expr) };
                match self.lookup(name) {
                    Some(Binding::Loop(id)) => Ok(Index::Loop(id)),
                    Some(Binding::Index(id)) => Ok(self.indices[id].clone()),
                    Some(Binding::Unknown) => Err(super::Failed),
                    Some(_) => {
                        let message = format!(
                            "`{name}` is known only when the kernel runs; an index is made of literal integers and \
                             loop variables, or is a name for one: `let next: usize = (i + 1) % 3;`"
                        );
                        self.fail(expr, message)
                    }
                    None => self.not_an_index(expr),
                }
            }
            _ => self.not_an_index(expr),
        }
    }

    /// Whether an expression of a `let` is a component number: made of literals and loop variables, with at least one
    /// of these. Literals alone are numbers to compute with.
    pub(super) fn is_index(&self, expr: &syn::Expr) -> bool {
        self.loops_in(expr).is_some_and(|loops| loops > 0)
    }

    /// How many loop variables an index has; none where it is no index.
    fn loops_in(&self, expr: &syn::Expr) -> Option<usize> {
        match expr {
            syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Int(_), .. }) => Some(0),
            syn::Expr::Paren(paren) => self.loops_in(&paren.expr),
            syn::Expr::Group(group) => self.loops_in(&group.expr),
            syn::Expr::Binary(binary) => {
                index_op(&binary.op)?;
                Some(self.loops_in(&binary.left)? + self.loops_in(&binary.right)?)
            }
            syn::Expr::Path(path) => match self.lookup(single(&path.path)?)? {
                Binding::Loop(_) | Binding::Index(_) => Some(1),
                _ => None,
            },
            _ => None,
        }
    }

    fn not_an_index(&mut self, expr: &syn::Expr) -> Parsed<Index> {
        let message = format!(
            "`{}` is not a constant index: use literal integers and loop variables, with + - * / %",
            text(expr)
        );
        self.fail(expr, message)
    }

    /// A loop bound or an array length: literals under `+ - * / %`.
    pub(super) fn bound(&mut self, expr: &syn::Expr, what: &str) -> Parsed<usize> {
        match literal_length(expr) {
            Some(value) if value <= MAX_LENGTH => Ok(value),
            Some(value) => self.fail(
                expr,
                format!("{what} is {value}; loops and arrays are unrolled, the limit is {MAX_LENGTH}"),
            ),
            None => self.fail(expr, format!("{what} is not constant: write an integer like `4`")),
        }
    }

    /// Counts the iterations of nested loops, whose bodies are copied that often.
    pub(super) fn enter_loop(&mut self, at: &syn::Expr, iterations: usize) -> Parsed<usize> {
        let outside = self.iterations;
        let inside = outside * iterations.max(1);
        if inside > MAX_LENGTH {
            let message = format!(
                "the loops here make {inside} iterations; they are unrolled, the limit is {MAX_LENGTH}"
            );
            return self.fail(at, message);
        }
        self.iterations = inside;
        Ok(outside)
    }
}

/// The value of an expression of integer literals.
pub(super) fn literal_length(expr: &syn::Expr) -> Option<usize> {
    match expr {
        syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Int(literal), .. })
            if matches!(literal.suffix(), "" | "usize") =>
        {
            literal.base10_parse().ok()
        }
        syn::Expr::Paren(paren) => literal_length(&paren.expr),
        syn::Expr::Group(group) => literal_length(&group.expr),
        syn::Expr::Binary(binary) => {
            let (left, right) = (literal_length(&binary.left)?, literal_length(&binary.right)?);
            match index_op(&binary.op)? {
                IndexOp::Add => left.checked_add(right),
                IndexOp::Sub => left.checked_sub(right),
                IndexOp::Mul => left.checked_mul(right),
                IndexOp::Div => left.checked_div(right),
                IndexOp::Rem => left.checked_rem(right),
            }
        }
        _ => None,
    }
}

fn index_op(op: &syn::BinOp) -> Option<IndexOp> {
    Some(match op {
        syn::BinOp::Add(_) => IndexOp::Add,
        syn::BinOp::Sub(_) => IndexOp::Sub,
        syn::BinOp::Mul(_) => IndexOp::Mul,
        syn::BinOp::Div(_) => IndexOp::Div,
        syn::BinOp::Rem(_) => IndexOp::Rem,
        _ => return None,
    })
}
