//! Combining the ranks' parts of globals.
//!
//! In reproducible mode, one integer all-reduce carries everything: exact sums as integers, extrema as ordered integers
//! with their locations, and whether a rank has failed. Of an exact sum, it carries the digits that the last one used;
//! if a rank has others, a second message carries all digits. Plain and binned sums are gathered and combined in rank
//! order on every rank. No floating-point reduction of the message-passing library is used here or anywhere else.
//!
//! ```text
//! exact sums: digits ...  status  extrema: (value, id) ...
//! \________ added ______________/ \_ the least of each __/
//!
//! status: low half: ranks that have failed; high half: ranks with digits that have not been sent
//! ```

use exact_sum::{BinnedSum, DigitRange, WORDS, round};

use super::global::{GlobalStore, Ordered, Partial, Progress};
use crate::comm::{Comm, ReduceOp};
use crate::model::kernel::{Access, Max, Min};

/// What combining globals over the ranks has taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReductionCount {
    /// How often all globals that were due have been combined.
    pub reductions: u64,
    /// Collective messages: per reduction, one for exact sums and extrema, one for plain and binned sums.
    pub messages: u64,
    /// Additional messages, with whole exact sums whose digits were not all among those agreed upon.
    pub whole: u64,
}

impl std::ops::AddAssign for ReductionCount {
    fn add_assign(&mut self, other: ReductionCount) {
        self.reductions += other.reductions;
        self.messages += other.messages;
        self.whole += other.whole;
    }
}

/// The status word's units: a rank that has failed, and one that has not sent all its digits.
const FAILED: u64 = 1;
const UNSENT: u64 = 1 << 32;

/// Words of a binned sum.
const BINNED_WORDS: usize = 8;

/// Combines all partial globals over the ranks. `failed`: this rank has failed; returns whether any rank has.
pub fn reduce(comm: &Comm, globals: &mut [GlobalStore], count: &mut ReductionCount, failed: bool) -> bool {
    let mut due: Vec<&mut GlobalStore> =
        globals.iter_mut().filter(|g| g.progress == Progress::Partial).collect();
    if due.is_empty() {
        return failed;
    }
    count.reductions += 1;
    let in_words = due.iter().any(|global| global.is_combined_in_words());
    let mut any_failed = failed;
    if in_words {
        any_failed |= reduce_words(comm, &mut due, count, failed);
    }
    any_failed |= gather_others(comm, &mut due, count, failed);
    due.into_iter().for_each(|global| global.progress = Progress::Reduced);
    any_failed
}

/// Combines exact sums and extrema; returns whether a rank has failed.
fn reduce_words(comm: &Comm, due: &mut [&mut GlobalStore], count: &mut ReductionCount, failed: bool) -> bool {
    // A single rank sends nothing.
    let range = |range: &DigitRange| if comm.size() == 1 { DigitRange::WHOLE } else { range.clone() };
    let exact_sums = due.iter().filter(|global| global.is_exact_sum());
    let mut ranges: Vec<DigitRange> = exact_sums.flat_map(|global| global.ranges.iter().map(range)).collect();

    // Exact sums first, as integers that an all-reduce adds; then extrema, as pairs of which it takes the least.
    let (mut words, mut unsent) = digits(due, ranges.iter());
    let status = words.len();
    words.push(u64::from(failed) * FAILED + unsent.iter().fold(0, |any, unsent| any | unsent) * UNSENT);
    due.iter().for_each(|global| global.push_extrema(&mut words));
    let sums = status + 1;
    let op = if words.len() == sums { ReduceOp::Sum } else { ReduceOp::Record { sums } };
    comm.all_reduce(&mut words, op);
    count.messages += 1;

    let mut whole = Vec::new();
    if words[status] >= UNSENT {
        // For all sums, because no rank yet knows which ones have unsent digits; the words after them tell.
        (whole, _) = digits(due, std::iter::repeat_n(&DigitRange::WHOLE, ranges.len()));
        whole.append(&mut unsent);
        comm.all_reduce(&mut whole, ReduceOp::Sum);
        unsent = whole.split_off(WORDS * ranges.len());
        count.whole += 1;
    }
    let mut rest = &words[..status];
    let mut totals = Vec::with_capacity(ranges.len());
    for (i, range) in ranges.iter_mut().enumerate() {
        let digits = rest.split_off(..range.len()).expect("sent above");
        if unsent[i] > 0 {
            let words = &whole[WORDS * i..][..WORDS];
            totals.push(round(words));
            range.miss(words);
        } else {
            totals.push(range.round(digits));
            range.follow(digits);
        }
    }
    let (mut totals, mut extrema) = (totals.into_iter().zip(ranges), words[sums..].chunks_exact(2));
    for global in due {
        global.take_words(&mut totals, &mut extrema);
    }
    words[status] as u32 > 0
}

/// The digits of all exact sums, one after the other, each in its range; and for each sum, 1 if it has other digits, 0
/// if not.
fn digits<'a>(
    due: &mut [&mut GlobalStore],
    mut ranges: impl Iterator<Item = &'a DigitRange>,
) -> (Vec<u64>, Vec<u64>) {
    let (mut words, mut unsent) = (Vec::new(), Vec::new());
    for global in due {
        let Partial::Exact(sums) = &mut global.sums else { continue };
        for (sum, range) in sums.iter_mut().zip(&mut ranges) {
            let start = words.len();
            words.resize(start + range.len(), 0);
            unsent.push(u64::from(!sum.get_mut().write_digits(range, &mut words[start..])));
        }
    }
    (words, unsent)
}

