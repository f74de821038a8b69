//! Every case and every strategy once, on three ranks of two threads: the points of `./test quick`.

use cfd_engine::strategy::{Mode, Strategy};
use cfd_reducers::strategies;
use cfd_solvers::case::Case;
use cfd_solvers::{CASE_NAMES, CASES};

use crate::harness::Split;
use crate::harness::references::{PROXY, named, of_cases};
use crate::new_mesh::REFINED;

fn split(strategy: Strategy) -> Split {
    Split::new(3, "metis").with(|options| {
        options.strategy = Some(strategy);
        options.mode = if strategy.is_reproducible() { Mode::Reproducible } else { Mode::Fast };
        options.threads = 2;
        options.grain = 20;
    })
}

/// The strategies of reproducible mode give the stored hashes of their class, those of fast mode the values of the
/// sequential class up to rounding, which each case amplifies differently.
#[track_caller]
fn assert_every_strategy(name: &str, rounding: f64) {
    let case = named(name);
    let exact = case.run(&split(Strategy::Regions));
    let scale = exact.values.iter().fold(0.0, |most: f64, value| most.max(value.abs()));
    for strategy in strategies::all() {
        let split = split(strategy);
        let ending = case.run(&split);
        if strategy.is_reproducible() {
            case.compare(&ending, &split).unwrap_or_else(|difference| panic!("{difference}"));
            continue;
        }
        assert_eq!(ending.values.len(), exact.values.len());
        for (found, expected) in ending.values.iter().zip(&exact.values) {
            let off = (found - expected).abs() / scale;
            assert!(off < rounding, "{name}, {split:?}: {found:e}, expected {expected:e}, off by {off:e}");
        }
    }
}

#[test]
fn airfoil_in_every_strategy() {
    assert_every_strategy("airfoil", 1e-11);
}

#[test]
fn aero_in_every_strategy() {
    assert_every_strategy("aero", 1e-6);
}

#[test]
fn the_published_scheme_of_mgcfd_in_every_strategy() {
    assert_every_strategy(PROXY, 1e-11);
}

#[test]
fn the_euler_scheme_of_mgcfd_in_every_strategy() {
    assert_every_strategy("mgcfd", 1e-11);
}

#[test]
fn every_other_case_in_every_strategy() {
    assert_eq!(CASE_NAMES[..3], ["airfoil", "aero", "mgcfd"], "those of the tests above");
    CASE_NAMES[3..].iter().for_each(|case| assert_every_strategy(case, 1e-11));
}

#[test]
fn a_case_without_a_reference_takes_none_of_the_others_down() {
    let cases: [&'static Case; 2] = [&REFINED, CASES[3]];
    let names: Vec<&str> = of_cases(&cases).iter().map(|reference| reference.name).collect();
    assert_eq!(names, ["heat", PROXY]);
}
