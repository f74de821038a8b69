//! A partition changes the speed of a run, never its meaning, even in fast mode: Airfoil on 1 to 16 ranks by every
//! partitioner, against one rank, after 100 iterations on 10,950 cells. Each partitioner's test takes two numbers of
//! ranks, which together cover all of them, or all if the whole matrix is requested.
//!
//! In fast mode increments and sums are added in each rank's own order, so the runs differ by rounding, and only by
//! rounding. Density and energy are compared relative to the free stream's, both momenta relative to the length of the
//! free stream's momentum: rho v is zero in the free stream and changes sign in the flow, so a difference relative to
//! the value itself would be meaningless there.

use std::path::Path;
use std::sync::OnceLock;

use cfd_engine::strategy::{Mode, Strategy};
use cfd_solvers::airfoil::{Config, Flow};

use crate::harness::flow::{Case, Outcome, bits};
use crate::harness::{self, Split};

const RANKS: [usize; 7] = [1, 2, 3, 5, 7, 8, 16];
const AGREEMENT: f64 = 1e-12;

const FLOW: Case = Case { size: [50, 73], iterations: 100 };
/// Twelve cells, four of them at the airfoil.
const TINY: Case = Case { size: [4, 1], iterations: 20 };

/// The baseline for all others. The flow must not be uniform: nothing would differ in a free stream.
fn on_one_rank(case: Case) -> Outcome {
    let outcome = case.run(&fast(1, "block"));
    assert!(outcome.history.iter().all(|&residual| residual > 1e-5), "{:?}", outcome.history);
    outcome
}

#[track_caller]
fn assert_agree(found: &Outcome, expected: &Outcome, split: &Split) {
    assert_eq!(found.q.len(), expected.q.len(), "{split:?}");
    let [density, mx, my, energy] = Flow::new(&Config::default()).qinf;
    let momentum = (mx * mx + my * my).sqrt();
    let scales = [density, momentum, momentum, energy];
    for (cell, (a, b)) in found.q.iter().zip(&expected.q).enumerate() {
        for m in 0..4 {
            let difference = (a[m] - b[m]).abs() / scales[m];
            assert!(
                difference < AGREEMENT,
                "{split:?}: cell {cell}, component {m}: {:e}, expected {:e}",
                a[m],
                b[m]
            );
        }
    }
    for (iteration, (a, b)) in found.history.iter().zip(&expected.history).enumerate() {
        let difference = (a / b - 1.0).abs();
        assert!(
            difference < AGREEMENT,
            "{split:?}: residual {a:e} after {} iterations, expected {b:e}",
            iteration + 1
        );
    }
}

/// Plain loops in fast mode, one part a rank.
fn fast(ranks: usize, method: &'static str) -> Split {
    Split::new(ranks, method).with(|options| {
        options.mode = Mode::Fast;
        options.strategy = Some(Strategy::Core);
    })
}

/// Compares `FLOW` on these numbers of ranks, or on all, with one rank.
fn assert_ranks_agree(few: [usize; 2], split: impl Fn(usize) -> Split) {
    static ONE_RANK: OnceLock<Outcome> = OnceLock::new();
    let expected = ONE_RANK.get_or_init(|| on_one_rank(FLOW));
    let ranks = if harness::matrix::is_whole() { &RANKS[..] } else { &few };
    for &ranks in ranks {
        let split = split(ranks);
        assert_agree(&FLOW.run(&split), expected, &split);
    }
}

#[test]
fn any_ranks_by_metis_give_the_flow_of_one_rank() {
    assert_ranks_agree([2, 16], |ranks| fast(ranks, "metis"));
}

#[test]
fn any_ranks_by_rcb_give_the_flow_of_one_rank() {
    assert_ranks_agree([3, 8], |ranks| fast(ranks, "rcb"));
}

#[test]
fn any_ranks_by_hilbert_give_the_flow_of_one_rank() {
    assert_ranks_agree([5, 7], |ranks| fast(ranks, "hilbert"));
}

#[test]
fn any_ranks_by_block_give_the_flow_of_one_rank() {
    assert_ranks_agree([1, 3], |ranks| fast(ranks, "block"));
}

#[test]
fn any_ranks_by_random_with_any_seed_give_the_flow_of_one_rank() {
    assert_ranks_agree([2, 7], |ranks| Split { seed: 11 * ranks as u64, ..fast(ranks, "random") });
}

#[test]
fn any_ranks_by_a_file_that_leaves_one_empty_give_the_flow_of_one_rank() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    assert_ranks_agree([2, 8], |ranks| fast(ranks, uneven_parts(folder.path(), &FLOW, ranks)));
}

/// A partition file of ragged stripes, several per rank; from three ranks on, the last one gets nothing. Returns the
/// partitioner's name.
fn uneven_parts(folder: &Path, case: &Case, ranks: usize) -> &'static str {
    let used = if ranks > 2 { ranks - 1 } else { ranks } as u64;
    let lines: Vec<String> = (0..case.cells()).map(|cell| (cell / 37 % used).to_string()).collect();
    let path = folder.join(format!("{ranks}.txt"));
    std::fs::write(&path, lines.join("\n")).expect("a file in the temporary folder");
    format!("file:{}", path.display()).leak()
}

#[test]
fn overlap_changes_no_bits() {
    let case = Case { iterations: 20, ..FLOW };
    for (ranks, method) in [(2, "rcb"), (3, "random"), (5, "hilbert"), (7, "block"), (16, "metis")] {
        let split = fast(ranks, method);
        let with = case.run(&split);
        let without = case.run(&split.clone().with(|options| options.overlap = false));
        assert_eq!(bits(with.q.as_flattened()), bits(without.q.as_flattened()), "{split:?}");
        assert_eq!(bits(&with.history), bits(&without.history), "{split:?}");
    }
}

#[test]
fn more_ranks_than_cells_give_the_flow_of_one_rank() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let expected = on_one_rank(TINY);
    let ranks = 16;
    assert!(ranks as u64 > TINY.cells());
    for method in ["metis", "rcb", "hilbert", "block", "random", uneven_parts(folder.path(), &TINY, ranks)] {
        let split = fast(ranks, method);
        assert_agree(&TINY.run(&split), &expected, &split);
    }
}
