//! Global results: sums, minima and maxima over all elements of a set.
//!
//! A loop sums over its own rank's elements; `reduction` combines the ranks' parts, all that are due at once.

use std::cell::UnsafeCell;
use std::cmp::Ordering;
use std::ops::{Deref, DerefMut};

use cfd_lanes::Real;
use exact_sum::{BinnedSum, DigitRange, ExactSum};

use crate::model::kernel::{Access, Max, Min};

/// How global sums are added in reproducible mode.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Sums {
    /// [`ExactSum`].
    #[default]
    Exact,
    /// [`BinnedSum`].
    Binned,
}

/// A global id that no element has.
pub const NOWHERE: u64 = u64::MAX;

/// The state of a global's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// No loop has produced it yet.
    Unset,
    /// This rank's part is ready.
    Partial,
    /// The value combines all ranks.
    Reduced,
}

/// A rank's part of a sum, for each component. Cells, because a running loop adds through a pointer.
#[derive(Debug)]
pub enum Partial {
    /// In the values themselves; also for globals other than sums.
    Plain,
    /// Exact sums.
    Exact(Vec<UnsafeCell<Aligned>>),
    /// Binned sums.
    Binned(Vec<UnsafeCell<BinnedSum>>),
}

/// An exact sum whose registers lie in one cache line.
#[derive(Debug, Default)]
#[repr(C, align(64))]
pub struct Aligned(ExactSum);

impl Deref for Aligned {
    type Target = ExactSum;
    fn deref(&self) -> &ExactSum {
        &self.0
    }
}

impl DerefMut for Aligned {
    fn deref_mut(&mut self) -> &mut ExactSum {
        &mut self.0
    }
}

/// A global result and its location.
#[derive(Debug)]
pub struct GlobalStore {
    /// Its name.
    pub name: String,
    /// [`Access::Sum`], [`Access::Min`] or [`Access::Max`].
    pub access: Access,
    /// The value of each component.
    pub values: Vec<f64>,
    /// Global id of each extremum's element.
    pub at: Vec<u64>,
    /// This rank's part of sums.
    pub sums: Partial,
    /// Which digits of an exact sum the ranks send, the same on all of them.
    pub(super) ranges: Vec<DigitRange>,
    /// The state of the value.
    pub progress: Progress,
}

impl GlobalStore {
    /// `sums` says how sums are added; `None`: plainly.
    pub fn new(name: &str, access: Access, dim: usize, sums: Option<Sums>) -> GlobalStore {
        fn cells<T: Default>(dim: usize) -> Vec<UnsafeCell<T>> {
            (0..dim).map(|_| UnsafeCell::default()).collect()
        }
        let mut store = GlobalStore {
            name: name.into(),
            access,
            values: vec![0.0; dim],
            at: vec![NOWHERE; dim],
            sums: match sums.filter(|_| access == Access::Sum) {
                None => Partial::Plain,
                Some(Sums::Exact) => Partial::Exact(cells(dim)),
                Some(Sums::Binned) => Partial::Binned(cells(dim)),
            },
            ranges: vec![DigitRange::WHOLE; dim],
            progress: Progress::Unset,
        };
        store.clear();
        store
    }

    /// Sets the value of an empty loop.
    pub fn clear(&mut self) {
        self.values.fill(match self.access {
            Access::Min => <Min<1> as Ordered>::UNSET,
            Access::Max => <Max<1> as Ordered>::UNSET,
            _ => 0.0,
        });
        self.at.fill(NOWHERE);
        // Reduced sums have already been cleared.
        if self.progress == Progress::Partial {
            match &mut self.sums {
                Partial::Plain => {}
                Partial::Exact(sums) => sums.iter_mut().for_each(|s| s.get_mut().clear()),
                Partial::Binned(sums) => sums.iter_mut().for_each(|s| s.get_mut().clear()),
            }
        }
    }
}

impl GlobalStore {
    /// The same global for another worker, empty.
    pub fn part(&self) -> GlobalStore {
        let sums = match self.sums {
            Partial::Plain => None,
            Partial::Exact(_) => Some(Sums::Exact),
            Partial::Binned(_) => Some(Sums::Binned),
        };
        GlobalStore::new(&self.name, self.access, self.values.len(), sums)
    }

