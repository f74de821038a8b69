//! The command line.

use std::path::PathBuf;
use std::time::Duration;

use cfd_engine::given::short;
use cfd_engine::strategy::Strategy;
use cfd_keys::Kind;
use cfd_partition::Method;
use cfd_reducers::strategies;
use clap::builder::PossibleValuesParser;
use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::checkpoint::time_limit;
use crate::config::{ConfigError, Override};

mod generate;
mod reductions;

pub use self::generate::Generate;
pub use self::reductions::ReductionsArgs;

/// Solves flows on unstructured meshes, with the same bits on any number of ranks.
///
/// `mpirun -n 2 cfd --config FILE` runs a case; `cfd` alone runs on one rank.
#[derive(Debug, Parser)]
#[command(
    name = "cfd",
    version,
    args_conflicts_with_subcommands = true,
    arg_required_else_help = true,
    after_help = "Exit codes: 0 success, 1 run-time failure, 2 wrong input, 3 diverged, 4 verification failed, 75 \
     stopped by SIGUSR1, SIGTERM, SIGINT or the time limit, after writing a checkpoint if there was anything to save."
)]
pub struct Cli {
    /// What to do; by default, run a case.
    #[command(subcommand)]
    pub command: Option<Command>,
    /// The case to run.
    #[command(flatten)]
    pub run: Option<RunArgs>,
}

impl Cli {
    /// Whether the command's purpose is its printed output, so it fails if that is lost; other commands leave files.
    pub fn is_there_to_print(&self) -> bool {
        match (&self.command, &self.run) {
            (Some(Command::Run(args)), _) | (None, Some(args)) => args.print_config || args.dry_run,
            (Some(Command::Mesh(command)), _) => matches!(command, MeshCommand::Info { .. }),
            (Some(Command::Reductions(_)), _) => false,
            _ => true,
        }
    }
}

/// The commands of the program.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Run a case (the same as `cfd --config FILE`)
    Run(RunArgs),
    /// Generate, inspect and convert meshes
    #[command(subcommand)]
    Mesh(MeshCommand),
    /// Partition a mesh and print the halo figures
    Partition(PartitionArgs),
    /// Compare two results bit by bit: solution.h5, trace.csv, history.csv, summary.json, or output directories
    Compare(CompareArgs),
    /// Plot the residuals of several runs in one picture, or their speed against the number of cores
    Plot(PlotArgs),
    /// Run a case in many ways, each under mpirun, and compare the bits of the results
    Repro(ReproArgs),
    /// Print the hashes of a case in all classes of strategies, as its case.rs states them (docs/extending.md)
    Reference(ReferenceArgs),
    /// Simulate sums over ranks along many trees: the bits they give, how far messages travel, how long they take
    Reductions(ReductionsArgs),
    /// Print what this program was built with and runs on
    Info(InfoArgs),
    /// Print shell completions: `source <(cfd completions bash)`
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Write the manual pages, cfd.1 and one per command, to a directory
    Man {
        /// The directory; created if missing
        directory: PathBuf,
    },
}

