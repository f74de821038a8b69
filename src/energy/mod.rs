//! Energy of the iterations, from the machines' counters, if they exist and are readable, and an estimate by their design
//! power, if it is given; otherwise nothing is reported.
//!
//! ```text
//! processors    packages and memory: RAPL, as Linux shows it
//! gpus          the GPUs that the ranks use: NVML, NVIDIA's management library
//! ```
//!
//! A counter belongs to a machine or a GPU, not to a process: only the first of the ranks that share one reads it, and
//! it counts everything that runs there.

mod gpus;
mod processors;

use std::path::Path;

use cfd_engine::comm::{Comm, ReduceOp};
use serde::Serialize;

use crate::machine;
use gpus::{Counters, GpuMeter};
use processors::Counter;

/// Where Linux shows the counters of processors.
const POWERCAP: &str = "/sys/class/powercap";

/// Energy over all machines: at least one of its parts.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Energy {
    /// Processors and memory, if a machine shows them.
    #[serde(flatten)]
    pub processors: Option<Processors>,
    /// The GPUs that the ranks use, if they can be read.
    #[serde(flatten)]
    pub gpus: Option<Gpus>,
    /// What counters show above the power at rest, if that is given.
    #[serde(flatten)]
    pub above: Option<Above>,
    /// An estimate, if the design power is given.
    #[serde(flatten)]
    pub estimate: Option<Estimate>,
}

/// What the configuration says of one machine.
#[derive(Clone, Copy, Debug, Default)]
pub struct Known {
    /// Power at rest, in watts.
    pub standby_watts: Option<f64>,
    /// Thermal design power, in watts.
    pub design_watts: Option<f64>,
}

/// Energy that the counters show, less what the machines would have used at rest:
///
/// ```text
/// E = sum over machines (joules of its counters - P T),   P: power at rest, T: time
/// ```
///
/// Source: Mudalige et al., Parallel Computing 39 (2013), eq. 1.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Above {
    /// P T of all machines with counters, in joules.
    pub standby_j: f64,
    /// E, in joules.
    pub above_standby_j: f64,
}

/// Energy by thermal design power: an estimate.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Estimate {
    /// Design power of all machines over the time, in joules.
    pub design_j: f64,
    /// All machines of the run.
    pub design_machines: u64,
}

/// Energy of processors and memory.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Processors {
    /// Processors, in joules: cores, caches, and everything else on the chip.
    pub package_j: f64,
    /// Memory, in joules, if it has its own counter.
    pub memory_j: f64,
    /// Machines whose counters could be read.
    pub machines: u64,
}

/// Energy of GPUs.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Gpus {
    /// GPUs with their memory, in joules; shared GPUs count once.
    pub gpu_j: f64,
    /// GPUs that could be read.
    pub gpus: u64,
}

impl Energy {
    /// Joules that counters show.
    fn counted(&self) -> f64 {
        let of_processors = self.processors.map_or(0.0, |own| own.package_j + own.memory_j);
        of_processors + self.gpus.map_or(0.0, |own| own.gpu_j)
    }

    /// For the final block: the sum, its parts, and the power over `seconds`; what is above the power at rest; an estimate.
    pub fn text(&self, seconds: f64) -> String {
        let mut texts = Vec::new();
        if self.processors.is_some() || self.gpus.is_some() {
            texts.push(self.counted_text(seconds));
        }
        if let Some(Above { above_standby_j, .. }) = self.above {
            texts.push(format!("{above_standby_j:.1} J above standby"));
        }
        if let Some(Estimate { design_j, design_machines }) = self.estimate {
            let machines = several(design_machines, "machine");
            texts.push(format!("estimate by the design power of {machines}: {design_j:.1} J"));
        }
        texts.join("; ")
    }