    /// Adds what another worker has found, and empties its part. Only plain sums depend on the order of these calls.
    pub fn absorb(&mut self, part: &mut GlobalStore) {
        match (&mut self.sums, &mut part.sums) {
            (Partial::Exact(sums), Partial::Exact(parts)) => {
                for (sum, part) in sums.iter_mut().zip(parts) {
                    sum.get_mut().merge(part.get_mut());
                    part.get_mut().clear();
                }
            }
            (Partial::Binned(sums), Partial::Binned(parts)) => {
                for (sum, part) in sums.iter_mut().zip(parts) {
                    sum.get_mut().merge(part.get_mut());
                    part.get_mut().clear();
                }
            }
            _ => {}
        }
        for m in 0..self.values.len() {
            let (here, there) = ((self.values[m], self.at[m]), (part.values[m], part.at[m]));
            (self.values[m], self.at[m]) = match self.access {
                Access::Min => <Min<1> as Ordered>::first(there, here),
                Access::Max => <Max<1> as Ordered>::first(there, here),
                _ => (here.0 + there.0, NOWHERE),
            };
        }
        part.clear();
    }
}

/// The extreme value of a loop and where it is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Extremum {
    /// The value; infinite when no element set one.
    pub value: f64,
    /// Global id of the element; among several with the same value, the lowest. None when no element set one.
    pub element: Option<u64>,
}

/// The order of minima and maxima.
///
/// A total order, so that the result does not depend on how the elements are grouped: NaN comes first (all NaN are
/// equal), then for a minimum ascending values with -0 before 0, for a maximum descending values with 0 before -0;
/// among equal values, the one with the lowest global id.
pub trait Ordered {
    /// The value of an element that sets none.
    const UNSET: f64;
    /// In each lane: whether the candidate comes after the best, wherever it is. False where a closer look must decide.
    #[doc(hidden)]
    fn surely_after<R: Real>(candidate: R, best: R) -> R::Mask;
    #[doc(hidden)]
    fn rank(value: f64) -> i64;
    #[doc(hidden)]
    fn value_of_rank(rank: i64) -> f64;
    /// An unsigned integer in the same order, for messages.
    #[doc(hidden)]
    fn word(value: f64) -> u64 {
        Self::rank(value) as u64 ^ 1 << 63
    }
    /// The value that this word encodes; one NaN for all of them.
    #[doc(hidden)]
    fn value_of(word: u64) -> f64 {
        match (word ^ 1 << 63) as i64 {
            i64::MIN => f64::NAN,
            rank => Self::value_of_rank(rank),
        }
    }
    #[doc(hidden)]
    fn before(a: (f64, u64), b: (f64, u64)) -> bool {
        match Self::rank(a.0).cmp(&Self::rank(b.0)) {
            Ordering::Less => true,
            Ordering::Equal => a.1 < b.1,
            Ordering::Greater => false,
        }
    }
    /// The earlier of two values, with one NaN for all of them: of values in any order, always the same bits.
    #[doc(hidden)]
    fn earlier(a: f64, b: f64) -> f64;
    /// The earlier of two candidates. By value and out of line, so that a loop that hardly ever needs it keeps its
    /// running extremum in registers.
    #[doc(hidden)]
    #[cold]
    #[inline(never)]
    fn first(a: (f64, u64), b: (f64, u64)) -> (f64, u64) {
        if Self::before(a, b) { a } else { b }
    }
}

/// The IEEE total order of numbers as an integer; NaN is not treated as a number here.
#[inline(always)]
fn ascending(value: f64) -> i64 {
    mirrored(value.to_bits() as i64)
}

/// Turns sign and magnitude into an ordered integer, and back.
#[inline(always)]
fn mirrored(bits: i64) -> i64 {
    bits ^ (((bits >> 63) as u64) >> 1) as i64
}

impl<const D: usize> Ordered for Min<D> {
    const UNSET: f64 = f64::INFINITY;
    #[inline(always)]
    fn surely_after<R: Real>(candidate: R, best: R) -> R::Mask {
        best.lt(candidate)
    }
    #[inline(always)]
    fn rank(value: f64) -> i64 {
        if value.is_nan() { i64::MIN } else { ascending(value) }
    }
    fn value_of_rank(rank: i64) -> f64 {
        f64::from_bits(mirrored(rank) as u64)
    }
    #[inline(always)]
    fn earlier(a: f64, b: f64) -> f64 {
        // Equal numbers differ in the sign of zero at most, which -0 has set.
        let equal = f64::from_bits(a.to_bits() | b.to_bits());
        let unequal = if b < a { b } else { a };
        one_nan(a, b, if a == b { equal } else { unequal })
    }
}