/// A run.
#[derive(Clone, Debug, Default, Args)]
pub struct RunArgs {
    /// The configuration file (docs/config.md lists its keys), or the name of a benchmark (`cfd info --benchmarks`)
    #[arg(long, value_name = "FILE")]
    pub config: String,
    /// Override a configuration key; may be repeated
    #[arg(long, value_name = "KEY=VALUE", allow_hyphen_values = true)]
    pub set: Vec<String>,
    /// Guarantee about bits: reproducible or fast
    #[arg(long, value_name = "MODE")]
    pub mode: Option<String>,
    /// Strategy for loops that change values through maps
    #[arg(long, value_name = "NAME", help = strategies())]
    pub strategy: Option<String>,
    /// Threads per rank
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub threads: Option<String>,
    /// What runs the loops: cpu; cuda, one GPU per rank; or auto, GPUs for as many ranks as there are GPUs
    #[arg(long, value_name = "NAME")]
    pub backend: Option<String>,
    /// The partitioner
    #[arg(long, value_name = "NAME", help = partitioners())]
    pub partitioner: Option<String>,
    /// Seed for the partitioner
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub seed: Option<String>,
    /// Maximum number of iterations
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub iterations: Option<String>,
    /// Output directory
    #[arg(long, value_name = "DIR")]
    pub out: Option<String>,
    /// Continue from a checkpoint, or from the newest intact one in a directory that fits this run
    #[arg(long, value_name = "FILE|DIR")]
    pub restart: Option<PathBuf>,
    /// Time limit, from the start of the run; the run writes a checkpoint in time and ends with exit code 75
    #[arg(long, value_name = "H:MM:SS", value_parser = time_limit::parse)]
    pub time_limit: Option<Duration>,
    /// Progress on stderr: a bar on a terminal and lines otherwise (auto), a bar (always), nothing (never); under a
    /// launcher, lines replace the bar
    #[arg(long, value_enum, default_value_t = Progress::Auto, value_name = "WHEN")]
    pub progress: Progress,
    /// Read, partition, print halo sizes, imbalance and memory per rank; run no iteration
    #[arg(long)]
    pub dry_run: bool,
    /// Print the complete effective configuration as TOML and stop
    #[arg(long)]
    pub print_config: bool,
    /// Exit with code 4 unless the solution has this hash (blake3:..., or a summary.json that holds it)
    #[arg(long, value_name = "HASH|FILE")]
    pub verify: Option<String>,
    /// Measure memory bandwidth and arithmetic rate after the iterations; show each loop's share of both
    #[arg(long)]
    pub bandwidth: bool,
    /// Write trace.csv: hashes of what every loop of the first N iterations changed
    #[arg(long, value_name = "N")]
    pub hash_trace: Option<u64>,
}

/// When to show a progress bar.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Progress {
    /// A bar on a terminal, a line every few seconds otherwise.
    #[default]
    Auto,
    /// A bar, even if stderr is not a terminal; lines under a launcher.
    Always,
    /// Nothing.
    Never,
}

impl RunArgs {
    /// The settings of the command line, in the order in which they are applied: `--set` first, then the short
    /// options.
    pub fn overrides(&self) -> Result<Vec<Override>, ConfigError> {
        let mut overrides = assignments(&self.set)?;
        let options = [
            ("--mode", "execution.mode", &self.mode),
            ("--strategy", "execution.strategy", &self.strategy),
            ("--threads", "execution.threads", &self.threads),
            ("--backend", "execution.backend", &self.backend),
            ("--partitioner", "partition.method", &self.partitioner),
            ("--seed", "partition.seed", &self.seed),
            ("--iterations", "{case}.iterations", &self.iterations),
            ("--out", "output.directory", &self.out),
        ];
        for (flag, path, value) in options {
            if let Some(value) = value {
                overrides.push(Override {
                    flag: format!("{flag} {}", short(value)),
                    path: path.into(),
                    value: value.clone(),
                    bare: true,
                });
            }
        }
        if self.bandwidth {
            overrides.push(Override {
                flag: "--bandwidth".into(),
                path: "output.bandwidth".into(),
                value: "true".into(),
                bare: false,
            });
        }
        Ok(overrides)
    }
}

impl ReferenceArgs {
    /// The settings of the command line.
    pub fn overrides(&self) -> Result<Vec<Override>, ConfigError> {
        assignments(&self.set)
    }
}

/// The settings given as `--set KEY=VALUE`.
fn assignments(set: &[String]) -> Result<Vec<Override>, ConfigError> {
    let of = |given: &String| {
        let (path, value) =
            given.split_once('=').ok_or_else(|| ConfigError::Assignment { given: given.clone() })?;
        Ok(Override {
            flag: format!("--set {}", short(given)),
            path: path.trim().into(),
            value: value.trim().into(),
            bare: false,
        })
    };
    set.iter().map(of).collect()
}

