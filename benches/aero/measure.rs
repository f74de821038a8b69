//! Times of all variants in turns, their memory and their colors.

use std::collections::BTreeMap;
use std::time::Instant;

use cfd_engine::comm::Comm;
use cfd_engine::domain::{Domain, DomainOptions};
use cfd_engine::layout::Layout;
use cfd_engine::strategy::{Mode, Strategy};
use cfd_implicit::cg::Variant as Form;
use cfd_partition::{Method, Options, Order};
use cfd_reference::aero;
use cfd_reference::sum::PlainSum;
use cfd_solvers::Solver;
use cfd_solvers::aero::{Aero, Config};

use crate::oracle;
use crate::timing::{self, LoopCost, load, mean, slowest, triad};

/// The simplest way to run the loops, with which the others are compared.
pub const FAST: &str = "fast";
/// The default.
pub const REPRODUCIBLE: &str = "reproducible";
/// The default with one message a step.
pub const SINGLE: &str = "reproducible, single-reduction";
/// The same in fast mode.
pub const FAST_SINGLE: &str = "fast, single-reduction";
/// The sequential program with plain sums; on one rank only.
pub const REFERENCE: &str = "reference";

/// Other ways to keep the order of increments, in the standard form.
pub const METHODS: [&str; 4] =
    ["temporary-array", "trivial-coloring", "greedy-coloring", "distributed-coloring"];

const VARIANTS: [(&str, Mode, Strategy, Form); 8] = [
    (FAST, Mode::Fast, Strategy::Core, Form::Standard),
    (REPRODUCIBLE, Mode::Reproducible, Strategy::Regions, Form::Standard),
    (METHODS[0], Mode::Reproducible, Strategy::TemporaryArray, Form::Standard),
    (METHODS[1], Mode::Reproducible, Strategy::TrivialColoring, Form::Standard),
    (METHODS[2], Mode::Reproducible, Strategy::GreedyColoring, Form::Standard),
    (METHODS[3], Mode::Reproducible, Strategy::DistributedColoring, Form::Standard),
    (SINGLE, Mode::Reproducible, Strategy::Regions, Form::SingleReduction),
    (FAST_SINGLE, Mode::Fast, Strategy::Core, Form::SingleReduction),
];

/// What a variant needs besides time.
#[derive(Clone, Copy, Default)]
pub struct Needs {
    /// Bytes of dats, maps, schedules and increment buffers, on all ranks.
    pub memory: u64,
    /// The most colors of a loop.
    pub colors: Option<u32>,
    /// Seconds spent on schedules, of the slowest rank; the least of the rounds.
    pub schedules: f64,
}

/// The measurements.
pub struct Timing {
    /// Elements of the mesh.
    pub cells: u64,
    /// Number of ranks.
    pub ranks: usize,
    /// Name of the partitioner.
    pub partitioner: String,
    /// Conjugate-gradient steps of a variant in a round.
    pub steps: u64,
    /// Rounds.
    pub rounds: usize,
    /// Runnable processes on the machine, averaged over the last minute, including this program's.
    pub load: f64,
    /// Bytes per second of a = b + s c on all ranks at once, 24 bytes per element; best of the rounds.
    pub triad: f64,
    /// Seconds a Newton step in each round, of the slowest rank, by variant.
    pub whole: BTreeMap<&'static str, Vec<f64>>,
    /// What else each variant needs.
    pub needs: BTreeMap<&'static str, Needs>,
    /// The loops, by variant and name.
    pub loops: BTreeMap<(&'static str, String), LoopTiming>,
}

/// A loop's times.
#[derive(Default)]
pub struct LoopTiming {
    /// Executions in a round.
    pub calls: u64,
    /// Bytes that must move in one execution, on all ranks.
    pub bytes: f64,
    /// Seconds an execution in each round, mean over ranks, halo waits included.
    pub seconds: Vec<f64>,
}

/// The mesh, distributed.
pub struct Case {
    comm: Comm,
    layout: Layout,
    size: [u64; 2],
    partitioner: String,
    config: Config,
}

impl Case {
    /// Generates the mesh of 3 `size[0]` `size[1]` elements and divides it among the ranks.
    pub fn new(comm: &Comm, size: [u64; 2], partitioner: &str, steps: u64) -> Case {
        let mesh = cfd_mesh::generate::naca0012::elements(comm, size[0], size[1], Some(6))
            .expect("the size is possible");
        let primary = cfd_mesh::BILINEAR.primary(&mesh);
        let method: Method = partitioner.parse().expect("a partitioner's name");
        let options = Options { method, ..Options::default() };
        let layout =
            cfd_partition::layout(comm, mesh, &primary, &options, Order::File).expect("a sound mesh");
        // No tolerance: every system takes all its steps.
        let config = Config { cg_tolerance: 0.0, cg_iterations: steps, ..Config::default() };
        Case { comm: comm.clone(), layout, size, partitioner: partitioner.into(), config }
    }