impl<const D: usize> Ordered for Max<D> {
    const UNSET: f64 = f64::NEG_INFINITY;
    #[inline(always)]
    fn surely_after<R: Real>(candidate: R, best: R) -> R::Mask {
        candidate.lt(best)
    }
    #[inline(always)]
    fn rank(value: f64) -> i64 {
        // Numbers lie strictly inside the range of i64, so the negation is exact and NaN stays first.
        if value.is_nan() { i64::MIN } else { -ascending(value) }
    }
    fn value_of_rank(rank: i64) -> f64 {
        f64::from_bits(mirrored(-rank) as u64)
    }
    #[inline(always)]
    fn earlier(a: f64, b: f64) -> f64 {
        let equal = f64::from_bits(a.to_bits() & b.to_bits());
        let unequal = if a < b { b } else { a };
        one_nan(a, b, if a == b { equal } else { unequal })
    }
}

/// NaN if one of two values is, otherwise what has been chosen.
#[inline(always)]
fn one_nan(a: f64, b: f64, chosen: f64) -> f64 {
    if a.is_nan() | b.is_nan() { f64::NAN } else { chosen }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extrema_are_the_same_for_any_grouping_of_elements() {
        let values = [0.0, -0.0, f64::NAN, 3.0, -2.0, f64::INFINITY, f64::NEG_INFINITY, -f64::NAN, 3.0];
        for subset in 1u32..1 << values.len() {
            let chosen: Vec<(f64, u64)> = (0..values.len())
                .filter(|i| subset >> i & 1 == 1)
                .map(|i| (values[i], 100 - i as u64))
                .collect();
            let least = |order: &mut dyn Iterator<Item = &(f64, u64)>| {
                order.copied().fold((f64::INFINITY, NOWHERE), |best, c| <Min<1> as Ordered>::first(c, best))
            };
            let pairs = chosen.iter().map(|&(v, id)| (<Min<1> as Ordered>::word(v), id));
            let (word, at) = pairs.min().expect("not empty");
            for (value, id) in [least(&mut chosen.iter()), least(&mut chosen.iter().rev())] {
                assert_eq!((<Min<1> as Ordered>::word(value), id), (word, at), "{chosen:?}");
            }
            assert_eq!(<Min<1> as Ordered>::word(<Min<1> as Ordered>::value_of(word)), word);
        }
    }

    #[test]
    fn the_earlier_of_two_values_has_the_bits_of_the_first_in_the_order() {
        fn check<P: Ordered>(values: &[f64]) {
            for &a in values {
                for &b in values {
                    let first = P::value_of(P::word(a).min(P::word(b)));
                    assert_eq!(P::earlier(a, b).to_bits(), first.to_bits(), "{a:?} {b:?}");
                }
                assert_eq!(P::earlier(a, P::UNSET).to_bits(), P::value_of(P::word(a)).to_bits(), "{a:?}");
            }
        }
        let other_nan = f64::from_bits(f64::NAN.to_bits() | 1 << 63 | 5);
        let tiny = f64::from_bits(1);
        let values =
            [0.0, -0.0, 1.5, -1.5, tiny, -tiny, f64::INFINITY, f64::NEG_INFINITY, f64::NAN, other_nan];
        check::<Min<1>>(&values);
        check::<Max<1>>(&values);
    }

    #[test]
    fn the_words_of_extrema_are_in_their_order_and_give_the_value_back() {
        let descending =
            [f64::NAN, f64::INFINITY, 1.0, f64::MIN_POSITIVE, 0.0, -0.0, -1.0, f64::NEG_INFINITY];
        let words: Vec<u64> = descending.iter().map(|&v| <Max<1> as Ordered>::word(v)).collect();
        assert!(words.is_sorted_by(|a, b| a < b), "{words:?}");
        for (&value, &word) in descending.iter().zip(&words).skip(1) {
            assert_eq!(<Max<1> as Ordered>::value_of(word).to_bits(), value.to_bits());
        }
        assert!(<Max<1> as Ordered>::value_of(words[0]).is_nan());
        let ascending = [f64::NAN, f64::NEG_INFINITY, -1.0, -0.0, 0.0, 1.0, f64::INFINITY];
        let words: Vec<u64> = ascending.iter().map(|&v| <Min<1> as Ordered>::word(v)).collect();
        assert!(words.is_sorted_by(|a, b| a < b), "{words:?}");
    }
}
