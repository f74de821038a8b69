//! What loops have cost: each adds to the timer of its name.

use std::time::Duration;

use super::state::State;
use crate::base::timer::LoopTimer;
use crate::model::loop_info::LoopInfo;

/// Work of one execution of a loop on this rank.
#[derive(Clone, Copy, Debug)]
pub struct Work {
    /// Owned elements.
    pub elements: u64,
    /// Imported elements, executed redundantly.
    pub redundant: u64,
    /// Bytes that must move between memory and processor.
    pub bytes: u64,
}

impl State {
    /// The index of a loop's timer.
    pub fn timer_of(&mut self, name: &str) -> usize {
        self.timers.iter().position(|t| t.name == name).unwrap_or_else(|| {
            self.timers.push(LoopTimer { name: name.into(), ..LoopTimer::default() });
            self.timers.len() - 1
        })
    }

    /// Adds to the time spent making a loop's schedule, code and lists.
    pub fn add_setup(&mut self, timer: usize, spent: Duration) {
        self.timers[timer].setup += spent;
    }

    /// Adds to the time that a loop has spent on its elements.
    pub fn add_compute(&mut self, timer: usize, spent: Duration) {
        self.timers[timer].compute += spent;
    }

    /// Adds one execution to a loop's timer.
    pub fn add_execution(&mut self, timer: usize, info: &LoopInfo, work: Work) {
        let Work { elements, redundant, bytes } = work;
        let timer = &mut self.timers[timer];
        timer.calls += 1;
        timer.bytes += bytes;
        timer.add_work(&self.sets[info.set()].name, elements, redundant);
        timer.flops += (elements + redundant) * u64::from(info.ops.flops());
    }

    /// Adds one execution by a plan to the loop's timer.
    pub fn account(&mut self, info: &LoopInfo, plan: usize) {
        let plan = &self.plans[plan];
        let work = Work { elements: plan.elements, redundant: plan.redundant, bytes: plan.bytes };
        self.add_execution(plan.timer, info, work);
    }
}
