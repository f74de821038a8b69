//! Global results: sums, minima and maxima over all elements of a set.
//!
//! A loop adds up its own rank's elements; `reduce` combines the ranks' parts, all that are due at once. In
//! reproducible mode one integer all-reduce carries everything: exact sums as integers, extrema as ordered integers
//! with their places. Plain and binned sums are gathered and combined in rank order on every rank. No floating-point
//! reduction of the message passing library is used here or anywhere else.

use std::cell::UnsafeCell;
use std::cmp::Ordering;

use cfd_lanes::Real;
use exact_sum::{BinnedSum, ExactSum, WORDS, round};

use crate::comm::{Comm, ReduceOp};
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

/// What no element has as its global id.
pub const NOWHERE: u64 = u64::MAX;

/// How far a global's value has got.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// No loop has produced it yet.
    Unset,
    /// This rank's part is there.
    Partial,
    /// The value is that of all ranks.
    Reduced,
}

/// A rank's part of a sum, one for each component. Cells, because a running loop adds through a pointer.
#[derive(Debug)]
pub enum Partial {
    /// In the values themselves; also for what is not a sum.
    Plain,
    /// Exact sums.
    Exact(Vec<UnsafeCell<ExactSum>>),
    /// Binned sums.
    Binned(Vec<UnsafeCell<BinnedSum>>),
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
    /// Global id of the element of each extremum.
    pub at: Vec<u64>,
    /// This rank's part of sums.
    pub sums: Partial,
    /// How far the value has got.
    pub progress: Progress,
}

impl GlobalStore {
    /// `sums` says how sums are added; `None` plainly.
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
        // Reduced sums are left clear.
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

    /// Adds what another worker has found, and leaves its part empty. Plain sums depend on the order of these calls,
    /// nothing else does.
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
    /// Global id of the element; of several with the same value, the lowest. None when no element set one.
    pub element: Option<u64>,
}

/// The order of minima and maxima.
///
/// A total order, so that the result does not depend on how the elements are grouped: NaN comes first (all NaN are
/// equal), then for a minimum ascending values with -0 before 0, for a maximum descending values with 0 before
/// -0; of equal values the one with the lowest global id.
pub trait Ordered {
    /// The value of an element that sets none.
    const UNSET: f64;
    /// In each lane: the candidate comes after the best, wherever it is. False where a closer look must tell.
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
    /// The value that has this word; one NaN for all of them.
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
    /// The one of two that comes before the other. By value and out of line, so that a loop that hardly ever needs it
    /// keeps its running extremum in registers.
    #[doc(hidden)]
    #[cold]
    #[inline(never)]
    fn first(a: (f64, u64), b: (f64, u64)) -> (f64, u64) {
        if Self::before(a, b) { a } else { b }
    }
}

/// The IEEE total order of numbers as an integer; NaN is not a number here.
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
}

/// What combining globals over the ranks has taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReductionCount {
    /// Times that all globals that were due have been combined.
    pub reductions: u64,
    /// Collective messages: one a reduction for exact sums and extrema, one for plain and binned sums.
    pub messages: u64,
}

impl std::ops::AddAssign for ReductionCount {
    fn add_assign(&mut self, other: ReductionCount) {
        self.reductions += other.reductions;
        self.messages += other.messages;
    }
}

