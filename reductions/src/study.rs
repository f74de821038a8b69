//! How often trees differ, by how much, and how many results there are.

use std::sync::atomic::{AtomicU64, Ordering};

use exact_sum::{ExactSum, WORDS, round};

use crate::data::Source;
use crate::matching::Candidate;
use crate::placement::{Groups, Map, Placement};
use crate::random::draw;
use crate::shape::Shape;
use crate::tree::Tree;

/// Unit roundoff of double precision.
pub const ROUNDOFF: f64 = 1.0 / (1u64 << 53) as f64;
/// Numbers whose sum takes as long as adding one accumulator.
const EXACT_SUM: u64 = 8;
/// Numbers held at once.
const HELD: u64 = 1 << 22;
/// Up to this many ranks, exact sums of random placements add accumulators by the placement's own tree; beyond, where
/// their words would take more than a few MB, nodes are added one after the other.
const RANKS_WITH_WORDS: u32 = 4096;

/// The bound of a sum in which every number goes through `depth` additions: |error| <= g(depth) sum |x|, with g(d) = d u / (1 - d
/// u) (Higham, SIAM J. Sci. Comput. 14, 1993, doi:10.1137/0914050).
pub fn bound(depth: u32) -> f64 {
    let product = f64::from(depth) * ROUNDOFF;
    product / (1.0 - product)
}

/// How many numbers a study has summed so far, for a reader on another thread.
#[derive(Debug, Default)]
pub struct Summed(AtomicU64);

impl Summed {
    /// The count.
    pub fn count(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }

    /// Counts more numbers.
    pub fn add(&self, numbers: u64) {
        self.0.fetch_add(numbers, Ordering::Relaxed);
    }
}

/// How many numbers [`bits`], [`results`] and [`results_of_all`] sum, which takes most of their time; as a floating-point
/// number, because options can ask for any number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Work {
    /// For every data set and candidate.
    pub sets: f64,
    /// For variants of one data set.
    pub variants: f64,
}

impl Work {
    /// That of one source on this many ranks.
    pub fn of(ranks: u32, sets: u64, sets_of_all: u64, candidates: usize, variants: u64) -> Work {
        let (ranks, variants) = (f64::from(ranks), variants as f64);
        let by_rank = 2.0 * variants.min(ranks);
        Work {
            sets: (sets as f64 + sets_of_all as f64) * ranks * candidates as f64,
            variants: (by_rank + (3 + EXACT_SUM) as f64 * variants) * ranks,
        }
    }
}

/// The bits of a tree in many data sets.
#[derive(Clone, Debug, PartialEq)]
pub struct Bits {
    /// The tree.
    pub candidate: Candidate,
    /// The most roundings that any number goes through: additions, or the single one of an exact sum.
    pub depth: u32,
    /// Data sets.
    pub sets: u64,
    /// Sets in which the result is not that of a binomial tree.
    pub differ_from_binomial: u64,
    /// Sets in which it is not the exact sum, rounded.
    pub differ_from_exact: u64,
    /// The largest |error| / sum |x|.
    pub largest_error: f64,
}

impl Bits {
    /// The share of a number of sets, in percent.
    pub fn percent(&self, sets: u64) -> f64 {
        100.0 * sets as f64 / self.sets as f64
    }
}

/// A data set's exact sum, and what it is compared with.
struct Truth {
    /// The sum, rounded.
    sum: f64,
    /// What rounding has left out.
    rest: f64,
    /// The sum of magnitudes.
    magnitude: f64,
    binomial: f64,
}

impl Truth {
    fn of(numbers: &[f64], scratch: &mut [f64], binomial: &Shape) -> Truth {
        let mut exact = ExactSum::new();
        exact.add_slice(numbers);
        let sum = exact.value();
        exact.add(-sum);
        let rest = exact.value();
        let mut magnitudes = ExactSum::new();
        numbers.iter().for_each(|number| magnitudes.add(number.abs()));
        scratch.copy_from_slice(numbers);
        Truth { sum, rest, magnitude: magnitudes.value(), binomial: binomial.sum(scratch) }
    }
}

