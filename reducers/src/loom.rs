//! Every order of the steps of two workers: neither accesses a cell of the target or of a copy together with the other,
//! and nothing is lost.
//!
//! `RUSTFLAGS="--cfg loom" cargo test --package cfd-reducers --lib --release loom::`

use std::sync::Arc;

use loom::thread;

use super::cell::Cell;
use super::{Adder, BlockCas, BlockLock, BlockPrivate, Keeper, Kind, Options, Reducer, Reduction};

/// Rows of the target; a block has one.
const ROWS: usize = 2;

/// What each of two workers adds, a list per adder: rows, to each of which one is added.
type Tasks = [&'static [&'static [usize]]; 2];

/// Both meet in both rows, in opposite order; worker 1 continues, when worker 0 may have ended, with a second adder.
const UNEVEN: Tasks = [&[&[0, 1]], &[&[1, 0], &[0]]];

/// Runs the tasks in all orders, merges on two threads, and compares the result with the sequential sums.
fn adds_up<R: Reducer<u64> + 'static>(kind: Kind, tasks: Tasks) {
    loom::model(move || {
        let mut expected = [0; ROWS];
        tasks.iter().flat_map(|worker| *worker).flat_map(|task| *task).for_each(|&row| expected[row] += 1);

        // Loom's threads have no scope, so what they share is leaked.
        let cells: &'static [Cell<u64>] = Vec::leak((0..ROWS).map(|_| Cell::new(0)).collect());
        let reducer: &'static mut R = Box::leak(Box::new(R::new(2, Options { kind, block_rows: 1 })));
        let reduction = Arc::new(Reduction::begin(reducer, cells, 1));
        let workers = [0, 1].map(|worker| {
            let reduction = Arc::clone(&reduction);
            thread::spawn(move || {
                for task in tasks[worker] {
                    let mut adder = reduction.adder::<1>(worker);
                    task.iter().for_each(|&row| adder.add_row(row, [1]));
                }
            })
        });
        workers.into_iter().for_each(|worker| worker.join().expect("the worker ends"));
        let reduction = Arc::into_inner(reduction).expect("the workers have ended");
        let merges = reduction.into_parts().into_iter().map(|part| thread::spawn(move || part.merge()));
        merges.collect::<Vec<_>>().into_iter().for_each(|merge| merge.join().expect("the merge ends"));
        // SAFETY: all threads have ended.
        let sums: Vec<u64> = cells.iter().map(|cell| unsafe { cell.get() }).collect();
        assert_eq!(sums, expected);
    });
}

#[test]
fn block_lock_has_no_race() {
    adds_up::<BlockLock<u64>>(Kind::BlockLock, UNEVEN);
}

#[test]
fn block_cas_has_no_race() {
    adds_up::<BlockCas<u64>>(Kind::BlockCas, UNEVEN);
}

#[test]
fn block_private_has_no_race() {
    adds_up::<BlockPrivate<u64>>(Kind::BlockPrivate, UNEVEN);
}

#[test]
fn keeper_has_no_race() {
    adds_up::<Keeper<u64>>(Kind::Keeper, UNEVEN);
}
