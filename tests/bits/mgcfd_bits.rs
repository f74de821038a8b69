//! MG-CFD's bits: residuals and every level's variables do not depend on ranks, partitioner, seed, overlap, regions and
//! strategy within a class, of either scheme. The sequential class has those of plain loops: of the published scheme those
//! of the reference program, which shares nothing with the solver, of the Euler scheme those of the solver's kernels.

use std::sync::OnceLock;

use cfd_engine::comm::Comm;
use cfd_engine::strategy::{HashClass, Mode, Strategy};
use cfd_partition::Order;
use cfd_reference::sum::{ExactSum, PlainSum, Sum};
use cfd_solvers::mgcfd::{Config, Cycle, Limiter, Scheme, TimeStep};

use crate::harness::Split;
use crate::harness::cube::{points_of, reproducible};
use crate::harness::levels::{Case, Outcome, wing};
use crate::harness::references::{self, Ending, euler, proxy};

/// The Euler scheme's kernels in plain loops.
fn plain(case: &Case) -> Outcome {
    let (history, variables) =
        crate::oracle::euler::run(&case.grid.mesh(&Comm::single()), &case.config, case.cycles);
    Outcome { history, variables }
}

fn reference<S: Sum>(case: &Case) -> Outcome {
    let (history, variables) =
        crate::oracle::mgcfd::run::<S>(&case.grid.mesh(&Comm::single()), &case.config, case.cycles);
    Outcome { history, variables }
}

fn alone(case: &Case, strategy: Strategy) -> Outcome {
    case.run(&Split::new(1, "block").with(|options| options.strategy = Some(strategy)))
}

/// The schemes' cases, and the results that every point of a class must have.
struct Expected {
    case: fn() -> Case,
    outcomes: [OnceLock<Outcome>; 3],
}

static PROXY: Expected = Expected { case: proxy, outcomes: [const { OnceLock::new() }; 3] };
static EULER: Expected = Expected { case: euler, outcomes: [const { OnceLock::new() }; 3] };

impl Expected {
    /// The outcome of a class: that of plain sequential loops, or that of one rank.
    fn of(&self, class: HashClass) -> &Outcome {
        let case = (self.case)();
        let referenced = case.config.scheme == Scheme::Proxy;
        match class {
            HashClass::Sequential if referenced => {
                self.outcomes[0].get_or_init(|| reference::<ExactSum>(&case))
            }
            HashClass::Sequential => self.outcomes[0].get_or_init(|| plain(&case)),
            HashClass::Greedy => self.outcomes[1].get_or_init(|| alone(&case, Strategy::GreedyColoring)),
            HashClass::Distributed => {
                self.outcomes[2].get_or_init(|| alone(&case, Strategy::DistributedColoring))
            }
            HashClass::None => panic!("fast strategies promise no bits"),
        }
    }

    /// Runs the points of a strategy.
    #[track_caller]
    fn assert_one_outcome_of(&self, strategy: Strategy) {
        let expected = self.of(strategy.class());
        for split in points_of(strategy) {
            let outcome = (self.case)().run(&split);
            assert!(
                outcome.has_bits_of(expected),
                "{split:?}: levels {:?} differ, {:?}, expected {:?}",
                outcome.differing_levels(expected),
                outcome.history,
                expected.history
            );
        }
    }

    /// Every level has other bits in every class.
    #[track_caller]
    fn assert_classes_differ(&self) {
        use HashClass::{Distributed, Greedy, Sequential};
        for (a, b) in [(Sequential, Greedy), (Sequential, Distributed), (Greedy, Distributed)] {
            assert_eq!(self.of(a).differing_levels(self.of(b)), [0, 1, 2], "{a:?}, {b:?}");
        }
    }
}

#[test]
fn regions_give_the_bits_of_the_reference_program() {
    PROXY.assert_one_outcome_of(Strategy::Regions);
}

#[test]
fn the_temporary_array_gives_the_bits_of_the_reference_program() {
    PROXY.assert_one_outcome_of(Strategy::TemporaryArray);
}

#[test]
fn trivial_coloring_gives_the_bits_of_the_reference_program() {
    PROXY.assert_one_outcome_of(Strategy::TrivialColoring);
}

#[test]
fn greedy_coloring_of_the_published_scheme_has_one_outcome() {
    PROXY.assert_one_outcome_of(Strategy::GreedyColoring);
}

#[test]
fn distributed_coloring_of_the_published_scheme_has_one_outcome() {
    PROXY.assert_one_outcome_of(Strategy::DistributedColoring);
}