/// Mesh commands.
#[derive(Debug, Subcommand)]
pub enum MeshCommand {
    /// Generate a mesh for a case, or of a shape for any case
    #[command(subcommand)]
    Generate(Generate),
    /// Check a mesh and say what it is: sizes, groups, shapes of elements, problems with their places, hash
    Info {
        /// The mesh file
        file: PathBuf,
        /// Print JSON, with all digits
        #[arg(long)]
        json: bool,
        /// What its named boundaries are
        #[command(flatten)]
        boundaries: BoundaryArgs,
    },
    /// Convert between mesh formats
    Convert {
        /// The mesh to read; the format is detected from its content
        input: PathBuf,
        /// The mesh to write: .h5, .su2, .msh, .ugrid, .mesh, .meshb, .vtkhdf; of derived sets .h5, .dat, .op2.h5
        output: PathBuf,
        /// For dual edges: make coarse levels by agglomerating nodes; the number of levels, the finest included
        #[arg(long, value_name = "N", value_parser = levels)]
        levels: Option<usize>,
        /// Format to write; by default, it follows from the file name
        #[arg(long, value_name = "FORMAT", value_parser = written_formats())]
        format: Option<String>,
        /// What the named boundaries of the mesh to read are
        #[command(flatten)]
        boundaries: BoundaryArgs,
    },
}

/// What the named boundaries of a Gmsh or SU2 mesh are, unless their names say so.
#[derive(Debug, Args)]
pub struct BoundaryArgs {
    /// A boundary of a Gmsh or SU2 mesh that is a wall; may be repeated
    #[arg(long, value_name = "NAME")]
    pub wall: Vec<String>,
    /// A boundary that is far field; may be repeated
    #[arg(long, value_name = "NAME")]
    pub far_field: Vec<String>,
}

/// Where a mesh is written.
#[derive(Debug, Args)]
pub struct MadeArgs {
    /// The file to write
    #[arg(short, long, value_name = "FILE")]
    pub output: PathBuf,
    /// Format to write; by default, it follows from the file name
    #[arg(long, value_name = "FORMAT", value_parser = written_formats())]
    pub format: Option<String>,
}

/// The names of the formats that can be written.
fn written_formats() -> PossibleValuesParser {
    let mut names: Vec<&str> =
        cfd_io::FORMATS.iter().filter(|format| format.is_written()).map(|format| format.option).collect();
    // Two formats of HDF5 have one name.
    names.dedup();
    PossibleValuesParser::new(names)
}

/// The help of `--strategy`.
fn strategies() -> String {
    let (reproducible, fast): (Vec<Strategy>, Vec<Strategy>) =
        strategies::all().partition(|strategy| strategy.is_reproducible());
    let names = |list: Vec<Strategy>| list.into_iter().map(Strategy::name).collect::<Vec<_>>().join(", ");
    format!(
        "Strategy for loops that change values through maps: {}; in fast mode also {}",
        names(reproducible),
        names(fast)
    )
}

/// The partitioners, in the help of options.
fn partitioners() -> String {
    format!("Partitioner: {}", Kind::ChoiceOrFile(Method::NAMES).to_string().replace('"', ""))
}

fn levels(text: &str) -> Result<usize, String> {
    let number = text.parse().ok().filter(|n| (1..=64).contains(n));
    number.ok_or_else(|| "expected a number of levels from 1 to 64".into())
}

fn tolerance(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|x: &f64| x.is_finite() && *x >= 0.0);
    number.ok_or_else(|| "expected a number of at least 0, such as 1e-10".into())
}

/// The two names of a field.
fn names(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((one, other)) if !one.is_empty() && !other.is_empty() => Ok((one.into(), other.into())),
        _ => Err("expected the names of a field in the two files, such as p_q=q".into()),
    }
}

