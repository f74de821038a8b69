//! SPRAY's experiment: the two loops that add forces to nodes, in every strategy of fast mode, compared with regions.
//! Hückelheim and Doerfert, "SPRAY: Sparse Reductions of Arrays in OpenMP", IPDPS 2021, Figure 16.

use std::fmt::Write;
use std::time::Instant;

use cfd_engine::layout::Layout;
use cfd_engine::prelude::*;
use cfd_engine::strategy::{Mode, Strategy};
use cfd_mesh::NEIGHBOURS;
use cfd_partition::{Method, Options as PartitionOptions, Order};
use cfd_reducers::strategies;
use cfd_solvers::Solver;
use cfd_solvers::case::Generate;
use cfd_solvers::lulesh::{Config, Cube, Lulesh};

use crate::Options;
use crate::timing::{median, ratio};

/// The loops whose increments strategies combine.
const FORCES: [&str; 2] = ["integrate_stress", "hourglass"];

/// A strategy on this many threads, and its cost.
struct Row {
    strategy: Strategy,
    threads: usize,
    /// Seconds of both loops, and of all, in each round.
    forces: Vec<f64>,
    all: Vec<f64>,
    /// Bytes of the domain.
    bytes: usize,
}

/// Every strategy on every number of threads; the first is the simplest way, on one thread.
fn rows(threads: &[usize]) -> Vec<Row> {
    let named = strategies::all().filter(|s| !s.is_reproducible() || *s == Strategy::Regions);
    let mut all: Vec<Strategy> = named.collect();
    all.sort_by_key(|strategy| *strategy != Strategy::Core);
    let row = |strategy, threads| Row { strategy, threads, forces: vec![], all: vec![], bytes: 0 };
    all.into_iter().flat_map(|strategy| threads.iter().map(move |&threads| row(strategy, threads))).collect()
}

impl Row {
    /// Sets the blast up again, runs a cycle that builds the schedules, and times the others.
    fn run(&mut self, layout: Layout, cycles: u64) {
        let reproducible = self.strategy.is_reproducible();
        let options = DomainOptions {
            mode: if reproducible { Mode::Reproducible } else { Mode::Fast },
            strategy: Some(self.strategy),
            threads: self.threads,
            ..DomainOptions::default()
        };
        let mut domain = Domain::new(Comm::single(), layout, options);
        let mut blast = Lulesh::new(&mut domain, &Config::default()).expect("a mesh for a blast");
        blast.step(&mut domain, false).expect("a sound state");
        let before = force_time(&mut domain);
        let begin = Instant::now();
        for _ in 0..cycles {
            blast.step(&mut domain, false).expect("a sound state");
        }
        self.all.push(begin.elapsed().as_secs_f64());
        self.forces.push(force_time(&mut domain) - before);
        self.bytes = domain.memory();
    }
}

fn force_time(domain: &mut Domain) -> f64 {
    let timers = domain.timers().iter().filter(|timer| FORCES.contains(&&timer.name[..]));
    timers.map(|timer| timer.compute.as_secs_f64()).sum()
}

/// A table of times and memory, all strategies in turns.
pub fn table(options: &Options) -> String {
    let comm = Comm::single();
    let keys = cfd_solvers::lulesh::Keys { size: [options.spray_size] };
    let mesh = Cube::mesh(&comm, &keys).expect("a cube").into_content();
    let primary = NEIGHBOURS.primary(&mesh);
    let whole = PartitionOptions { method: Method::Block, ..PartitionOptions::default() };
    let layout = cfd_partition::layout(&comm, mesh, &primary, &whole, Order::File).expect("a sound mesh");
    let mut rows = rows(&options.threads);
    for round in 0..options.rounds.max(1) {
        for turn in 0..rows.len() {
            let index = (turn + round) % rows.len();
            rows[index].run(layout.clone(), options.spray_cycles);
        }
    }
    let Options { spray_size: n, spray_cycles, .. } = options;
    let mut text = format!(
        "{n}^3 elements, {spray_cycles} cycles: seconds of `{}` and `{}`, of whole cycles, and the memory beside that of `{}` on one \
         thread.\n\n| strategy | threads | forces s | of `core` | cycles s | of `core` | extra MB |\n\
         | --- | ---: | ---: | ---: | ---: | ---: | ---: |\n",
        FORCES[0],
        FORCES[1],
        Strategy::Core.name()
    );
    let plain = &rows[0];
    for row in &rows {
        let megabytes = (row.bytes as f64 - plain.bytes as f64) / 1e6;
        writeln!(
            text,
            "| `{}` | {} | {:.3} | {:.2} | {:.3} | {:.2} | {megabytes:.2} |",
            row.strategy.name(),
            row.threads,
            median(row.forces.clone()),
            ratio(&row.forces, &plain.forces),
            median(row.all.clone()),
            ratio(&row.all, &plain.all),
        )
        .expect("writing to a string");
    }
    text
}
