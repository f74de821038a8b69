//! LULESH: zones per second compared with a plain C++ program, and SPRAY's experiment, the force loops with every
//! reducer.
//!
//! ```text
//! speed        the program and the plain one in turns, on one core; the program on several
//! spray        the two loops of the forces in every strategy of fast mode, beside regions
//! staged.cpp   the plain program: blast.hpp, element.hpp, material.hpp
//! ```
//!
//! `cargo bench --bench lulesh -- --setting "processor, date"` prints the tables of `docs/lulesh.md`.

#[path = "../timing/mod.rs"]
mod timing;

mod speed;
mod spray;

use clap::Parser;

/// LULESH's speed.
#[derive(Parser)]
struct Options {
    /// Elements per edge in the comparison with the plain program.
    #[arg(long, default_value_t = 30)]
    size: u64,
    /// Cycles of a run of the comparison.
    #[arg(long, default_value_t = 60)]
    cycles: u64,
    /// Regions.
    #[arg(long, default_value_t = 11)]
    regions: u64,
    /// Their cost.
    #[arg(long, default_value_t = 1)]
    cost: u64,
    /// Elements per edge in SPRAY's experiment; 0 omits it.
    #[arg(long, default_value_t = 45)]
    spray_size: u64,
    /// Cycles of a strategy in a round of it.
    #[arg(long, default_value_t = 20)]
    spray_cycles: u64,
    /// Numbers of threads.
    #[arg(long, value_delimiter = ',', default_value = "1,2")]
    threads: Vec<usize>,
    /// Rounds, in each of which everything runs once; 0 omits the comparison.
    #[arg(long, default_value_t = 7)]
    rounds: usize,
    /// Where it runs, for the tables: processor, date.
    #[arg(long, default_value = "")]
    setting: String,
    /// Passed by `cargo bench`.
    #[arg(long, hide = true)]
    bench: bool,
}

fn main() {
    let options = Options::parse();
    let load = timing::load();
    println!("{}; medians of {} rounds in turns; load average {load:.1}.\n", options.setting, options.rounds);
    println!("{}", speed::table(&options));
    if options.spray_size > 0 {
        println!("{}", spray::table(&options));
    }
}
