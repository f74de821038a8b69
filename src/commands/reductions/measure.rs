//! Trees measured: executed over real messages beside the library's own calls.
//!
//! Every call of a round follows a barrier, and takes as long as its slowest rank; calls alternate, and a time is
//! the median over rounds. Sums are compared with the simulated ones.

use std::time::Instant;

use cfd_engine::comm::{Comm, ReduceOp};
use cfd_mpi::library_sums::LibrarySums;
use cfd_reductions::data::Synthetic;
use cfd_reductions::placement::{Groups, Map, Placement};
use cfd_reductions::schedule::chunk_of;
use cfd_reductions::shape::Shape;
use cfd_reductions::tree::Tree;
use exact_sum::ExactSum;

use super::messages::{Exact, ExactDigits, Executed, add_as_they_arrive, add_numbers};
use super::{Measured, Study, library};
use crate::exit::Error;

/// How long the rounds for one length take, about.
const BUDGET_NS: u64 = 1_000_000_000;
/// The fewest and the most rounds, after one that is not counted; a single one of calls that take long.
const ROUNDS: std::ops::RangeInclusive<u64> = 3..=51;
/// When a round takes long.
const LONG_NS: u64 = 4 * BUDGET_NS;
/// Sums of a vector that are compared with simulated ones: all of a short one.
const COMPARED: usize = 512;

/// What is measured.
enum Way<'a> {
    Reduce,
    AllReduce,
    Digits(ExactDigits<'a>),
    Exact(Exact<'a>),
    Arrival,
    Tree(Executed<'a>),
}

/// One of the ways to sum, with what it takes and gives.
struct Contender<'a> {
    name: String,
    tree: Option<Tree>,
    told: Option<u32>,
    nodes: Groups,
    way: Way<'a>,
    times_ns: Vec<u64>,
    /// Whether every sum compared had the bits of the simulation; none if there is nothing to compare with.
    is_as_simulated: Option<bool>,
}

/// Measures on the first ranks, as many as were requested and exist, and on all. Collective; rank 0 has the times.
///
/// # Errors
/// The bits of a tree are not those of its simulation: a fault of this program.
pub fn times(comm: &Comm, study: &Study) -> Result<Vec<Measured>, Error> {
    let mut found = Vec::new();
    for ranks in library::counts(comm, study).into_iter().filter(|&ranks| ranks > 1) {
        let first = LibrarySums::of_first(comm, ranks as usize);
        for &elements in &study.args.elements {
            let measured = measure(comm, study, first.as_ref(), ranks, elements as usize);
            if let Some(wrong) = measured.iter().find(|of| of.is_as_simulated == Some(false)) {
                let a = format!("the sums of {} over messages", wrong.name);
                let what = format!("{elements} doubles on {ranks} ranks");
                return Err(Error::Different { a, b: "those of its simulation".into(), what });
            }
            found.extend(measured);
        }
    }
    Ok(found)
}

fn measure(
    comm: &Comm,
    study: &Study,
    first: Option<&LibrarySums>,
    ranks: u32,
    elements: usize,
) -> Vec<Measured> {
    let own: Vec<f64> = (0..elements).map(|element| number(study, element, comm.rank() as u32)).collect();
    let compared = Compared::new(study, ranks, elements);
    let mut contenders = contenders(comm, study, ranks, elements);
    let mut rounds = 0;
    let mut round = 0;
    while round <= rounds {
        let mut total = 0;
        for contender in &mut contenders {
            let (elapsed, order, sums) = contender.call(comm, first, ranks, &own);
            if let (Some(_), Some(sums)) = (first, &sums) {
                contender.compare(&compared, ranks, order, sums);
            }
            let mut slowest = [elapsed];
            comm.all_reduce(&mut slowest, ReduceOp::Max);
            total += slowest[0];
            if round > 0 {
                contender.times_ns.push(slowest[0]);
            }
        }
        if round == 0 {
            let least = if total > LONG_NS { 1 } else { *ROUNDS.start() };
            rounds = (BUDGET_NS / total.max(1)).clamp(least, *ROUNDS.end());
        }
        round += 1;
    }
    contenders.into_iter().map(|contender| contender.measured(comm, ranks, elements)).collect()
}

/// What a rank adds: the same numbers as in the simulation, another data set for each element.
fn number(study: &Study, element: usize, rank: u32) -> f64 {
    Synthetic::Signed.number(study.args.seed, element as u64, rank.into())
}

/// All ways for this number of ranks: trees that know nodes are told of each number of cores.
fn contenders<'a>(comm: &'a Comm, study: &Study, ranks: u32, elements: usize) -> Vec<Contender<'a>> {
    let map = study.maps.first().copied().unwrap_or(Map::Block);
    let new = |name: String, tree, told, nodes, way| Contender {
        name,
        tree,
        told,
        nodes,
        way,
        times_ns: Vec::new(),
        is_as_simulated: None,
    };
    let whole = || Groups::one(ranks);
    let mut all = vec![
        new("MPI_Reduce".into(), None, None, whole(), Way::Reduce),
        new("MPI_Allreduce".into(), None, None, whole(), Way::AllReduce),
        new("exact, digits in use".into(), Some(Tree::Exact), None, whole(), {
            Way::Digits(ExactDigits::new(comm, ranks, elements))
        }),
    ];
    for tree in study.trees(ranks) {
        let told = study.told(tree, ranks, study.usual_node());
        for told in told {
            let nodes = match told {
                Some(told) => Placement::new(map, ranks, told).groups(),
                None => whole(),
            };
            let way = match tree {
                Tree::Arrival => Way::Arrival,
                Tree::Exact => Way::Exact(Exact::new(comm, ranks, &nodes, elements)),
                tree => Way::Tree(Executed::new(comm, tree, ranks, &nodes, elements)),
            };
            all.push(new(tree.to_string(), Some(tree), told, nodes, way));
        }
    }
    all
}

