//! The loop driver: begin exchange → core → end exchange → boundary and exec halo → results due.

use std::time::Duration;

use crate::chain::note_stale;
use crate::domain::{Domain, UNBROKEN};
use crate::global::Progress;
use crate::halo::{Exchange, Traveller};
use crate::plan::{Geometry, Plan};
use crate::record::{LoopInfo, Recorded};
use crate::reducer::{self, AnyReducer, Reducer};
use crate::timer::{LoopTimer, Stopwatch};
use crate::work::{Hands, Work};

impl Domain {
    /// Runs one recorded loop.
    pub(crate) fn execute(&mut self, record: &dyn Recorded) {
        let info = record.info();
        for global in info.globals() {
            self.globals[global].clear();
            self.globals[global].progress = Progress::Partial;
        }
        self.local.watch_writes(info, &self.dats, &self.sets);
        let plan = self.plan_of(info);
        for phase in 0..self.plans[plan].schedule.phases.len() {
            let exchange = self.begin_exchange(plan);
            self.run_core(record, plan, phase, exchange);
            self.run_rest(record, plan, phase);
            self.mark_stale(plan);
        }
        for parts in &mut self.parts {
            let parts = parts.get_mut().expect(UNBROKEN);
            info.globals().for_each(|global| self.globals[global].absorb(&mut parts[global]));
        }
        let modified = self.plans[plan].modified.clone();
        self.show(info.name, &modified);
        self.account(info, plan);
    }

    /// Adds seconds to the time that a loop has spent on its elements.
    pub(crate) fn add_compute(&mut self, plan: usize, seconds: f64) {
        let timer = self.plans[plan].timer;
        self.timers[timer].compute += Duration::from_secs_f64(seconds.max(0.0));
    }

    /// Adds one execution to the loop's timer.
    pub(crate) fn account(&mut self, info: &LoopInfo, plan: usize) {
        let plan = &self.plans[plan];
        let timer = &mut self.timers[plan.timer];
        timer.calls += 1;
        timer.bytes += plan.bytes;
        timer.elements += plan.elements;
        timer.redundant_elements += plan.redundant;
        timer.flops += (plan.elements + plan.redundant) * u64::from(info.ops.flops());
    }

    /// The dats whose halo copies the loop reads and that are stale, which after this they are no more.
    pub(crate) fn take_stale(&mut self, plan: usize) -> Vec<usize> {
        // The same on all ranks: staleness follows from the sequence of loops alone.
        let mut stale = self.plans[plan].halo_reads.clone();
        stale.retain(|&dat| std::mem::take(&mut self.dats[dat].stale));
        stale
    }

    /// Begins to fetch the halo copies the loop reads and that are stale; with overlap switched off, also ends it.
    fn begin_exchange(&mut self, plan: usize) -> Option<Exchange> {
        let watch = Stopwatch::start();
        let stale = self.take_stale(plan);
        let plan = &self.plans[plan];
        if stale.is_empty() {
            return None;
        }
        let stale: Vec<Traveller> = stale.iter().map(|&dat| self.dats[dat].traveller(dat)).collect();
        let (sets, deep, columns) = (&self.sets, &self.chains.deep, &mut self.local.columns);
        let exchange =
            Exchange::begin(&self.comm, sets, deep, columns, stale, &mut self.buffers, &mut self.exchanges);
        let under_way = if self.options.overlap {
            Some(exchange)
        } else {
            exchange.end(sets, deep, columns, &mut self.buffers);
            None
        };
        watch.add_to(&mut self.timers[plan.timer].halo_wait);
        under_way
    }

    /// Runs what needs no halo copy while they are on their way, then waits for them.
    fn run_core(&mut self, record: &dyn Recorded, plan: usize, phase: usize, mut exchange: Option<Exchange>) {
        let plan = &self.plans[plan];
        let watch = Stopwatch::start();
        let kept = self.local.keep(&plan.schedule.restored, &plan.incremented, &self.dats);
        for step in &plan.schedule.phases[phase].core {
            let hands = Hands { team: &self.team, globals: &mut self.globals, parts: &self.parts };
            let work = Work { record, local: &self.local, schedule: &plan.schedule, step };
            work.run(hands, &mut self.reducers, exchange.as_mut());
        }
        self.local.put_back(&plan.schedule.restored, &plan.incremented, &self.dats, &kept);
        watch.add_to(&mut self.timers[plan.timer].compute);
        if let Some(exchange) = exchange {
            let watch = Stopwatch::start();
            exchange.end(&self.sets, &self.chains.deep, &mut self.local.columns, &mut self.buffers);
            watch.add_to(&mut self.timers[plan.timer].halo_wait);
        }
    }

    /// Runs what may need halo copies.
    fn run_rest(&mut self, record: &dyn Recorded, plan: usize, phase: usize) {
        let plan = &self.plans[plan];
        let watch = Stopwatch::start();
        for step in &plan.schedule.phases[phase].rest {
            let hands = Hands { team: &self.team, globals: &mut self.globals, parts: &self.parts };
            let work = Work { record, local: &self.local, schedule: &plan.schedule, step };
            work.run(hands, &mut self.reducers, None);
        }
        if !plan.schedule.gathers.is_empty() {
            let workers = self.team.workers();
            // SAFETY: the plan's stretches have run; the workers take different shares.
            let gather = |worker| unsafe { record.gather(&self.local, &plan.schedule, worker, workers) };
            self.team.run(|| gather(0), gather);
        }
        watch.add_to(&mut self.timers[plan.timer].compute);
    }

    /// Notes that halo copies of what the loop changed are old.
    fn mark_stale(&mut self, plan: usize) {
        for &dat in &self.plans[plan].modified {
            note_stale(&mut self.dats[dat], &mut self.local.columns[dat], &self.sets, self.comm.size());
        }
    }

    /// The index of a loop's timer.
    pub(crate) fn timer_of(&mut self, name: &str) -> usize {
        self.timers.iter().position(|t| t.name == name).unwrap_or_else(|| {
            self.timers.push(LoopTimer { name: name.into(), ..LoopTimer::default() });
            self.timers.len() - 1
        })
    }

    /// The index of the loop's plan, made with its timer when the loop is first met.
    pub(crate) fn plan_of(&mut self, info: &LoopInfo) -> usize {
        if let Some(found) = self.plans.iter().position(|p| p.fits(info)) {
            return found;
        }
        let timer = self.timer_of(info.name);
        let geometry =
            Geometry { sets: &self.sets, maps: &self.maps, indices: &self.local.maps, dats: &self.dats };
        let mut plan = Plan::new(info, &geometry, &self.options, &self.comm, timer);
        plan.schedule.targets.place(&self.team);
        self.timers[timer].setup += plan.setup;
        self.timers[timer].colors = plan.schedule.colors;
        self.local.make_room(&plan.schedule, info, &self.dats, self.team.workers());
        self.reducers.resize_with(self.dats.len(), || None);
        for reduced in &plan.schedule.reduced {
            let kind = self.options.strategy.reducer().expect("the strategy has made the schedule");
            let options = reducer::Options { kind, block_rows: self.options.block_rows };
            let workers = self.team.workers();
            self.reducers[reduced.dat].get_or_insert_with(|| AnyReducer::new(workers, options));
        }
        self.plans.push(plan);
        self.plans.len() - 1
    }
}
