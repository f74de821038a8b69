//! Loops that only copy one dat to another and need not be executed.
//!
//! A solver saves a dat (`save_soln`) because it is about to overwrite it. If the queue shows the overwriting loop,
//! swapping the storages of the two dats before that loop makes the copy: the copy takes over the old values, and the
//! original takes the copy's storage, whose values no longer matter. No bit depends on it.

use super::backend::{Backend, BackendError};
use super::run::send_only;
use super::state::State;
use crate::cpu::record::Recorded;
use crate::model::loop_info::{ArgInfo, LoopInfo, Place};

/// A copy made by swapping storages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Swapped {
    /// The copying loop, which is skipped.
    loop_: usize,
    /// The loop that overwrites the original.
    before: usize,
    original: usize,
    copy: usize,
}

/// Runs loops one by one. Once one fails, this rank only takes part in the exchanges of the others.
///
/// # Errors
/// A device fails.
pub fn run_each(
    backend: &mut dyn Backend,
    state: &mut State,
    records: &[Box<dyn Recorded>],
) -> Result<(), BackendError> {
    // An observer is shown the copy right after its loop.
    let infos: Vec<&LoopInfo> = match state.observer {
        None => records.iter().map(|record| record.info()).collect(),
        Some(_) => Vec::new(),
    };
    let swaps = swapped(&infos);
    let mut result = Ok(());
    for (loop_, record) in records.iter().enumerate() {
        for saved in swaps.iter().filter(|saved| saved.before == loop_) {
            if result.is_ok() {
                result = backend.swap(state, saved.original, saved.copy);
            }
            swap_columns(state, saved.original, saved.copy);
        }
        if swaps.iter().any(|saved| saved.loop_ == loop_) {
            let timer = state.timer_of(record.info().name);
            state.timers[timer].calls += 1;
        } else if result.is_ok() {
            result = backend.run_loop(state, &**record);
        } else {
            send_only(state, &**record);
        }
    }
    result
}

/// The backend of a rank whose device has failed.
pub(crate) struct SendOnly;

impl Backend for SendOnly {
    fn run(
        &mut self,
        state: &mut State,
        records: &[Box<dyn Recorded>],
        count: usize,
        _last: bool,
    ) -> Result<(), BackendError> {
        run_each(self, state, &records[..count])
    }

    fn run_loop(&mut self, state: &mut State, record: &dyn Recorded) -> Result<(), BackendError> {
        send_only(state, record);
        Ok(())
    }

    fn renew(&self) -> Result<Option<Box<dyn Backend>>, BackendError> {
        Ok(Some(Box::new(SendOnly)))
    }
}

/// Swaps the values of two dats of the same shape and set, halo copies included.
fn swap_columns(state: &mut State, one: usize, other: usize) {
    state.local.storages.swap(one, other);
    let [a, b] = state.dats.get_disjoint_mut([one, other]).expect("two dats");
    std::mem::swap(&mut a.fresh, &mut b.fresh);
    std::mem::swap(&mut a.whole_stale, &mut b.whole_stale);
    std::mem::swap(&mut a.deep_stale, &mut b.deep_stale);
}

/// The copies among these loops that can be made by swapping storages: those where the first later loop that changes
/// the original or uses the copy overwrites the original.
fn swapped(loops: &[&LoopInfo]) -> Vec<Swapped> {
    let mut found: Vec<Swapped> = Vec::new();
    for loop_ in 0..loops.len() {
        let Some([original, copy]) = copied(loops[loop_]) else { continue };
        let taken = |saved: &Swapped| {
            saved.before > loop_
                && [saved.original, saved.copy].iter().any(|dat| [original, copy].contains(dat))
        };
        if found.iter().any(taken) {
            continue;
        }
        let Some(before) = next_use(loops, loop_, original, copy) else { continue };
        let mut uses = loops[before].args.iter().filter(|a| a.dat() == Some(original)).peekable();
        if uses.peek().is_some() && uses.all(ArgInfo::overwrites) {
            found.push(Swapped { loop_, before, original, copy });
        }
    }
    found
}

/// The number of loops to run now, at least one and at most `count`, of a queue that continues: a copy stays together
/// with the loop that decides whether it must be executed.
pub fn whole_copies(loops: &[&LoopInfo], mut count: usize) -> usize {
    let parted = |at: usize, count: usize| {
        copied(loops[at]).is_some_and(|[original, copy]| {
            next_use(loops, at, original, copy).is_none_or(|next| next >= count)
        })
    };
    while let Some(at) = (1..count).find(|&at| parted(at, count)) {
        count = at;
    }
    count
}

/// The original and the copy, if a loop only copies.
fn copied(info: &LoopInfo) -> Option<[usize; 2]> {
    match [info.args.first()?.place, info.args.get(1)?.place] {
        [Place::Direct { dat: original }, Place::Direct { dat: copy }] if info.copies => {
            Some([original, copy])
        }
        _ => None,
    }
}

/// The first loop after a copy that changes the original or uses the copy.
fn next_use(loops: &[&LoopInfo], loop_: usize, original: usize, copy: usize) -> Option<usize> {
    let uses = |a: &ArgInfo| a.dat() == Some(copy) || (a.dat() == Some(original) && a.access.modifies());
    (loop_ + 1..loops.len()).find(|&at| loops[at].args.iter().any(uses))
}
