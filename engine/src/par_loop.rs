//! The loop driver: begin exchange → core → end exchange → boundary and exec halo → results due.

use std::ops::Range;

use crate::domain::Domain;
use crate::global::Progress;
use crate::halo::{Exchange, Traveller};
use crate::plan::{Geometry, Plan};
use crate::record::{LoopInfo, Recorded};
use crate::timer::{LoopTimer, Stopwatch};

/// Elements between two looks at messages under way.
const POLL_EVERY: usize = 8192;

impl Domain {
    /// Runs one recorded loop.
    pub(crate) fn execute(&mut self, record: &dyn Recorded) {
        let info = record.info();
        let plan = self.plan_of(info);
        let plan = &self.plans[plan];
        let timer = &mut self.timers[plan.timer];
        let mut watch = Stopwatch::start();

        for global in info.globals() {
            self.local.globals[global].clear();
            self.local.globals[global].progress = Progress::Partial;
        }
        // The same on all ranks: staleness follows from the sequence of loops alone.
        let stale: Vec<Traveller> = plan
            .halo_reads
            .iter()
            .filter(|&&d| self.dats[d].stale)
            .map(|&d| self.dats[d].traveller(d))
            .collect();
        for d in &stale {
            self.dats[d.dat].stale = false;
        }
        let mut exchange = (!stale.is_empty()).then(|| {
            Exchange::begin(
                &self.comm,
                &self.sets,
                &mut self.local.columns,
                stale,
                &mut self.buffers,
                &mut self.exchanges,
            )
        });
        if !self.options.overlap
            && let Some(exchange) = exchange.take()
        {
            exchange.end(&self.sets, &mut self.local.columns, &mut self.buffers);
        }
        watch.lap(&mut timer.halo_wait);

        // SAFETY (all three runs): a plan's rows are executed rows of the loop's set, and par_loop checked the handles.
        for piece in pieces(plan.core.clone(), if exchange.is_some() { POLL_EVERY } else { usize::MAX }) {
            unsafe { record.run(&mut self.local, piece, true) };
            if let Some(exchange) = &mut exchange {
                exchange.poll();
            }
        }
        watch.lap(&mut timer.compute);
        if let Some(exchange) = exchange {
            exchange.end(&self.sets, &mut self.local.columns, &mut self.buffers);
        }
        watch.lap(&mut timer.halo_wait);

        unsafe { record.run(&mut self.local, plan.boundary.clone(), true) };
        for range in &plan.exec {
            unsafe { record.run(&mut self.local, range.clone(), false) };
        }
        watch.lap(&mut timer.compute);

        if self.comm.size() > 1 {
            for &dat in &plan.modified {
                self.dats[dat].stale = true;
                if cfg!(debug_assertions) {
                    let halo = self.sets[self.dats[dat].set].owned * self.dats[dat].dim;
                    self.local.columns[dat].poison_from(halo);
                }
            }
        }
        timer.calls += 1;
        timer.bytes += plan.bytes;
        timer.elements += plan.owned() as u64;
        timer.redundant_elements += plan.redundant() as u64;
        timer.flops += (plan.owned() + plan.redundant()) as u64 * u64::from(info.ops.flops());
    }

    /// The index of the loop's plan, made with its timer when the loop is first met.
    fn plan_of(&mut self, info: &LoopInfo) -> usize {
        if let Some(found) = self.plans.iter().position(|p| p.fits(info)) {
            return found;
        }
        let geometry = Geometry {
            sets: &self.sets,
            maps: &self.maps.iter().map(|m| (m.arity, m.to)).collect::<Vec<_>>(),
            indices: &self.local.maps,
            dats: &self.dats.iter().map(|d| (d.dim, d.element_bytes, d.set)).collect::<Vec<_>>(),
        };
        let timer = self.timers.iter().position(|t| t.name == info.name).unwrap_or_else(|| {
            self.timers.push(LoopTimer { name: info.name.into(), ..LoopTimer::default() });
            self.timers.len() - 1
        });
        self.plans.push(Plan::new(info, &geometry, timer));
        self.plans.len() - 1
    }
}

/// A range cut into pieces of at most `length`.
fn pieces(range: Range<usize>, length: usize) -> impl Iterator<Item = Range<usize>> {
    let end = range.end;
    let mut start = range.start;
    std::iter::from_fn(move || {
        if start >= end {
            return None;
        }
        let stop = start.saturating_add(length).min(end);
        let piece = start..stop;
        start = stop;
        Some(piece)
    })
}
