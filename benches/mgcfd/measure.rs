//! Times of all variants in turns, their memory and their colors.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use cfd_engine::comm::Comm;
use cfd_engine::domain::{Domain, DomainOptions};
use cfd_engine::layout::Layout;
use cfd_engine::strategy::{HashClass, Mode, Strategy};
use cfd_mesh::generate::hexahedra::{Spec, generate};
use cfd_partition::{Method, Options, Order};
use cfd_reference::mgcfd::{LOOPS, Level};
use cfd_reference::sum::PlainSum;
use cfd_solvers::Solver;
use cfd_solvers::mgcfd::{Config, Mgcfd, Scheme};

use crate::oracle;
use crate::timing::{LoopCost, load, loops, mean, slowest, triad};

/// The simplest way to run the loops, with which the others are compared.
pub const FAST: &str = "fast: core";
/// The default.
pub const REPRODUCIBLE: &str = "regions";
/// The sequential program with plain sums; of the published scheme, on one rank only.
pub const REFERENCE: &str = "reference";

/// The first two are the short list.
pub const VARIANTS: [(&str, Mode, Strategy); 6] = [
    (FAST, Mode::Fast, Strategy::Core),
    (REPRODUCIBLE, Mode::Reproducible, Strategy::Regions),
    ("temporary-array", Mode::Reproducible, Strategy::TemporaryArray),
    ("trivial-coloring", Mode::Reproducible, Strategy::TrivialColoring),
    ("greedy-coloring", Mode::Reproducible, Strategy::GreedyColoring),
    ("distributed-coloring", Mode::Reproducible, Strategy::DistributedColoring),
];

/// Which of the engine's loops correspond to a loop of the reference.
const SAME_WORK: [&[&str]; LOOPS.len()] = [
    &["begin_visit"],
    &["edge_flux"],
    &["boundary_flux"],
    &["time_step", "last_step"],
    &["restrict_sum", "restrict_mean"],
    &["prolong_residual"],
];

/// The measurements.
pub struct Timing {
    /// Nodes and edges of each level.
    pub levels: Vec<[u64; 2]>,
    /// The scheme.
    pub scheme: Scheme,
    /// Number of ranks.
    pub ranks: usize,
    /// Name of the partitioner.
    pub partitioner: String,
    /// Rounds.
    pub rounds: usize,
    /// Cycles of a variant in a round.
    pub cycles: u64,
    /// Runnable processes on the machine, averaged over the last minute, including this program's.
    pub load: f64,
    /// Bytes per second of a = b + s c on all ranks at once, 24 bytes per element; best of the rounds.
    pub triad: f64,
    /// The variants that were run.
    pub variants: BTreeMap<&'static str, VariantTiming>,
    /// Seconds per cycle of the reference's loops and the corresponding loops of the engine, in each round.
    pub against_reference: BTreeMap<&'static str, [Vec<f64>; 2]>,
}

/// The cost of a variant.
#[derive(Default)]
pub struct VariantTiming {
    /// Seconds per cycle in each round, of the slowest rank.
    pub whole: Vec<f64>,
    /// Seconds spent on schedules in each round, of the slowest rank.
    pub setup: Vec<f64>,
    /// Bytes of dats, maps, schedules and increment buffers, on all ranks.
    pub memory: u64,
    /// The most colors of a loop.
    pub colors: Option<u32>,
    /// The loops by name.
    pub loops: BTreeMap<String, LoopTiming>,
}

/// The cost of the loops of one name.
#[derive(Default)]
pub struct LoopTiming {
    /// Executions in a cycle.
    pub calls: f64,
    /// Bytes that must move in a cycle, on all ranks.
    pub bytes: f64,
    /// Floating-point operations of a cycle, on all ranks.
    pub flops: f64,
    /// Elements executed in a cycle.
    pub elements: f64,
    /// The most colors of one of them.
    pub colors: Option<u32>,
    /// Seconds per cycle in each round, mean over ranks, halo waits included.
    pub seconds: Vec<f64>,
}

/// The mesh, distributed.
pub struct Case {
    comm: Comm,
    layout: Layout,
    levels: Vec<[u64; 2]>,
    config: Config,
    partitioner: String,
    /// For the reference.
    whole: Option<Vec<Level>>,
}

impl Case {
    /// Generates the mesh and divides it among the ranks.
    pub fn new(comm: &Comm, spec: &Spec, config: Config, partitioner: &str) -> Case {
        let mesh = generate(comm, spec).expect("the size is possible");
        let rows = |set: String| mesh.sets[mesh.set(&set).expect("every level has the set")].rows;
        let sizes = |l: usize| ["nodes", "edges"].map(|set| rows(format!("level{l}/{set}")));
        let levels = (0..spec.levels).map(sizes).collect();
        let referenced = comm.size() == 1 && config.scheme == Scheme::Proxy;
        let whole = referenced.then(|| oracle::mgcfd::levels(&mesh));
        let method: Method = partitioner.parse().expect("a partitioner's name");
        let options = Options { method, ..Options::default() };
        let primary = cfd_mesh::DUAL_LEVELS.primary(&mesh);
        let layout =
            cfd_partition::layout(comm, mesh, &primary, &options, Order::File).expect("a sound mesh");
        Case { comm: comm.clone(), layout, levels, config, partitioner: partitioner.into(), whole }
    }

