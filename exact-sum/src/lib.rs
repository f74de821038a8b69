//! Sums whose bits do not depend on the order or the grouping of their terms.
//!
//! ```text
//! exact        ExactSum: the correctly rounded sum; one integer per sign and exponent
//! slices       the terms of several lanes at a time on their way to a sum
//! binned       BinnedSum: the sum of the leading 80 bits and more of every term; vectorises
//! fixed_point  the message of an exact sum, 69 integer words, and its rounding to f64
//! ```
//!
//! | | [`ExactSum`] | [`BinnedSum`] |
//! | --- | --- | --- |
//! | same bits for every order, split and merge | yes | yes |
//! | error | 1/2 ulp of the result | n 2^-80 max abs(x) + 1/2 ulp of the result |
//! | terms | up to 2^64 | up to 2^64 |
//! | memory | 64 KiB | half a KiB |
//! | ranks combine by | an integer sum of [`WORDS`] words | gathering 8 words a rank and merging them |
//!
//! Both treat special values alike: any NaN, or infinities of both signs, give the quiet NaN with bits
//! 0x7ff8000000000000, otherwise an infinity gives itself; an exact zero is +0.0, also when every term is
//! -0.0 and when there is no term. A sum is infinite only if the total is, never because a partial sum would
//! have been.
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

mod binned;
mod exact;
mod fixed_point;
mod slices;

use cfd_lanes::Vector;

pub use binned::BinnedSum;
pub use exact::ExactSum;
pub use fixed_point::{WORDS, round};

/// A sum that takes the terms of all lanes together.
pub trait LaneSum {
    /// Adds a term.
    fn add_term(&mut self, term: f64);
    /// Adds the term of every lane.
    fn add_lanes<const W: usize, R: Vector<W>>(&mut self, terms: R);
}
