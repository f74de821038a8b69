//! The strategies against each other and against fast mode, on Airfoil: time, memory, set-up.
//!
//! The variants run in turns, a few iterations each; a ratio is the median of the ratios within the rounds, so drifts
//! in the machine's speed do not matter. For several ranks, start it with mpirun.
//!
//! ```text
//! variant    what is compared
//! measure    times in turns; memory of a process of its own
//! report     tables in Markdown, beside the published figures
//! chart      slowdowns as bars
//! ```
//!
//! `cargo bench --bench strategies -- --size 400,600 --rounds 15` prints the tables; `run-scripts/bench-strategies`
//! makes those of the documentation.

#[path = "../timing/mod.rs"]
mod timing;

mod chart;
mod measure;
mod report;
mod variant;

use std::path::{Path, PathBuf};

use cfd_engine::lane::Width;
use clap::Parser;

use measure::{Case, Measured};
use variant::Workers;

/// The strategies against each other and against fast mode.
#[derive(Parser)]
struct Options {
    /// I,J: the mesh has 3 I J cells.
    #[arg(long, value_delimiter = ',', num_args = 1, default_value = "400,600")]
    size: Vec<u64>,
    /// How to divide the cells among ranks.
    #[arg(long, default_value = "metis")]
    partitioner: String,
    /// Threads of each rank.
    #[arg(long, default_value_t = 1)]
    threads: usize,
    /// Elements at once on each thread; by default, as many as the processor supports.
    #[arg(long)]
    lanes: Option<usize>,
    /// Rounds, in each of which every variant runs.
    #[arg(long, default_value_t = 15)]
    rounds: usize,
    /// Iterations of a variant in a round.
    #[arg(long, default_value_t = 5)]
    iterations: u32,
    /// Where it runs, for the tables: processor, date.
    #[arg(long, default_value = "")]
    setting: String,
    /// Prints the names of the variants.
    #[arg(long)]
    list: bool,
    /// Measures only the memory of this variant, instead of times.
    #[arg(long)]
    memory: Option<String>,
    /// Writes the measurements to this file instead of printing tables.
    #[arg(long)]
    json: Option<PathBuf>,
    /// Makes the report from files written before: times and memory, for all rank counts.
    #[arg(long, num_args = 1.., requires = "into")]
    report: Vec<PathBuf>,
    /// The directory of the report.
    #[arg(long, requires = "report")]
    into: Option<PathBuf>,
    /// Passed by `cargo bench`.
    #[arg(long, hide = true)]
    bench: bool,
}

fn main() {
    let options = Options::parse();
    if let Some(directory) = &options.into {
        return write_report(&options.report, directory);
    }
    let lanes =
        options.lanes.map_or_else(Width::widest, |lanes| Width::new(lanes).unwrap_or_else(|e| panic!("{e}")));
    let workers = Workers { threads: options.threads, lanes };
    if options.list {
        return variant::all(workers).iter().for_each(|variant| println!("{}", variant.name));
    }
    let &[i, j] = &options.size[..] else { panic!("--size I,J has two numbers") };
    let comm = timing::world();
    let case = Case::new(&comm, [i, j], &options.partitioner, workers);
    let measured = match &options.memory {
        Some(name) => Measured::Memory(case.memory(variant::named(name, workers), options.iterations)),
        None => Measured::Time(case.time(options.rounds, options.iterations, &options.setting)),
    };
    if comm.is_root() {
        hand_over(&measured, options.json.as_deref());
    }
}

fn hand_over(measured: &Measured, file: Option<&Path>) {
    match (file, measured) {
        (Some(path), _) => {
            let json = serde_json::to_string(measured).expect("numbers and names");
            std::fs::write(path, json).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        }
        (None, Measured::Time(timing)) => println!("{}", report::tables(timing, &[])),
        (None, Measured::Memory(memory)) => println!("{memory:?}"),
    }
}

/// Writes a page and a picture about the measurements in the files.
fn write_report(files: &[PathBuf], directory: &Path) {
    let (mut timings, mut memory) = (Vec::new(), Vec::new());
    for path in files {
        let fail = |why: String| -> ! { panic!("{}: {why}", path.display()) };
        let text = std::fs::read_to_string(path).unwrap_or_else(|e| fail(e.to_string()));
        match serde_json::from_str(&text).unwrap_or_else(|e| fail(e.to_string())) {
            Measured::Time(timing) => timings.push(timing),
            Measured::Memory(used) => memory.push(used),
        }
    }
    timings.sort_by_key(|timing| (timing.ranks, timing.threads));
    let write = |name: &str, text: String| {
        let path = directory.join(name);
        std::fs::write(&path, text).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    };
    write("benchmark-strategies.md", report::page(&timings, &memory));
    write("benchmark-strategies.svg", chart::svg(&timings));
}
