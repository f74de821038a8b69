//! A loop on the processor.

use super::backend::BackendError;
use super::run::{Unfinished, Unit, run};
use super::state::State;
use crate::base::timer::Stopwatch;
use crate::cpu::record::Recorded;
use crate::cpu::work::{Work, WorkerContext};
use crate::store::halo::{Exchange, ExchangedField};

/// Runs a recorded loop on the processor.
pub fn run_loop(state: &mut State, record: &dyn Recorded) {
    let info = record.info();
    state.begin_globals(info);
    state.local.watch_writes(info, &state.dats, &state.sets);
    let plan = state.plan_of(info);
    run(&mut Loop { record, plan, timer: state.plans[plan].timer }, state)
        .expect("the processor does not fail");
    state.absorb_parts(info);
    let modified = state.plans[plan].modified.clone();
    state.show(info.name, &modified);
    state.account(info, plan);
}

struct Loop<'a> {
    record: &'a dyn Recorded,
    plan: usize,
    timer: usize,
}

impl Unit for Loop<'_> {
    type Exchange = Exchange;

    fn timer(&self) -> usize {
        self.timer
    }

    fn phases(&self, state: &State) -> usize {
        state.plans[self.plan].schedule.phases.len()
    }

    fn stale(&mut self, state: &mut State) -> Vec<ExchangedField> {
        state.take_stale(self.plan)
    }

    fn begin_exchange(
        &mut self,
        state: &mut State,
        stale: &[ExchangedField],
    ) -> Result<Exchange, BackendError> {
        Ok(state.begin_exchange(stale.to_vec()))
    }

    fn core(
        &mut self,
        state: &mut State,
        phase: usize,
        mut exchange: Option<&mut Exchange>,
    ) -> Result<(), BackendError> {
        let plan = &state.plans[self.plan];
        let watch = Stopwatch::start();
        let snapshot = state.local.snapshot(&plan.schedule.restored, &plan.incremented, &state.dats);
        for step in &plan.schedule.phases[phase].core {
            let workers =
                WorkerContext { pool: &state.pool, globals: &mut state.globals, parts: &state.parts };
            let work = Work { record: self.record, local: &state.local, schedule: &plan.schedule, step };
            work.run(workers, &mut state.accumulators, exchange.as_deref_mut());
        }
        state.local.restore(&plan.schedule.restored, &plan.incremented, &state.dats, &snapshot);
        watch.add_to(&mut state.timers[self.timer].compute);
        Ok(())
    }

    fn end_exchange(&mut self, state: &mut State, exchange: Exchange) -> Result<(), Unfinished> {
        state.end_exchange(exchange);
        Ok(())
    }

    fn rest(&mut self, state: &mut State, phase: usize) -> Result<(), BackendError> {
        let plan = &state.plans[self.plan];
        let watch = Stopwatch::start();
        for step in &plan.schedule.phases[phase].rest {
            let workers =
                WorkerContext { pool: &state.pool, globals: &mut state.globals, parts: &state.parts };
            let work = Work { record: self.record, local: &state.local, schedule: &plan.schedule, step };
            work.run(workers, &mut state.accumulators, None);
        }
        if !plan.schedule.gathers.is_empty() {
            let workers = state.pool.workers();
            // SAFETY: the plan's stretches have run; the workers take different shares.
            let gather =
                |worker| unsafe { self.record.gather(&state.local, &plan.schedule, worker, workers) };
            state.pool.run(|| gather(0), gather);
        }
        watch.add_to(&mut state.timers[self.timer].compute);
        for at in 0..state.plans[self.plan].modified.len() {
            state.note_stale(state.plans[self.plan].modified[at]);
        }
        Ok(())
    }
}
