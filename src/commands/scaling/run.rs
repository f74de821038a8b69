//! A run as its `summary.json` describes it, and what makes two runs unlike.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use cfd_engine::given::short;
use cfd_io::IoError;
use cfd_solvers::CASES;
use serde::Deserialize;
use serde_json::Value;

use crate::report::summary;

/// What a run settled on: names of properties, and where a summary has them. Their values speak for themselves.
const SETTLED: [(&str, &str); 6] = [
    ("mode", "/mode"),
    ("strategy", "/strategy"),
    ("backend", "/backend"),
    ("partitioner", "/partitioner"),
    ("processor", "/provenance/processor"),
    ("compiler", "/provenance/compiler"),
];
/// The same, with values that need their names.
const NUMBERED: [(&str, &str); 4] = [
    ("lanes", "/lanes"),
    ("version", "/version"),
    ("commit", "/provenance/commit"),
    ("mpi", "/provenance/mpi"),
];
/// Tables of the configuration whose keys are properties, too, in any case.
const TABLES: [&str; 2] = ["execution", "partition"];
/// Keys that are none: `threads` tells points apart, others are settled or say only where caches are.
const OTHERS: [&str; 8] = [
    "execution.mode",
    "execution.strategy",
    "execution.backend",
    "execution.lanes",
    "execution.threads",
    "execution.coloring_cache",
    "execution.kernel_cache",
    "partition.method",
];

/// A run.
#[derive(Clone, Debug)]
pub struct Run {
    /// Where it was read from.
    pub file: PathBuf,
    /// The application.
    pub case: String,
    /// Hash of the mesh.
    pub mesh: String,
    /// Elements of all its sets.
    pub elements: u64,
    /// Number of ranks.
    pub ranks: u64,
    /// Threads of each.
    pub threads: u64,
    /// Iterations done.
    pub iterations: u64,
    /// Its figure of merit.
    pub fom: Rate,
    /// Its loops.
    pub loops: Vec<Loop>,
    /// Properties that runs of all cases have; a key that is not set has none.
    common: BTreeMap<String, String>,
    /// Keys of the case.
    own: BTreeMap<String, String>,
}

/// A loop of a run.
#[derive(Clone, Debug, Deserialize)]
pub struct Loop {
    /// The kernel's name.
    pub name: String,
    /// Elements that were executed by their owners.
    pub elements: u64,
    time_s: Seconds,
}

/// What the ranks took.
#[derive(Clone, Copy, Debug, Deserialize)]
struct Seconds {
    /// The slowest of them.
    max: f64,
}

impl Loop {
    /// The seconds that the slowest rank took.
    pub fn seconds(&self) -> f64 {
        self.time_s.max
    }
}

/// A figure of merit: work per unit of time.
#[derive(Clone, Debug, Deserialize)]
pub struct Rate {
    /// What is counted.
    pub name: String,
    /// Its unit.
    pub unit: String,
    /// The figure.
    pub value: f64,
}

impl Run {
    /// Reads a summary, or that of an output directory.
    ///
    /// # Errors
    /// It is missing or damaged, or has no rate.
    pub fn read(path: &Path) -> Result<Run, IoError> {
        #[derive(Deserialize)]
        struct Needed {
            case: String,
            mesh: BTreeMap<String, Value>,
            ranks: u64,
            threads: u64,
            iterations: u64,
            fom: Rate,
            #[serde(default)]
            loops: Vec<Loop>,
        }
        let file: PathBuf = if path.is_dir() { path.join("summary.json") } else { path.into() };
        let text = summary::read_text(&file).map_err(|e| IoError::read(&file, e))?;
        let not_one = |what: &str| IoError::file(&file, format!("this is not the summary of a run: {what}"));
        let summary: Value = serde_json::from_str(&text).map_err(|e| not_one(&short(&e.to_string())))?;
        let Needed { case, mesh, ranks, threads, iterations, fom, loops } =
            serde_json::from_value(summary.clone()).map_err(|e| not_one(&short(&e.to_string())))?;
        let hash = mesh.get("hash").and_then(Value::as_str).ok_or_else(|| not_one("its mesh has no hash"))?;
        if ranks == 0 || threads == 0 {
            return Err(not_one("it has no ranks or no threads"));
        }
        if !(fom.value > 0.0 && fom.value.is_finite()) {
            return Err(IoError::file(&file, "the run made no iterations, so it has no rate; give it some"));
        }
        let (common, own) = properties(&summary, &case);
        Ok(Run {
            mesh: hash.into(),
            elements: mesh.values().filter_map(Value::as_u64).sum(),
            file,
            case,
            ranks,
            threads,
            iterations,
            fom,
            loops,
            common,
            own,
        })
    }

