//! Loops with privatised increments: block by block, a worker's increments go to its own buffer, then to the plug-in
//! strategy.

use std::ops::Range;
use std::sync::Mutex;

use crate::cpu::work::{Work, WorkerContext};
use crate::schedule::steps::{Privatised, Rows, Schedule, Stretch};
use crate::schedule::strategy::accumulate::{Accumulate, Accumulation, Increments, Slot};
use crate::schedule::strategy::privatised::BLOCK;
use crate::store::dat_storage::Stored;
use crate::store::global::GlobalStore;
use crate::store::halo::Exchange;

/// Blocks between two polls of messages under way.
const POLL_EVERY: usize = 32;

/// By dat: what combines the increments of several workers.
pub(crate) type Accumulators = [Option<Box<dyn Accumulate>>];

impl Work<'_> {
    /// Lets every worker execute its share of the step, then combines their increments, in which all take part.
    pub(crate) fn run_privatised(
        &self,
        workers: WorkerContext<'_>,
        accumulators: &mut Accumulators,
        exchange: Option<&mut Exchange>,
    ) {
        let pool = workers.pool;
        let mut steps: Vec<(usize, Box<dyn Accumulation<'_> + '_>)> = accumulators
            .iter_mut()
            .enumerate()
            .filter_map(|(dat, accumulator)| {
                let number = self.schedule.privatised.iter().position(|r| r.dat == dat)?;
                let accumulator = accumulator.as_mut().expect("made with the plan");
                let values = f64::cells(&self.local.storages[dat]);
                // SAFETY: until the merge is done, nothing but the loop's elements runs, and only the accumulation
                // changes what they increment.
                Some((number, unsafe { accumulator.begin(values, self.schedule.privatised[number].dim) }))
            })
            .collect();
        steps.sort_by_key(|(number, _)| *number);
        let steps: Vec<_> = steps.into_iter().map(|(_, step)| step).collect();
        self.run_shares(workers, exchange, |worker, globals, exchange| {
            self.share_in_blocks(worker, globals, exchange, &steps);
        });
        let mut shares: Vec<Vec<_>> = Vec::new();
        shares.resize_with(pool.workers(), Vec::new);
        for step in steps {
            shares.iter_mut().zip(step.into_parts()).for_each(|(share, part)| share.push(part));
        }
        let shares: Vec<Mutex<Vec<_>>> = shares.into_iter().map(Mutex::new).collect();
        let merge = |worker: usize| {
            let parts = std::mem::take(&mut *shares[worker].lock().expect("each worker takes its own"));
            parts.into_iter().for_each(|merge| merge());
        };
        pool.run(|| merge(0), merge);
    }

    /// Executes a worker's share of the step.
    fn share_in_blocks(
        &self,
        worker: usize,
        globals: &mut [GlobalStore],
        mut exchange: Option<&mut Exchange>,
        steps: &[Box<dyn Accumulation<'_> + '_>],
    ) {
        let mut schedule = Schedule { buffered: self.schedule.buffered.clone(), ..Schedule::default() };
        for buffered in schedule.buffered.iter_mut().flatten() {
            buffered.buffer = buffer(worker, &self.schedule.privatised, buffered.buffer);
        }
        let mut slots = Vec::new();
        for stretch in &self.step.shares[worker] {
            let Rows::Range(rows) = &stretch.rows else {
                unreachable!("privatised loops run by ranges of rows")
            };
            for (number, first) in rows.clone().step_by(BLOCK).enumerate() {
                let rows = first..(first + BLOCK).min(rows.end);
                schedule.buffered.iter_mut().flatten().for_each(|buffered| buffered.first = first);
                let piece = Stretch::range(rows.clone(), stretch.owned);
                // SAFETY: the rows are the plan's; their increments go to the worker's own buffers, which are handed
                // over before the next rows run.
                unsafe { self.record.run(self.local, &schedule, &piece, 0..piece.len(), globals) };
                for (number, step) in steps.iter().enumerate() {
                    self.hand_over(worker, number, rows.clone(), &**step, &mut slots);
                }
                if let Some(exchange) = exchange.as_mut().filter(|_| number % POLL_EVERY == 0) {
                    exchange.poll();
                }
            }
        }
    }

    /// Hands over the increments of elements that this worker has just run; `slots` is scratch space.
    fn hand_over<'s>(
        &'s self,
        worker: usize,
        number: usize,
        rows: Range<usize>,
        step: &dyn Accumulation<'_>,
        slots: &mut Vec<Slot<'s>>,
    ) {
        let privatised = &self.schedule.privatised[number];
        slots.clear();
        slots.extend(privatised.slots.iter().map(|slot| Slot {
            targets: &self.local.maps[slot.map][rows.start * slot.arity..rows.end * slot.arity],
            arity: slot.arity,
            index: slot.index,
        }));
        let buffer = &self.local.increment_buffers[buffer(worker, &self.schedule.privatised, number)];
        let (elements, dim) = (rows.len(), privatised.dim);
        // SAFETY: there are slots for every row, this worker has stored them, and nothing changes them now.
        let stored = unsafe {
            std::slice::from_raw_parts(buffer.as_ptr().cast::<f64>(), elements * slots.len() * dim)
        };
        step.add(worker, &Increments { elements, dim, stored, slots });
    }
}

/// A worker's increment buffer for one of the dats.
pub(crate) fn buffer(worker: usize, privatised: &[Privatised], number: usize) -> usize {
    worker * privatised.len() + number
}