    /// Runs all variants in turns, each round in another order.
    ///
    /// Every round sets up everything again: the position of its arrays in memory makes a variant a few per cent faster
    /// or slower.
    pub fn time(&self, rounds: usize) -> Timing {
        let mut timing = Timing {
            cells: 3 * self.size[0] * self.size[1],
            ranks: self.comm.size(),
            partitioner: self.partitioner.clone(),
            steps: self.config.cg_iterations,
            rounds,
            load: 0.0,
            triad: 0.0,
            whole: BTreeMap::new(),
            needs: BTreeMap::new(),
            loops: BTreeMap::new(),
        };
        for round in 0..rounds {
            timing.triad = timing.triad.max(triad(&self.comm));
            let mut order: Vec<usize> = (0..VARIANTS.len()).collect();
            order.rotate_left(round % VARIANTS.len());
            for index in order {
                self.run(index, &mut timing);
            }
            if self.comm.size() == 1 {
                self.run_reference(&mut timing);
            }
        }
        timing.load = load();
        timing
    }

    /// A Newton step of a variant, after one that builds its schedules and touches all memory.
    fn run(&self, index: usize, timing: &mut Timing) {
        let (name, mode, strategy, cg) = VARIANTS[index];
        let options = DomainOptions { mode, strategy: Some(strategy), ..DomainOptions::default() };
        let mut domain = Domain::new(self.comm.clone(), self.layout.clone(), options);
        let config = Config { cg, ..self.config.clone() };
        let mut aero = Aero::new(&mut domain, &config).expect("a mesh for Aero");
        aero.step(&mut domain, false).expect("a flow that stays sound");
        let before = timing::loops(&mut domain);
        self.comm.barrier();
        let start = Instant::now();
        aero.step(&mut domain, false).expect("a flow that stays sound");
        let whole = start.elapsed();
        let after = timing::loops(&mut domain);
        timing.whole.entry(name).or_default().push(slowest(&self.comm, whole));
        let schedules = slowest(&self.comm, domain.timers().iter().map(|timer| timer.setup).sum());
        let needs = timing.needs.entry(name).or_insert(Needs { schedules, ..Needs::default() });
        needs.schedules = needs.schedules.min(schedules);
        needs.memory = self.comm.sum(domain.memory() as u64);
        needs.colors = domain.timers().iter().filter_map(|timer| timer.colors).max();
        for (loop_name, cost) in &after {
            let LoopCost { calls, bytes, time, .. } = cost.since(&before[loop_name]);
            if calls > 0 {
                let entry = timing.loops.entry((name, loop_name.clone())).or_default();
                (entry.calls, entry.bytes) = (calls, self.comm.sum(bytes) as f64 / calls as f64);
                entry.seconds.push(mean(&self.comm, time) / calls as f64);
            }
        }
    }

    fn run_reference(&self, timing: &mut Timing) {
        let mut aero = oracle::aero::reference(self.size, &self.config);
        aero.newton::<PlainSum>();
        let (before, start) = (aero.times(), Instant::now());
        aero.newton::<PlainSum>();
        let whole = start.elapsed();
        timing.whole.entry(REFERENCE).or_default().push(whole.as_secs_f64());
        for (index, name) in aero::LOOPS.iter().enumerate() {
            let calls = match *name {
                "res_calc" | "init_cg" | "update" => 1,
                "dirichlet" => self.config.cg_iterations + 1,
                "update_p" => self.config.cg_iterations - 1,
                _ => self.config.cg_iterations,
            };
            let seconds = (aero.times()[index] - before[index]).as_secs_f64() / calls as f64;
            let entry = timing.loops.entry((REFERENCE, (*name).into())).or_default();
            entry.calls = calls;
            entry.seconds.push(seconds);
        }
    }
}
