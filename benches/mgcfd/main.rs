//! MG-CFD: the time, memory and colors of the strategies, and how much of the memory bandwidth each loop uses.
//!
//! All variants run the same cycles in turns; a ratio is the median of the ratios within the rounds, so drifts in the
//! machine's speed do not matter. Variants of one class must end with equal bits. For several ranks, start it with
//! mpirun.
//!
//! ```text
//! measure    times in turns, memory, colors
//! report     tables in Markdown, beside the published figures
//! ```
//!
//! `cargo bench --bench mgcfd -- --setting "processor, date"` prints the tables of `notes/mgcfd-benchmark.md`.

#[path = "../../tests/oracle/mod.rs"]
mod oracle;
#[path = "../timing/mod.rs"]
mod timing;

mod measure;
mod report;

use cfd_mesh::generate::hexahedra::{Shape, Spec};
use cfd_solvers::mgcfd::{Config, Scheme};
use clap::Parser;

use measure::Case;

/// Time, memory and colors of the strategies on MG-CFD, and the bandwidth of its loops.
#[derive(Parser)]
struct Options {
    /// wing, bump or box.
    #[arg(long, default_value = "wing")]
    shape: Shape,
    /// I,J,K: hexahedra along the axes; around each section, outward and along the span of a wing.
    #[arg(long, value_delimiter = ',', num_args = 1, default_value = "128,63,128")]
    size: Vec<u64>,
    /// Levels of the mesh.
    #[arg(long, default_value_t = 4)]
    levels: usize,
    /// euler or proxy.
    #[arg(long, default_value = "proxy", value_parser = scheme)]
    scheme: Scheme,
    /// How to divide the nodes among ranks.
    #[arg(long, default_value = "metis")]
    partitioner: String,
    /// Rounds, in each of which every variant runs.
    #[arg(long, default_value_t = 7)]
    rounds: usize,
    /// Cycles of a variant in a round.
    #[arg(long, default_value_t = 3)]
    cycles: u64,
    /// Only fast mode, the default and, of the proxy, the reference.
    #[arg(long)]
    short: bool,
    /// Where it runs, for the tables: processor, date.
    #[arg(long, default_value = "")]
    setting: String,
    /// Passed by `cargo bench`.
    #[arg(long, hide = true)]
    bench: bool,
}

fn scheme(name: &str) -> Result<Scheme, String> {
    match name {
        "euler" => Ok(Scheme::Euler),
        "proxy" => Ok(Scheme::Proxy),
        _ => Err("use euler or proxy".into()),
    }
}

fn main() {
    let options = Options::parse();
    let &[i, j, k] = &options.size[..] else { panic!("--size I,J,K has three numbers") };
    let comm = timing::world();
    let spec = Spec { shape: options.shape, size: [i, j, k], levels: options.levels };
    let config = Config { scheme: options.scheme, ..Config::default() };
    let case = Case::new(&comm, &spec, config, &options.partitioner);
    let timing = case.time(options.rounds, options.cycles, options.short);
    if comm.is_root() {
        println!("{}", report::tables(&timing, &options.setting));
    }
}