/// Combines all partial globals over the ranks, in one message, which also says whether some rank has `failed`.
pub fn reduce(comm: &Comm, globals: &mut [GlobalStore], count: &mut ReductionCount, failed: bool) -> bool {
    let mut due: Vec<&mut GlobalStore> =
        globals.iter_mut().filter(|g| g.progress == Progress::Partial).collect();
    if due.is_empty() {
        return failed;
    }
    count.reductions += 1;
    let mut any_failed = failed;
    // Exact sums first, as integers that an all-reduce adds; extrema behind them, as pairs of which it takes the least.
    let mut words = Vec::new();
    for global in &mut due {
        global.push_exact_sums(&mut words);
    }
    let exact_words = words.len();
    if due.iter().any(|global| global.is_combined_in_words()) {
        words.push(u64::from(failed));
    }
    let sums = words.len();
    for global in &due {
        global.push_extrema(&mut words);
    }
    if !words.is_empty() {
        comm.all_reduce(&mut words, ReduceOp::Record { sums });
        count.messages += 1;
        any_failed |= words[exact_words] > 0;
    }
    let mut exact = words[..exact_words].chunks_exact(WORDS);
    let mut extrema = words[sums..].chunks_exact(2);

    // The others travel one by one, and are combined in rank order on every rank.
    let mut others = Vec::new();
    for global in &mut due {
        global.push_other_sums(&mut others);
    }
    let mut gathered = Vec::new();
    if !others.is_empty() {
        others.push(u64::from(failed));
        gathered = comm.all_gather(&others);
        count.messages += 1;
        any_failed |= gathered.iter().any(|rank| rank.last() != Some(&0));
    }
    let mut at = 0;

    for global in due {
        for m in 0..global.values.len() {
            match (global.access, &mut global.sums) {
                (Access::Sum, Partial::Exact(_)) => {
                    global.values[m] = round(exact.next().expect("pushed above"));
                }
                (Access::Sum, Partial::Binned(_)) => {
                    let mut total = BinnedSum::new();
                    for rank in &gathered {
                        let words = rank[at..at + BINNED_WORDS].try_into().expect("pushed above");
                        total.merge(&BinnedSum::from_words(words));
                    }
                    at += BINNED_WORDS;
                    global.values[m] = total.value();
                }
                (Access::Sum, Partial::Plain) => {
                    global.values[m] = gathered.iter().map(|rank| f64::from_bits(rank[at])).sum();
                    at += 1;
                }
                (access, _) => {
                    let pair = extrema.next().expect("pushed above");
                    global.values[m] = if access == Access::Min {
                        <Min<1> as Ordered>::value_of(pair[0])
                    } else {
                        <Max<1> as Ordered>::value_of(pair[0])
                    };
                    global.at[m] = pair[1];
                }
            }
        }
        global.progress = Progress::Reduced;
    }
    any_failed
}

/// Words of a binned sum.
const BINNED_WORDS: usize = 8;

impl GlobalStore {
    /// An exact sum or an extremum.
    fn is_combined_in_words(&self) -> bool {
        self.access != Access::Sum || matches!(self.sums, Partial::Exact(_))
    }

    fn push_exact_sums(&mut self, words: &mut Vec<u64>) {
        if let Partial::Exact(sums) = &mut self.sums {
            for sum in sums {
                let start = words.len();
                words.resize(start + WORDS, 0);
                sum.get_mut().drain_words(&mut words[start..]);
            }
        }
    }

    fn push_extrema(&self, words: &mut Vec<u64>) {
        for (&value, &at) in self.values.iter().zip(&self.at) {
            match self.access {
                Access::Min => words.extend([<Min<1> as Ordered>::word(value), at]),
                Access::Max => words.extend([<Max<1> as Ordered>::word(value), at]),
                _ => {}
            }
        }
    }

    fn push_other_sums(&mut self, words: &mut Vec<u64>) {
        match &mut self.sums {
            Partial::Plain if self.access == Access::Sum => {
                words.extend(self.values.iter().map(|v| v.to_bits()))
            }
            Partial::Binned(sums) => {
                for sum in sums {
                    words.extend(sum.get_mut().words());
                    sum.get_mut().clear();
                }
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exact_sums_of_the_ranks_combine_by_an_integer_sum() {
        let terms: Vec<f64> = (0..100).map(|i| (f64::from(i) - 50.0) * 10f64.powi(i % 37 - 18)).collect();
        let mut whole = ExactSum::new();
        whole.add_slice(&terms);
        let expected = whole.value().to_bits();
        for ranks in [1, 2, 3, 8] {
            let results = Comm::simulate(ranks, |comm| {
                let mut part = ExactSum::new();
                terms.iter().skip(comm.rank()).step_by(comm.size()).for_each(|&term| part.add(term));
                let mut words = part.words();
                comm.all_reduce(&mut words, ReduceOp::Sum);
                round(&words).to_bits()
            });
            assert_eq!(results, vec![expected; ranks]);
        }
    }

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
