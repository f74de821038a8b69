//! A problem without a solution stops with its cause, alike on every rank.

use cfd_engine::prelude::*;
use cfd_solvers::aero::{Aero, Config};
use cfd_solvers::{Solver, Stopped};

use crate::aero::harness::{Split, domain, naca0012};

/// Runs up to the error, with a loop between the first step and the second.
fn stopped<K>(ranks: usize, config: &Config, between: fn() -> K) -> Stopped
where
    (Dat<2>, Dat<1>): cfd_engine::operand::Operands<K::Params>,
    K: Kernel<Constants = ()>,
{
    let results = Comm::simulate(ranks, |comm| {
        let mut domain = domain(&comm, naca0012(&comm, [10, 12]), &Split::new(ranks, "metis"));
        let mut solver = Aero::new(&mut domain, config).expect("an Aero mesh");
        let (nodes, x): (Set, Dat<2>) = (solver.phi().set(), domain.dat("x").unwrap());
        for step in 1..=20 {
            if let Err(stopped) = solver.step(&mut domain, true) {
                return stopped;
            }
            if step == 1 {
                domain.par_loop(between, nodes, (x, solver.phi()), &());
            }
        }
        panic!("{config:?} should not have a solution");
    });
    let texts: Vec<String> = results.iter().map(Stopped::to_string).collect();
    assert!(texts.iter().all(|text| *text == texts[0]), "{texts:?}");
    results.into_iter().next().expect("a rank")
}

/// A flow at Mach 0.1.
#[kernel]
fn faster(x: Read<2>, phi: Write<1>) {
    phi[0] = 0.1 * x[0];
}

/// A jet to the right, faster than into vacuum.
#[kernel]
fn far_too_fast(x: Read<2>, phi: Write<1>) {
    phi[0] = if x[0] > 0.5 { 10.0 * x[0] } else { 0.1 * x[0] };
}

/// phi stays as it is.
#[kernel]
fn as_it_is(x: Read<2>, phi: Rw<1>) {
    phi[0] += 0.0 * x[0];
}

#[test]
fn a_supersonic_flow_breaks_the_linear_system_down() {
    for ranks in [1, 3] {
        let config = Config { mach: 0.9, ..Config::default() };
        let error = stopped(ranks, &config, as_it_is);
        let Stopped::LinearSystem { iteration: 2, state, cause } = &error else { panic!("{error}") };
        assert_eq!((cause.step, &cause.reason[..]), (4, "the operator is not positive definite"));
        let mach: f64 = state.rsplit(' ').next().unwrap().parse().unwrap();
        assert!(mach > 1.0, "{error}");
    }
}

#[test]
fn a_residual_that_grows_stops_the_run() {
    for ranks in [1, 2] {
        let config = Config { mach: 1e-6, ..Config::default() };
        let error = stopped(ranks, &config, faster);
        assert!(matches!(error, Stopped::Growth { iteration: 2, .. }), "{error}");
    }
}

#[test]
fn a_flow_into_vacuum_names_the_cell_and_its_place() {
    for ranks in [1, 3] {
        for gamma in [1.4, 1.3] {
            let config = Config { gamma, ..Config::default() };
            let error = stopped(ranks, &config, far_too_fast);
            let Stopped::Diverged { quantity, set, position, value, iteration: 2, .. } = &error else {
                panic!("{error}")
            };
            assert_eq!((&quantity[..], &set[..]), ("temperature", "cells"));
            assert!(value.parse::<f64>().unwrap() < 0.0 && position[0] > 0.3, "{error}");
        }
    }
}
