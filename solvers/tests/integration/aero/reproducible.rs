//! Every reproducible strategy gives the bits of its class, on any ranks, by any partitioner.

use cfd_engine::prelude::*;
use cfd_engine::strategy::HashClass;
use cfd_implicit::cg::{Preconditioner, Variant};
use cfd_reducers::strategies;
use cfd_solvers::aero::{Aero, Config};

use crate::aero::harness::{Split, domain, iterate, naca0012};

const SIZE: [u64; 2] = [9, 7];
const STEPS: usize = 3;

/// `phi` in global order, the history and the wall's pressure, as bits.
type Outcome = (Vec<u64>, Vec<[u64; 3]>, Vec<[u64; 3]>);

fn run(split: &Split, config: &Config) -> Outcome {
    let results = Comm::simulate(split.ranks, |comm| {
        let mut domain = domain(&comm, naca0012(&comm, SIZE), split);
        let mut solver = Aero::new(&mut domain, config).expect("an Aero mesh");
        let history = iterate(&mut solver, &mut domain, STEPS);
        let phi = domain.read(solver.phi()).unwrap();
        let ids = domain.global_ids(solver.phi().set()).to_vec();
        let wall = solver.wall_pressure(&mut domain).unwrap();
        (ids, phi, history, wall)
    });
    let bits = |history: &Vec<[f64; 3]>| history.iter().map(|row| row.map(f64::to_bits)).collect::<Vec<_>>();
    let (history, wall) = (bits(&results[0].2), results[0].3.clone());
    assert!(results.iter().all(|r| bits(&r.2) == history), "every rank has the same history: {split:?}");
    let mut phi: Vec<(u64, u64)> =
        results.iter().flat_map(|r| r.0.iter().zip(&r.1).map(|(&id, phi)| (id, phi.to_bits()))).collect();
    phi.sort_unstable();
    assert!(phi.iter().enumerate().all(|(i, (id, _))| *id == i as u64), "every node has one owner");
    let phi = phi.into_iter().map(|(_, bits)| bits).collect();
    (phi, history, wall.into_iter().map(|pair| pair.map(f64::to_bits)).collect())
}

fn config() -> Config {
    Config { mach: 0.3, cg_iterations: 25, ..Config::default() }
}

#[test]
fn every_strategy_gives_the_bits_of_its_class_on_any_ranks() {
    for class in [HashClass::Sequential, HashClass::Greedy, HashClass::Distributed] {
        let mut first: Option<Outcome> = None;
        for strategy in strategies::all().filter(|s| s.class() == class) {
            for (ranks, method, overlap, region_rows, threads) in [
                (1, "block", true, 0, 1),
                (2, "random", false, 7, 4),
                (3, "metis", true, 40, 1),
                (8, "rcb", true, 0, 2),
                (5, "hilbert", false, 40, 1),
                (1, "block", true, 0, 7),
            ] {
                let mut split = Split::new(ranks, method);
                split.options.strategy = Some(strategy);
                split.options.overlap = overlap;
                split.options.region_rows = region_rows;
                split.options.threads = threads;
                split.options.grain = 10;
                let outcome = run(&split, &config());
                let expected = first.get_or_insert_with(|| outcome.clone());
                assert_eq!(outcome.1, expected.1, "history: {split:?}");
                assert!(outcome.0 == expected.0, "phi: {split:?}");
                assert!(outcome.2 == expected.2, "wall: {split:?}");
            }
        }
    }
}

#[test]
fn every_form_of_the_conjugate_gradients_gives_the_same_bits_on_any_ranks() {
    for variant in [Variant::Standard, Variant::SingleReduction] {
        for preconditioner in [Preconditioner::None, Preconditioner::Jacobi] {
            for gamma in [1.4, 1.3] {
                let config = Config { cg: variant, preconditioner, gamma, ..config() };
                let alone = run(&Split::new(1, "block"), &config);
                for (ranks, method) in [(4, "random"), (7, "metis")] {
                    assert!(run(&Split::new(ranks, method), &config) == alone, "{config:?} on {ranks} ranks");
                }
            }
        }
    }
}

#[test]
fn ranks_without_elements_change_nothing() {
    let small = |ranks| {
        let results = Comm::simulate(ranks, |comm| {
            let mesh = naca0012(&comm, [2, 1]);
            let mut domain = domain(&comm, mesh, &Split::new(ranks, "block"));
            let mut solver = Aero::new(&mut domain, &config()).expect("an Aero mesh");
            let history = iterate(&mut solver, &mut domain, STEPS);
            (history, solver.wall_pressure(&mut domain).unwrap())
        });
        results[0].clone()
    };
    // 11 nodes.
    assert_eq!(small(1), small(16));
}
