//! Aero's bits: numbers of conjugate-gradient steps, residuals and potential do not depend on ranks, partitioner, seed,
//! overlap, regions and strategy within a class; the sequential class has those of the reference program, exact sums
//! included.

use std::sync::OnceLock;

use cfd_engine::strategy::{HashClass, Mode, Strategy};
use cfd_implicit::cg::{Preconditioner, Variant};
use cfd_reference::sum::{ExactSum, PlainSum, Sum};
use cfd_solvers::aero::Config;
use proptest::prelude::*;

use crate::harness::Split;
use crate::harness::cube::points_of;
use crate::harness::potential::{Case, Newton, Outcome};
use crate::harness::references::{self, Ending};

fn case() -> Case {
    references::aero()
}

fn reference<S: Sum>() -> Outcome {
    let (history, phi) = crate::oracle::aero::run::<S>(case().size, case().steps);
    let newton = |step: cfd_reference::aero::NewtonStep| Newton {
        residual: step.residual,
        cg_steps: step.cg_steps,
        cg_reduction: step.cg_reduction,
    };
    Outcome { history: history.into_iter().map(newton).collect(), phi }
}

/// The outcome that every point of a class must have: the reference's, or one rank's.
fn expected(class: HashClass) -> &'static Outcome {
    static OUTCOMES: [OnceLock<Outcome>; 3] = [const { OnceLock::new() }; 3];
    let alone =
        |strategy| case().run(&Split::new(1, "block").with(|options| options.strategy = Some(strategy)));
    match class {
        HashClass::Sequential => OUTCOMES[0].get_or_init(reference::<ExactSum>),
        HashClass::Greedy => OUTCOMES[1].get_or_init(|| alone(Strategy::GreedyColoring)),
        HashClass::Distributed => OUTCOMES[2].get_or_init(|| alone(Strategy::DistributedColoring)),
        HashClass::None => panic!("fast strategies promise no bits"),
    }
}

/// Runs the points of a strategy.
#[track_caller]
fn assert_one_outcome_of(strategy: Strategy) {
    let expected = expected(strategy.class());
    assert!(expected.history.iter().all(|step| step.cg_steps > 10), "{:?}", expected.history);
    for split in points_of(strategy) {
        let outcome = case().run(&split);
        assert!(
            outcome.has_bits_of(expected),
            "{split:?}: {:?}, expected {:?}",
            outcome.history,
            expected.history
        );
    }
}

#[test]
fn the_stored_hashes_are_those_of_the_reference_program_and_of_one_rank_by_color() {
    for class in [HashClass::Sequential, HashClass::Greedy, HashClass::Distributed] {
        let Ending { solution, history, .. } = expected(class).clone().into();
        assert_eq!([solution, history], references::named("aero").hashes_of(class), "{class:?}");
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
    assert!(!expected(HashClass::Greedy).has_bits_of(expected(HashClass::Sequential)));
}

#[test]
fn distributed_coloring_has_bits_of_its_own() {
    assert_one_outcome_of(Strategy::DistributedColoring);
    assert!(!expected(HashClass::Distributed).has_bits_of(expected(HashClass::Sequential)));
    assert!(!expected(HashClass::Distributed).has_bits_of(expected(HashClass::Greedy)));
}

#[test]
fn the_other_forms_of_the_conjugate_gradients_have_one_outcome_each() {
    for (cg, preconditioner) in
        [(Variant::SingleReduction, Preconditioner::None), (Variant::SingleReduction, Preconditioner::Jacobi)]
    {
        let case = Case { config: Config { cg, preconditioner, ..Config::default() }, ..case() };
        let alone = case.run(&Split::new(1, "block"));
        for (ranks, method) in [(3, "random"), (8, "metis")] {
            let split = Split::new(ranks, method);
            assert!(case.run(&split).has_bits_of(&alone), "{cg:?}, {preconditioner:?}, {split:?}");
        }
    }
}

#[test]
fn plain_sums_give_other_bits_and_in_fast_mode_they_depend_on_the_ranks() {
    let fast = |ranks| {
        let split = Split::new(ranks, "rcb").with(|options| {
            options.mode = Mode::Fast;
            options.strategy = Some(Strategy::Core);
        });
        case().run(&split)
    };
    assert!(!reference::<PlainSum>().has_bits_of(expected(HashClass::Sequential)));
    let two = fast(2);
    assert!(!two.has_bits_of(&fast(5)));
    assert!(two.has_bits_of(&fast(2)), "the same ranks give the same bits again");
}

proptest! {
    #[test]
    fn the_references_exact_sum_is_that_of_another_algorithm(
        terms in prop::collection::vec((-1e3f64..1e3, -400i32..400), 0..200),
    ) {
        let terms: Vec<f64> = terms.into_iter().map(|(value, power)| value * 2f64.powi(power)).collect();
        let mut sum = ExactSum::default();
        terms.iter().for_each(|&term| sum.add(term));
        prop_assert_eq!(sum.value().to_bits(), crate::oracle::sum::correctly_rounded(terms).to_bits());
    }
}
