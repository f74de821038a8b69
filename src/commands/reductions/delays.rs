//! What delays of messages do to the times of trees, and to the bits of a sum in the order of arrival.

use cfd_reductions::cost::{Machine, Schedule};
use cfd_reductions::jitter::{Arrivals, Delay, Jitter};
use cfd_reductions::placement::Placement;
use cfd_reductions::schedule::rounds;
use cfd_reductions::study::Summed;
use cfd_reductions::tree::Tree;
use exact_sum::WORDS;

use super::Study;
use super::simulate::{groups, topologies, variants};
use super::table::seconds;

/// Calls whose times are drawn.
const CALLS: u64 = 100;

/// What delays do on the usual nodes, the first placement and the first network.
#[derive(Clone, Debug)]
pub struct Delays {
    pub delay: Delay,
    pub times: Vec<OfDelay>,
    /// For each kind of data: the sum in the order of arrival.
    pub arrivals: Vec<(&'static str, Arrivals)>,
}

/// The times of a tree with delays.
#[derive(Clone, Debug)]
pub struct OfDelay {
    pub tree: Tree,
    pub told: Option<u32>,
    pub elements: u64,
    pub calls: u64,
    /// Without delays.
    pub undisturbed_s: f64,
    pub mean_s: f64,
    pub worst_s: f64,
}

/// About how many delays are drawn.
pub fn work(study: &Study, ranks: u32) -> f64 {
    if study.args.jitter.is_none() {
        return 0.0;
    }
    let count = f64::from(ranks);
    let times: f64 = study.trees(ranks).map(|tree| work_of(study, tree, ranks)).sum();
    let arrivals = study.sets(ranks) as f64 + variants(study, ranks) as f64;
    times + 4.0 * arrivals * count * study.sources.len() as f64
}

/// About how many delays are drawn for a tree.
fn work_of(study: &Study, tree: Tree, ranks: u32) -> f64 {
    let count = f64::from(ranks);
    let messages = match tree {
        Tree::Ring { .. } => 2.0 * count * count,
        Tree::RecursiveDoubling | Tree::Rabenseifner => 2.0 * count * count.log2().max(1.0),
        _ => 2.0 * count,
    };
    let tolds = study.told(tree, ranks, study.usual_node()).len();
    messages * (CALLS * (study.args.elements.len() * tolds) as u64) as f64
}

/// Draws delays.
pub fn delays(study: &Study, ranks: u32, delay: Delay, summed: &Summed) -> Delays {
    let node_ranks = study.usual_node();
    let map = study.maps[0];
    let placement = Placement::new(map, ranks, node_ranks);
    let topology = topologies(study, &placement)[0];
    let machine = Machine { node: placement.node(), topology, parameters: study.parameters };
    let jitter = Jitter { delay, seed: study.args.seed };
    let mut times = Vec::new();
    for tree in study.trees(ranks) {
        let words = if tree == Tree::Exact { WORDS as u64 } else { 1 };
        summed.add(work_of(study, tree, ranks) as u64);
        for told in study.told(tree, ranks, node_ranks) {
            let nodes = groups(map, ranks, told);
            for &elements in &study.args.elements {
                let length = words * elements;
                let schedule: &Schedule<'_> = &|see| rounds(tree, ranks, &nodes, length, see);
                let drawn =
                    jitter.times(schedule, length, machine.node, topology, &machine.parameters, CALLS);
                times.push(OfDelay {
                    tree,
                    told,
                    elements,
                    calls: CALLS,
                    undisturbed_s: cfd_reductions::cost::cost(tree, &nodes, elements, words, &machine).time_s,
                    mean_s: drawn.iter().sum::<f64>() / CALLS as f64,
                    worst_s: drawn[drawn.len() - 1],
                });
            }
        }
    }
    let arrivals = study.sources.iter().map(|source| {
        let sets = source.sets(ranks, study.sets(ranks));
        (source.name(), jitter.arrivals(source, &machine, sets, variants(study, ranks), summed))
    });
    let arrivals = arrivals.collect();
    Delays { delay, times, arrivals }
}

/// The tables.
pub fn lines(study: &Study, delays: &Delays) -> Vec<String> {
    let (map, network) = (study.maps[0], &study.args.topologies[0]);
    let mut lines = vec![
        String::new(),
        format!("with delays {}, {CALLS} calls, on a {network}, {map} {}", delays.delay, study.usual_node()),
        format!("{:<32}{:>11}{:>13}{:>11}{:>11}", "tree", "doubles", "undisturbed", "mean", "longest"),
    ];
    for of in &delays.times {
        lines.push(format!(
            "{:<32}{:>11}{:>13}{:>11}{:>11}",
            super::table::told_words(&of.tree, of.told.filter(|_| !study.args.told.is_empty())),
            of.elements,
            seconds(of.undisturbed_s),
            seconds(of.mean_s),
            seconds(of.worst_s)
        ));
    }
    for (name, of) in &delays.arrivals {
        let share = |sets: u64| 100.0 * sets as f64 / of.sets as f64;
        lines.push(format!(
            "added as they arrive, {name}: in {:.1} % of {} sets another order than without delays, in {:.1} % other bits; \
             {} results of one set in {} calls",
            share(of.reordered),
            of.sets,
            share(of.differ),
            of.results,
            of.calls
        ));
    }
    lines
}