/// Sums `sets` data sets by each of the trees. Random placements and orders of arrival are drawn again for every set.
pub fn bits(source: &Source, ranks: u32, sets: u64, candidates: &[Candidate], summed: &Summed) -> Vec<Bits> {
    let count = ranks as usize;
    let mut found: Vec<Bits> = candidates.iter().map(|&candidate| Bits::none(candidate, sets)).collect();
    let binomial = Tree::Binomial { root: 0 }.shape(ranks, &Groups::one(ranks), 0);
    let batch = (HELD / u64::from(ranks)).clamp(1, sets);
    let mut numbers = vec![0.0; batch as usize * count];
    let mut scratch = vec![0.0; count];
    for first in (0..sets).step_by(batch as usize) {
        let held = (sets - first).min(batch);
        let numbers = &mut numbers[..held as usize * count];
        for (set, numbers) in (first..).zip(numbers.chunks_exact_mut(count)) {
            source.fill(set, sets, numbers);
        }
        let truths: Vec<Truth> =
            numbers.chunks_exact(count).map(|numbers| Truth::of(numbers, &mut scratch, &binomial)).collect();
        for bits in &mut found {
            let mut shape = None;
            for ((set, numbers), truth) in (first..).zip(numbers.chunks_exact(count)).zip(&truths) {
                let is_drawn = bits.candidate.is_drawn();
                let shape = match &mut shape {
                    Some(shape) if !is_drawn => shape,
                    shape => shape.insert(bits.candidate.drawn(ranks, set)),
                };
                if set == first {
                    let depth = if bits.candidate.tree == Tree::Exact { 1 } else { shape.depth(ranks) };
                    bits.depth = bits.depth.max(depth);
                }
                let sum = if bits.candidate.tree == Tree::Exact {
                    truth.sum
                } else {
                    scratch.copy_from_slice(numbers);
                    shape.sum(&mut scratch)
                };
                bits.count(sum, truth);
                summed.add(ranks.into());
            }
        }
    }
    found
}

impl Bits {
    fn none(candidate: Candidate, sets: u64) -> Bits {
        Bits { candidate, depth: 0, sets, differ_from_binomial: 0, differ_from_exact: 0, largest_error: 0.0 }
    }

    fn count(&mut self, sum: f64, truth: &Truth) {
        self.differ_from_binomial += u64::from(sum.to_bits() != truth.binomial.to_bits());
        self.differ_from_exact += u64::from(sum.to_bits() != truth.sum.to_bits());
        let error = (sum - truth.sum) - truth.rest;
        if truth.magnitude > 0.0 {
            self.largest_error = self.largest_error.max(error.abs() / truth.magnitude);
        }
    }
}

impl Candidate {
    /// Whether its additions differ in every call.
    fn is_drawn(&self) -> bool {
        self.tree.is_drawn() || matches!(self.nodes, Some((Map::Random(_), _)))
    }

    /// Its additions in one draw.
    fn drawn(&self, ranks: u32, draw_number: u64) -> Shape {
        let nodes = match self.nodes {
            Some((map, node_ranks)) => Placement::new(map.redrawn(draw_number), ranks, node_ranks).groups(),
            None => Groups::one(ranks),
        };
        self.tree.shape(ranks, &nodes, draw(ORDERS, draw_number, 0))
    }
}

/// The seed of orders of arrival.
const ORDERS: u64 = 0x0061_7272_6976_616c;

/// Results of one data set when one thing is varied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Results {
    /// The tree, and what is varied.
    pub what: String,
    /// Variants.
    pub variants: u64,
    /// Different results.
    pub results: u64,
}

/// The different results of one data set: with every root, chunk, order of arrival and random placement, up to `most`
/// of each; and those of the exact sum by the trees of these placements.
pub fn results(numbers: &[f64], node_ranks: u32, most: u64, seed: u64, summed: &Summed) -> Vec<Results> {
    let ranks = numbers.len() as u32;
    let mut scratch = numbers.to_vec();
    let mut sum = |shape: Shape| {
        scratch.copy_from_slice(numbers);
        summed.add(ranks.into());
        shape.sum(&mut scratch).to_bits()
    };
    let whole = Groups::one(ranks);
    let each_rank = most.min(u64::from(ranks));
    let spread = |at: u64| (u128::from(at) * u128::from(ranks) / u128::from(each_rank)) as u32;
    let node_ranks = node_ranks.min(ranks);
    let placed = |at: u64| Placement::new(Map::Random(draw(seed, at, 1)), ranks, node_ranks).groups();
    let mut found = Vec::new();
    let mut note = |what: &str, variants: u64, sum: &mut dyn FnMut(u64) -> u64| {
        let mut bits: Vec<u64> = (0..variants).map(sum).collect();
        bits.sort_unstable();
        bits.dedup();
        found.push(Results { what: what.into(), variants, results: bits.len() as u64 });
    };
    note("binomial, any root", each_rank, &mut |at| {
        sum(Tree::Binomial { root: spread(at) }.shape(ranks, &whole, 0))
    });
    note("ring, any chunk", each_rank, &mut |at| {
        sum(Tree::Ring { chunk: Some(spread(at)) }.shape(ranks, &whole, 0))
    });
    note("arrival, any order", most, &mut |at| sum(Tree::Arrival.shape(ranks, &whole, draw(seed, at, 0))));
    for tree in [Tree::NodeAwareAllReduce, Tree::NodeAwareReduce] {
        let what = format!("{tree}, random nodes of {node_ranks}");
        note(&what, most, &mut |at| sum(tree.shape(ranks, &placed(at), 0)));
    }
    let what = format!("exact, random nodes of {node_ranks}");
    let mut exact = Accumulators::of(numbers);
    note(&what, most, &mut |at| {
        summed.add(EXACT_SUM * u64::from(ranks));
        exact.sum(&placed(at)).to_bits()
    });
    found
}

