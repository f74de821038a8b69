//! Reducers: the time and memory for adding to an array from several threads, in SPRAY's test cases.
//!
//! All variants run in turns, in another order each round; a ratio is the median of the ratios within the rounds. The
//! baselines are the sequential loop, and the pulling form of each loop: every target gathers what belongs to it, and
//! no thread adds to another's.
//!
//! ```text
//! case       back-propagation through a stencil, transposed matrices times vectors
//! measure    times in turns
//! report     tables in Markdown
//! ```
//!
//! `cargo bench --bench reducers -- --rounds 9 --setting "processor, date"` prints the tables of `notes/reducers.md`.

#[path = "../timing/mod.rs"]
mod timing;

mod case;
mod measure;
mod report;

use clap::Parser;

use case::{Case, Convolution, Transposed};

/// Time and memory of the reducers.
#[derive(Parser)]
struct Options {
    /// Numbers of threads.
    #[arg(long, value_delimiter = ',', default_value = "1,2")]
    threads: Vec<usize>,
    /// Rounds, in each of which every variant runs.
    #[arg(long, default_value_t = 9)]
    rounds: usize,
    /// Sweeps of a variant in a round, after a first one with fresh memory.
    #[arg(long, default_value_t = 5)]
    sweeps: usize,
    /// Rows of a block.
    #[arg(long, value_delimiter = ',', default_value = "1024,16384")]
    block_rows: Vec<usize>,
    /// Makes all cases this many times smaller, to test the benchmark itself.
    #[arg(long, default_value_t = 1)]
    smaller: usize,
    /// Where it runs, for the tables: processor, date.
    #[arg(long, default_value = "")]
    setting: String,
    /// Passed by `cargo bench`.
    #[arg(long, hide = true)]
    bench: bool,
}

fn main() {
    let options = Options::parse();
    println!("{}", report::heading(&options.setting, options.rounds, options.sweeps));
    let smaller = options.smaller;
    show(&options, "Back-propagation through a three-point stencil", &Convolution::new(10_000_000 / smaller));
    show(&options, "Transposed banded matrix times vector", &Transposed::banded(90_000 / smaller));
    show(&options, "Transposed de Bruijn matrix times vector", &Transposed::de_bruijn((1 << 20) / smaller));
}

fn show<C: Case>(options: &Options, title: &str, case: &C) {
    let rows = measure::time(case, options);
    println!("{}", report::table(title, case, &rows));
}
