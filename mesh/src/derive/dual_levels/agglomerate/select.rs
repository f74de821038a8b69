//! Selects the nodes of each agglomerate. Throughout, neighbours means strong ones ([`super::graph`]).
//!
//! 1. Seeds: a maximal set of nodes of which no two are the same, neighbours, or neighbours of one node. Found in
//!    rounds, as in M. Luby, A simple parallel algorithm for the maximal independent set problem, SIAM J. Comput. 15
//!    (1986), doi:10.1137/0215074, with the square of the graph: a node whose number is the largest of all open nodes
//!    within two edges becomes a seed, and those around it are closed. A node's number is pseudo-random and depends
//!    only on its id.
//! 2. Neighbours of a seed join it; each has at most one such neighbour.
//! 3. The others, each a neighbour of one of those, join the agglomerate to which their faces are largest; of equal
//!    ones, the one with the lower seed.
//! 4. Agglomerates are numbered by their seeds.
//!
//! On periodic boundaries the copies of a node join its agglomerate, and it has the neighbours of all. Where boundaries are
//! turned, copies have other vectors: the second boundary has agglomerates of its own, the images of those of the first, each
//! with the number after that of its original.
//!
//! All nodes of one round or step use the state before it. So the result is a function of the graph, whatever the
//! ranks. Agglomerates of the square of a graph: N. Bell, S. Dalton, L. Olson, Exposing fine-grained parallelism in
//! algebraic multigrid methods, SIAM J. Sci. Comput. 34 (2012), doi:10.1137/110838844.

use cfd_engine::comm::Comm;
use cfd_engine::mesh::fetch_rows;

use super::graph::Graph;
use crate::derive::dual_levels::level::DualLevel;
use crate::derive::periodic::copies::{FIRST, INNER, SECOND};
use crate::noise::mixed;

/// No agglomerate yet.
const NONE: u64 = u64::MAX;

/// The agglomerate of each of this rank's nodes, and the number of agglomerates. Collective.
pub(super) fn agglomerates(comm: &Comm, level: &DualLevel) -> (Vec<u64>, u64) {
    let graph = Graph::new(comm, level);
    let own = graph.blocks().range(comm.rank());
    let is_copy: Vec<bool> = match &level.lowest[..] {
        [] => vec![false; (own.end - own.start) as usize],
        lowest => own.clone().zip(lowest).map(|(id, lowest)| id != *lowest).collect(),
    };
    let seeds = seeds(&graph, &is_copy);

    let of_seeds: Vec<u64> =
        own.clone().zip(&seeds).map(|(id, &seed)| if seed { id } else { NONE }).collect();
    let beside = graph.of_neighbours(&of_seeds, |node, near| {
        let own = of_seeds[node];
        if own == NONE { near.map(|(seed, _)| seed).min().unwrap_or(NONE) } else { own }
    });
    let mut seed_of = graph.of_neighbours(&beside, |node, near| {
        let own = beside[node];
        if own == NONE && !is_copy[node] { largest(near) } else { own }
    });
    if level.has_copies(comm) {
        seed_of = fetch_rows(comm, graph.blocks(), 1, &seed_of, &level.lowest);
    }

    // A seed on the first of two boundaries of which one is turned into the other has an agglomerate on each.
    let side = |node: usize| level.sides.get(node).copied().unwrap_or(INNER);
    let made = |(node, seed): (usize, &bool)| u64::from(*seed) * if side(node) == FIRST { 2 } else { 1 };
    let count = seeds.iter().enumerate().map(made).sum();
    let mut next = comm.exclusive_sum(count);
    let numbers: Vec<u64> = seeds
        .iter()
        .enumerate()
        .map(|of_node| {
            let number = next;
            next += made(of_node);
            number
        })
        .collect();
    let numbers = fetch_rows(comm, graph.blocks(), 1, &numbers, &seed_of);
    let numbers =
        numbers.into_iter().enumerate().map(|(node, number)| number + u64::from(side(node) == SECOND));
    (numbers.collect(), comm.sum(count))
}

/// Whether each of this rank's nodes is a seed; copies of others are none.
fn seeds(graph: &Graph<'_>, is_copy: &[bool]) -> Vec<bool> {
    let own = graph.blocks().range(graph.comm().rank());
    // The pseudo-random number, then the id; closed nodes have neither.
    let number = |(id, is_copy): (u64, &bool)| if *is_copy { CLOSED } else { [mixed(id) | 1, id] };
    let mut open: Vec<[u64; 2]> = own.zip(is_copy).map(number).collect();
    let mut seeds = vec![false; open.len()];
    let largest = |values: &[[u64; 2]]| {
        graph.of_neighbours(values, |node, near| near.map(|(v, _)| v).fold(values[node], Ord::max))
    };
    let any = |values: &[u8]| {
        graph.of_neighbours(values, |node, near| near.map(|(v, _)| v).fold(values[node], Ord::max))
    };
    while graph.comm().sum(open.iter().filter(|&&number| number != CLOSED).count() as u64) > 0 {
        let within_two = largest(&largest(&open));
        let new: Vec<u8> =
            open.iter().zip(&within_two).map(|(own, most)| u8::from(*own != CLOSED && own == most)).collect();
        for (node, near) in any(&any(&new)).into_iter().enumerate() {
            seeds[node] |= new[node] == 1;
            if near == 1 {
                open[node] = CLOSED;
            }
        }
    }
    seeds
}

/// The number of a closed node; those of open ones are larger.
const CLOSED: [u64; 2] = [0, 0];

/// The agglomerate to which the faces are largest in total; the lowest of equal ones.
fn largest(near: &mut dyn Iterator<Item = (u64, f64)>) -> u64 {
    let mut sums: Vec<(u64, f64)> = Vec::new();
    for (seed, face) in near.filter(|(seed, _)| *seed != NONE) {
        match sums.iter_mut().find(|(known, _)| *known == seed) {
            Some((_, sum)) => *sum += face,
            None => sums.push((seed, face)),
        }
    }
    let better = |a: &(u64, f64), b: &(u64, f64)| a.1 > b.1 || a.1 == b.1 && a.0 < b.0;
    let best = sums.into_iter().reduce(|best, next| if better(&next, &best) { next } else { best });
    best.expect("a node that is no seed is within two edges of one").0
}
