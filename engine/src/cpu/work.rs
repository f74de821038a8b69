//! One step of a loop on all workers of a rank.

use std::sync::Mutex;

use crate::base::thread_pool::{ThreadPool, UNBROKEN};
use crate::cpu::blocks::Accumulators;
use crate::cpu::record::Recorded;
use crate::schedule::steps::{Schedule, Step};
use crate::store::global::GlobalStore;
use crate::store::halo::Exchange;
use crate::store::local::Local;

/// Elements between two polls of messages under way.
const POLL_EVERY: usize = 8192;

/// One step of a loop.
pub(crate) struct Work<'a> {
    pub(crate) record: &'a dyn Recorded,
    pub(crate) local: &'a Local,
    pub(crate) schedule: &'a Schedule,
    pub(crate) step: &'a Step,
}

/// The context of the workers: where each finds its part of the global results; `globals` is that of the first, the
/// caller.
pub(crate) struct WorkerContext<'a> {
    pub(crate) pool: &'a ThreadPool,
    pub(crate) globals: &'a mut [GlobalStore],
    pub(crate) parts: &'a [Mutex<Vec<GlobalStore>>],
}

impl Work<'_> {
    /// Lets every worker execute its share; the first polls messages under way in between.
    pub(crate) fn run(
        &self,
        workers: WorkerContext<'_>,
        accumulators: &mut Accumulators,
        exchange: Option<&mut Exchange>,
    ) {
        match &self.step.shares[..] {
            [] => {}
            // A single worker needs no help: its elements run as ranges of rows, which change what the maps say.
            [_] if !self.schedule.privatised.is_empty() => {
                Work { schedule: &Schedule::default(), ..*self }.share(0, workers.globals, exchange);
            }
            [_] => self.share(0, workers.globals, exchange),
            _ if !self.schedule.privatised.is_empty() => self.run_privatised(workers, accumulators, exchange),
            _ => self.run_shares(workers, exchange, |worker, globals, exchange| {
                self.share(worker, globals, exchange);
            }),
        }
    }

    /// Calls `share` for every worker that has one, with its part of the global results.
    pub(crate) fn run_shares(
        &self,
        workers: WorkerContext<'_>,
        exchange: Option<&mut Exchange>,
        share: impl Fn(usize, &mut [GlobalStore], Option<&mut Exchange>) + Sync,
    ) {
        let WorkerContext { pool, globals, parts } = workers;
        let others = |worker: usize| {
            if worker < self.step.shares.len() {
                share(worker, &mut parts[worker - 1].lock().expect(UNBROKEN), None);
            }
        };
        pool.run(|| share(0, globals, exchange), others);
    }

    /// Executes a worker's share.
    fn share(&self, worker: usize, globals: &mut [GlobalStore], mut exchange: Option<&mut Exchange>) {
        for stretch in &self.step.shares[worker] {
            let most = if exchange.is_some() { POLL_EVERY } else { stretch.len().max(1) };
            for start in (0..stretch.len()).step_by(most) {
                let piece = start..(start + most).min(stretch.len());
                // SAFETY: the plan was made for this loop and domain; par_loop checked the handles. Shares of a step
                // change disjoint rows.
                unsafe { self.record.run(self.local, self.schedule, stretch, piece, globals) };
                if let Some(exchange) = &mut exchange {
                    exchange.poll();
                }
            }
        }
    }
}
