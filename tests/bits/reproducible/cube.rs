//! One hash and one history hash for each class of strategies, wherever and however a run is executed: points of the
//! cube that hold every value, or every pair of values if the whole matrix is requested, one test per strategy. The
//! full cube is `tests/bits/full_cube.rs`.

use cfd_engine::strategy::Strategy;
use cfd_partition::Order;

use crate::harness::Split;
use crate::harness::cube::{
    AXES, CASE, all_indices, compare, covering_indices, points_of, reproducible, run_and_compare,
    sparse_indices,
};
use crate::harness::flow::Outcome;
use crate::oracle::Reference;

#[test]
fn the_covering_array_holds_every_pair_of_values() {
    let chosen = covering_indices();
    for (a, &values) in AXES.iter().enumerate() {
        for (b, &others) in AXES.iter().enumerate().skip(a + 1) {
            for value in 0..values {
                for other in 0..others {
                    let met = chosen.iter().any(|p| p[a] == value && p[b] == other);
                    assert!(met, "axis {a} at {value} meets axis {b} at {other}");
                }
            }
        }
    }
    assert_eq!(all_indices().len(), 5600);
    assert!(chosen.len() <= 45, "{} points", chosen.len());
}

#[test]
fn two_points_of_every_strategy_hold_every_value() {
    let chosen = sparse_indices();
    assert_eq!(chosen.len(), 2 * reproducible().len());
    for (axis, &values) in AXES.iter().enumerate() {
        for value in 0..values {
            assert!(chosen.iter().any(|point| point[axis] == value), "axis {axis} at {value}");
        }
    }
}

#[test]
fn the_hashes_of_the_sequential_class_are_those_of_the_reference_program() {
    for order in [Order::File, Order::Hilbert] {
        let Reference { q, history } = Reference::run(CASE.size, CASE.iterations, order);
        let split = Split { order, ..Split::new(1, "block") };
        compare(&Outcome { q, history }, &split).unwrap_or_else(|difference| panic!("{difference}"));
    }
}

#[track_caller]
fn assert_one_hash(points: impl Iterator<Item = Split>) {
    let wrong: Vec<String> = points.filter_map(|split| run_and_compare(&split).err()).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn assert_one_hash_of(strategy: Strategy) {
    assert_one_hash(points_of(strategy).into_iter());
}

#[test]
fn regions_give_one_hash() {
    assert_one_hash_of(Strategy::Regions);
}

#[test]
fn the_temporary_array_gives_one_hash() {
    assert_one_hash_of(Strategy::TemporaryArray);
}

#[test]
fn trivial_coloring_gives_one_hash() {
    assert_one_hash_of(Strategy::TrivialColoring);
}

#[test]
fn greedy_coloring_gives_one_hash() {
    assert_one_hash_of(Strategy::GreedyColoring);
}

#[test]
fn distributed_coloring_gives_one_hash() {
    assert_one_hash_of(Strategy::DistributedColoring);
}

#[test]
fn in_the_order_of_the_hilbert_curve_each_class_gives_one_hash_of_its_own() {
    let ways = [(1, "block"), (3, "random"), (8, "metis"), (2, "rcb"), (5, "hilbert")];
    assert_one_hash(reproducible().into_iter().zip(ways).map(|(strategy, (ranks, method))| {
        let split = Split::new(ranks, method).with(|options| options.strategy = Some(strategy));
        Split { order: Order::Hilbert, ..split }
    }));
}
