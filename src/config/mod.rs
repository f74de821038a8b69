//! The configuration: a TOML file, overridden on the command line, checked against one table of keys.
//!
//! ```text
//! keys        the table: path, type, range, default, unit, meaning
//! kind        types and ranges
//! value       one value: checked, printed
//! settings    the file's and the command line's settings, with defaults filled in
//! reference   docs/config.md, from the table
//! error       what can be wrong, and where
//! ```

pub mod error;
pub mod keys;
pub mod kind;
pub mod reference;
pub mod settings;
pub mod value;

use std::path::{Path, PathBuf};

use cfd_engine::comm::Comm;
use cfd_engine::given;
use cfd_engine::lane::{Width, WidthError};
use cfd_engine::strategy::{Mode, Strategy};
use cfd_engine::sum::Sums;
use cfd_partition::Order;
use serde::Deserialize;
use toml::de::DeTable;

pub use self::error::{ConfigError, Place};
use self::keys::Key;
use self::settings::Settings;
use self::value::Value;

/// A setting from the command line.
#[derive(Clone, Debug, PartialEq)]
pub struct Override {
    /// The option as typed, for messages: `--seed 3`.
    pub flag: String,
    /// The key's path; `{case}` in it stands for the case's own table.
    pub path: String,
    /// The value as typed.
    pub value: String,
}

/// The complete configuration of a run.
#[derive(Clone, Debug)]
pub struct Config {
    /// Its typed form.
    pub run: Run,
    effective: Vec<(&'static Key, Value)>,
}

/// Names of boundaries.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Boundaries {
    /// Inviscid walls.
    pub wall: Vec<String>,
    /// Boundaries with the free stream outside.
    pub far_field: Vec<String>,
}

impl From<&Boundaries> for cfd_io::Boundaries {
    fn from(names: &Boundaries) -> cfd_io::Boundaries {
        let Boundaries { wall, far_field } = names;
        cfd_io::Boundaries::default().give("wall", wall.clone()).give("far_field", far_field.clone())
    }
}

/// The typed form of a configuration; what each key means is in [`keys::KEYS`].
#[derive(Clone, Debug, Deserialize)]
#[allow(missing_docs, reason = "the table of keys documents every field")]
pub struct Run {
    pub case: crate::cases::Case,
    pub mesh: Mesh,
    #[serde(default)]
    pub boundaries: Boundaries,
    pub execution: Execution,
    pub partition: Partition,
    #[serde(default)]
    pub airfoil: cfd_solvers::airfoil::Config,
    #[serde(default)]
    pub aero: cfd_solvers::aero::Config,
    #[serde(default)]
    pub mgcfd: cfd_solvers::mgcfd::Config,
    pub output: Output,
}

/// The table `[mesh]`.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Mesh {
    /// Read from a file.
    File(PathBuf),
    /// Made at start.
    Generate(Generate),
}

/// The table `[mesh.generate]`.
#[derive(Clone, Debug, Deserialize)]
pub struct Generate {
    /// I and J; of a mesh for mgcfd also K.
    pub size: Vec<u64>,
    /// Decimals of the coordinates.
    #[serde(default)]
    pub decimals: Option<u32>,
    /// Levels of a mesh for mgcfd.
    #[serde(default)]
    pub levels: Option<usize>,
    /// What a mesh for mgcfd surrounds.
    #[serde(default)]
    pub shape: Option<String>,
}

/// The table `[execution]`.
#[derive(Clone, Debug, Deserialize)]
#[allow(missing_docs, reason = "the table of keys documents every field")]
pub struct Execution {
    pub mode: Mode,
    pub strategy: Strategy,
    pub order: Order,
    pub region_size: u64,
    pub sums: Sums,
    pub greedy_limit: u64,
    pub coloring_cache: Option<PathBuf>,
    pub overlap: bool,
    pub look_ahead: bool,
    pub block_size: u64,
    pub threads: Option<u64>,
    pub lanes: Lanes,
    pub chain: bool,
    pub tile_size: u64,
    pub backend: Backend,
    pub device_threads: u64,
    pub device_layout: DeviceLayout,
    pub kernel_cache: Option<PathBuf>,
    pub gpu_aware_mpi: GpuAwareMpi,
}

/// `execution.device_layout`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DeviceLayout {
    /// As loops use each dat.
    Auto,
    /// Row by row.
    Rows,
    /// Component by component.
    Columns,
}

/// `execution.gpu_aware_mpi`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum GpuAwareMpi {
    /// Where the MPI library says that it can.
    Auto,
    /// Always.
    On,
    /// Never.
    Off,
}

/// `execution.lanes`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Lanes {
    /// As many as the processor has.
    Auto,
    /// This many.
    #[serde(untagged)]
    Forced(usize),
}

impl Lanes {
    /// The width, if the processor has it.
    pub fn width(self) -> Result<Width, WidthError> {
        match self {
            Lanes::Auto => Ok(Width::widest()),
            Lanes::Forced(lanes) => Width::new(lanes),
        }
    }
}

/// What runs the loops.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Backend {
    /// The processor.
    Cpu,
    /// A GPU for each rank.
    Cuda,
    /// A device that runs the GPU's text on the processor.
    Emulated,
}

impl Backend {
    /// The name in configurations.
    pub fn name(self) -> &'static str {
        match self {
            Backend::Cpu => "cpu",
            Backend::Cuda => "cuda",
            Backend::Emulated => "emulated",
        }
    }
}

