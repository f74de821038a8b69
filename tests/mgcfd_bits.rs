//! MG-CFD's bits: residuals and every level's variables do not depend on ranks, partitioner, seed, overlap, regions and
//! strategy within a class; of the published scheme, the sequential class has those of the reference program.

mod harness;
mod oracle;

use std::sync::OnceLock;

use cfd_engine::comm::Comm;
use cfd_engine::strategy::{HashClass, Mode, Strategy};
use cfd_io::generate::mgcfd::{Shape, Spec};
use cfd_partition::Order;
use cfd_reference::sum::{ExactSum, PlainSum, Sum};
use cfd_solvers::mgcfd::{Config, Scheme};
use harness::Split;
use harness::cube::covering;
use harness::levels::{Case, Grid, Outcome, wing};

fn proxy() -> Case {
    let spec = Spec { shape: Shape::Box, size: [12, 8, 10], levels: 3 };
    let config = Config { scheme: Scheme::Proxy, ..Config::default() };
    Case { grid: Grid::Scaled(spec, 1e19), cycles: 4, config }
}

fn reference<S: Sum>(case: &Case) -> Outcome {
    let (history, variables) =
        oracle::mgcfd::run::<S>(&case.grid.mesh(&Comm::single()), &case.config, case.cycles);
    Outcome { history, variables }
}

fn alone(case: &Case, strategy: Strategy) -> Outcome {
    case.run(&Split::new(1, "block").with(|options| options.strategy = strategy))
}

/// The outcome of the published scheme that every point of a class must have: the reference's, or that of one rank.
fn expected(class: HashClass) -> &'static Outcome {
    static OUTCOMES: [OnceLock<Outcome>; 3] = [const { OnceLock::new() }; 3];
    match class {
        HashClass::Sequential => OUTCOMES[0].get_or_init(|| reference::<ExactSum>(&proxy())),
        HashClass::Greedy => OUTCOMES[1].get_or_init(|| alone(&proxy(), Strategy::GreedyColoring)),
        HashClass::Distributed => OUTCOMES[2].get_or_init(|| alone(&proxy(), Strategy::DistributedColoring)),
        HashClass::None => panic!("fast strategies promise no bits"),
    }
}

/// Runs the points of the covering array that have this strategy.
#[track_caller]
fn assert_one_outcome_of(strategy: Strategy) {
    let expected = expected(strategy.class());
    for split in covering().into_iter().filter(|split| split.options.strategy == strategy) {
        let outcome = proxy().run(&split);
        assert!(
            outcome.has_bits_of(expected),
            "{split:?}: levels {:?} differ, {:?}, expected {:?}",
            outcome.differing_levels(expected),
            outcome.history,
            expected.history
        );
    }
}

#[test]
fn regions_give_the_bits_of_the_reference_program() {
    assert_one_outcome_of(Strategy::Regions);
}

#[test]
fn the_temporary_array_gives_the_bits_of_the_reference_program() {
    assert_one_outcome_of(Strategy::TemporaryArray);
}

#[test]
fn trivial_coloring_gives_the_bits_of_the_reference_program() {
    assert_one_outcome_of(Strategy::TrivialColoring);
}

#[test]
fn greedy_coloring_has_bits_of_its_own() {
    assert_one_outcome_of(Strategy::GreedyColoring);
    assert_eq!(expected(HashClass::Greedy).differing_levels(expected(HashClass::Sequential)), [0, 1, 2]);
}

#[test]
fn distributed_coloring_has_bits_of_its_own() {
    assert_one_outcome_of(Strategy::DistributedColoring);
    for other in [HashClass::Sequential, HashClass::Greedy] {
        assert_eq!(expected(HashClass::Distributed).differing_levels(expected(other)), [0, 1, 2]);
    }
}

#[test]
fn the_state_moves_by_more_than_its_last_bits() {
    // Else the order of additions would not show in it.
    let outcome = expected(HashClass::Sequential);
    assert!(outcome.history.iter().all(|residual| *residual > 1e-3), "{:?}", outcome.history);
    for level in &outcome.variables {
        let density = level.iter().map(|q| q[0]);
        let spread = density.clone().fold(0.0, f64::max) - density.fold(f64::INFINITY, f64::min);
        assert!(spread > 0.01, "{spread}");
    }
}

#[test]
fn around_a_wing_the_published_scheme_has_the_bits_of_the_reference_program() {
    for levels in [1, 3] {
        let config = Config { scheme: Scheme::Proxy, alpha: Some(3.06), ..Config::default() };
        let case = Case { grid: wing(levels), cycles: 6, config };
        let expected = reference::<ExactSum>(&case);
        assert!(expected.history.iter().all(|residual| *residual > 0.0));
        for split in [Split::new(1, "block"), Split::new(4, "metis"), Split::new(16, "random")] {
            assert!(case.run(&split).has_bits_of(&expected), "{levels} levels, {split:?}");
        }
    }
}

#[test]
fn along_the_hilbert_curve_there_is_one_outcome_too() {
    let run = |ranks, method| proxy().run(&Split { order: Order::Hilbert, ..Split::new(ranks, method) });
    let alone = run(1, "block");
    assert_eq!(alone.differing_levels(expected(HashClass::Sequential)), [0, 1, 2]);
    for (ranks, method) in [(3, "random"), (8, "rcb")] {
        assert!(run(ranks, method).has_bits_of(&alone), "{ranks} ranks by {method}");
    }
}

#[test]
fn plain_sums_give_other_residuals_and_in_fast_mode_bits_depend_on_the_ranks() {
    let plain = reference::<PlainSum>(&proxy());
    assert_ne!(plain.history, expected(HashClass::Sequential).history);
    let fast = |ranks| {
        proxy().run(&Split::new(ranks, "rcb").with(|options| {
            options.mode = Mode::Fast;
            options.strategy = Strategy::Core;
        }))
    };
    let two = fast(2);
    assert!(!two.has_bits_of(&fast(5)));
    assert!(two.has_bits_of(&fast(2)), "the same ranks give the same bits again");
}
