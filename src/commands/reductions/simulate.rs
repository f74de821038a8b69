//! The findings about trees for one number of ranks.

use cfd_reductions::cost::Cost;
use cfd_reductions::data::Source;
use cfd_reductions::matching::Candidate;
use cfd_reductions::placement::{Groups, Map, Placement};
use cfd_reductions::study::{Bits, Results, Summed, bits, results, results_of_all};
use cfd_reductions::topology::Topology;
use cfd_reductions::tree::Tree;
use exact_sum::WORDS;

use super::Study;
use super::calls::{OfCall, calls};
use super::delays::{Delays, delays};

/// Variants of one data set, by default.
const VARIANTS: u64 = 1000;
/// Maximum count of numbers that all variants together sum, if the number of variants is not given.
const MOST_ADDED: u64 = 1 << 24;
/// Data sets for which distinct results over all trees are counted.
pub const SETS_OF_ALL: u64 = 20;

/// All findings for one number of ranks.
#[derive(Clone, Debug)]
pub struct Simulated {
    pub ranks: u32,
    /// For each kind of data, for each candidate.
    pub data: Vec<OfData>,
    /// For each tree on each placement, its cost.
    pub costs: Vec<OfCost>,
    /// For each call whose result differs from rank to rank, if asked for.
    pub calls: Vec<OfCall>,
    /// What delays of messages do, if asked for.
    pub delays: Option<Delays>,
}

/// The bits of one kind of data.
#[derive(Clone, Debug)]
pub struct OfData {
    pub name: &'static str,
    pub bits: Vec<Bits>,
    /// Results of the first data set, over variants of one tree.
    pub results: Vec<Results>,
    /// Distinct results over all trees: mean and maximum.
    pub of_all: (f64, usize),
    /// For given terms: the number of sets in which the exact sum of the ranks' partial sums differs from the exact sum
    /// of all terms, and the number of sets.
    pub of_terms: Option<(u64, u64)>,
}

/// The cost of one tree, or of another call.
#[derive(Clone, Debug)]
pub struct OfCost<T = Tree> {
    pub tree: T,
    pub map: Map,
    pub node_ranks: u32,
    /// The cores per node that the tree has been told of, if it uses nodes.
    pub told: Option<u32>,
    pub topology: Topology,
    pub elements: u64,
    pub cost: Cost,
}

impl Simulated {
    /// Simulates; adds to what is `summed`.
    pub fn of(study: &Study, ranks: u32, summed: &Summed) -> Simulated {
        let args = &study.args;
        let placements = placements(study, ranks);
        let candidates = candidates(study, ranks);
        let variants = variants(study, ranks);
        let of_data = |source: &Source| {
            let sets = source.sets(ranks, study.sets(ranks));
            let mut numbers = vec![0.0; ranks as usize];
            source.fill(0, sets, &mut numbers);
            OfData {
                name: source.name(),
                bits: bits(source, ranks, sets, &candidates, summed),
                results: results(&numbers, study.usual_node(), variants, args.seed, summed),
                of_all: results_of_all(source, ranks, sets.min(SETS_OF_ALL), &candidates, summed),
                of_terms: match source {
                    Source::Terms(terms) => Some((terms.parts_that_differ(ranks, sets), sets)),
                    Source::Synthetic(..) => None,
                },
            }
        };
        let data = on_all_processors(&study.sources, of_data);
        let of_placement = |&(map, node_ranks): &(Map, u32)| {
            let mut of_costs = Vec::new();
            let placement = Placement::new(map, ranks, node_ranks);
            let topologies = topologies(study, &placement);
            for tree in study.trees(ranks) {
                let words = if tree == Tree::Exact { WORDS as u64 } else { 1 };
                let lengths: Vec<u64> = args.elements.iter().map(|elements| elements * words).collect();
                for told in study.told(tree, ranks, node_ranks) {
                    let groups = groups(map, ranks, told);
                    let found = cfd_reductions::cost::costs(
                        tree,
                        &groups,
                        &lengths,
                        placement.node(),
                        &topologies,
                        &study.parameters,
                    );
                    let places = topologies.iter().flat_map(|t| args.elements.iter().map(move |&n| (*t, n)));
                    of_costs.extend(places.zip(found).map(|((topology, elements), cost)| OfCost {
                        tree,
                        map,
                        node_ranks,
                        told,
                        topology,
                        elements,
                        cost,
                    }));
                }
            }
            of_costs
        };
        let costs = on_all_processors(&placements, of_placement).concat();
        let calls = calls(study, ranks, summed);
        let delays = args.jitter.map(|delay| delays(study, ranks, delay, summed));
        Simulated { ranks, data, costs, calls, delays }
    }
}

/// The nodes that a tree is told of; a single one if it is told of none.
pub fn groups(map: Map, ranks: u32, told: Option<u32>) -> Groups {
    told.map_or_else(|| Groups::one(ranks), |told| Placement::new(map, ranks, told).groups())
}

/// The networks asked for, with room for these nodes.
pub fn topologies(study: &Study, placement: &Placement) -> Vec<Topology> {
    study.args.topologies.iter().filter_map(|name| Topology::named(name, placement.nodes())).collect()
}

/// Maps, and numbers of ranks of a node.
fn placements(study: &Study, ranks: u32) -> Vec<(Map, u32)> {
    let nodes = study.nodes(ranks);
    study.maps.iter().flat_map(|&map| nodes.iter().map(move |&k| (map, k))).collect()
}

/// Trees on placements, each once.
pub fn candidates(study: &Study, ranks: u32) -> Vec<Candidate> {
    let mut candidates: Vec<Candidate> = Vec::new();
    for tree in study.trees(ranks) {
        for (map, node_ranks) in placements(study, ranks) {
            for told in study.told(tree, ranks, node_ranks) {
                let candidate = Candidate::new(tree, map, told.unwrap_or(node_ranks));
                if !candidates.contains(&candidate) {
                    candidates.push(candidate);
                }
            }
        }
    }
    candidates
}

/// Number of variants of a data set.
pub fn variants(study: &Study, ranks: u32) -> u64 {
    study.args.variants.unwrap_or_else(|| VARIANTS.min(MOST_ADDED / u64::from(ranks)).max(1))
}

/// The results of `work` on every item, in order; the processors share the items.
fn on_all_processors<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let processors = std::thread::available_parallelism().map_or(1, |n| n.get());
    let share = items.len().div_ceil(processors).max(1);
    std::thread::scope(|scope| {
        let begun: Vec<_> = items
            .chunks(share)
            .map(|items| scope.spawn(|| items.iter().map(&work).collect::<Vec<R>>()))
            .collect();
        let ended = begun.into_iter().flat_map(|thread| thread.join().expect("the work does not panic"));
        ended.collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_stay_in_the_order_of_the_items() {
        for count in [0usize, 1, 2, 7, 100] {
            let items: Vec<usize> = (0..count).collect();
            assert_eq!(
                on_all_processors(&items, |item| item * item),
                items.iter().map(|i| i * i).collect::<Vec<_>>()
            );
        }
    }
}
