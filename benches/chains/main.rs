//! Loop chains against loops one by one, on Airfoil: time and bytes of whole runs.
//!
//! Variants run in turns; a ratio is the median of the ratios within the rounds, so drifts in the machine's speed do
//! not matter. For several ranks, start it with mpirun. With `--only NAME --rounds 1`, one variant runs alone, for
//! counting cache misses:
//!
//! ```text
//! cargo bench --bench chains -- --size 400,600 --rounds 9 --setting "processor, date"
//! valgrind --tool=cachegrind --cache-sim=yes --LL=33554432,16,64 \
//!     target/release/deps/chains-* --size 400,600 --rounds 1 --iterations 4 --only chain
//! ```

#[path = "../timing/mod.rs"]
mod timing;

use std::time::Instant;

use cfd_engine::comm::Comm;
use cfd_engine::domain::{Domain, DomainOptions};
use cfd_engine::layout::Layout;
use cfd_partition::{Method, Options as PartitionOptions, Order};
use cfd_solvers::Solver;
use cfd_solvers::airfoil::{Airfoil, Config};
use clap::Parser;

/// Time and bytes of Airfoil with and without loop chains.
#[derive(Parser)]
struct Options {
    /// I,J: the mesh has 3 I J cells.
    #[arg(long, value_delimiter = ',', num_args = 1, default_value = "400,600")]
    size: Vec<u64>,
    /// How to divide the cells among ranks.
    #[arg(long, default_value = "metis")]
    partitioner: String,
    /// Rounds, in each of which every variant runs.
    #[arg(long, default_value_t = 7)]
    rounds: usize,
    /// Iterations of a variant in a round.
    #[arg(long, default_value_t = 20)]
    iterations: u32,
    /// Threads of each rank.
    #[arg(long, default_value_t = 1)]
    threads: usize,
    /// Cells in a tile, of further variants.
    #[arg(long, value_delimiter = ',', num_args = 1)]
    tiles: Vec<usize>,
    /// The one variant to run: "separate" or "chain" or "tiles of N".
    #[arg(long)]
    only: Option<String>,
    /// Where it runs, for the table: processor, date.
    #[arg(long, default_value = "")]
    setting: String,
    /// Passed by `cargo bench`.
    #[arg(long, hide = true)]
    bench: bool,
}

/// A way to run the loops.
struct Variant {
    name: String,
    options: DomainOptions,
    /// Seconds per 100 iterations, in each round, of the slowest rank.
    seconds: Vec<f64>,
    /// Bytes per cell and iteration, according to the model.
    bytes: f64,
    /// Elements executed twice, relative to all.
    redundant: f64,
    /// Seconds spent on plans in the last round.
    setup: f64,
    /// Name, and nanoseconds per cell and iteration on one rank and thread, of each loop in each round.
    loops: Vec<(String, Vec<f64>)>,
}

fn main() {
    let options = Options::parse();
    let &[i, j] = &options.size[..] else { panic!("--size I,J has two numbers") };
    let comm = timing::world();
    let layout = layout(&comm, [i, j], &options.partitioner);
    let mut variants = variants(&options);
    for round in 0..options.rounds {
        let count = variants.len();
        for turn in 0..count {
            let variant = &mut variants[if round % 2 == 0 { turn } else { count - 1 - turn }];
            measure(&comm, &layout, variant, options.iterations, (3 * i * j) as f64);
        }
    }
    if comm.is_root() {
        report(&comm, &variants, &options);
        report_loops(&variants);
    }
}

fn variants(options: &Options) -> Vec<Variant> {
    let variant = |name: String, chain: bool, tile_rows: usize| Variant {
        name,
        options: DomainOptions {
            backend: cfd_chains::backend_if(chain),
            tile_rows,
            threads: options.threads,
            ..DomainOptions::default()
        },
        seconds: Vec::new(),
        bytes: 0.0,
        redundant: 0.0,
        setup: 0.0,
        loops: Vec::new(),
    };
    let mut variants = vec![variant("separate".into(), false, 0), variant("chain".into(), true, 0)];
    variants.extend(options.tiles.iter().map(|&rows| variant(format!("tiles of {rows}"), true, rows)));
    variants.retain(|v| options.only.as_ref().is_none_or(|only| *only == v.name));
    assert!(!variants.is_empty(), "--only names a variant");
    variants
}

