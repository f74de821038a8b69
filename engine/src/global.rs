//! Global results: sums, minima and maxima over all elements of a set.
//!
//! A loop adds up its own rank's elements; [`reduce`] combines the ranks' partial results, all that are due in
//! one message. The combination runs over the gathered partial results in rank order on every rank, so there is no
//! floating-point reduction inside the message passing library. This is the only module that combines numbers of
//! several ranks.

use std::cmp::Ordering;

use crate::comm::Comm;
use crate::kernel::{Access, Max, Min};

/// What no element has as its global id.
pub(crate) const NOWHERE: u64 = u64::MAX;

/// How far a global's value has got.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Progress {
    /// No loop has produced it yet.
    Unset,
    /// This rank's part is there.
    Partial,
    /// The value is that of all ranks.
    Reduced,
}

/// A global result and its location.
#[derive(Debug)]
pub struct GlobalStore {
    pub(crate) name: String,
    pub(crate) access: Access,
    pub(crate) values: Vec<f64>,
    /// Global id of the element of each extremum.
    pub(crate) at: Vec<u64>,
    pub(crate) progress: Progress,
}

impl GlobalStore {
    pub(crate) fn new(name: &str, access: Access, dim: usize) -> GlobalStore {
        let mut store = GlobalStore {
            name: name.into(),
            access,
            values: vec![0.0; dim],
            at: vec![NOWHERE; dim],
            progress: Progress::Unset,
        };
        store.clear();
        store
    }

    /// Sets the value of an empty loop.
    pub(crate) fn clear(&mut self) {
        self.values.fill(match self.access {
            Access::Min => <Min<1> as Ordered>::UNSET,
            Access::Max => <Max<1> as Ordered>::UNSET,
            _ => 0.0,
        });
        self.at.fill(NOWHERE);
    }

    fn combine(&mut self, values: &[f64], at: &[u64]) {
        for m in 0..self.values.len() {
            let (mine, other) = ((self.values[m], self.at[m]), (values[m], at[m]));
            let take_other = match self.access {
                Access::Min => <Min<1> as Ordered>::before(other, mine),
                Access::Max => <Max<1> as Ordered>::before(other, mine),
                _ => {
                    self.values[m] += values[m];
                    false
                }
            };
            if take_other {
                (self.values[m], self.at[m]) = other;
            }
        }
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
    #[doc(hidden)]
    fn surely_after(candidate: f64, best: f64) -> bool;
    #[doc(hidden)]
    fn rank(value: f64) -> i64;
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
    let bits = value.to_bits() as i64;
    bits ^ (((bits >> 63) as u64) >> 1) as i64
}

impl<const D: usize> Ordered for Min<D> {
    const UNSET: f64 = f64::INFINITY;
    #[inline(always)]
    fn surely_after(candidate: f64, best: f64) -> bool {
        candidate > best
    }
    #[inline(always)]
    fn rank(value: f64) -> i64 {
        if value.is_nan() { i64::MIN } else { ascending(value) }
    }
}

impl<const D: usize> Ordered for Max<D> {
    const UNSET: f64 = f64::NEG_INFINITY;
    #[inline(always)]
    fn surely_after(candidate: f64, best: f64) -> bool {
        candidate < best
    }
    #[inline(always)]
    fn rank(value: f64) -> i64 {
        // Numbers lie strictly inside the range of i64, so the negation is exact and NaN stays first.
        if value.is_nan() { i64::MIN } else { -ascending(value) }
    }
}

/// Combines all partial globals over the ranks, in one message.
pub(crate) fn reduce(comm: &Comm, globals: &mut [GlobalStore]) {
    let mut due: Vec<&mut GlobalStore> =
        globals.iter_mut().filter(|g| g.progress == Progress::Partial).collect();
    if due.is_empty() {
        return;
    }
    if comm.size() > 1 {
        let mut words = Vec::new();
        for global in &due {
            words.extend(global.values.iter().map(|v| v.to_bits()));
            words.extend(&global.at);
        }
        let gathered = comm.all_gather(&words);
        let mut at = 0;
        for global in &mut due {
            let dim = global.values.len();
            global.clear();
            for words in &gathered {
                let values: Vec<f64> = words[at..at + dim].iter().map(|&w| f64::from_bits(w)).collect();
                global.combine(&values, &words[at + dim..at + 2 * dim]);
            }
            at += 2 * dim;
        }
    }
    for global in due {
        global.progress = Progress::Reduced;
    }
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
            for access in [Access::Min, Access::Max] {
                let fold = |order: &mut dyn Iterator<Item = &(f64, u64)>| {
                    let mut store = GlobalStore::new("m", access, 1);
                    for &(v, id) in order {
                        store.combine(&[v], &[id]);
                    }
                    (store.values[0].is_nan(), store.values[0].to_bits(), store.at[0])
                };
                let forward = fold(&mut chosen.iter());
                let backward = fold(&mut chosen.iter().rev());
                assert_eq!((forward.0, forward.2), (backward.0, backward.2), "{chosen:?}");
                assert!(forward.0 || forward.1 == backward.1, "{chosen:?}");
            }
        }
    }

    #[test]
    fn minus_zero_is_below_zero_and_nan_is_found() {
        let least = |values: &[f64]| {
            let mut store = GlobalStore::new("m", Access::Min, 1);
            values.iter().enumerate().for_each(|(i, &v)| store.combine(&[v], &[i as u64]));
            (store.values[0], store.at[0])
        };
        assert_eq!(least(&[0.0, -0.0, 0.0]).1, 1);
        assert_eq!(least(&[1.0, 1.0]).1, 0);
        assert!(least(&[1.0, f64::NAN, f64::NEG_INFINITY]).0.is_nan());
    }
}
