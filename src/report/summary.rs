//! `summary.json`.

use std::io;
use std::path::Path;

use cfd_engine::given;
use cfd_engine::strategy::{HashClass, Mode};
use cfd_solvers::Work;
use serde::{Serialize, Serializer};

use super::halo::HaloSummary;
use super::loops::LoopCost;
use crate::bandwidth::Bandwidth;
use crate::checkpoint::restart::Restart;
use crate::config::ByName;
use crate::energy::Energy;
use crate::provenance::Provenance;
use crate::references::Checked;
use crate::start::StartFrom;

/// No run has a longer summary: a million ranks would need this much.
const MOST_BYTES: u64 = 64 << 20;

/// The text of a run's `summary.json`.
///
/// # Errors
/// It cannot be read, or is not a summary.
pub fn read_text(path: &Path) -> io::Result<String> {
    given::read_text(path, "a summary.json", MOST_BYTES)
}

/// Names and their values.
pub type Entries = serde_json::Map<String, serde_json::Value>;

/// Everything a script may want to know about a run.
#[derive(Clone, Debug, Serialize)]
pub struct Summary {
    /// Version of this layout.
    pub schema: u32,
    /// Version of the program.
    pub version: &'static str,
    /// The application.
    pub case: String,
    /// The complete configuration.
    pub config: serde_json::Value,
    /// Rows of every set of the mesh that the run was given, and `hash`.
    pub mesh: Entries,
    /// Hash of the mesh that the solver has put in its place, if it has.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mesh_hash: Option<String>,
    /// Number of ranks.
    pub ranks: usize,
    /// Threads per rank.
    pub threads: usize,
    /// Processor that runs the loops.
    pub backend: &'static str,
    /// The same by rank, if it is "mixed".
    #[serde(skip_serializing_if = "Option::is_none")]
    pub backends: Option<Vec<&'static str>>,
    /// Elements that a kernel works on at once, on rank 0.
    pub lanes: usize,
    /// The guarantee about bits, by name.
    pub mode: Mode,
    /// How loops that change values through maps run.
    pub strategy: ByName,
    /// The guarantee in words.
    pub guarantee: String,
    /// The requested partitioner.
    pub partitioner: String,
    /// Its seed.
    pub seed: u64,
    /// Iterations done, including those of the runs it continues.
    pub iterations: u64,
    /// The checkpoint that the run continued from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub restart: Option<Restart>,
    /// The solution of another run that it starts from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start_from: Option<StartFrom>,
    /// True when the residual fell below the tolerance.
    pub converged: bool,
    /// The last residual.
    pub residual: Residual,
    /// The case's additional figures of the result.
    #[serde(flatten)]
    pub figures: Entries,
    /// Hashes of the fields, by name, and of the `solution`.
    pub hash: Entries,
    /// The run's final numbers, by name: those of its last reported iteration, and the solver's own.
    #[serde(serialize_with = "as_map")]
    pub values: Vec<(String, f64)>,
    /// The class of runs with the same hashes.
    pub hash_class: HashClass,
    /// Hash of the bits of all residuals.
    pub history_hash: String,
    /// Where the time went.
    pub time: Times,
    /// Figure of merit.
    pub fom: FigureOfMerit,
    /// Cost of every loop.
    pub loops: Vec<LoopCost>,
    /// Memory bandwidth; `None` if not requested.
    pub bandwidth: Option<Bandwidth>,
    /// Halo figures.
    pub halo: HaloSummary,
    /// Sum over ranks of the memory of dats, maps, schedules and increment buffers.
    pub memory_bytes: u64,
    /// Sum over ranks of the largest resident memory; `None` if the system does not tell.
    pub peak_rss_bytes: Option<u64>,
    /// Energy used during the iterations, if it can be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub energy: Option<Energy>,
    /// Whether the hash was the expected one; `None` if none was expected.
    pub verified: Option<bool>,
    /// How the run compares with its benchmark's known result, if it is a benchmark.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reference: Option<Checked>,
    /// The provenance of the run.
    pub provenance: Provenance,
}

/// A residual, in decimal and in bits.
#[derive(Clone, Debug, Serialize)]
pub struct Residual {
    /// The last residual; `None` before the first iteration.
    #[serde(rename = "final")]
    pub last: Option<f64>,
    /// Its IEEE bits, in hexadecimal.
    pub final_bits: Option<String>,
}

impl Residual {
    /// The residual of the last iteration.
    pub fn new(last: Option<f64>) -> Residual {
        Residual { last, final_bits: last.map(|value| format!("{:016x}", value.to_bits())) }
    }
}

/// Where the time went, in seconds of wall time on rank 0.
#[derive(Clone, Debug, Serialize)]
pub struct Times {
    /// From the start to the writing of the summary.
    pub total_s: f64,
    /// Reading or generating the mesh, partitioning, start values.
    pub setup_s: f64,
    /// All iterations.
    pub solve_s: f64,
    /// Writing and hashing the results.
    pub io_s: f64,
    /// The case's figures of its iterations.
    #[serde(flatten)]
    pub of_solver: Entries,
}

/// A figure of merit: work per unit of time.
#[derive(Clone, Debug, Serialize)]
pub struct FigureOfMerit {
    /// What is counted.
    pub name: String,
    /// Unit.
    pub unit: &'static str,
    /// The figure.
    pub value: f64,
}

impl FigureOfMerit {
    /// Million element-steps per second: the steps of this work on this many elements.
    pub fn new(work: &Work, elements: u64, seconds: f64) -> FigureOfMerit {
        let set = work.set.rsplit('/').next().unwrap_or(work.set);
        let element = set.strip_suffix('s').unwrap_or(set);
        let of_steps = || format!("{element}-{}", work.steps);
        let name = work.name.map_or_else(of_steps, String::from);
        let work = elements as f64 * work.count as f64;
        FigureOfMerit {
            name: format!("{name} per second"),
            unit: "million/s",
            value: if seconds > 0.0 { work / seconds / 1e6 } else { 0.0 },
        }
    }
}

impl Summary {
    /// The file's text.
    pub fn to_json(&self) -> String {
        let mut text = serde_json::to_string_pretty(self).expect("summaries have string keys");
        text.push('\n');
        text
    }
}

/// Names and numbers as an object, in their order.
fn as_map<S: Serializer>(values: &[(String, f64)], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(values.iter().map(|(name, value)| (name, value)))
}