    fn counted_text(&self, seconds: f64) -> String {
        let (joules, mut parts, mut counted) = (self.counted(), Vec::new(), Vec::new());
        if let Some(Processors { package_j, memory_j, machines }) = self.processors {
            parts.push(format!("{package_j:.1} J processors, {memory_j:.1} J memory"));
            counted.push(several(machines, "machine"));
        }
        if let Some(Gpus { gpu_j, gpus }) = self.gpus {
            parts.push(format!("{gpu_j:.1} J GPUs"));
            counted.push(several(gpus, "GPU"));
        }
        let power = joules / seconds.max(f64::MIN_POSITIVE);
        let (parts, counted) = (parts.join(", "), counted.join(", "));
        format!("{joules:.1} J during the iterations ({parts}), {power:.1} W, {counted}")
    }
}

fn several(count: u64, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

/// Reads counters from its creation on.
pub struct Meter {
    processors: Vec<Counter>,
    gpu: Option<GpuMeter>,
}

impl Meter {
    /// Begins to count; `gpu` is the identifier (UUID) of the GPU that this rank uses, if it uses one. Collective.
    pub fn start(comm: &Comm, gpu: Option<&str>) -> Meter {
        Meter::start_from(comm, gpu, Path::new(POWERCAP), gpus::nvml)
    }

    /// The same with other sources: a directory, and a function that opens GPU counters.
    fn start_from(
        comm: &Comm,
        gpu: Option<&str>,
        powercap: &Path,
        open: impl Fn() -> Option<Box<dyn Counters>>,
    ) -> Meter {
        let reads = is_first(comm, &machine::host());
        let processors = if reads { processors::counters(powercap) } else { Vec::new() };
        // Every rank takes part, even one without a GPU.
        let reads = is_first(comm, gpu.unwrap_or_default());
        let gpu = gpu.filter(|_| reads).and_then(|gpu| GpuMeter::start(open()?, gpu));
        Meter { processors, gpu }
    }

    /// The energy used since, in a time in seconds; `None` if nothing can be read and no design power is given. Collective.
    pub fn stop(&self, comm: &Comm, known: &Known, seconds: f64) -> Option<Energy> {
        // The slowest rank's, so that all have the same.
        let seconds = f64::from_bits(comm.max(seconds.max(0.0).to_bits()));
        let hosts = hosts(comm);
        let energy = self.read(comm);
        let above = energy.zip(known.standby_watts).map(|(energy, watts)| {
            let machines = energy.processors.map_or(hosts, |own| own.machines);
            let standby_j = watts * seconds * machines as f64;
            Above { standby_j, above_standby_j: energy.counted() - standby_j }
        });
        let estimate = known
            .design_watts
            .map(|watts| Estimate { design_j: watts * seconds * hosts as f64, design_machines: hosts });
        match energy {
            Some(energy) => Some(Energy { above, estimate, ..energy }),
            None => estimate.map(|estimate| Energy {
                processors: None,
                gpus: None,
                above,
                estimate: Some(estimate),
            }),
        }
    }

    /// What the counters have counted; `None` if nothing can be read. Collective.
    fn read(&self, comm: &Comm) -> Option<Energy> {
        let [mut package, mut memory, mut machines] = [0u64; 3];
        for counter in &self.processors {
            let Some(used) = counter.used() else { continue };
            if counter.of_memory {
                memory += used
            } else {
                package += used
            }
            machines = 1;
        }
        let gpu = self.gpu.as_ref().and_then(GpuMeter::used);
        let mut sums = [package, memory, machines, gpu.unwrap_or(0), u64::from(gpu.is_some())];
        comm.all_reduce(&mut sums, ReduceOp::Sum);
        let [package, memory, machines, gpu, gpus] = sums;
        let energy = Energy {
            processors: (machines > 0).then_some(Processors {
                package_j: package as f64 * 1e-6,
                memory_j: memory as f64 * 1e-6,
                machines,
            }),
            gpus: (gpus > 0).then_some(Gpus { gpu_j: gpu as f64 * 1e-3, gpus }),
            above: None,
            estimate: None,
        };
        (energy.processors.is_some() || energy.gpus.is_some()).then_some(energy)
    }
}

/// Machines of the run. Collective.
fn hosts(comm: &Comm) -> u64 {
    comm.sum(u64::from(is_first(comm, &machine::host())))
}

/// Whether this rank is the first that names this thing. Collective.
fn is_first(comm: &Comm, name: &str) -> bool {
    let names = comm.all_gather(name.as_bytes());
    names.iter().position(|other| *other == names[comm.rank()]) == Some(comm.rank())
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering};
    use std::sync::{Arc, Mutex};

    use super::*;

    const NOWHERE: &str = "no/such/place";

    fn stop(meter: &Meter, comm: &Comm) -> Option<Energy> {
        meter.stop(comm, &Known::default(), 1.0)
    }

    fn counted(processors: Option<Processors>, gpus: Option<Gpus>) -> Energy {
        Energy { processors, gpus, above: None, estimate: None }
    }

    fn zone(root: &Path, directory: &str, name: &str, energy: u64) {
        let path = root.join(directory);
        std::fs::create_dir_all(&path).unwrap();
        for (file, text) in
            [("name", name.into()), ("energy_uj", energy.to_string()), ("max_energy_range_uj", "1000".into())]
        {
            std::fs::write(path.join(file), text + "\n").unwrap();
        }
    }

    /// GPUs whose counter grows by a joule with each reading, except `none`, which has no counter.
    #[derive(Clone, Default)]
    struct Growing {
        opened: Arc<AtomicU64>,
        readings: Arc<Mutex<Vec<String>>>,
    }

    impl Growing {
        fn open(&self) -> Option<Box<dyn Counters>> {
            self.opened.fetch_add(1, Ordering::Relaxed);
            Some(Box::new(self.clone()))
        }
    }

    impl Counters for Growing {
        fn millijoules(&self, gpu: &str) -> Option<u64> {
            let mut readings = self.readings.lock().unwrap();
            readings.push(gpu.into());
            let count = readings.iter().filter(|other| *other == gpu).count() as u64;
            (gpu != "none").then_some(5_000_000 + 1000 * count)
        }
    }

    /// The energy that ranks with these GPUs report, and which GPUs they read.
    fn of_gpus(gpus: &[Option<&str>]) -> (Option<Energy>, Growing) {
        let source = Growing::default();
        let energies = Comm::simulate(gpus.len(), |comm| {
            let meter = Meter::start_from(&comm, gpus[comm.rank()], Path::new(NOWHERE), || source.open());
            stop(&meter, &comm)
        });
        assert!(energies.iter().all(|energy| *energy == energies[0]), "{energies:?}");
        (energies[0], source)
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
        let comm = Comm::single();
        let meter = Meter::start_from(&comm, None, root, || panic!("no rank uses a GPU"));
        zone(root, "intel-rapl:0", "package-0", 50);
        zone(root, "intel-rapl:0:1", "dram", 400);
        let energy = stop(&meter, &comm).unwrap();
        let processors = Processors { package_j: 150e-6, memory_j: 300e-6, machines: 1 };
        assert_eq!(energy, counted(Some(processors), None));
    }

    #[test]
    fn counters_that_vanish_during_the_run_give_no_energy() {
        let folder = tempfile::tempdir().unwrap();
        zone(folder.path(), "intel-rapl:0", "package-0", 900);
        let meter = Meter::start_from(&Comm::single(), None, folder.path(), || None);
        std::fs::remove_dir_all(folder.path()).unwrap();
        assert_eq!(stop(&meter, &Comm::single()), None);
    }

    #[test]
    fn without_counters_there_is_no_energy() {
        let meter = Meter::start_from(&Comm::single(), Some("a"), Path::new(NOWHERE), || None);
        assert_eq!(stop(&meter, &Comm::single()), None);
    }

    #[test]
    fn of_the_ranks_on_a_machine_one_reads() {
        let folder = tempfile::tempdir().unwrap();
        zone(folder.path(), "intel-rapl:0", "package-0", 900);
        let meters =
            Comm::simulate(3, |comm| Meter::start_from(&comm, None, folder.path(), || None).processors.len());
        assert_eq!(meters, [1, 0, 0]);
    }

    #[test]
    fn a_gpu_that_two_ranks_share_is_counted_once() {
        let (energy, source) = of_gpus(&[Some("a"), Some("b"), Some("a"), Some("b")]);
        assert_eq!(energy, Some(counted(None, Some(Gpus { gpu_j: 2.0, gpus: 2 }))));
        let mut readings = source.readings.lock().unwrap().clone();
        readings.sort();
        assert_eq!(readings, ["a", "a", "b", "b"], "two readings of each, by its first rank");
    }

    #[test]
    fn only_gpus_that_can_be_read_are_counted() {
        let (energy, _) = of_gpus(&[Some("none"), Some("a"), None]);
        assert_eq!(energy.unwrap().gpus, Some(Gpus { gpu_j: 1.0, gpus: 1 }));
        let (energy, _) = of_gpus(&[Some("none"), Some("none")]);
        assert_eq!(energy, None);
    }

    #[test]
    fn power_at_rest_is_subtracted_and_design_power_gives_an_estimate() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        zone(root, "intel-rapl:0", "package-0", 0);
        let known = Known { standby_watts: Some(1e-4), design_watts: Some(150.0) };
        let energies = Comm::simulate(3, |comm| {
            let meter = Meter::start_from(&comm, None, root, || None);
            comm.barrier();
            zone(root, "intel-rapl:0", "package-0", 900);
            comm.barrier();
            [
                meter.stop(&comm, &known, 2.0),
                Meter::start_from(&comm, None, Path::new(NOWHERE), || None).stop(&comm, &known, 2.0),
            ]
        });
        let [read, unread] = energies[0];
        let (read, unread) = (read.unwrap(), unread.unwrap());
        let above = read.above.unwrap();
        assert!((above.standby_j - 2e-4).abs() < 1e-15 && (above.above_standby_j - 7e-4).abs() < 1e-15);
        assert_eq!(read.estimate, Some(Estimate { design_j: 300.0, design_machines: 1 }));
        assert_eq!((unread.above, unread.estimate), (None, read.estimate));
        assert_eq!(unread.text(2.0), "estimate by the design power of 1 machine: 300.0 J");
        assert!(
            read.text(2.0).ends_with(
                "1 machine; 0.0 J above standby; estimate by the design power of 1 machine: 300.0 J"
            )
        );
        let json = serde_json::to_value(unread).unwrap();
        assert_eq!(json, serde_json::json!({"design_j": 300.0, "design_machines": 1}));
    }

    #[test]
    fn nvidia_s_library_is_not_even_looked_for_by_ranks_without_a_gpu() {
        let (energy, source) = of_gpus(&[None, None]);
        assert_eq!((energy, source.opened.load(Ordering::Relaxed)), (None, 0));
    }

    #[test]
    fn the_summary_names_only_what_was_read() {
        let gpus = Some(Gpus { gpu_j: 90.0, gpus: 1 });
        let processors = Some(Processors { package_j: 8.0, memory_j: 2.0, machines: 2 });
        let json = |energy: &Energy| serde_json::to_value(energy).unwrap();
        let both = counted(processors, gpus);
        assert_eq!(
            json(&both),
            serde_json::json!({"package_j": 8.0, "memory_j": 2.0, "machines": 2, "gpu_j": 90.0, "gpus": 1})
        );
        assert_eq!(
            both.text(10.0),
            "100.0 J during the iterations (8.0 J processors, 2.0 J memory, 90.0 J GPUs), 10.0 W, 2 machines, 1 GPU"
        );
        let one = counted(None, gpus);
        assert_eq!(json(&one), serde_json::json!({"gpu_j": 90.0, "gpus": 1}));
        assert_eq!(one.text(10.0), "90.0 J during the iterations (90.0 J GPUs), 9.0 W, 1 GPU");
    }
}