/// The table `[partition]`.
#[derive(Clone, Debug, Deserialize)]
#[allow(missing_docs, reason = "the table of keys documents every field")]
pub struct Partition {
    pub method: String,
    pub seed: u64,
    pub metis_limit: u64,
}

/// The table `[output]`.
#[derive(Clone, Debug, Deserialize)]
#[allow(missing_docs, reason = "the table of keys documents every field")]
pub struct Output {
    pub directory: PathBuf,
    pub history_every: u64,
    pub checkpoint_every: u64,
    pub checkpoint_keep: u64,
    pub formats: Vec<String>,
    pub bandwidth: bool,
    pub pictures: bool,
}

impl Config {
    /// Reads a file on rank 0 and gives all ranks the same configuration, or the same error. Collective.
    pub fn load(comm: &Comm, path: &str, overrides: &[Override]) -> Result<Config, ConfigError> {
        let read = if comm.is_root() { read(path) } else { Ok(String::new()) };
        let text = comm.agree(read)?;
        let text = comm.broadcast(0, comm.is_root().then_some(text));
        Config::parse(path, &text, overrides)
    }

    /// Checks the text of a configuration file and the overrides.
    ///
    /// # Errors
    /// Names the place of the first thing wrong: line and column in the file, or the option.
    pub fn parse(path: &str, text: &str, overrides: &[Override]) -> Result<Config, ConfigError> {
        let mut settings = Settings::default();
        settings.add_file(path, text)?;
        for given in overrides {
            let path = given.path.replace("{case}", settings.case().unwrap_or("case"));
            settings.add_flag(&given.flag, &path, &given.value)?;
        }
        let effective = settings.complete(path)?;
        let run = serde_json::from_value(nested(&effective))
            .expect("checked settings have the types and ranges of the typed configuration");
        Ok(Config { run, effective })
    }

    /// The complete configuration as TOML: reading it gives the same configuration, bit for bit.
    pub fn to_toml(&self) -> String {
        let mut text = format!("# complete configuration, cfd {}\n", env!("CARGO_PKG_VERSION"));
        for (table, _) in keys::TABLES {
            let mut lines: Vec<String> = Vec::new();
            let own = self.effective.iter().filter(|(key, _)| key.split().0 == *table);
            lines.extend(own.map(|(key, value)| format!("{} = {}\n", key.split().1, value.to_toml())));
            if !lines.is_empty() {
                if !table.is_empty() {
                    text.push_str(&format!("\n[{table}]\n"));
                }
                text.push_str(&lines.concat());
            }
        }
        text
    }

    /// The keys that have another value than in an earlier run's complete configuration, where that can change the bits
    /// of what follows: `airfoil.cfl: 0.9 -> 0.5`.
    pub fn changes_since(&self, earlier: &str) -> Vec<String> {
        let earlier = DeTable::parse(earlier).ok();
        let class = |strategy: &Value| match strategy {
            Value::Text(name) => Strategy::ALL.into_iter().find(|s| s.name() == name).map(Strategy::class),
            _ => None,
        };
        let mut changes = Vec::new();
        for (key, now) in &self.effective {
            let (table, name) = key.split();
            let matters = match table {
                "execution" => ["mode", "strategy", "order", "sums"].contains(&name),
                table => table == self.run.case.name() && !["iterations", "tolerance"].contains(&name),
            };
            let then = earlier.as_ref().and_then(|earlier| {
                let value = earlier.get_ref().get(table)?.get_ref().as_table()?.get(name)?;
                Value::check(key, value.get_ref()).ok()
            });
            let same = match (&then, name) {
                (Some(then), "strategy") => class(then) == class(now),
                (then, _) => then.as_ref() == Some(now),
            };
            if matters && !same {
                let then = then.map_or("not set".into(), |then| then.to_toml());
                changes.push(format!("{}: {then} -> {}", key.path, now.to_toml()));
            }
        }
        changes
    }

    /// The complete configuration as a JSON object, for `summary.json`.
    pub fn to_json(&self) -> serde_json::Value {
        nested(&self.effective)
    }
}

/// A configuration file is at most this long; what is longer is another file, or has no end.
const LONGEST_FILE: u64 = 1 << 20;

fn read(path: &str) -> Result<String, ConfigError> {
    let read = given::read(Path::new(path), "a configuration file", LONGEST_FILE);
    let bytes = read.map_err(|error| ConfigError::Read { path: path.into(), reason: error.to_string() })?;
    String::from_utf8(bytes).map_err(|error| {
        let valid = error.utf8_error().valid_up_to();
        let text = String::from_utf8_lossy(&error.as_bytes()[..valid]).into_owned();
        ConfigError::Syntax {
            place: Place::in_file(path, &text, valid),
            reason: "the file is not UTF-8 text".into(),
        }
    })
}

/// Settings as nested JSON objects, one for each table.
fn nested(settings: &[(&'static Key, Value)]) -> serde_json::Value {
    let mut root = serde_json::Map::new();
    for (key, value) in settings {
        let mut table = &mut root;
        let (path, name) = key.split();
        for segment in path.split('.').filter(|segment| !segment.is_empty()) {
            table = table
                .entry(segment)
                .or_insert_with(|| serde_json::Value::Object(serde_json::Map::new()))
                .as_object_mut()
                .expect("no key has the path of a table");
        }
        table.insert(name.into(), value.to_json());
    }
    serde_json::Value::Object(root)
}

#[cfg(test)]
mod tests;
