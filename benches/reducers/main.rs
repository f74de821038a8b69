//! Reducers: the time and memory for adding to an array from several threads, in SPRAY's test cases.
//!
//! All variants run in turns, in another order each round; a ratio is the median of the ratios within the rounds. The
//! baselines are the sequential loop, and the pulling form of each loop: every target gathers what belongs to it, and
//! no thread adds to another's.
//!
//! ```text
//! case       back-propagation through a stencil, transposed matrices times vectors
//! measure    times in turns
//! memory     resident memory, each variant in a process of its own
//! report     tables in Markdown
//! ```
//!
//! `cargo bench --bench reducers -- --rounds 9 --setting "processor, date"` prints the tables of `notes/reducers.md`.

#[path = "../timing/mod.rs"]
mod timing;

mod case;
mod measure;
mod memory;
mod report;

use std::path::{Path, PathBuf};

use cfd_io::Entries;
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
    /// Also measures the transposed matrices of these Matrix Market files.
    #[arg(long, value_name = "FILE,...", value_delimiter = ',')]
    matrices: Vec<PathBuf>,
    /// Only those.
    #[arg(long, requires = "matrices")]
    only_matrices: bool,
    /// Also measures the resident memory of each variant, in a process of its own.
    #[arg(long)]
    resident: bool,
    /// Runs one sweep of a variant of a case and prints the most memory that the process has had, in bytes.
    #[arg(long, hide = true, num_args = 2, value_names = ["CASE", "VARIANT"])]
    one: Option<Vec<usize>>,
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
    if options.one.is_none() {
        println!("{}", report::heading(&options.setting, options.rounds, options.sweeps));
    }
    let smaller = options.smaller;
    let mut number = 0;
    if !options.only_matrices {
        let title = "Back-propagation through a three-point stencil";
        show(&options, &mut number, title, || Convolution::new(10_000_000 / smaller));
        let title = "Transposed banded matrix times vector";
        show(&options, &mut number, title, || Transposed::banded(90_000 / smaller));
        let title = "Transposed de Bruijn matrix times vector";
        show(&options, &mut number, title, || Transposed::de_bruijn((1 << 20) / smaller));
    }
    for file in &options.matrices {
        let title = format!("Transposed matrix of {} times vector", file.display());
        show(&options, &mut number, &title, || Transposed::of_entries(&read(file)));
    }
}

/// A matrix; ends the benchmark with code 2 if there is none.
fn read(file: &Path) -> Entries {
    cfd_io::read_matrix_market(file).unwrap_or_else(|error| {
        eprintln!("error: {error}");
        std::process::exit(2)
    })
}

/// Measures the case of this number; or runs one of its variants, if that is asked for.
fn show<C: Case>(options: &Options, number: &mut usize, title: &str, case: impl FnOnce() -> C) {
    let own = *number;
    *number += 1;
    match options.one.as_deref() {
        Some(&[case_number, variant]) => {
            if case_number == own {
                println!("{}", memory::of_variant(&case(), options, variant));
            }
        }
        _ => {
            let case = case();
            let mut rows = measure::time(&case, options);
            if options.resident {
                memory::of_all(own, &mut rows);
            }
            println!("{}", report::table(title, &case, &rows));
        }
    }
}