impl Contender<'_> {
    /// One call: its nanoseconds on this rank, the order of arrival, and the sums if this rank has them. Collective.
    fn call(
        &mut self,
        comm: &Comm,
        first: Option<&LibrarySums>,
        ranks: u32,
        own: &[f64],
    ) -> (u64, Vec<u32>, Option<Vec<u64>>) {
        let mut words: Vec<u64> = own.iter().map(|number| number.to_bits()).collect();
        let mut order = Vec::new();
        let mut has_sums =
            self.tree.and_then(|tree| tree.receiver(ranks)).is_none_or(|root| root as usize == comm.rank());
        comm.barrier();
        let Some(first) = first else { return (0, order, None) };
        let begin = Instant::now();
        match &mut self.way {
            Way::Reduce => has_sums = !first.reduce(own).is_empty(),
            Way::AllReduce => has_sums = !first.all_reduce(own).is_empty(),
            Way::Digits(digits) => digits.run(&mut words),
            Way::Exact(exact) => exact.run(&mut words),
            Way::Arrival => order = add_as_they_arrive(comm, ranks, &mut words),
            Way::Tree(executed) => executed.run(&mut words, add_numbers),
        }
        (begin.elapsed().as_nanos() as u64, order, has_sums.then_some(words))
    }

    /// Compares sums with simulated ones.
    fn compare(&mut self, compared: &Compared, ranks: u32, order: Vec<u32>, sums: &[u64]) {
        let Some(tree) = self.tree else { return };
        let shape = match tree {
            Tree::Arrival => Shape::in_order(ranks, 0, order.into_iter()),
            tree => tree.shape(ranks, &self.nodes, 0),
        };
        let is_as_simulated = compared.columns.iter().all(|(element, numbers)| {
            let expected = match tree {
                Tree::Exact => {
                    let mut sum = ExactSum::new();
                    sum.add_slice(numbers);
                    sum.value()
                }
                Tree::Ring { .. } => {
                    let chunk = Some(chunk_of(*element, sums.len(), ranks));
                    Tree::Ring { chunk }.shape(ranks, &self.nodes, 0).sum(&mut numbers.clone())
                }
                _ => shape.sum(&mut numbers.clone()),
            };
            sums[*element] == expected.to_bits()
        });
        self.is_as_simulated = Some(self.is_as_simulated.unwrap_or(true) && is_as_simulated);
    }

    /// The median, on all ranks; whether the bits are right, from all. Collective.
    fn measured(mut self, comm: &Comm, ranks: u32, elements: usize) -> Measured {
        self.times_ns.sort_unstable();
        let middle = self.times_ns.len() / 2;
        let [wrong, right] = [false, true].map(|is| u64::from(self.is_as_simulated == Some(is)));
        let any = [comm.max(wrong), comm.max(right)];
        Measured {
            name: self.name,
            tree: self.tree,
            told: self.told,
            ranks,
            elements: elements as u64,
            rounds: self.times_ns.len() as u64,
            time_s: 1e-9 * self.times_ns[middle] as f64,
            worst_s: 1e-9 * self.times_ns[self.times_ns.len() - 1] as f64,
            is_as_simulated: match any {
                [1, _] => Some(false),
                [_, 1] => Some(true),
                _ => None,
            },
        }
    }
}

/// The numbers of all ranks at some places of the vector.
struct Compared {
    columns: Vec<(usize, Vec<f64>)>,
}

impl Compared {
    fn new(study: &Study, ranks: u32, elements: usize) -> Compared {
        let count = elements.min(COMPARED);
        let places = (0..count).map(|at| at * elements / count);
        let column = |element: usize| (0..ranks).map(|rank| number(study, element, rank)).collect();
        Compared { columns: places.map(|element| (element, column(element))).collect() }
    }
}
