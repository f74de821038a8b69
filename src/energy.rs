//! Energy of the processors and their memory during the iterations, from the counters that Linux shows
//! (`/sys/class/powercap`, RAPL), where they are there and may be read; nothing is said where not.
//!
//! A counter belongs to a machine, not to a process: of the ranks on a machine only the first reads it, and it counts
//! everything that runs there.

use std::path::{Path, PathBuf};

use cfd_engine::comm::Comm;
use serde::Serialize;

/// Where Linux shows the counters.
const POWERCAP: &str = "/sys/class/powercap";

/// Energy over all machines, in joules.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Energy {
    /// Processors: cores, caches, and what else is on the chip.
    pub package_j: f64,
    /// Memory, where it has a counter of its own.
    pub memory_j: f64,
    /// Machines whose counters could be read.
    pub machines: u64,
}

/// Reads counters from its making on.
#[derive(Clone, Debug)]
pub struct Meter {
    counters: Vec<Counter>,
}

/// One counter, in microjoules, which starts again from 0 after its range.
#[derive(Clone, Debug)]
struct Counter {
    file: PathBuf,
    of_memory: bool,
    range: u64,
    start: u64,
}

impl Meter {
    /// Begins to count. Collective.
    pub fn start(comm: &Comm) -> Meter {
        let host = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
        let hosts = comm.all_gather(host.trim().as_bytes());
        let first = hosts.iter().position(|other| *other == hosts[comm.rank()]) == Some(comm.rank());
        Meter { counters: if first { counters(Path::new(POWERCAP)) } else { Vec::new() } }
    }

    /// What has been used since; none where nothing can be read. Collective.
    pub fn stop(&self, comm: &Comm) -> Option<Energy> {
        let [mut package, mut memory] = [0u64; 2];
        for counter in &self.counters {
            let Some(used) = counter.used() else { continue };
            if counter.of_memory { memory += used } else { package += used }
        }
        let mut sums = [package, memory, u64::from(!self.counters.is_empty())];
        comm.all_reduce(&mut sums, cfd_engine::comm::ReduceOp::Sum);
        let joules = |micro: u64| micro as f64 * 1e-6;
        let energy = Energy { package_j: joules(sums[0]), memory_j: joules(sums[1]), machines: sums[2] };
        (energy.machines > 0).then_some(energy)
    }
}

impl Counter {
    fn used(&self) -> Option<u64> {
        let now = number(&self.file)?;
        // At most one turn: a counter's range is worth minutes at full power, and hours on newer processors.
        Some(if now >= self.start { now - self.start } else { now + (self.range - self.start) })
    }
}

fn number(file: &Path) -> Option<u64> {
    std::fs::read_to_string(file).ok()?.trim().parse().ok()
}

/// The counters of packages (`intel-rapl:0`; the driver has this name on all makes) and of their memory
/// (`intel-rapl:0:1` named dram). Cores alone are part of a package and not counted again.
fn counters(root: &Path) -> Vec<Counter> {
    let mut counters = Vec::new();
    for entry in std::fs::read_dir(root).into_iter().flatten().flatten() {
        let (path, name) = (entry.path(), entry.file_name().to_string_lossy().into_owned());
        let zone = std::fs::read_to_string(path.join("name")).unwrap_or_default();
        let of_memory = zone.trim() == "dram";
        // The same package may be shown a second time by another interface (intel-rapl-mmio).
        if !name.starts_with("intel-rapl:") || !(of_memory || zone.starts_with("package")) {
            continue;
        }
        let file = path.join("energy_uj");
        if let (Some(start), Some(range)) = (number(&file), number(&path.join("max_energy_range_uj"))) {
            counters.push(Counter { file, of_memory, range, start });
        }
    }
    counters
}

#[cfg(test)]
mod tests {
    use super::*;

    fn zone(root: &Path, directory: &str, name: &str, energy: u64) {
        let path = root.join(directory);
        std::fs::create_dir_all(&path).unwrap();
        for (file, text) in
            [("name", name.into()), ("energy_uj", energy.to_string()), ("max_energy_range_uj", "1000".into())]
        {
            std::fs::write(path.join(file), text + "\n").unwrap();
        }
    }

    #[test]
    fn packages_and_memory_are_counted_once_and_over_a_turn() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        zone(root, "intel-rapl:0", "package-0", 900);
        zone(root, "intel-rapl:0:0", "core", 10);
        zone(root, "intel-rapl:0:1", "dram", 100);
        zone(root, "intel-rapl-mmio:0", "package-0", 900);
        std::fs::create_dir(root.join("intel-rapl")).unwrap();
        let meter = Meter { counters: counters(root) };
        zone(root, "intel-rapl:0", "package-0", 50);
        zone(root, "intel-rapl:0:1", "dram", 400);
        let energy = meter.stop(&Comm::single()).unwrap();
        assert_eq!(energy, Energy { package_j: 150e-6, memory_j: 300e-6, machines: 1 });
    }

    #[test]
    fn without_counters_there_is_no_energy() {
        let meter = Meter { counters: counters(Path::new("no/such/place")) };
        assert_eq!(meter.stop(&Comm::single()), None);
    }

    #[test]
    fn of_the_ranks_on_a_machine_one_reads() {
        let meters = Comm::simulate(3, |comm| Meter::start(&comm).counters.len());
        assert_eq!(meters[1..], [0, 0]);
    }
}