/// Combines binned and plain sums, in rank order on every rank; returns whether a rank has failed.
fn gather_others(
    comm: &Comm,
    due: &mut [&mut GlobalStore],
    count: &mut ReductionCount,
    failed: bool,
) -> bool {
    let mut words = Vec::new();
    due.iter_mut().for_each(|global| global.push_other_sums(&mut words));
    if words.is_empty() {
        return false;
    }
    words.push(u64::from(failed));
    let gathered = comm.all_gather(&words);
    count.messages += 1;
    let mut at = 0;
    for global in due {
        global.take_others(&gathered, &mut at);
    }
    gathered.iter().any(|rank| rank.last() != Some(&0))
}

impl GlobalStore {
    fn is_exact_sum(&self) -> bool {
        matches!(self.sums, Partial::Exact(_))
    }

    /// An exact sum or an extremum.
    fn is_combined_in_words(&self) -> bool {
        self.access != Access::Sum || self.is_exact_sum()
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

    /// Sets its values from the combined exact sums and extrema.
    fn take_words<'a>(
        &mut self,
        totals: &mut impl Iterator<Item = (f64, DigitRange)>,
        extrema: &mut impl Iterator<Item = &'a [u64]>,
    ) {
        if let Partial::Exact(sums) = &mut self.sums {
            sums.iter_mut().for_each(|sum| sum.get_mut().clear());
            let values = self.values.iter_mut().zip(&mut self.ranges);
            values.zip(totals).for_each(|((value, range), total)| (*value, *range) = total);
        } else if self.access != Access::Sum {
            for ((value, at), pair) in self.values.iter_mut().zip(&mut self.at).zip(extrema) {
                *value = match self.access {
                    Access::Min => <Min<1> as Ordered>::value_of(pair[0]),
                    _ => <Max<1> as Ordered>::value_of(pair[0]),
                };
                *at = pair[1];
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

    /// Sets its values from the words of all ranks, starting at word `at`.
    fn take_others(&mut self, gathered: &[Vec<u64>], at: &mut usize) {
        for value in &mut self.values {
            match &self.sums {
                Partial::Binned(_) => {
                    let mut total = BinnedSum::new();
                    for rank in gathered {
                        let words = rank[*at..*at + BINNED_WORDS].try_into().expect("pushed above");
                        total.merge(&BinnedSum::from_words(words));
                    }
                    *at += BINNED_WORDS;
                    *value = total.value();
                }
                Partial::Plain if self.access == Access::Sum => {
                    *value = gathered.iter().map(|rank| f64::from_bits(rank[*at])).sum();
                    *at += 1;
                }
                _ => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use exact_sum::ExactSum;

    use super::*;
    use crate::store::global::Sums;

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

    /// A store of two exact sums on one rank, its terms in one step: their sizes wander, they cancel between ranks, and
    /// once they are not numbers.
    fn terms(step: i32, rank: usize) -> [Vec<f64>; 2] {
        let wander = |i: i32| 10f64.powi(((step * 7 + i) % 200 - 100) * i32::from(step % 50 > 40));
        let odd = match step {
            70 => f64::INFINITY,
            71 => f64::NAN,
            _ => 0.0,
        };
        let many = |i: i32| wander(i) / (3.0 + f64::from(i) + rank as f64) - odd;
        let sign = if rank.is_multiple_of(2) { 1.0 } else { -1.0 };
        [(0..20).map(many).collect(), vec![sign * 1e150 * f64::from(step % 3), 1.0 + rank as f64]]
    }

    #[test]
    fn digits_agreed_upon_change_no_bit() {
        const STEPS: i32 = 300;
        for ranks in [1, 2, 3, 8] {
            let expected: Vec<[u64; 2]> = (0..STEPS)
                .map(|step| {
                    let mut sums = [ExactSum::new(), ExactSum::new()];
                    for rank in 0..ranks {
                        sums.iter_mut().zip(terms(step, rank)).for_each(|(sum, terms)| sum.add_slice(&terms));
                    }
                    sums.map(|sum| sum.value().to_bits())
                })
                .collect();
            let results = Comm::simulate(ranks, |comm| {
                let mut globals = [GlobalStore::new("sum", Access::Sum, 2, Some(Sums::Exact))];
                let mut count = ReductionCount::default();
                let mut run = |step| {
                    let [global] = &mut globals;
                    let Partial::Exact(sums) = &mut global.sums else { panic!("exact sums") };
                    for (sum, terms) in sums.iter_mut().zip(terms(step, comm.rank())) {
                        sum.get_mut().add_slice(&terms);
                    }
                    global.progress = Progress::Partial;
                    assert!(!reduce(&comm, &mut globals, &mut count, false));
                    [globals[0].values[0].to_bits(), globals[0].values[1].to_bits()]
                };
                let values: Vec<[u64; 2]> = (0..STEPS).map(&mut run).collect();
                (values, count, globals[0].ranges.clone())
            });
            for (values, count, ranges) in &results {
                assert_eq!(*values, expected, "{ranks} ranks");
                assert_eq!((count.reductions, count.messages), (STEPS as u64, STEPS as u64));
                assert_eq!((count, ranges), (&results[0].1, &results[0].2), "agreed");
                assert!(count.whole < 100 && (count.whole > 5 || ranks == 1), "{ranks} ranks: {count:?}");
            }
        }
    }
}
