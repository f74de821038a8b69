//! Loops whose increments go to reducers: batch by batch, a worker's increments are stored, then handed to its adder.

use std::ops::Range;
use std::sync::Mutex;

use crate::global::GlobalStore;
use crate::halo::Exchange;
use crate::local::Local;
use crate::reducer::{Adder, AnyAdder, AnyReducer, PartOfReduction, Reduction};
use crate::schedule::{Reduced, Rows, Schedule, Slot, Stretch};
use crate::storage::Stored;
use crate::strategy::BATCH;
use crate::work::{Hands, Work};

/// Batches between two looks at messages under way.
const POLL_EVERY: usize = 32;

type Reductions<'a> = [Reduction<'a, f64, AnyReducer<f64>>];

/// Elements whose increments have been stored.
pub struct Batch<'a> {
    pub(crate) local: &'a Local,
    /// The dats that are incremented.
    pub(crate) reduced: &'a [Reduced],
    reductions: &'a Reductions<'a>,
    worker: usize,
    rows: Range<usize>,
}

impl Work<'_> {
    /// Lets every worker execute its share of the step, then all bring together what they have added.
    pub(crate) fn run_reduced(
        &self,
        hands: Hands<'_>,
        reducers: &mut [Option<AnyReducer<f64>>],
        exchange: Option<&mut Exchange>,
    ) {
        let team = hands.team;
        let mut reductions: Vec<(usize, Reduction<'_, f64, AnyReducer<f64>>)> = reducers
            .iter_mut()
            .enumerate()
            .filter_map(|(dat, reducer)| {
                let number = self.schedule.reduced.iter().position(|r| r.dat == dat)?;
                let cells = f64::cells(&self.local.columns[dat]);
                let reducer = reducer.as_mut().expect("made with the plan");
                // SAFETY: until the merge is done the loop's elements are all that runs, and they reach what they
                // increment through adders alone.
                let dim = self.schedule.reduced[number].dim;
                Some((number, unsafe { Reduction::of_cells(reducer, cells, dim) }))
            })
            .collect();
        reductions.sort_by_key(|(number, _)| *number);
        let reductions: Vec<_> = reductions.into_iter().map(|(_, reduction)| reduction).collect();
        self.run_shares(hands, exchange, |worker, globals, exchange| {
            self.share_in_batches(worker, globals, exchange, &reductions);
        });
        let mut shares: Vec<Vec<PartOfReduction<'_, _, _>>> = Vec::new();
        shares.resize_with(team.workers(), Vec::new);
        for reduction in reductions {
            shares.iter_mut().zip(reduction.into_parts()).for_each(|(share, part)| share.push(part));
        }
        let shares: Vec<Mutex<Vec<_>>> = shares.into_iter().map(Mutex::new).collect();
        let merge = |worker: usize| {
            let parts = std::mem::take(&mut *shares[worker].lock().expect("each worker takes its own"));
            parts.into_iter().for_each(PartOfReduction::merge);
        };
        team.run(|| merge(0), merge);
    }

    /// Executes a worker's share of the step.
    fn share_in_batches(
        &self,
        worker: usize,
        globals: &mut [GlobalStore],
        mut exchange: Option<&mut Exchange>,
        reductions: &Reductions<'_>,
    ) {
        let mut schedule = Schedule { staging: self.schedule.staging.clone(), ..Schedule::default() };
        for staged in schedule.staging.iter_mut().flatten() {
            staged.buffer = buffer(worker, &self.schedule.reduced, staged.buffer);
        }
        for stretch in &self.step.shares[worker] {
            let Rows::Range(rows) = &stretch.rows else {
                unreachable!("reduced loops run by ranges of rows")
            };
            for (number, first) in rows.clone().step_by(BATCH).enumerate() {
                let rows = first..(first + BATCH).min(rows.end);
                schedule.staging.iter_mut().flatten().for_each(|staged| staged.first = first);
                let piece = Stretch::range(rows.clone(), stretch.home);
                let batch =
                    Batch { local: self.local, reduced: &self.schedule.reduced, reductions, worker, rows };
                // SAFETY: the rows are the plan's, and their increments go to the worker's own buffers, from which
                // they are handed over before the next rows run.
                unsafe {
                    self.record.run(self.local, &schedule, &piece, 0..piece.len(), globals);
                    self.record.hand_over(&batch);
                }
                if let Some(exchange) = exchange.as_mut().filter(|_| number % POLL_EVERY == 0) {
                    exchange.poll();
                }
            }
        }
    }
}

/// The temporary array of a worker for the increments of one of the dats.
pub(crate) fn buffer(worker: usize, reduced: &[Reduced], number: usize) -> usize {
    worker * reduced.len() + number
}

impl Batch<'_> {
    /// Hands the stored increments of reduced dat `number`, rows of `D` numbers, to the worker's adder: by element,
    /// then by argument.
    ///
    /// # Safety
    /// The elements have just run, their increments stored in the worker's buffer.
    pub(crate) unsafe fn hand_over<const D: usize>(&self, number: usize) {
        let slots = &self.reduced[number].slots[..];
        let buffer = &self.local.staging[buffer(self.worker, self.reduced, number)];
        // SAFETY: the caller's condition: there are slots for every row, and nobody changes them now.
        let stored = unsafe {
            std::slice::from_raw_parts(buffer.as_ptr() as *const [f64; D], self.rows.len() * slots.len())
        };
        match self.reductions[number].adder::<D>(self.worker) {
            AnyAdder::Atomic(adder) => self.add(stored, slots, adder),
            AnyAdder::Dense(adder) => self.add(stored, slots, adder),
            AnyAdder::Map(adder) => self.add(stored, slots, adder),
            AnyAdder::BlockPrivate(adder) => self.add(stored, slots, adder),
            AnyAdder::BlockLock(adder) => self.add(stored, slots, adder),
            AnyAdder::BlockCas(adder) => self.add(stored, slots, adder),
            AnyAdder::Keeper(adder) => self.add(stored, slots, adder),
        }
    }

    fn add<const D: usize>(&self, stored: &[[f64; D]], slots: &[Slot], mut adder: impl Adder<f64, D>) {
        for (row, increments) in self.rows.clone().zip(stored.chunks_exact(slots.len())) {
            for (slot, increment) in slots.iter().zip(increments) {
                let target = self.local.maps[slot.map][row * slot.arity + slot.index];
                adder.add_row(target as usize, *increment);
            }
        }
    }
}