/// Figures of a partition.
#[derive(Debug, Args)]
pub struct PartitionArgs {
    /// The mesh file
    #[arg(long, value_name = "FILE")]
    pub mesh: PathBuf,
    /// Numbers of parts
    #[arg(long, value_name = "N,...", value_delimiter = ',', required = true, value_parser = clap::value_parser!(u32).range(1..))]
    pub parts: Vec<u32>,
    /// The partitioner
    #[arg(long, value_name = "NAME", default_value = Method::NAMES[0], help = partitioners())]
    pub partitioner: String,
    /// Seed for the partitioner
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,
    /// What the named boundaries of the mesh are
    #[command(flatten)]
    pub boundaries: BoundaryArgs,
    /// Print JSON instead of a table
    #[arg(long)]
    pub json: bool,
}

/// Two results. Exit code 0 when all their bits are equal, 4 when any differs.
#[derive(Debug, Args)]
pub struct CompareArgs {
    /// The first file or output directory
    #[arg(value_name = "A")]
    pub a: PathBuf,
    /// The second, of the same kind
    #[arg(value_name = "B")]
    pub b: PathBuf,
    /// Draw the histogram of relative differences between solutions (docs/compare.md); with --growth, those over
    /// iterations
    #[arg(long, value_name = "FILE.svg")]
    pub plot: Option<PathBuf>,
    /// Relative tolerance: values are equal if |a - b| <= atol + rtol max(|a|, |b|); fields and histories only
    #[arg(long, value_name = "X", value_parser = tolerance)]
    pub rtol: Option<f64>,
    /// Absolute tolerance
    #[arg(long, value_name = "X", value_parser = tolerance)]
    pub atol: Option<f64>,
    /// Also compare the fields under derived/, which follow from the others
    #[arg(long)]
    pub derived: bool,
    /// Compare a field that has these two names in the two files, such as p_q=q; may be repeated. Then only fields in
    /// both files count
    #[arg(long, value_name = "NAME=NAME", value_parser = names)]
    pub map: Vec<(String, String)>,
    /// Compare solutions on different meshes, which their files must hold: B's fields are interpolated at the nodes of A's
    /// mesh, and norms are means over its volume (docs/compare.md)
    #[arg(long)]
    pub interpolate: bool,
    /// Write the comparison, with its histogram, as a self-contained HTML page
    #[arg(long, value_name = "FILE.html")]
    pub report: Option<PathBuf>,
    /// Compare the checkpoints that two output directories have in common, and write the differences after each
    /// iteration to this table; `cfd plot` draws such tables
    #[arg(long, value_name = "FILE.csv", conflicts_with_all = ["rtol", "atol", "derived", "map", "interpolate", "report"])]
    pub growth: Option<PathBuf>,
    /// Print JSON instead of text
    #[arg(long)]
    pub json: bool,
}

/// Runs to draw.
#[derive(Debug, Args)]
pub struct PlotArgs {
    /// Histories: history.csv, or output directories; or tables of `cfd compare --growth`; with --scaling summary.json,
    /// or output directories
    #[arg(value_name = "RUN", required = true)]
    pub histories: Vec<PathBuf>,
    /// Column on the x-axis: work, iteration, time_s or another; by default work if all histories have it, else
    /// iteration
    #[arg(long, value_name = "COLUMN")]
    pub over: Option<String>,
    /// Names of the histories or tables in the picture, in order
    #[arg(long, value_name = "NAME,...", value_delimiter = ',')]
    pub labels: Vec<String>,
    /// Title of the picture
    #[arg(long, value_name = "TEXT")]
    pub title: Option<String>,
    /// Plot speedup and efficiency against cores instead, with a curve for runs that are alike, and write the medians of
    /// equal runs to this table
    #[arg(long, value_name = "FILE.csv", conflicts_with_all = ["over", "labels"])]
    pub scaling: Option<PathBuf>,
    /// With --scaling: the same for each loop, by the time of the slowest rank, in this table, and a picture beside it, .svg
    #[arg(long, value_name = "FILE.csv", requires = "scaling")]
    pub loops: Option<PathBuf>,
    /// The picture to write
    #[arg(short, long, value_name = "FILE.svg")]
    pub output: PathBuf,
}