fn layout(comm: &Comm, size: [u64; 2], partitioner: &str) -> Layout {
    let mesh =
        cfd_mesh::generate::naca0012::cells(comm, size[0], size[1], Some(6)).expect("the size is possible");
    let method: Method = partitioner.parse().expect("a partitioner's name");
    let options = PartitionOptions { method, ..PartitionOptions::default() };
    let primary = cfd_mesh::CELL_EDGES.primary(&mesh);
    cfd_partition::layout(comm, mesh, &primary, &options, Order::File).expect("a sound mesh")
}

fn measure(comm: &Comm, layout: &Layout, variant: &mut Variant, iterations: u32, cells: f64) {
    let mut domain = Domain::new(comm.clone(), layout.clone(), variant.options.clone());
    let mut solver = Airfoil::new(&mut domain, &Config::default()).expect("an airfoil mesh");
    // The first step has one loop more than the others, and a sequence is planned the second time it comes.
    for _ in 0..3 {
        solver.step(&mut domain, false).expect("the free stream is sound");
    }
    let before = domain.timers().to_vec();
    comm.barrier();
    let start = Instant::now();
    for _ in 0..iterations {
        solver.step(&mut domain, false).expect("the run is stable");
    }
    let micros = comm.max(start.elapsed().as_micros() as u64);
    variant.seconds.push(micros as f64 * 1e-6 * 100.0 / f64::from(iterations));
    let (mut bytes, mut elements, mut redundant, mut setup) = (0, 0, 0, 0.0f64);
    for timer in domain.timers() {
        let earlier = before.iter().find(|t| t.name == timer.name).cloned().unwrap_or_default();
        bytes += timer.bytes - earlier.bytes;
        elements += timer.elements() - earlier.elements();
        redundant += timer.redundant_elements() - earlier.redundant_elements();
        setup += timer.setup.as_secs_f64();
        let seconds = (timer.compute - earlier.compute).as_secs_f64();
        let nanoseconds = 1e9 * seconds * comm.size() as f64 / cells / f64::from(iterations);
        match variant.loops.iter_mut().find(|(name, _)| *name == timer.name) {
            Some((_, times)) => times.push(nanoseconds),
            None => variant.loops.push((timer.name.clone(), vec![nanoseconds])),
        }
    }
    variant.bytes = comm.sum(bytes) as f64 / cells / f64::from(iterations);
    variant.redundant = comm.sum(redundant) as f64 / comm.sum(elements) as f64;
    variant.setup = setup;
}

fn report(comm: &Comm, variants: &[Variant], options: &Options) {
    let cells = 3 * options.size[0] * options.size[1];
    println!(
        "{cells} cells, {} ranks, medians of {} rounds. {}\n",
        comm.size(),
        options.rounds,
        options.setting
    );
    println!(
        "| variant | s / 100 iterations | time ratio | model bytes / cell / iteration | ratio | executed twice | set-up s |"
    );
    println!("| --- | --- | --- | --- | --- | --- | --- |");
    for v in variants {
        let ratios = v.seconds.iter().zip(&variants[0].seconds).map(|(a, b)| a / b);
        println!(
            "| {} | {:.3} | {:.3} | {:.0} | {:.2} | {:.1} % | {:.2} |",
            v.name,
            timing::median(v.seconds.clone()),
            timing::median(ratios.collect()),
            v.bytes,
            v.bytes / variants[0].bytes,
            100.0 * v.redundant,
            v.setup
        );
    }
}

fn report_loops(variants: &[Variant]) {
    println!("\nThreads' mean time in the loops, ns a cell and iteration on one rank:\n");
    let names: Vec<&str> = variants.iter().map(|v| &v.name[..]).collect();
    println!("| loop | {} |", names.join(" | "));
    println!("| --- |{}", " --- |".repeat(names.len()));
    for (name, times) in &variants[0].loops {
        if times.iter().all(|t| *t == 0.0) {
            continue;
        }
        let of =
            |v: &Variant| v.loops.iter().find(|l| l.0 == *name).map_or(0.0, |l| timing::median(l.1.clone()));
        let columns: Vec<String> = variants.iter().map(|v| format!("{:.2}", of(v))).collect();
        println!("| `{name}` | {} |", columns.join(" | "));
    }
}
