//! Times of all variants in turns, and the memory of one.

use std::time::{Duration, Instant};

use cfd_engine::comm::Comm;
use cfd_engine::domain::Domain;
use cfd_engine::layout::Layout;
use cfd_partition::{Method, Options, Order};
use cfd_reference::LOOPS;
use cfd_solvers::Solver;
use cfd_solvers::airfoil::{Airfoil, Config};
use serde::{Deserialize, Serialize};

use crate::timing::{load, mean, slowest};
use crate::variant::{self, Variant, Workers};

/// Times on one number of ranks.
#[derive(Serialize, Deserialize)]
pub struct Timing {
    /// Cells of the mesh.
    pub cells: u64,
    /// Number of ranks.
    pub ranks: usize,
    /// Threads of each rank.
    pub threads: usize,
    /// Elements at a time on each thread.
    pub lanes: usize,
    /// Name of the partitioner.
    pub partitioner: String,
    /// Iterations of a variant in a round.
    pub iterations: u32,
    /// Processor and date.
    pub setting: String,
    /// Runnable processes on the machine, including this one, averaged over the measurement's last minute.
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
    /// Seconds spent on schedules in each round, of the slowest rank.
    pub setup: Vec<f64>,
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
    /// Bytes of dats, maps, schedules and increment buffers.
    pub domain: u64,
    /// Resident bytes after the iterations.
    pub resident: u64,
    /// Largest resident bytes, including set-up.
    pub peak: u64,
}

/// The content of a file of measurements.
#[derive(Serialize, Deserialize)]
pub enum Measured {
    /// Of all variants.
    Time(Timing),
    /// Of one variant.
    Memory(Memory),
}

/// The airfoil mesh, distributed.
pub struct Case {
    comm: Comm,
    layout: Layout,
    cells: u64,
    partitioner: String,
    workers: Workers,
}

impl Case {
    /// Generates the mesh of 3 `size[0]` `size[1]` cells and divides it among the ranks.
    pub fn new(comm: &Comm, size: [u64; 2], partitioner: &str, workers: Workers) -> Case {
        let mesh = cfd_mesh::generate::naca0012::cells(comm, size[0], size[1], Some(6))
            .expect("the size is possible");
        let method: Method = partitioner.parse().expect("a partitioner's name");
        let options = Options { method, ..Options::default() };
        let primary = cfd_mesh::CELL_EDGES.primary(&mesh);
        let layout =
            cfd_partition::layout(comm, mesh, &primary, &options, Order::File).expect("a sound mesh");
        let cells = 3 * size[0] * size[1];
        Case { comm: comm.clone(), layout, cells, partitioner: partitioner.into(), workers }
    }

    /// Runs all variants in turns.
    ///
    /// Every round sets up everything again, in another order: the position of its arrays in memory makes a variant a
    /// few per cent faster or slower, and those set up first are at a disadvantage.
    ///
    /// # Panics
    /// If variants of one class end with different bits.
    pub fn time(&self, rounds: usize, iterations: u32, setting: &str) -> Timing {
        let mut variants: Vec<VariantTiming> =
            variant::all(self.workers).iter().map(|v| VariantTiming::new(&v.name)).collect();
        for round in 0..rounds {
            let mut order: Vec<usize> = (0..variants.len()).collect();
            order.rotate_left(round % variants.len());
            if round % 2 == 1 {
                order.reverse();
            }
            let mut all: Vec<Option<Variant>> = variant::all(self.workers).into_iter().map(Some).collect();
            let mut take =
                |index: usize| all[index].take().expect("every variant has one place in the order");
            let mut runs: Vec<Run> = order.iter().map(|&index| Run::new(self, take(index))).collect();
            for (&index, run) in order.iter().zip(&mut runs) {
                run.time(&self.comm, iterations, &mut variants[index]);
            }
            check_bits(&self.comm, &mut runs);
        }
        Timing {
            cells: self.cells,
            ranks: self.comm.size(),
            threads: self.workers.threads,
            lanes: self.workers.lanes.lanes(),
            partitioner: self.partitioner.clone(),
            iterations,
            setting: setting.into(),
            load: load(),
            variants,
        }
    }

    /// Runs one variant and measures the memory of the process.
    pub fn memory(self, variant: Variant, iterations: u32) -> Memory {
        let Case { comm, layout, .. } = self;
        let mut run = Run::on(&comm, layout, variant);
        run.step(iterations);
        let sum = |bytes: Option<u64>| comm.sum(bytes.expect("the system tells a process's memory"));
        Memory {
            name: run.variant.name,
            ranks: comm.size(),
            domain: comm.sum(run.domain.memory() as u64),
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
            setup: Vec::new(),
            colors: None,
            redundant: 0.0,
        }
    }
}

/// A variant under way.
struct Run {
    variant: Variant,
    domain: Domain,
    solver: Airfoil,
}

impl Run {
    /// Sets a variant up. One iteration builds its schedules and touches all memory.
    fn new(case: &Case, variant: Variant) -> Run {
        let mut run = Run::on(&case.comm, case.layout.clone(), variant);
        run.step(1);
        run
    }

    fn on(comm: &Comm, layout: Layout, variant: Variant) -> Run {
        let mut domain = Domain::new(comm.clone(), layout, variant.options.clone());
        let solver = Airfoil::new(&mut domain, &Config::default()).expect("a mesh for Airfoil");
        Run { variant, domain, solver }
    }

    fn step(&mut self, iterations: u32) {
        for _ in 0..iterations {
            self.solver.step(&mut self.domain, false).expect("the flow around the airfoil stays sound");
        }
    }

    fn time(&mut self, comm: &Comm, iterations: u32, timing: &mut VariantTiming) {
        let before = self.loop_times();
        comm.barrier();
        let start = Instant::now();
        self.step(iterations);
        let whole = start.elapsed();
        let after = self.loop_times();
        let scale = 100.0 / f64::from(iterations);
        timing.whole.push(scale * slowest(comm, whole));
        for index in 0..LOOPS.len() {
            timing.loops[index].push(scale * mean(comm, after[index] - before[index]));
        }
        let timers = self.domain.timers();
        let edges = timers.iter().find(|t| t.name == "res_calc").expect("the loop has run");
        let [redundant, elements] =
            [edges.redundant_elements(), edges.elements()].map(|n| comm.sum(n) as f64);
        timing.setup.push(slowest(comm, timers.iter().map(|t| t.setup).sum()));
        timing.colors = timers.iter().filter_map(|t| t.colors).max();
        timing.redundant = redundant / elements;
    }

    fn loop_times(&mut self) -> [Duration; LOOPS.len()] {
        let timers = self.domain.timers();
        LOOPS.map(|name| timers.iter().filter(|t| t.name == name).map(|t| t.compute + t.halo_wait).sum())
    }
}

/// All have done the same number of iterations.
fn check_bits(comm: &Comm, runs: &mut [Run]) {
    let fields: Vec<Vec<f64>> = runs.iter_mut().map(|run| run.domain.read(run.solver.q()).unwrap()).collect();
    for (run, field) in runs.iter().zip(&fields) {
        let same_class = |other: &Run| other.variant.class == run.variant.class;
        let first = runs.iter().position(same_class).expect("the run itself at least");
        let differ = field.iter().zip(&fields[first]).filter(|(a, b)| a.to_bits() != b.to_bits()).count();
        let (name, other) = (&run.variant.name, &runs[first].variant.name);
        assert_eq!(comm.sum(differ as u64), 0, "\"{name}\" has other bits than \"{other}\"");
    }
}