#[test]
fn the_hashes_of_both_schemes_are_those_of_other_machines_and_builds() {
    for (scheme, name) in [(&PROXY, references::PROXY), (&EULER, "mgcfd")] {
        for class in [HashClass::Sequential, HashClass::Greedy, HashClass::Distributed] {
            let Ending { solution, history, .. } = scheme.of(class).clone().into();
            assert_eq!([solution, history], references::named(name).hashes_of(class), "{name}, {class:?}");
        }
    }
}

#[test]
fn the_classes_of_the_published_scheme_have_bits_of_their_own() {
    PROXY.assert_classes_differ();
}

#[test]
fn regions_of_the_euler_scheme_give_the_bits_of_plain_loops() {
    EULER.assert_one_outcome_of(Strategy::Regions);
}

#[test]
fn the_temporary_array_of_the_euler_scheme_gives_the_bits_of_plain_loops() {
    EULER.assert_one_outcome_of(Strategy::TemporaryArray);
}

#[test]
fn trivial_coloring_of_the_euler_scheme_gives_the_bits_of_plain_loops() {
    EULER.assert_one_outcome_of(Strategy::TrivialColoring);
}

#[test]
fn greedy_coloring_of_the_euler_scheme_has_one_outcome() {
    EULER.assert_one_outcome_of(Strategy::GreedyColoring);
}

#[test]
fn distributed_coloring_of_the_euler_scheme_has_one_outcome() {
    EULER.assert_one_outcome_of(Strategy::DistributedColoring);
}

#[test]
fn the_classes_of_the_euler_scheme_have_bits_of_their_own() {
    EULER.assert_classes_differ();
}

#[test]
fn threads_change_nothing() {
    for scheme in [&PROXY, &EULER] {
        for strategy in reproducible() {
            let split = Split::new(2, "metis").with(|options| {
                options.strategy = Some(strategy);
                options.threads = 3;
                options.region_rows = 60;
            });
            let outcome = (scheme.case)().run(&split);
            assert!(outcome.has_bits_of(scheme.of(strategy.class())), "{split:?}");
        }
    }
}

#[test]
fn other_forms_of_the_euler_scheme_have_one_outcome_each() {
    let default = euler().config;
    let forms = [
        Config { cycle: Cycle::W, post_steps: 1, coarsest_steps: 2, ..default.clone() },
        Config { time_step: TimeStep::Scalar, ..default.clone() },
        Config { limiter: Limiter::Venkatakrishnan, levels: 1, ..default.clone() },
        Config { limiter: Limiter::None, alpha: Some(0.0), ..default },
    ];
    let mut outcomes: Vec<Outcome> = Vec::new();
    for config in forms {
        let case = Case { config, cycles: 2, ..euler() };
        let alone = alone(&case, Strategy::Regions);
        if case.config.limiter == Limiter::VanAlbada {
            assert!(plain(&case).has_bits_of(&alone), "{:?}", case.config);
        }
        for (ranks, method) in [(3, "random"), (8, "metis"), (16, "hilbert")] {
            let split = Split::new(ranks, method);
            assert!(case.run(&split).has_bits_of(&alone), "{:?}, {split:?}", case.config);
        }
        assert!(outcomes.iter().all(|other| other.history != alone.history), "the forms are different");
        outcomes.push(alone);
    }
}

#[test]
fn the_state_moves_by_more_than_its_last_bits() {
    // Otherwise it would not show the order of additions.
    let outcome = PROXY.of(HashClass::Sequential);
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
    assert_eq!(alone.differing_levels(PROXY.of(HashClass::Sequential)), [0, 1, 2]);
    for (ranks, method) in [(3, "random"), (8, "rcb")] {
        assert!(run(ranks, method).has_bits_of(&alone), "{ranks} ranks by {method}");
    }
}

#[test]
fn plain_sums_give_other_residuals_and_in_fast_mode_bits_depend_on_the_ranks() {
    let plain = reference::<PlainSum>(&proxy());
    assert_ne!(plain.history, PROXY.of(HashClass::Sequential).history);
    let fast = |ranks| {
        proxy().run(&Split::new(ranks, "rcb").with(|options| {
            options.mode = Mode::Fast;
            options.strategy = Some(Strategy::Core);
        }))
    };
    let two = fast(2);
    assert!(!two.has_bits_of(&fast(5)));
    assert!(two.has_bits_of(&fast(2)), "the same ranks give the same bits again");
}
