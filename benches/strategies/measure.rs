//! Times of all variants in turns, and the memory of one.

use std::time::{Duration, Instant};

use cfd_engine::comm::Comm;
use cfd_engine::domain::Domain;
use cfd_engine::layout::Layout;
use cfd_partition::{Method, Options};
use cfd_reference::LOOPS;
use cfd_solvers::Solver;
use cfd_solvers::airfoil::{Airfoil, Config};
use serde::{Deserialize, Serialize};

use crate::variant::{self, Variant};

/// Times on one number of ranks.
#[derive(Serialize, Deserialize)]
pub struct Timing {
    /// Cells of the mesh.
    pub cells: u64,
    /// Number of ranks.
    pub ranks: usize,
    /// Name of the partitioner.
    pub partitioner: String,
    /// Iterations of a variant in a round.
    pub iterations: u32,
    /// Processor and date.
    pub setting: String,
    /// Processes that wanted to run on the machine, this one included, on average over the measurement's last minute.
    pub load: f64,
    /// The variants.
    pub variants: Vec<VariantTiming>,
}

/// Times of one variant.
#[derive(Serialize, Deserialize)]
pub struct VariantTiming {
    /// The variant's name.
    pub name: String,
    /// Seconds per 100 iterations in each round, of the slowest rank.
    pub whole: Vec<f64>,
    /// The same of each loop, mean over ranks, halo waits included.
    pub loops: [Vec<f64>; LOOPS.len()],
    /// Seconds spent on schedules, of the slowest rank.
    pub setup: f64,
    /// Largest number of colors of a loop.
    pub colors: Option<u32>,
    /// Edges executed redundantly, relative to all edges.
    pub redundant: f64,
}

/// Memory of one variant in processes of its own, summed over ranks.
#[derive(Debug, Serialize, Deserialize)]
pub struct Memory {
    /// The variant's name.
    pub name: String,
    /// Number of ranks.
    pub ranks: usize,
    /// Bytes of dats, maps, schedules and temporary arrays.
    pub domain: u64,
    /// Resident bytes after the iterations.
    pub resident: u64,
    /// Largest resident bytes, set-up included.
    pub peak: u64,
}

/// The airfoil mesh, distributed.
pub struct Case {
    comm: Comm,
    layout: Layout,
    cells: u64,
    partitioner: String,
}

struct Entry {
    variant: Variant,
    domain: Domain,
    solver: Airfoil,
    timing: VariantTiming,
}

impl Case {
    /// Generates the mesh of 3 `size[0]` `size[1]` cells and divides it among the ranks.
    pub fn new(comm: &Comm, size: [u64; 2], partitioner: &str) -> Case {
        let mesh = cfd_io::generate::airfoil(comm, size[0], size[1], Some(6)).expect("the size is possible");
        let method: Method = partitioner.parse().expect("a partitioner's name");
        let options = Options { method, ..Options::default() };
        let primary = cfd::cases::primary(cfd_io::Case::Airfoil).expect("Airfoil has a solver");
        let parts =
            cfd_partition::partition(comm, &mesh, &primary, comm.size(), &options).expect("a sound mesh");
        let owners = cfd_partition::follow(comm, &mesh, &primary, parts).expect("a sound mesh");
        let layout = cfd_partition::distribute(comm, mesh, &owners).expect("a sound mesh");
        let cells = 3 * size[0] * size[1];
        Case { comm: comm.clone(), layout, cells, partitioner: partitioner.into() }
    }

    /// Runs all variants in turns.
    ///
    /// # Panics
    /// If variants of one class end with other bits.
    pub fn time(self, rounds: usize, iterations: u32, setting: &str) -> Timing {
        let Case { comm, layout, cells, partitioner } = self;
        let mut entries: Vec<Entry> =
            variant::all().into_iter().map(|variant| Entry::new(&comm, layout.clone(), variant)).collect();
        drop(layout);
        // A round that does not count makes the schedules and touches all memory.
        entries.iter_mut().for_each(|entry| entry.run(&comm, 1));
        entries.iter_mut().for_each(|entry| entry.timing.forget());
        let count = entries.len();
        for round in 0..rounds {
            // Each variant takes each place in a round, and follows either neighbour.
            for turn in 0..count {
                let place = if round % 2 == 0 { turn } else { count - 1 - turn };
                entries[(place + round) % count].run(&comm, iterations);
            }
        }
        check_bits(&comm, &mut entries);
        let variants = entries.into_iter().map(|entry| entry.finish(&comm)).collect();
        let (setting, load) = (setting.into(), load());
        Timing { cells, ranks: comm.size(), partitioner, iterations, setting, load, variants }
    }

