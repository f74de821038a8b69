//! One timer for each loop, named after its kernel.

use std::time::{Duration, Instant};

/// What a loop has cost on this rank so far.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LoopTimer {
    /// The kernel's name.
    pub name: String,
    /// Number of executions.
    pub calls: u64,
    /// Time spent making the loop's schedule; on a device, its code, lists and first copies.
    pub setup: Duration,
    /// Number of colors, if the loop runs by color.
    pub colors: Option<u32>,
    /// Time spent executing elements.
    pub compute: Duration,
    /// Time spent packing, waiting for and unpacking halo copies, less what overlaps with the core.
    pub halo_wait: Duration,
    /// Bytes of halo copies sent to other ranks.
    pub halo_bytes: u64,
    /// What they would be if loops exchanged whole halos.
    pub whole_halo_bytes: u64,
    /// Bytes that must move between memory and processor: every touched row once in each direction, and the maps.
    pub bytes: u64,
    /// Floating-point operations, redundant elements included.
    pub flops: u64,
    /// Elements executed, by the set that the loop ran over.
    pub work: Vec<SetWork>,
}

/// Elements of a set that a loop has executed on this rank.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SetWork {
    /// The set's name.
    pub set: String,
    /// Owned elements.
    pub elements: u64,
    /// Imported elements, executed redundantly.
    pub redundant: u64,
}

impl LoopTimer {
    /// Owned elements executed, of all sets.
    pub fn elements(&self) -> u64 {
        self.work.iter().map(|work| work.elements).sum()
    }

    /// Imported elements executed redundantly, of all sets.
    pub fn redundant_elements(&self) -> u64 {
        self.work.iter().map(|work| work.redundant).sum()
    }

    /// Adds elements executed of a set.
    pub fn add_work(&mut self, set: &str, elements: u64, redundant: u64) {
        match self.work.iter_mut().find(|work| work.set == set) {
            Some(work) => {
                work.elements += elements;
                work.redundant += redundant;
            }
            None => self.work.push(SetWork { set: set.into(), elements, redundant }),
        }
    }

    /// Adds what the same loop has cost elsewhere.
    pub fn add(&mut self, other: &LoopTimer) {
        let LoopTimer { name: _, calls, setup, colors, compute, halo_wait, .. } = other;
        let LoopTimer { halo_bytes, whole_halo_bytes, bytes, flops, work, .. } = other;
        self.calls += calls;
        self.setup += *setup;
        self.colors = self.colors.or(*colors);
        self.compute += *compute;
        self.halo_wait += *halo_wait;
        self.halo_bytes += halo_bytes;
        self.whole_halo_bytes += whole_halo_bytes;
        self.bytes += bytes;
        self.flops += flops;
        for SetWork { set, elements, redundant } in work {
            self.add_work(set, *elements, *redundant);
        }
    }
}

/// A stopwatch.
pub struct Stopwatch {
    since: Instant,
}

impl Stopwatch {
    /// Starts.
    pub fn start() -> Stopwatch {
        Stopwatch { since: Instant::now() }
    }

    /// The time since the start.
    pub fn elapsed(self) -> Duration {
        self.since.elapsed()
    }

    /// Adds the time since the start to `account`.
    pub fn add_to(self, account: &mut Duration) {
        *account += self.elapsed();
    }
}