/// Runs to compare.
#[derive(Clone, Debug, Args)]
pub struct ReproArgs {
    /// The configuration file
    #[arg(long, value_name = "FILE")]
    pub config: String,
    /// Numbers of ranks
    #[arg(long, value_name = "N,...", value_delimiter = ',', required = true, value_parser = clap::value_parser!(u32).range(1..))]
    pub ranks: Vec<u32>,
    /// Threads per rank
    #[arg(long, value_name = "N,...", value_delimiter = ',', value_parser = clap::value_parser!(u32).range(1..))]
    pub threads: Vec<u32>,
    /// Partitioners
    #[arg(long, value_name = "NAME,...", value_delimiter = ',')]
    pub partitioner: Vec<String>,
    /// Seeds for the partitioner
    #[arg(long, value_name = "N,...", value_delimiter = ',')]
    pub seed: Vec<u64>,
    /// Strategies; hashes are compared within each class of strategies
    #[arg(long, value_name = "NAME,...", value_delimiter = ',')]
    pub strategy: Vec<String>,
    /// What runs the loops: cpu, cuda, auto
    #[arg(long, value_name = "NAME,...", value_delimiter = ',')]
    pub backend: Vec<String>,
    /// Guarantee about bits: reproducible or fast
    #[arg(long, value_name = "MODE")]
    pub mode: Option<String>,
    /// Override a configuration key in every run; may be repeated
    #[arg(long, value_name = "KEY=VALUE", allow_hyphen_values = true)]
    pub set: Vec<String>,
    /// Maximum number of iterations
    #[arg(long, value_name = "N")]
    pub iterations: Option<u64>,
    /// Keep the output of the runs in this directory, in one subdirectory each
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Programs to run instead of this one: builds with other compilers, options or MPI libraries
    #[arg(long, value_name = "PROGRAM,...", value_delimiter = ',')]
    pub binaries: Vec<PathBuf>,
    /// The launcher to start runs with; of several, each program takes the first that belongs to its MPI library; by
    /// default, found in PATH
    #[cfg(feature = "mpi")]
    #[arg(long, value_name = "PROGRAM,...", value_delimiter = ',')]
    pub mpirun: Vec<PathBuf>,
    /// Write the table and the verdict as a self-contained HTML page; --out always writes one to its directory
    #[arg(long, value_name = "FILE.html")]
    pub report: Option<PathBuf>,
    /// Print JSON instead of a table
    #[arg(long)]
    pub json: bool,
}

/// A reference of a case.
#[derive(Clone, Debug, Args)]
pub struct ReferenceArgs {
    /// The configuration file, with a generated mesh small enough to be run many times
    #[arg(long, value_name = "FILE")]
    pub config: String,
    /// Override a configuration key; may be repeated
    #[arg(long, value_name = "KEY=VALUE", allow_hyphen_values = true)]
    pub set: Vec<String>,
}

/// What to print.
#[derive(Debug, Args)]
pub struct InfoArgs {
    /// Print the reference page of all configuration keys instead
    #[arg(long)]
    pub config_reference: bool,
    /// Print the benchmarks with known results instead: `cfd --config NAME` runs one and checks its results
    #[arg(long, conflicts_with = "config_reference")]
    pub benchmarks: bool,
    /// Also measure memory bandwidth (copy and triad) and arithmetic rate, on all ranks at once
    #[arg(long)]
    pub bandwidth: bool,
    /// Threads per rank that measure; unset: as many as a run would use
    #[arg(long, value_name = "N", requires = "bandwidth", value_parser = clap::value_parser!(u64).range(1..=4096))]
    pub threads: Option<u64>,
}
