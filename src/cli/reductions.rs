//! `cfd reductions`: its options.

use std::path::PathBuf;

use cfd_reductions::cost::Parameters;
use cfd_reductions::jitter::Delay;
use cfd_reductions::partial::Call;
use cfd_reductions::placement::Map;
use cfd_reductions::topology::Topology;
use cfd_reductions::tree::{Tree, WrongTree};
use clap::Args;
use clap::builder::PossibleValuesParser;

/// The most ranks that are simulated.
const MOST_RANKS: i64 = 1 << 24;
/// The largest parameter of the modeled time: far from where times overflow.
const MOST_COST: f64 = 1e6;
/// The seed of the shares published in the book.
const SEED: u64 = 119;

/// What is simulated. Files: reductions.csv, reductions.svg; with --relative-to or --measure lengths.svg
/// (docs/reductions-study.md).
#[derive(Clone, Debug, Args)]
pub struct ReductionsArgs {
    /// Numbers of ranks
    #[arg(long, value_name = "N,...", value_delimiter = ',', default_values_t = [64, 1024], value_parser = clap::value_parser!(u32).range(1..=MOST_RANKS))]
    pub ranks: Vec<u32>,
    /// Trees; by default all
    #[arg(long, value_name = "NAME,...", value_delimiter = ',', value_parser = tree, help = trees())]
    pub trees: Vec<Tree>,
    /// What is summed: `synthetic` numbers, or the numbers in a file (text, solution.h5, an output directory), cut into
    /// one part per rank
    #[arg(long, value_name = "FILE|synthetic", default_value = "synthetic")]
    pub data: PathBuf,
    /// With --data FILE: sum the squares of the differences between its numbers and this file's
    #[arg(long, value_name = "FILE")]
    pub minus: Option<PathBuf>,
    /// The field of a solution; by default the first
    #[arg(long, value_name = "NAME")]
    pub field: Option<String>,
    /// Number of data sets; by default 400 up to 256 ranks, 100 up to 4,096, fewer beyond
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub sets: Option<u64>,
    /// Seed for synthetic numbers, random placements and orders of arrival
    #[arg(long, value_name = "N", default_value_t = SEED)]
    pub seed: u64,
    /// Ranks per node; by default 1,2,4,6,8,64, beyond 65,536 ranks 8
    #[arg(long, value_name = "N,...", value_delimiter = ',', value_parser = clap::value_parser!(u32).range(1..))]
    pub nodes: Vec<u32>,
    /// Cores per node that the library is told of, whatever the nodes have: trees that know nodes are built for
    /// these; by default for the nodes there are
    #[arg(long, value_name = "N,...", value_delimiter = ',', value_parser = clap::value_parser!(u32).range(1..))]
    pub told: Vec<u32>,
    /// Which rank is on which node: block, cyclic, random
    #[arg(long, value_name = "NAME,...", value_delimiter = ',', default_values = Map::NAMES, hide_default_value = true, hide_possible_values = true, value_parser = PossibleValuesParser::new(Map::NAMES))]
    pub placements: Vec<String>,
    /// What connects the nodes: fat-tree, torus
    #[arg(long, value_name = "NAME,...", value_delimiter = ',', default_values = Topology::NAMES, hide_default_value = true, hide_possible_values = true, value_parser = PossibleValuesParser::new(Topology::NAMES))]
    pub topologies: Vec<String>,
    /// A tree with whose modeled time that of the others is compared: the tables have ratios
    #[arg(long, value_name = "NAME", value_parser = tree)]
    pub relative_to: Option<Tree>,
    /// Vector lengths for the modeled time, in doubles
    #[arg(long, value_name = "N,...", value_delimiter = ',', default_values_t = [1, 32768], value_parser = clap::value_parser!(u64).range(1..=1 << 40))]
    pub elements: Vec<u64>,
    /// Number of random placements, roots, chunks and orders of arrival whose results are counted; by default 1000,
    /// fewer for many ranks
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub variants: Option<u64>,
    /// Calls whose result differs from rank to rank, by all their algorithms: scan, exscan, reduce-scatter
    #[arg(long, value_name = "NAME,...", value_delimiter = ',', hide_possible_values = true, value_parser = PossibleValuesParser::new(Call::NAMES))]
    pub calls: Vec<String>,
    /// Delays of messages, in seconds: uniform:MOST, exponential:MEAN or rare:SHARE:DELAY
    #[arg(long, value_name = "DELAY")]
    pub jitter: Option<Delay>,
    /// Under mpirun: execute every tree over messages, on as many of the ranks as --ranks names and on all, and time it
    /// beside the library's own calls
    #[arg(long)]
    pub measure: bool,
    /// A parameter of the modeled time; may be repeated
    #[arg(long, value_name = "NAME=VALUE", value_parser = cost, help = costs())]
    pub cost: Vec<(usize, f64)>,
    /// The output directory
    #[arg(short, long, value_name = "DIR")]
    pub output: PathBuf,
}

fn tree(text: &str) -> Result<Tree, String> {
    text.parse().map_err(|wrong| match wrong {
        WrongTree::Name => {
            let name = text.split(':').next().unwrap_or(text);
            match cfd_keys::nearest(name, Tree::NAMES) {
                Some(similar) => format!("no tree has this name; did you mean \"{similar}\"?"),
                None => format!("no tree has this name; use one of {}", Tree::NAMES.join(", ")),
            }
        }
        WrongTree::Number(expected) => format!("expected {expected}"),
    })
}

fn trees() -> String {
    format!(
        "Trees; by default all but mpich-reduce and mpich-allreduce, which choose one by the vector's length as MPICH \
         does: {}; binomial:ROOT, ring:CHUNK and k-ary:CHILDREN take a number",
        Tree::NAMES.join(", ")
    )
}

fn cost(text: &str) -> Result<(usize, f64), String> {
    let names = Parameters::NAMED.map(|(name, _, _)| name);
    let Some((name, value)) = text.split_once('=') else {
        return Err("expected NAME=VALUE, such as latency=2e-6".into());
    };
    let Some(place) = names.iter().position(|&known| known == name.trim()) else {
        return Err(match cfd_keys::nearest(name, names) {
            Some(similar) => format!("no parameter has this name; did you mean \"{similar}\"?"),
            None => format!("no parameter has this name; use one of {}", names.join(", ")),
        });
    };
    match value.trim().parse() {
        Ok(number) if (0.0..=MOST_COST).contains(&number) => Ok((place, number)),
        _ => Err(format!("expected a number that is not negative and at most {MOST_COST:e}")),
    }
}

fn costs() -> String {
    let mut defaults = Parameters::CLUSTER;
    let one = |(name, what, place): cfd_reductions::cost::Named| {
        format!("{name} ({what}; {:e})", *place(&mut defaults))
    };
    let all: Vec<String> = Parameters::NAMED.into_iter().map(one).collect();
    format!("A parameter of the modeled time; may be repeated: {}", all.join(", "))
}
