//! The engine's loops against the sequential reference on one core: alternating rounds, medians, and the ratios as a table
//! in Markdown.
//!
//! `cargo bench --bench airfoil_reference -- --size 400,600 --rounds 7 --iterations 20`

#[path = "../tests/oracle/mod.rs"]
mod oracle;
mod timing;

use std::time::{Duration, Instant};

use cfd_engine::domain::DomainOptions;
use cfd_engine::lane::Width;
use cfd_reference::LOOPS;
use cfd_solvers::Solver;
use cfd_solvers::airfoil::Config;
use clap::Parser;

use oracle::Pair;
use timing::median;

/// The engine against the sequential reference.
#[derive(Parser)]
struct Options {
    /// I,J: the mesh has 3 I J cells.
    #[arg(long, value_delimiter = ',', num_args = 1, default_value = "400,600")]
    size: Vec<u64>,
    /// Rounds, in each of which both programs run.
    #[arg(long, default_value_t = 7)]
    rounds: usize,
    /// Iterations of each program in a round.
    #[arg(long, default_value_t = 20)]
    iterations: u32,
    /// Lanes of the engine; without: as many as the processor has registers for.
    #[arg(long)]
    lanes: Option<usize>,
    /// Passed by `cargo bench`.
    #[arg(long, hide = true)]
    bench: bool,
}

/// Seconds of one program in one round: each loop, then the whole run.
type Round = [f64; LOOPS.len() + 1];

fn main() {
    let options = Options::parse();
    let &[i, j] = &options.size[..] else { panic!("--size I,J has two numbers") };
    let lanes = options
        .lanes
        .map_or(Width::widest(), |lanes| Width::new(lanes).unwrap_or_else(|error| panic!("{error}")));
    let mut pair = Pair::new([i, j], &Config::default(), DomainOptions { lanes, ..DomainOptions::default() });
    let (mut reference, mut engine) = (Vec::new(), Vec::new());
    // A warm-up round that touches all memory.
    run_reference(&mut pair, 1);
    run_engine(&mut pair, 1);
    for _ in 0..options.rounds {
        reference.push(run_reference(&mut pair, options.iterations));
        engine.push(run_engine(&mut pair, options.iterations));
    }
    assert_eq!(pair.differing_values(), 0, "the engine's field has other bits than the reference's");

    println!(
        "{} cells, {} rounds of {} iterations, lanes: {lanes}; medians, seconds per 100 iterations; the field has equal bits\n",
        3 * i * j,
        options.rounds,
        options.iterations
    );
    println!("| loop | reference | engine | engine / reference |");
    println!("| --- | --- | --- | --- |");
    let scale = 100.0 / f64::from(options.iterations);
    for (index, name) in LOOPS.iter().chain(&["whole run"]).enumerate() {
        let column = |rounds: &[Round]| rounds.iter().map(|round| round[index]).collect::<Vec<_>>();
        let (a, b) = (column(&reference), column(&engine));
        // The ratio within each round, because the machine's speed drifts between rounds.
        let ratio = median(a.iter().zip(&b).map(|(a, b)| b / a).collect());
        println!("| `{name}` | {:.3} | {:.3} | {ratio:.3} |", scale * median(a), scale * median(b));
    }
}

fn run_reference(pair: &mut Pair, iterations: u32) -> Round {
    let (before, start) = (pair.reference.times(), Instant::now());
    (0..iterations).for_each(|_| {
        pair.reference.iterate();
    });
    let whole = start.elapsed();
    let after = pair.reference.times();
    round(|index| after[index] - before[index], whole)
}

fn run_engine(pair: &mut Pair, iterations: u32) -> Round {
    let times = |pair: &mut Pair| LOOPS.map(|name| engine_time(pair, name));
    let (before, start) = (times(pair), Instant::now());
    for _ in 0..iterations {
        pair.solver.step(&mut pair.domain, false).expect("the flow around the airfoil stays sound");
    }
    let whole = start.elapsed();
    let after = times(pair);
    round(|index| after[index] - before[index], whole)
}

fn engine_time(pair: &mut Pair, name: &str) -> Duration {
    pair.domain.timers().iter().filter(|timer| timer.name == name).map(|timer| timer.compute).sum()
}

fn round(time: impl Fn(usize) -> Duration, whole: Duration) -> Round {
    std::array::from_fn(|index| if index < LOOPS.len() { time(index) } else { whole }.as_secs_f64())
}
