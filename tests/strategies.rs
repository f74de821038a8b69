//! Every reproducible strategy gives the bits of its class, on any ranks, by any partitioner.

mod harness;
#[allow(dead_code)]
mod oracle;

use cfd_engine::prelude::*;
use cfd_engine::strategy::{HashClass, Mode, Strategy};
use cfd_io::generate;
use cfd_solvers::Solver;
use cfd_solvers::airfoil::{Airfoil, Config};
use harness::{Split, domain, in_global_order};

const SIZE: [u64; 2] = [12, 15];
const ITERATIONS: usize = 20;

/// `q` in global order and the residuals, as bits.
type Outcome = (Vec<[u64; 4]>, Vec<u64>);

fn run(split: &Split) -> Outcome {
    let results = Comm::simulate(split.ranks, |comm| {
        let mesh = generate::airfoil(&comm, SIZE[0], SIZE[1], Some(6)).expect("a mesh");
        let mut domain = domain(&comm, mesh, split);
        let mut solver = Airfoil::new(&mut domain, &Config::default()).expect("an airfoil mesh");
        let history: Vec<u64> = (0..ITERATIONS)
            .map(|_| solver.step(&mut domain, true).expect("a sound flow").residual.to_bits())
            .collect();
        let q = domain.read(solver.q());
        let ids = domain.global_ids(solver.q().set()).to_vec();
        ((ids, q), history)
    });
    let history = results[0].1.clone();
    assert!(results.iter().all(|r| r.1 == history), "every rank has the same residuals: {split:?}");
    let q = in_global_order::<4>(results.into_iter().map(|r| r.0).collect());
    (q.into_iter().map(|row| row.map(f64::to_bits)).collect(), history)
}

fn split(ranks: usize, method: &'static str, strategy: Strategy) -> Split {
    let options = DomainOptions { strategy, ..DomainOptions::default() };
    Split { options, ..Split::new(ranks, method) }
}

/// `q` of the sequential reference.
fn reference() -> Vec<[u64; 4]> {
    let comm = Comm::single();
    let mesh = generate::airfoil(&comm, SIZE[0], SIZE[1], Some(6)).expect("a mesh");
    let c = Config::default();
    let constants =
        cfd_reference::Constants { gamma: c.gamma, cfl: c.cfl, eps: c.eps, mach: c.mach, alpha: c.alpha };
    let mut airfoil = cfd_reference::Airfoil::new(oracle::reference_mesh(&mesh), constants).expect("sound");
    (0..ITERATIONS).for_each(|_| {
        airfoil.iterate();
    });
    airfoil.q().iter().map(|row| row.map(f64::to_bits)).collect()
}

#[test]
fn every_strategy_gives_the_bits_of_its_class_on_any_ranks() {
    let sequential = reference();
    for class in [HashClass::Sequential, HashClass::Greedy, HashClass::Distributed] {
        let mut first: Option<Outcome> = None;
        for strategy in Strategy::ALL.into_iter().filter(|s| s.class() == class) {
            for (ranks, method) in [(1, "block"), (2, "random"), (3, "metis"), (8, "rcb"), (5, "hilbert")] {
                for (overlap, region_rows) in [(true, 0), (false, 7), (true, 40)] {
                    let mut split = split(ranks, method, strategy);
                    split.options.overlap = overlap;
                    split.options.region_rows = region_rows;
                    let outcome = run(&split);
                    let expected = first.get_or_insert_with(|| outcome.clone());
                    assert_eq!(outcome.1, expected.1, "residuals: {split:?}");
                    assert!(outcome.0 == expected.0, "q: {split:?}");
                }
            }
        }
        let q = first.expect("every class has a strategy").0;
        assert_eq!(q == sequential, class == HashClass::Sequential, "{class:?} against the reference");
    }
}

#[test]
fn the_core_strategy_and_plain_sums_depend_on_the_partition() {
    let fast = |ranks| {
        let mut split = split(ranks, "rcb", Strategy::Core);
        split.options.mode = Mode::Fast;
        run(&split)
    };
    let (one, eight) = (fast(1), fast(8));
    assert!(one.0 == reference(), "one rank runs in file order");
    assert!(one.0 != eight.0 && one.1 != eight.1);
    assert!(eight == fast(8), "the same ranks give the same bits again");
}
