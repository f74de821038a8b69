//! The benchmarks' measuring tools: times and loops over all ranks, memory bandwidth, medians.

// Each benchmark uses its own part.
#![allow(dead_code)]

pub mod program;

use std::collections::BTreeMap;
use std::time::Duration;

use cfd_engine::comm::Comm;
use cfd_engine::domain::Domain;
use cfd_engine::lane::Width;

/// All ranks of the MPI job; one if the program is built without MPI.
pub fn world() -> Comm {
    #[cfg(feature = "mpi")]
    let comm = cfd_mpi::world().expect("MPI can be started");
    #[cfg(not(feature = "mpi"))]
    let comm = Comm::single();
    comm
}

/// The cost of the loops of one name on this rank.
#[derive(Clone, Copy, Debug, Default)]
pub struct LoopCost {
    /// Executions.
    pub calls: u64,
    /// Bytes that must move.
    pub bytes: u64,
    /// Floating-point operations.
    pub flops: u64,
    /// Elements executed that this rank owns.
    pub elements: u64,
    /// Execution and waiting for halos.
    pub time: Duration,
    /// The most colors of one of them.
    pub colors: Option<u32>,
}

/// The loops of a domain by name.
pub fn loops(domain: &mut Domain) -> BTreeMap<String, LoopCost> {
    let mut loops: BTreeMap<String, LoopCost> = BTreeMap::new();
    for timer in domain.timers() {
        let cost = loops.entry(timer.name.clone()).or_default();
        cost.calls += timer.calls;
        cost.bytes += timer.bytes;
        cost.flops += timer.flops;
        cost.elements += timer.elements();
        cost.time += timer.compute + timer.halo_wait;
        cost.colors = cost.colors.max(timer.colors);
    }
    loops
}

impl LoopCost {
    /// What was added since `before`.
    pub fn since(&self, before: &LoopCost) -> LoopCost {
        LoopCost {
            calls: self.calls - before.calls,
            bytes: self.bytes - before.bytes,
            flops: self.flops - before.flops,
            elements: self.elements - before.elements,
            time: self.time - before.time,
            colors: self.colors,
        }
    }
}

/// Bytes per second of a = b + s c, all ranks at once, 24 bytes per element, with ordinary stores; best of some sweeps.
pub fn triad(comm: &Comm) -> f64 {
    1e9 * cfd::bandwidth::measure(comm, 1, Width::widest()).triad.best
}

/// Seconds of the slowest rank.
pub fn slowest(comm: &Comm, time: Duration) -> f64 {
    comm.max(nanoseconds(time)) as f64 / 1e9
}

/// Mean over ranks, in seconds.
pub fn mean(comm: &Comm, time: Duration) -> f64 {
    comm.sum(nanoseconds(time)) as f64 / 1e9 / comm.size() as f64
}

fn nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).expect("a benchmark takes less than 500 years")
}

/// The system's load average of the last minute; 0 if the system does not tell.
pub fn load() -> f64 {
    let text = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    text.split_whitespace().next().and_then(|word| word.parse().ok()).unwrap_or(0.0)
}

/// The median of the ratios within the rounds.
pub fn ratio(a: &[f64], b: &[f64]) -> f64 {
    median(a.iter().zip(b).map(|(a, b)| a / b).collect())
}

/// The middle value, or the mean of the two middle ones.
pub fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    if values.len() % 2 == 1 { values[middle] } else { (values[middle - 1] + values[middle]) / 2.0 }
}