    /// One per thread.
    pub fn cores(&self) -> u64 {
        self.ranks * self.threads
    }

    /// The value of a property, if it has one.
    pub fn property(&self, name: &str) -> Option<&str> {
        let found = if name == "case" { Some(&self.case) } else { self.common.get(name) };
        found.or_else(|| self.own.get(name)).map(String::as_str)
    }

    /// A property as a legend has it, if this run's case knows it: its value, with its name if that is needed.
    pub fn describe(&self, name: &str) -> Option<String> {
        let speaks = name == "case" || SETTLED.iter().any(|(settled, _)| *settled == name);
        let table = name.split_once('.').map(|(table, _)| table);
        let foreign =
            table.is_some_and(|table| table != self.case && CASES.iter().any(|c| c.name() == table));
        match self.property(name) {
            Some(value) if speaks => Some(value.into()),
            _ if foreign => None,
            None if speaks => Some(format!("{name} unknown")),
            value => {
                Some(format!("{} {}", name.rsplit('.').next().unwrap_or(name), value.unwrap_or("unset")))
            }
        }
    }
}

/// The names of the properties in which runs differ, the telling ones first. Keys of a case tell only its runs apart.
pub fn differing(runs: &[Run]) -> Vec<String> {
    let settled = SETTLED.iter().chain(&NUMBERED).map(|(name, _)| name.to_string());
    let mut names: Vec<String> = ["case".to_string()].into_iter().chain(settled).collect();
    for name in runs.iter().flat_map(|run| run.common.keys().chain(run.own.keys())) {
        if !names.contains(name) {
            names.push(name.clone());
        }
    }
    let differs = |name: &String| {
        let is_own = runs.iter().any(|run| run.own.contains_key(name));
        let differ = |one: &Run, other: &Run| {
            (one.case == other.case || !is_own) && one.property(name) != other.property(name)
        };
        runs.iter().enumerate().any(|(at, one)| runs[at + 1..].iter().any(|other| differ(one, other)))
    };
    names.into_iter().filter(differs).collect()
}

type Properties = BTreeMap<String, String>;

/// The properties that runs of all cases have, and those of one case.
fn properties(summary: &Value, case: &str) -> (Properties, Properties) {
    let (mut common, mut own) = (Properties::new(), Properties::new());
    for (name, pointer) in SETTLED.iter().chain(&NUMBERED) {
        if let Some(value) = summary.pointer(pointer) {
            common.insert(name.to_string(), plain(value));
        }
    }
    // One file for each number of ranks is one method.
    if let Some(method) = common.get_mut("partitioner").filter(|method| method.starts_with("file:")) {
        *method = "file".into();
    }
    for table in TABLES {
        flatten(table, &summary["config"][table], &mut common);
    }
    flatten(case, &summary["config"][case], &mut own);
    flatten("boundaries", &summary["config"]["boundaries"], &mut own);
    common.retain(|name, _| !OTHERS.contains(&name.as_str()));
    // Iterations done are compared, and so is the mesh, however it was made.
    let mesh_key = CASES.iter().find(|known| known.name() == case).and_then(|known| known.facts().mesh_key);
    own.retain(|name, _| {
        let key = name.strip_prefix(case).and_then(|name| name.strip_prefix('.'));
        key.is_none_or(|key| key != "iterations" && Some(key) != mesh_key)
    });
    (common, own)
}

/// The values of a table and its tables, by their paths.
fn flatten(path: &str, value: &Value, into: &mut Properties) {
    match value {
        Value::Object(table) => {
            table.iter().for_each(|(key, value)| flatten(&format!("{path}.{key}"), value, into));
        }
        Value::Null => (),
        value => {
            into.insert(path.into(), plain(value));
        }
    }
}

/// A value; a string without its quotation marks.
fn plain(value: &Value) -> String {
    short(&value.as_str().map_or_else(|| value.to_string(), String::from)).into_owned()
}