/// The messages of exact sums, one per rank.
struct Accumulators<'a> {
    numbers: &'a [f64],
    words: Vec<[u64; WORDS]>,
    scratch: Vec<[u64; WORDS]>,
}

impl Accumulators<'_> {
    fn of(numbers: &[f64]) -> Accumulators<'_> {
        let mut words = Vec::new();
        if numbers.len() <= RANKS_WITH_WORDS as usize {
            let mut sum = ExactSum::new();
            for &number in numbers {
                let mut own = [0; WORDS];
                sum.add(number);
                sum.drain_words(&mut own);
                words.push(own);
            }
        }
        Accumulators { numbers, scratch: words.clone(), words }
    }

    /// The sum by the tree of a node-aware all-reduce: words are added to words.
    fn sum(&mut self, nodes: &Groups) -> f64 {
        if self.words.is_empty() {
            let mut sum = ExactSum::new();
            nodes.iter().flatten().for_each(|&rank| sum.add(self.numbers[rank as usize]));
            return sum.value();
        }
        self.scratch.copy_from_slice(&self.words);
        let shape = Tree::NodeAwareAllReduce.shape(self.numbers.len() as u32, nodes, 0);
        let total = shape.fold(&mut self.scratch, |into, from| {
            into.iter_mut().zip(from).for_each(|(a, b)| *a = a.wrapping_add(*b));
        });
        round(total)
    }
}

