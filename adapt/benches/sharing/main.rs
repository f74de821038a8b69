//! Ways to share a loop: time of synthetic loops, and how evenly each way divides them among more threads than there
//! are processors.
//!
//! ```text
//! kernel     the loops: synthetic ones, and those of adaptation
//! measure    times, all in rotation
//! simulate   the same loops in counted time, on any number of workers
//! ```
//!
//! `cargo bench -p cfd-adapt --bench sharing -- --rounds 7 --setting "processor, date"` prints the tables of
//! `docs/adaptation-study.md`; `--pictures FOLDER` draws what Figures 7.2 to 7.5 of the thesis show.

#[path = "../../tests/plane/square.rs"]
#[expect(dead_code, reason = "a part is for tests")]
mod square;
#[path = "../study/mod.rs"]
mod study;

mod kernel;
mod measure;
mod simulate;

use std::path::PathBuf;

use cfd_adapt::sharing::{Load, Way};
use clap::Parser;

use kernel::{Empty, Kernel, Synthetic, adapting, waves};
use measure::{Times, Variant};
use study::{heading, median, write_picture};

/// Ways to share a loop among threads.
#[derive(Parser)]
struct Options {
    /// Items of a loop.
    #[arg(long, default_value_t = 1 << 20)]
    items: usize,
    /// Squares per side of the mesh whose adaptation kernels are shared; 0 leaves them out.
    #[arg(long, default_value_t = 200)]
    squares: u64,
    /// Numbers of threads.
    #[arg(long, value_delimiter = ',', default_value = "1,2,4")]
    threads: Vec<usize>,
    /// Ways: those of cfd_adapt::sharing::Way, and rayon.
    #[arg(
        long,
        value_delimiter = ',',
        default_value = "static,cyclic,dynamic:1,dynamic:64,guided,rayon,work-sharing:1,work-sharing:16"
    )]
    ways: Vec<Variant>,
    /// Rounds, in each of which every loop runs in every way on every number of threads.
    #[arg(long, default_value_t = 7)]
    rounds: usize,
    /// Numbers of workers of the simulation.
    #[arg(long, value_delimiter = ',', default_value = "2,8,32")]
    workers: Vec<usize>,
    /// Seed of the loads.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Where it runs, for the tables: processor, date.
    #[arg(long, default_value = "")]
    setting: String,
    /// Draws pictures into this folder.
    #[arg(long)]
    pictures: Option<PathBuf>,
    /// Passed by `cargo bench`.
    #[arg(long, hide = true)]
    bench: bool,
}

fn main() {
    let options = Options::parse();
    println!("{}", heading(&options.setting, options.rounds));
    let states = Load::ALL.map(|load| load.states(options.items, options.seed));
    let mut kernels: Vec<Box<dyn Kernel>> = vec![Box::new(Empty(options.items))];
    for (load, states) in Load::ALL.into_iter().zip(&states) {
        kernels.push(Box::new(Synthetic { name: load.name(), states: states.clone() }));
    }
    let measured = measure::measure(&mut kernels, &options);
    let names: Vec<&str> = kernels.iter().map(|kernel| kernel.name()).collect();
    for (threads, times) in &measured {
        println!("{}", table(*threads, &options.ways, &names, times));
        if let Some(folder) = &options.pictures {
            let svg = picture(*threads, &options.ways, &names, times);
            write_picture(folder, &format!("sharing-{threads}.svg"), &svg);
        }
    }
    if options.squares > 0 {
        let mesh = waves(options.squares);
        let mut kernels = adapting(&mesh);
        let measured = measure::measure(&mut kernels, &options);
        let names: Vec<&str> = kernels.iter().map(|kernel| kernel.name()).collect();
        println!("Adaptation kernels, {} vertices:\n", kernels[0].items());
        for (threads, times) in &measured {
            println!("{}", table(*threads, &options.ways, &names, times));
        }
    }
    let ways: Vec<Way> = options.ways.iter().filter_map(Variant::way).collect();
    for &workers in &options.workers {
        println!("{}", simulate::table(workers, &ways, &states));
    }
}

/// Milliseconds and, in brackets, the ratio to the fastest way.
fn table(threads: usize, ways: &[Variant], names: &[&str], times: &Times) -> String {
    let mut text = format!("### Threads: {threads}\n\n| way | {} |\n| --- |", names.join(" | "));
    text.push_str(&" ---: |".repeat(names.len()));
    text.push('\n');
    for (way, row) in ways.iter().zip(relative(times)) {
        text.push_str(&format!("| {way} |"));
        for (milliseconds, ratio) in row {
            text.push_str(&format!(" {milliseconds:.2} ({ratio:.2}) |"));
        }
        text.push('\n');
    }
    text
}

/// For each way and loop, the milliseconds and the ratio to the fastest way.
fn relative(times: &Times) -> Vec<Vec<(f64, f64)>> {
    let medians: Vec<Vec<f64>> =
        times.iter().map(|row| row.iter().map(|times| 1e3 * median(times.clone())).collect()).collect();
    let fastest = |at: usize| medians.iter().map(|row| row[at]).fold(f64::INFINITY, f64::min);
    let with_ratio = |(at, &time): (usize, &f64)| (time, time / fastest(at));
    medians.iter().map(|row| row.iter().enumerate().map(with_ratio).collect()).collect()
}

/// Bars higher than this are cut off.
const MOST: f64 = 3.0;

fn picture(threads: usize, ways: &[Variant], names: &[&str], times: &Times) -> String {
    // Without the empty loop, whose ratios are of a different size.
    let heights = relative(times).into_iter().map(|row| row[1..].iter().map(|(_, ratio)| *ratio).collect());
    let bars: Vec<(String, Vec<f64>)> = ways.iter().map(Variant::to_string).zip(heights).collect();
    let title = format!("Ways to share a loop, threads: {threads}");
    study::chart::bars(&title, "time / that of the fastest way", &names[1..], &bars, MOST)
}
