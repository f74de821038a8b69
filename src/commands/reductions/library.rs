//! The MPI library's own sums, whose trees are inferred from their bits.
//!
//! On one machine all ranks are on one node, and the library chooses its tree by their numbers. Permuting what the
//! ranks sum shows the effect of another placement: with a cyclic map, rank i has the number of the rank that would be
//! in place i.

use cfd_engine::comm::Comm;
use cfd_mpi::library_sums::LibrarySums;
use cfd_reductions::data::Source;
use cfd_reductions::matching::{Match, candidates};
use cfd_reductions::placement::{Groups, Map, Placement};
use cfd_reductions::tree::Tree;
use exact_sum::ExactSum;

use super::{LibrarySum, OfKind, Study};

/// Data sets.
const SETS: u64 = 100;

/// The library's sums of data sets.
struct Sums {
    /// One sum per set, on rank 0: its chunk of the vector, and its value.
    values: Vec<(u32, f64)>,
    is_one: bool,
}

/// Sums on the first ranks, as many as were requested and exist, and on all. Collective; rank 0 has them.
pub fn sums(comm: &Comm, study: &Study) -> Vec<LibrarySum> {
    if cfd_mpi::handle(comm).is_none() {
        return Vec::new();
    }
    let mut found = Vec::new();
    for ranks in counts(comm, study) {
        let first = LibrarySums::of_first(comm, ranks as usize);
        for (map, node_ranks) in maps(study, ranks) {
            for &elements in &study.args.elements {
                for call in ["MPI_Reduce", "MPI_Allreduce"] {
                    let request = Request { ranks, map, node_ranks, elements, call };
                    found.extend(request.sum(comm, study, first.as_ref()));
                }
            }
        }
    }
    found
}

/// The numbers of ranks that are asked for and exist, and that of all.
pub fn counts(comm: &Comm, study: &Study) -> Vec<u32> {
    let size = comm.size() as u32;
    let mut counts: Vec<u32> = study.args.ranks.iter().copied().filter(|&ranks| ranks < size).collect();
    counts.push(size);
    counts.sort_unstable();
    counts.dedup();
    counts
}

/// Ranks in order; and cyclically, on nodes of every possible size.
fn maps(study: &Study, ranks: u32) -> Vec<(Map, u32)> {
    let fits = |k: &&u32| (2..ranks).contains(*k);
    let usual = study.usual_node();
    let k = study.args.nodes.iter().filter(fits).copied().max_by_key(|&k| (k == usual, k));
    let block = (Map::Block, k.unwrap_or(1));
    [block].into_iter().chain(k.map(|k| (Map::Cyclic, k))).collect()
}

/// A call on data sets.
struct Request {
    ranks: u32,
    map: Map,
    node_ranks: u32,
    elements: u64,
    call: &'static str,
}

impl Request {
    /// Sums of all kinds of data, on rank 0. Collective.
    fn sum(&self, comm: &Comm, study: &Study, first: Option<&LibrarySums>) -> Option<LibrarySum> {
        let mut trees = Match::new(self.ranks, candidates(self.ranks, &study.args.nodes));
        let (mut data, mut is_one) = (Vec::new(), true);
        for source in &study.sources {
            let sums = self.call(comm, first, source);
            is_one &= sums.is_one;
            if comm.is_root() {
                data.push(self.look(source, &sums, &mut trees));
            }
        }
        let Request { ranks, map, node_ranks, elements, call } = *self;
        let same_as = trees.words();
        comm.is_root().then_some(LibrarySum { call, ranks, map, node_ranks, elements, data, is_one, same_as })
    }

    /// Compares the library's sums with those of trees.
    fn look(&self, source: &Source, sums: &Sums, trees: &mut Match) -> OfKind {
        let sets = sums.values.len() as u64;
        let places = self.places();
        let mut numbers = vec![0.0; self.ranks as usize];
        let binomial = Tree::Binomial { root: 0 }.shape(self.ranks, &Groups::one(self.ranks), 0);
        let (mut differ_from_binomial, mut differ_from_exact) = (0, 0);
        for (set, &(chunk, value)) in (0..).zip(&sums.values) {
            source.fill(set, sets, &mut numbers);
            let placed: Vec<f64> = places.iter().map(|&rank| numbers[rank as usize]).collect();
            trees.see(&placed, value, chunk);
            let mut exact = ExactSum::new();
            exact.add_slice(&numbers);
            differ_from_exact += u64::from(exact.value().to_bits() != value.to_bits());
            differ_from_binomial += u64::from(binomial.sum(&mut numbers).to_bits() != value.to_bits());
        }
        OfKind { name: source.name(), sets, differ_from_binomial, differ_from_exact }
    }

    /// Whose number each rank has.
    fn places(&self) -> Vec<u32> {
        let placement = Placement::new(self.map, self.ranks, self.node_ranks);
        placement.groups().iter().flatten().copied().collect()
    }

    /// Sums the numbers of all sets: one call per set if vectors are shorter than the number of sets, otherwise one
    /// call for all, in which each set has its part of the vector. Collective.
    fn call(&self, comm: &Comm, first: Option<&LibrarySums>, source: &Source) -> Sums {
        let sets = source.sets(self.ranks, SETS);
        let mut values = Vec::new();
        if let Some(first) = first {
            let place = self.places()[comm.rank()] as usize;
            let mut numbers = vec![0.0; self.ranks as usize];
            let own: Vec<f64> = (0..sets)
                .map(|set| {
                    source.fill(set, sets, &mut numbers);
                    numbers[place]
                })
                .collect();
            let call = |vector: &[f64]| match self.call {
                "MPI_Reduce" => first.reduce(vector),
                _ => first.all_reduce(vector),
            };
            if self.elements < sets {
                for &number in &own {
                    let sums = call(&vec![number; self.elements as usize]);
                    values.extend(sums.first().map(|&sum| (0, sum)));
                }
            } else {
                let stretch =
                    |element: u64| own[(u128::from(element * sets) / u128::from(self.elements)) as usize];
                let sums = call(&(0..self.elements).map(stretch).collect::<Vec<f64>>());
                let middle = |set: u64| ((2 * set + 1) * self.elements / (2 * sets)) as usize;
                let chunk = |element: usize| (element as u64 * u64::from(self.ranks) / self.elements) as u32;
                let each = (0..sets).map(middle);
                values.extend(each.filter_map(|at| sums.get(at).map(|&sum| (chunk(at), sum))));
            }
        }
        // Ranks without sums count as agreeing with all others.
        let bits: Vec<u64> = values.iter().map(|(_, sum)| sum.to_bits()).collect();
        let all = comm.all_gather(&bits);
        let is_one = all.iter().filter(|bits| !bits.is_empty()).all(|bits| *bits == all[0]);
        Sums { values, is_one }
    }
}