/// Different results of each data set over all these trees: the mean and the largest number, over `sets` sets.
pub fn results_of_all(
    source: &Source,
    ranks: u32,
    sets: u64,
    candidates: &[Candidate],
    summed: &Summed,
) -> (f64, usize) {
    let mut numbers = vec![0.0; ranks as usize];
    let mut scratch = numbers.clone();
    let (mut total, mut most) = (0, 0);
    for set in 0..sets {
        source.fill(set, sets, &mut numbers);
        let plain = candidates.iter().filter(|candidate| candidate.tree != Tree::Exact);
        let mut sums: Vec<u64> = plain
            .map(|candidate| {
                scratch.copy_from_slice(&numbers);
                summed.add(ranks.into());
                candidate.drawn(ranks, set).sum(&mut scratch).to_bits()
            })
            .collect();
        sums.sort_unstable();
        sums.dedup();
        total += sums.len();
        most = most.max(sums.len());
    }
    (total as f64 / sets as f64, most)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Synthetic;

    fn all(ranks: u32) -> Vec<Candidate> {
        let trees = Tree::ALL.into_iter().filter(|tree| tree.rank().is_none_or(|rank| rank < ranks));
        trees.flat_map(|tree| [Map::Block, Map::Random(4)].map(|map| Candidate::new(tree, map, 6))).collect()
    }

    #[test]
    fn errors_are_below_their_bound_and_not_all_zero() {
        for ranks in [1, 2, 37, 64] {
            for kind in Synthetic::ALL {
                let found = bits(&Source::Synthetic(kind, 3), ranks, 50, &all(ranks), &Summed::default());
                for bits in &found {
                    let bound = bound(bits.depth).max(ROUNDOFF);
                    assert!(bits.largest_error <= bound, "{bits:?} on {ranks} ranks");
                    assert!(bits.percent(bits.differ_from_exact) <= 100.0);
                }
                let differ = found.iter().filter(|bits| bits.differ_from_exact > 0).count();
                assert!(ranks < 3 || differ > 5, "{differ} trees differ on {ranks} ranks");
            }
        }
    }

    #[test]
    fn batches_do_not_change_what_is_counted() {
        let source = Source::Synthetic(Synthetic::Signed, 8);
        let ranks = 1 << 15;
        let trees = [Candidate::new(Tree::Linear, Map::Block, 1), Candidate::new(Tree::Exact, Map::Block, 1)];
        // More numbers than are held at once.
        let sets = HELD / u64::from(ranks) + 2;
        let found = bits(&source, ranks, sets, &trees, &Summed::default());
        let mut expected = 0;
        let mut numbers = vec![0.0; ranks as usize];
        for set in 0..sets {
            source.fill(set, sets, &mut numbers);
            let mut exact = ExactSum::new();
            exact.add_slice(&numbers);
            let linear = numbers[1..].iter().fold(numbers[0], |sum, x| sum + x);
            expected += u64::from(linear.to_bits() != exact.value().to_bits());
        }
        assert_eq!(found[0].differ_from_exact, expected);
        assert!(expected > sets / 2);
        assert_eq!((found[1].differ_from_exact, found[1].sets), (0, sets));
    }

    #[test]
    fn one_data_set_has_many_sums_and_one_exact_sum() {
        for ranks in [64u32, 6000] {
            let numbers: Vec<f64> = (0..ranks).map(|r| Synthetic::Signed.number(2, 0, r.into())).collect();
            let found = results(&numbers, 8, 40, 5, &Summed::default());
            let (exact, others) = found.split_last().unwrap();
            assert!(exact.what.starts_with("exact"));
            assert_eq!((exact.results, exact.variants), (1, 40));
            assert!(others.iter().all(|other| other.results > 1), "{found:?}");
        }
        let found = results(&[1.5], 8, 3, 5, &Summed::default());
        assert!(found.iter().all(|of| of.results == 1));
    }

    #[test]
    fn the_exact_sum_by_words_is_the_exact_sum() {
        let numbers: Vec<f64> = (0..100).map(|r| Synthetic::Signed.number(2, 0, r)).collect();
        let mut expected = ExactSum::new();
        expected.add_slice(&numbers);
        let nodes = Placement::new(Map::Random(1), 100, 6).groups();
        assert_eq!(Accumulators::of(&numbers).sum(&nodes).to_bits(), expected.value().to_bits());
    }

    #[test]
    fn trees_of_one_shape_are_one_result() {
        let source = Source::Synthetic(Synthetic::Positive, 1);
        let same = [
            Tree::Binomial { root: 0 },
            Tree::RecursiveDoubling,
            Tree::Rabenseifner,
            Tree::NodeAwareAllReduce,
        ];
        let same = same.map(|tree| Candidate::new(tree, Map::Block, 8));
        assert_eq!(results_of_all(&source, 64, 20, &same, &Summed::default()), (1.0, 1));
        let (mean, most) = results_of_all(&source, 64, 20, &all(64), &Summed::default());
        assert!(mean > 1.5 && most >= 3, "{mean}, {most}");
    }

    #[test]
    fn what_is_summed_is_the_work_that_was_foreseen() {
        for (ranks, sets, variants) in [(1, 1, 1), (12, 30, 5), (64, 7, 100)] {
            let source = Source::Synthetic(Synthetic::Positive, 1);
            let numbers: Vec<f64> = (0..ranks).map(|r| Synthetic::Signed.number(2, 0, r.into())).collect();
            let (trees, summed) = (all(ranks), Summed::default());
            bits(&source, ranks, sets, &trees, &summed);
            let of_sets = summed.count();
            results(&numbers, 8, variants, 5, &summed);
            let of_variants = summed.count() - of_sets;
            let work = Work::of(ranks, sets, 0, trees.len(), variants);
            assert_eq!((work.sets, work.variants), (of_sets as f64, of_variants as f64));
            results_of_all(&source, ranks, 3, &trees, &summed);
            // Without the exact sums, whose results are known.
            let of_all = (summed.count() - of_sets - of_variants) as f64;
            let foreseen = Work::of(ranks, sets, 3, trees.len(), variants).sets - work.sets;
            assert!(of_all > 0.8 * foreseen && of_all < foreseen, "{of_all} of {foreseen}");
        }
        assert!(Work::of(64, u64::MAX, 20, 100, u64::MAX).sets > 1e22);
    }
}