    /// Runs one variant and sees how much memory the process takes.
    pub fn memory(self, variant: &Variant, iterations: u32) -> Memory {
        let Case { comm, layout, .. } = self;
        let (mut domain, mut solver) = start(&comm, layout, variant);
        step(&mut domain, &mut solver, iterations);
        let sum = |bytes: Option<u64>| comm.sum(bytes.expect("the system tells a process's memory"));
        Memory {
            name: variant.name.clone(),
            ranks: comm.size(),
            domain: comm.sum(domain.memory() as u64),
            resident: sum(cfd::memory::resident()),
            peak: sum(cfd::memory::peak()),
        }
    }
}

impl VariantTiming {
    fn new(name: &str) -> VariantTiming {
        VariantTiming {
            name: name.into(),
            whole: Vec::new(),
            loops: Default::default(),
            setup: 0.0,
            colors: None,
            redundant: 0.0,
        }
    }

    fn forget(&mut self) {
        self.whole.clear();
        self.loops.iter_mut().for_each(Vec::clear);
    }
}

impl Entry {
    fn new(comm: &Comm, layout: Layout, variant: Variant) -> Entry {
        let (domain, solver) = start(comm, layout, &variant);
        let timing = VariantTiming::new(&variant.name);
        Entry { variant, domain, solver, timing }
    }

    fn run(&mut self, comm: &Comm, iterations: u32) {
        let before = self.loop_times();
        comm.barrier();
        let start = Instant::now();
        step(&mut self.domain, &mut self.solver, iterations);
        let whole = start.elapsed();
        let after = self.loop_times();
        let scale = 100.0 / f64::from(iterations);
        self.timing.whole.push(scale * slowest(comm, whole));
        for index in 0..LOOPS.len() {
            self.timing.loops[index].push(scale * mean(comm, after[index] - before[index]));
        }
    }

    fn loop_times(&self) -> [Duration; LOOPS.len()] {
        let timers = self.domain.timers();
        LOOPS.map(|name| timers.iter().filter(|t| t.name == name).map(|t| t.compute + t.halo_wait).sum())
    }

    fn finish(self, comm: &Comm) -> VariantTiming {
        let timers = self.domain.timers();
        let edges = timers.iter().find(|t| t.name == "res_calc").expect("the loop has run");
        let [redundant, elements] = [edges.redundant_elements, edges.elements].map(|n| comm.sum(n) as f64);
        VariantTiming {
            setup: slowest(comm, timers.iter().map(|t| t.setup).sum()),
            colors: timers.iter().filter_map(|t| t.colors).max(),
            redundant: redundant / elements,
            ..self.timing
        }
    }
}

fn start(comm: &Comm, layout: Layout, variant: &Variant) -> (Domain, Airfoil) {
    let mut domain = Domain::new(comm.clone(), layout, variant.options.clone());
    let solver = Airfoil::new(&mut domain, &Config::default()).expect("a mesh for Airfoil");
    (domain, solver)
}

fn step(domain: &mut Domain, solver: &mut Airfoil, iterations: u32) {
    for _ in 0..iterations {
        solver.step(domain, false).expect("the flow around the airfoil stays sound");
    }
}

/// All variants have done the same number of iterations.
fn check_bits(comm: &Comm, entries: &mut [Entry]) {
    let fields: Vec<Vec<f64>> = entries.iter_mut().map(|e| e.domain.read(e.solver.q())).collect();
    for (i, entry) in entries.iter().enumerate() {
        let class = entry.variant.class;
        let first = entries.iter().position(|e| e.variant.class == class).expect("the entry itself at least");
        let differ = fields[i].iter().zip(&fields[first]).filter(|(a, b)| a.to_bits() != b.to_bits()).count();
        let (name, other) = (&entry.variant.name, &entries[first].variant.name);
        assert_eq!(comm.sum(differ as u64), 0, "\"{name}\" has other bits than \"{other}\"");
    }
}

fn slowest(comm: &Comm, time: Duration) -> f64 {
    comm.max(nanoseconds(time)) as f64 / 1e9
}

fn mean(comm: &Comm, time: Duration) -> f64 {
    comm.sum(nanoseconds(time)) as f64 / 1e9 / comm.size() as f64
}

fn nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).expect("less than 500 years")
}

/// The system's load average of the last minute; 0 where it does not tell.
fn load() -> f64 {
    let text = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    text.split(' ').next().and_then(|number| number.parse().ok()).unwrap_or(0.0)
}
