//! Sums whose bits do not depend on the order or the grouping of their terms.
//!
//! ```text
//! exact        ExactSum: the correctly rounded sum
//! dot          ExactDot: the correctly rounded sum of products
//! binned       BinnedSum: the sum of the leading 80 bits and more of every term
//! slices       the terms of several lanes at once on their way to a sum
//! fixed_point  a total as an integer in digits of 32 bits
//! rounding     from an integer to the nearest f64 or f32
//! non_finite   infinities and NaN
//! bytes        a sum in a file
//! range        shorter messages: an agreed range of digits
//! vector/      several numbers at once: arrays, AVX2, AVX-512
//! ```
//!
//! | | [`ExactSum`] | [`ExactDot`] | [`BinnedSum`] |
//! | --- | --- | --- | --- |
//! | of | x_i, also f32 | a_i b_i | x_i |
//! | same bits for every order, split and merge | yes | yes | yes |
//! | error | 1/2 ulp of the result | 1/2 ulp of the result | n 2^-80 max abs(x) + 1/2 ulp of the result |
//! | terms | up to 2^64 | up to 2^64 | up to 2^64 |
//! | memory | 1.4 KB | 2.5 KB | 0.6 KB |
//! | ranks combine by | an integer sum of [`WORDS`] words | of [`DOT_WORDS`] words | gathering 8 words per rank and
//! merging them |
//!
//! `no_std`, without dependencies and without an allocator. Slices are added in the widest registers that the processor
//! has, AVX-512 or AVX2, and otherwise in what the compiler makes of arrays; the bits are the same. There is no feature
//! to choose.
//!
//! # Special values
//!
//! | terms | sum |
//! | --- | --- |
//! | a NaN, or infinities of both signs | the quiet NaN 0x7ff8000000000000, whatever the bits of the NaN |
//! | infinities of one sign, no NaN | that infinity, whatever the other terms |
//! | finite, exact total zero | +0.0, also if every term is -0.0 or there is none |
//! | finite, exact total 2^1024 - 2^970 or more in magnitude | the infinity of its sign |
//! | finite, anything else | the nearest number, however large the partial sums would be in between |
//!
//! Sums of f64 are never too small for an f64. As an f32, and for a sum of products, a nonzero total may round to zero,
//! which then keeps the total's sign.
//!
//! ```
//! use exact_sum::{ExactSum, round};
//!
//! let terms = [1e300, 1.0, -1e300, 2f64.powi(-60)];
//! let mut ranks = [ExactSum::new(), ExactSum::new()];
//! for (i, &term) in terms.iter().enumerate() {
//!     ranks[i % 2].add(term);
//! }
//! // What an integer all-reduce does:
//! let [mut words, others] = ranks.map(|rank| rank.words());
//! words.iter_mut().zip(others).for_each(|(word, other)| *word = word.wrapping_add(other));
//! assert_eq!(round(&words), 1.0);
//! ```

#![no_std]

#[cfg(all(target_arch = "x86", not(target_feature = "sse2")))]
compile_error!(
    "exact-sum needs operations that round to an f64, which x87 registers do not: enable SSE2 (an i686 target)"
);

#[cfg(test)]
extern crate std;

mod binned;
mod bytes;
mod dot;
mod exact;
mod fixed_point;
mod non_finite;
mod range;
mod rounding;
mod slices;
mod vector;

pub use binned::{BINNED_BYTES, BinnedSum};
pub use bytes::BytesError;
pub use dot::{DOT_BYTES, DOT_WORDS, ExactDot};
pub use exact::{BYTES, ExactSum, WORDS, round};
pub use range::DigitRange;
pub use vector::{ArrayMask, Vector};

/// A sum that takes the terms of all lanes at once.
pub trait LaneSum {
    /// Adds a term.
    fn add_term(&mut self, term: f64);
    /// Adds the term of every lane.
    fn add_lanes<const W: usize, R: Vector<W>>(&mut self, terms: R);
}