    /// Runs all variants in turns, each round in another order.
    ///
    /// Every round sets up everything again: the position of its arrays in memory makes a variant a few per cent faster
    /// or slower.
    ///
    /// # Panics
    /// If variants of one class end with different bits.
    pub fn time(&self, rounds: usize, cycles: u64, short: bool) -> Timing {
        let mut timing = Timing {
            levels: self.levels.clone(),
            scheme: self.config.scheme,
            ranks: self.comm.size(),
            partitioner: self.partitioner.clone(),
            rounds,
            cycles,
            load: 0.0,
            triad: 0.0,
            variants: BTreeMap::new(),
            against_reference: BTreeMap::new(),
        };
        let variants = &VARIANTS[..if short { 2 } else { VARIANTS.len() }];
        let mut bits = Bits::new();
        for round in 0..rounds {
            timing.triad = timing.triad.max(triad(&self.comm));
            let mut order: Vec<usize> = (0..variants.len()).collect();
            order.rotate_left(round % variants.len());
            for index in order {
                self.run(variants[index], &mut timing, &mut bits);
            }
            self.run_reference(&mut timing);
        }
        timing.load = load();
        timing
    }

    /// Cycles of a variant, after one that builds its schedules and touches all memory.
    fn run(
        &self,
        (name, mode, strategy): (&'static str, Mode, Strategy),
        timing: &mut Timing,
        bits: &mut Bits,
    ) {
        let options = DomainOptions { mode, strategy: Some(strategy), ..DomainOptions::default() };
        let mut domain = Domain::new(self.comm.clone(), self.layout.clone(), options);
        let mut solver = Mgcfd::new(&mut domain, &self.config).expect("a mesh for MG-CFD");
        let mut cycle =
            |domain: &mut Domain| drop(solver.step(domain, false).expect("a flow that stays sound"));
        cycle(&mut domain);
        let before = loops(&mut domain);
        self.comm.barrier();
        let start = Instant::now();
        (0..timing.cycles).for_each(|_| cycle(&mut domain));
        let whole = start.elapsed();
        let after = loops(&mut domain);

        let cycles = timing.cycles as f64;
        let own = timing.variants.entry(name).or_default();
        own.whole.push(slowest(&self.comm, whole) / cycles);
        own.setup.push(slowest(&self.comm, domain.timers().iter().map(|timer| timer.setup).sum()));
        own.memory = self.comm.sum(domain.memory() as u64);
        own.colors = domain.timers().iter().filter_map(|timer| timer.colors).max();
        for (loop_name, cost) in &after {
            let cost = cost.since(before.get(loop_name).unwrap_or(&LoopCost::default()));
            if cost.calls > 0 {
                let sum = |count: u64| self.comm.sum(count) as f64 / cycles;
                let entry = own.loops.entry(loop_name.clone()).or_default();
                (entry.calls, entry.bytes) = (cost.calls as f64 / cycles, sum(cost.bytes));
                (entry.flops, entry.elements) = (sum(cost.flops), sum(cost.elements));
                entry.colors = cost.colors;
                entry.seconds.push(mean(&self.comm, cost.time) / cycles);
            }
        }
        let class = if mode == Mode::Reproducible { strategy.class() } else { HashClass::None };
        self.check_bits(name, class, &mut domain, &solver, bits);
    }

    /// All variants have run the same number of cycles.
    fn check_bits(&self, name: &str, class: HashClass, domain: &mut Domain, solver: &Mgcfd, bits: &mut Bits) {
        if class == HashClass::None {
            return;
        }
        let finest = domain.read(solver.variables()[0]).unwrap();
        let found: Vec<u64> = finest.iter().map(|value| value.to_bits()).collect();
        let expected = &*bits.entry(format!("{class:?}")).or_insert_with(|| found.clone());
        let differ = found.iter().zip(expected).filter(|(a, b)| a != b).count();
        assert_eq!(self.comm.sum(differ as u64), 0, "\"{name}\" has other bits than the rest of its class");
    }

    fn run_reference(&self, timing: &mut Timing) {
        let Some(levels) = &self.whole else { return };
        let mut reference = oracle::mgcfd::program(levels.clone(), &self.config);
        reference.cycle::<PlainSum>();
        let (before, start) = (reference.times(), Instant::now());
        for _ in 0..timing.cycles {
            reference.cycle::<PlainSum>();
        }
        let (whole, after) = (start.elapsed(), reference.times());
        let cycles = timing.cycles as f64;
        let seconds = |time: Duration| time.as_secs_f64() / cycles;
        timing.variants.entry(REFERENCE).or_default().whole.push(seconds(whole));
        let engine = &timing.variants[REPRODUCIBLE];
        for (index, name) in LOOPS.iter().enumerate() {
            let last =
                |name: &&str| engine.loops.get(*name).and_then(|own| own.seconds.last()).unwrap_or(&0.0);
            let [reference, own] = timing.against_reference.entry(name).or_default();
            reference.push(seconds(after[index] - before[index]));
            own.push(SAME_WORK[index].iter().map(last).sum());
        }
    }
}

/// The finest level's variables of each class, on this rank.
type Bits = BTreeMap<String, Vec<u64>>;
