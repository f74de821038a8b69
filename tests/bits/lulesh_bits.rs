//! LULESH's bits: all fields and the length of every step have those of the reference program, on any ranks, by any
//! partitioner, in every strategy of the sequential class, on threads, in chains and on the emulated device.

use std::sync::OnceLock;

use cfd_engine::strategy::{HashClass, Strategy};

use crate::harness::cube::{points_of, reproducible};
use crate::harness::flow::history_hash;
use crate::harness::references::named;
use crate::harness::{Split, case};
use crate::oracle::lulesh::{self, Blast};

/// Elements per edge and cycles of the case's reference.
const SIZE: usize = 8;
const CYCLES: u64 = 60;

#[test]
fn the_stored_hashes_are_those_of_the_reference_program() {
    let blast = lulesh::run(SIZE, Some(CYCLES));
    assert_eq!(blast.steps.len() as u64, CYCLES);
    let found = [blast.solution, history_hash(&blast.steps)];
    assert_eq!(found, named("lulesh").hashes_of(HashClass::Sequential));
}

#[track_caller]
fn assert_stored(split: &Split) {
    let case = named("lulesh");
    case.compare(&case.run(split), split).unwrap_or_else(|difference| panic!("{difference}"));
}

#[test]
fn every_strategy_has_one_outcome_on_any_ranks() {
    for strategy in reproducible() {
        points_of(strategy).iter().for_each(assert_stored);
    }
}

#[test]
fn any_ranks_and_threads_by_any_partitioner_have_one_outcome() {
    let partitioners = ["metis", "rcb", "hilbert", "block", "random"];
    let mut points = Vec::new();
    for (at, ranks) in [1, 2, 3, 8, 13].into_iter().enumerate() {
        for (offset, method) in partitioners.into_iter().enumerate() {
            if crate::harness::matrix::is_whole() || offset == at {
                points.push((ranks, method, 1 + (at + offset) % 3));
            }
        }
    }
    for (ranks, method, threads) in points {
        assert_stored(&Split::new(ranks, method).with(|options| {
            options.threads = threads;
            options.grain = 20;
        }));
    }
}

#[test]
fn the_emulated_device_has_the_bits_of_the_host() {
    for (ranks, seed, strategy) in
        [(1, 1, Strategy::Regions), (2, 2, Strategy::TemporaryArray), (3, 3, Strategy::Regions)]
    {
        let split = Split::new(ranks, "metis").with(|options| options.strategy = Some(strategy));
        assert_stored(&split.on_device(seed));
    }
}

#[test]
fn ranks_with_and_without_a_device_have_the_bits_of_the_host() {
    for mask in [0b101, 0b010] {
        assert_stored(&Split::new(3, "rcb").with(|options| options.threads = 2).on_device(4).mixed(mask));
    }
}

#[test]
fn chains_with_tiles_of_any_size_have_the_bits_of_single_loops() {
    for (ranks, tile_rows) in [(1, 0), (1, 30), (3, 50)] {
        assert_stored(&Split::new(ranks, "hilbert").with(|options| {
            options.backend = cfd_chains::backend_if(true);
            options.tile_rows = tile_rows;
            options.cache_bytes = Some(1 << 14);
        }));
    }
}

/// A blast to its end, by the program.
fn whole(size: usize, ranks: usize) -> (Blast, serde_json::Value) {
    static EXPECTED: [OnceLock<Blast>; 2] = [const { OnceLock::new() }; 2];
    let expected = EXPECTED[size / 10].get_or_init(|| lulesh::run(size, None)).clone();
    let folder = tempfile::tempdir().expect("a directory");
    let config = case::config("lulesh", &[("lulesh.size", &size.to_string())], folder.path());
    (expected, case::run(&config, ranks, None))
}

#[test]
fn whole_blasts_have_the_cycles_and_the_bits_of_the_reference_program() {
    for (size, ranks) in [(5, 1), (5, 3), (10, 1), (10, 8)] {
        let (expected, summary) = whole(size, ranks);
        assert_eq!(summary["hash"]["solution"], expected.solution, "{size} on {ranks} ranks");
        assert_eq!(summary["history_hash"], history_hash(&expected.steps));
        assert_eq!(summary["iterations"], expected.steps.len());
        let value = |name: &str| summary["values"][name].as_f64().expect("a number");
        assert_eq!(value("cycles"), expected.steps.len() as f64);
        assert_eq!(value("time"), 1e-2, "it ends there exactly");
        assert_eq!(value("origin_energy"), expected.energy);
        let asymmetry = ["max_abs_diff", "total_abs_diff", "max_rel_diff"].map(value);
        assert_eq!(asymmetry, expected.asymmetry);
        assert!(asymmetry[2] < 1e-12, "{asymmetry:?}");
    }
}

#[test]
fn regions_and_their_cost_change_no_bit() {
    let solution = |settings: &[(&str, &str)]| {
        let folder = tempfile::tempdir().expect("a directory");
        let own = [("lulesh.size", "5"), ("lulesh.iterations", "20")];
        let config = case::config("lulesh", &[&own[..], settings].concat(), folder.path());
        let summary = case::run(&config, 2, None);
        let again = |l: &&serde_json::Value| l["name"] == "evaluate_again";
        let calls =
            summary["loops"].as_array().expect("loops").iter().find(again).map(|l| l["calls"].clone());
        (summary["hash"].clone(), calls)
    };
    let (expected, calls) = solution(&[]);
    assert_eq!(calls, Some((20 * (5 + 19)).into()), "five regions once more, one nineteen times");
    for (regions, cost, more) in
        [(1, 0, None), (1, 1, Some(20)), (4, 2, Some(20 * 2 * 2)), (30, 0, Some(20 * 2 * 9))]
    {
        let (hash, calls) =
            solution(&[("lulesh.regions", &regions.to_string()), ("lulesh.cost", &cost.to_string())]);
        assert_eq!((hash, calls), (expected.clone(), more.map(Into::into)), "{regions} regions, cost {cost}");
    }
}
