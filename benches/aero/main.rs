//! Aero: how much of the memory bandwidth each loop uses, what reproducible bits cost, and what one message per step
//! instead of two is worth.
//!
//! All variants take the same number of conjugate-gradient steps, in turns; a ratio is the median of the ratios within
//! the rounds, so drifts in the machine's speed do not matter. For several ranks, start it with mpirun.
//!
//! ```text
//! measure    times in turns
//! report     tables in Markdown, beside the published figures
//! ```
//!
//! `cargo bench --bench aero -- --size 400,600 --rounds 7 --setting "processor, date"` prints the tables of
//! `notes/aero-benchmark.md`.

#[path = "../../tests/oracle/mod.rs"]
mod oracle;
#[path = "../timing/mod.rs"]
mod timing;

mod measure;
mod report;

use clap::Parser;

use measure::Case;

/// Bandwidth of Aero's loops, and the cost of reproducible bits.
#[derive(Parser)]
struct Options {
    /// I,J: the mesh has 3 I J elements.
    #[arg(long, value_delimiter = ',', num_args = 1, default_value = "400,600")]
    size: Vec<u64>,
    /// How to divide the nodes among ranks.
    #[arg(long, default_value = "metis")]
    partitioner: String,
    /// Rounds, in each of which every variant runs.
    #[arg(long, default_value_t = 7)]
    rounds: usize,
    /// Conjugate-gradient steps of a variant in a round, all of one Newton step.
    #[arg(long, default_value_t = 100)]
    steps: u64,
    /// Where it runs, for the tables: processor, date.
    #[arg(long, default_value = "")]
    setting: String,
    /// Passed by `cargo bench`.
    #[arg(long, hide = true)]
    bench: bool,
}

fn main() {
    let options = Options::parse();
    let &[i, j] = &options.size[..] else { panic!("--size I,J has two numbers") };
    let comm = timing::world();
    let case = Case::new(&comm, [i, j], &options.partitioner, options.steps);
    let timing = case.time(options.rounds);
    if comm.is_root() {
        println!("{}", report::tables(&timing, &options.setting));
    }
}
