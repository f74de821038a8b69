//! Every reproducible strategy gives the bits of its class, and the sequential class those of a plain program.

use cfd_engine::strategy::{HashClass, Mode, Strategy};
use cfd_partition::Order;
use cfd_reducers::strategies;

use crate::harness::Split;
use crate::harness::flow::{Case, Outcome, bits};
use crate::oracle::Reference;

const CASE: Case = Case { size: [12, 15], iterations: 20 };

fn split(ranks: usize, method: &'static str, strategy: Strategy, order: Order) -> Split {
    Split { order, ..Split::new(ranks, method).with(|options| options.strategy = Some(strategy)) }
}

fn of_class(class: HashClass) -> impl Iterator<Item = Strategy> {
    strategies::all().filter(move |s| s.class() == class)
}

fn same_bits(a: &Outcome, b: &Outcome) -> bool {
    a.differing_values(&b.q) == 0 && bits(&a.history) == bits(&b.history)
}

#[test]
fn the_sequential_class_gives_the_bits_of_the_reference_program_in_any_order() {
    let case = Case { size: [20, 31], iterations: 30 };
    let plain = Reference::run(case.size, case.iterations, Order::File);
    for order in [Order::File, Order::Hilbert, Order::CuthillMckee] {
        let Reference { q, history } = Reference::run(case.size, case.iterations, order);
        assert_eq!(q == plain.q, order == Order::File, "another order, other bits");
        for strategy in of_class(HashClass::Sequential) {
            for (ranks, method) in [(1, "block"), (3, "metis"), (8, "rcb"), (3, "random")] {
                let split = split(ranks, method, strategy, order);
                let outcome = case.run(&split);
                for (cell, (found, expected)) in outcome.q.iter().zip(&q).enumerate() {
                    assert_eq!(found.map(f64::to_bits), expected.map(f64::to_bits), "{split:?}: cell {cell}");
                }
                assert_eq!(bits(&outcome.history), bits(&history), "{split:?}");
            }
        }
    }
}

#[test]
fn every_strategy_gives_the_bits_of_its_class_on_any_ranks() {
    let sequential = Reference::run(CASE.size, CASE.iterations, Order::File).q;
    for class in [HashClass::Sequential, HashClass::Greedy, HashClass::Distributed] {
        let mut first: Option<Outcome> = None;
        for strategy in of_class(class) {
            for (ranks, method) in [(1, "block"), (2, "random"), (3, "metis"), (8, "rcb"), (5, "hilbert")] {
                for (overlap, region_rows, threads) in [(true, 0, 3), (false, 7, 1), (true, 40, 2)] {
                    let split = split(ranks, method, strategy, Order::File).with(|options| {
                        options.overlap = overlap;
                        options.region_rows = region_rows;
                        options.threads = threads;
                        options.grain = 8;
                    });
                    let outcome = CASE.run(&split);
                    let expected = first.get_or_insert_with(|| outcome.clone());
                    assert!(same_bits(&outcome, expected), "{split:?}");
                }
            }
        }
        let differing = first.expect("every class has a strategy").differing_values(&sequential);
        assert_eq!(differing == 0, class == HashClass::Sequential, "{class:?} against the reference");
    }
}

#[test]
fn the_core_strategy_and_plain_sums_depend_on_the_partition() {
    let fast = |ranks| {
        let split = split(ranks, "rcb", Strategy::Core, Order::File);
        CASE.run(&split.with(|options| options.mode = Mode::Fast))
    };
    let (one, eight) = (fast(1), fast(8));
    let sequential = Reference::run(CASE.size, CASE.iterations, Order::File).q;
    assert_eq!(one.differing_values(&sequential), 0, "one rank runs in file order");
    assert!(one.differing_values(&eight.q) > 0 && bits(&one.history) != bits(&eight.history));
    assert!(same_bits(&eight, &fast(8)), "the same ranks give the same bits again");
}
