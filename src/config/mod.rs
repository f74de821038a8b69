//! The configuration: a TOML file, overridden on the command line, checked against the descriptions of all keys.
//!
//! ```text
//! keys        all tables of keys: the program's and the cases'
//! settings    the file's and the command line's settings, with defaults filled in
//! hint        what an unknown key could have meant
//! reference   docs/config.md, from the tables
//! error       what can be wrong, and where
//! ```

pub mod error;
mod hint;
pub mod keys;
pub mod reference;
pub mod settings;

use std::path::{Path, PathBuf};

use cfd_engine::comm::Comm;
use cfd_engine::given::{self, short};
use cfd_engine::strategy::Strategy;
use cfd_keys::{Key, Keys, Table, Value, typed};
use cfd_mesh::{Boundaries, Motion, PERIODIC, Periodic, USUAL_TOLERANCE};
use cfd_reducers::strategies;
use cfd_solvers::case::{Case, Generator, Limits};
use serde_json::Value as Json;
use toml::de::DeTable;

use crate::references;

pub use self::error::{ConfigError, SettingSource};
pub use self::keys::{
    Backend, ByName, DeviceLayout, Execution, GpuAwareMpi, Lanes, OutputSettings, Partition,
};
use self::settings::{Effective, Settings};

/// A setting from the command line.
#[derive(Clone, Debug, PartialEq)]
pub struct Override {
    /// The option as typed, for messages: `--seed 3`.
    pub flag: String,
    /// The key's path; `{case}` in it stands for the case's own table.
    pub path: String,
    /// The value as typed: TOML, or the bare text of a string.
    pub value: String,
    /// A string is the value as typed, even if that is other TOML: `--out 2024`.
    pub bare: bool,
}

/// The complete configuration of a run.
#[derive(Clone, Debug)]
pub struct Config {
    /// Its typed form.
    pub run: Run,
    effective: Vec<Effective>,
}

/// The typed form of a configuration.
#[derive(Clone, Debug)]
pub struct Run {
    /// What is solved.
    pub case: &'static Case,
    /// The values of the case's own keys.
    pub keys: Json,
    /// Where the mesh comes from.
    pub mesh: Mesh,
    /// What its named boundaries are.
    pub boundaries: Boundaries,
    /// The table `[execution]`.
    pub execution: Execution,
    /// The table `[partition]`.
    pub partition: Partition,
    /// The table `[output]`.
    pub output: OutputSettings,
}

impl Run {
    /// When the run ends.
    pub fn limits(&self) -> Limits {
        self.case.limits(&self.keys)
    }
}

/// The table `[mesh]`.
#[derive(Clone, Debug)]
pub enum Mesh {
    /// Read from a file.
    File(PathBuf),
    /// Generated at start, with these values of the generator's keys.
    Generate(Generator, Json),
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
    /// Names the place of the first mistake: line and column in the file, or the option.
    pub fn parse(path: &str, text: &str, overrides: &[Override]) -> Result<Config, ConfigError> {
        let mut settings = Settings::default();
        settings.add_file(path, text)?;
        for given in overrides {
            let path = given.path.replace("{case}", settings.case_name().unwrap_or("case"));
            settings.add_flag(given, &path)?;
        }
        let (case, effective) = settings.complete(path)?;
        let all = nested(&effective);
        let table = |name: &str| match all.pointer(&format!("/{}", name.replace('.', "/"))) {
            Some(values) => values.clone(),
            None => Json::Object(serde_json::Map::new()),
        };
        let mesh = match all.pointer("/mesh/file").and_then(Json::as_str) {
            Some(file) => Mesh::File(file.into()),
            None => {
                let generator =
                    case.facts().generator.expect("only a case with a generator has its settings");
                let by_case = case.mesh(&table(case.name()));
                Mesh::Generate(generator, by_case.unwrap_or_else(|| table(keys::GENERATE)))
            }
        };
        let run = Run {
            case,
            keys: own(case, &table),
            mesh,
            boundaries: boundaries(case, &table(keys::BOUNDARIES), &table(case.name())),
            execution: typed(&table(Execution::TABLE.name)),
            partition: typed(&table(Partition::TABLE.name)),
            output: typed(&table(OutputSettings::TABLE.name)),
        };
        Ok(Config { run, effective })
    }

    /// The complete configuration as TOML: reading it gives the same configuration, bit for bit.
    pub fn to_toml(&self) -> String {
        let mut text = format!("# complete configuration, cfd {}\n", env!("CARGO_PKG_VERSION"));
        for settings in self.effective.chunk_by(|a, b| a.table.name == b.table.name) {
            let table = settings[0].table.name;
            if !table.is_empty() {
                text.push_str(&format!("\n[{table}]\n"));
            }
            let lines = settings.iter().map(|s| format!("{} = {}\n", s.key.name, s.value.to_toml()));
            text.extend(lines);
        }
        text
    }

    /// The keys whose values differ from their defaults, with their values as TOML, in printing order.
    pub fn changed(&self) -> Vec<(String, String)> {
        let changed =
            self.effective.iter().filter(|set| set.key.default_value().as_ref() != Some(&set.value));
        changed.map(|set| (set.table.path(set.key), set.value.to_toml())).collect()
    }

    /// The keys whose values differ from an earlier run's complete configuration, if that can change the bits of what
    /// follows: `execution.order: "file" -> "hilbert"`.
    pub fn changes_since(&self, earlier: &str) -> Vec<String> {
        let earlier = DeTable::parse(earlier).ok();
        let class = |strategy: &Value| match strategy {
            Value::Text(name) => strategies::named(name).map(Strategy::class),
            _ => None,
        };
        let mut changes = Vec::new();
        for Effective { table, key, value: now } in &self.effective {
            let name = key.name;
            let matters = match table.name {
                "execution" => ["mode", "strategy", "order", "sums"].contains(&name),
                _ => {
                    self.run.case.tables().any(|own| own == *table)
                        && !["iterations", "tolerance"].contains(&name)
                }
            };
            let then = earlier.as_ref().and_then(|earlier| {
                let mut found = earlier.get_ref();
                for segment in table.name.split('.').filter(|segment| !segment.is_empty()) {
                    found = found.get(segment)?.get_ref().as_table()?;
                }
                let value = found.get(name)?;
                Value::check(key.kind, value.get_ref()).ok()
            });
            let same = match (&then, name) {
                (Some(then), "strategy") => class(then) == class(now),
                (then, _) => then.as_ref() == Some(now),
            };
            if matters && !same {
                let then = then.map_or("not set".into(), |then| then.to_toml());
                changes.push(format!("{}: {} -> {}", table.path(key), short(&then), short(&now.to_toml())));
            }
        }
        changes
    }

    /// The complete configuration as a JSON object, for `summary.json`.
    pub fn to_json(&self) -> serde_json::Value {
        nested(&self.effective)
    }
}

/// A configuration file is at most this long; a longer file is something else, or has no end.
const LONGEST_FILE: u64 = 1 << 20;

fn read(path: &str) -> Result<String, ConfigError> {
    if let Some(text) = references::configuration(path).filter(|_| !Path::new(path).exists()) {
        return Ok(text.into());
    }
    let read = given::read(Path::new(path), "a configuration file", LONGEST_FILE);
    let bytes = read.map_err(|error| ConfigError::Read { path: path.into(), reason: error.to_string() })?;
    String::from_utf8(bytes).map_err(|error| {
        let valid = error.utf8_error().valid_up_to();
        let text = String::from_utf8_lossy(&error.as_bytes()[..valid]).into_owned();
        ConfigError::Syntax {
            place: SettingSource::in_file(path, &text, valid),
            reason: "the file is not UTF-8 text".into(),
        }
    })
}

/// The values of the keys of a case, and those of further tables that it uses.
fn own(case: &Case, table: &impl Fn(&str) -> Json) -> Json {
    let of = |own: &Table| -> serde_json::Map<String, Json> {
        let all = table(own.name);
        let value = |key: &Key| Some((key.name.to_string(), all.get(key.name)?.clone()));
        own.keys.iter().filter_map(value).collect()
    };
    let mut values = of(case.table());
    let beside = case.beside().iter();
    values.extend(beside.map(|(name, table)| (name.to_string(), Json::Object(of(table)))));
    Json::Object(values)
}

/// The names of the case's boundaries: those of each kind in `[boundaries]`, and those in its own table.
fn boundaries(case: &Case, given: &Json, own: &Json) -> Boundaries {
    let kinds = case.facts().boundaries;
    let by_kind = kinds.iter().filter_map(|kind| Some((kind.name, given.get(kind.name)?.as_array()?)));
    let boundaries = by_kind.fold(Boundaries::new(kinds), |boundaries, (kind, names)| {
        boundaries.give(kind, names.iter().filter_map(Json::as_str))
    });
    // Those of a case without kinds of boundaries decide nothing that is derived from a mesh.
    let conditions = own.get(keys::BOUNDARIES).filter(|_| !kinds.is_empty());
    let conditions = conditions.and_then(Json::as_object).into_iter().flatten();
    conditions.fold(boundaries, |boundaries, (name, condition)| {
        let kind = condition.get("kind").and_then(Json::as_str).expect("a checked condition has a kind");
        match periodic(name, condition) {
            Some(pair) if kind == PERIODIC => boundaries.pair(pair),
            _ => boundaries.give(kind, [name.as_str()]),
        }
    })
}

/// What the condition of a periodic boundary says of it and its partner.
fn periodic(name: &str, condition: &Json) -> Option<Periodic> {
    let vector = |key: &str| -> Option<Vec<f64>> {
        condition.get(key)?.as_array()?.iter().map(Json::as_f64).collect()
    };
    let motion = match condition.get("angle").and_then(Json::as_f64) {
        None => Motion::Translation(vector("translation")),
        Some(angle) => {
            let axis = vector("axis").and_then(|axis| axis.try_into().ok()).unwrap_or([0.0, 0.0, 1.0]);
            Motion::Rotation { center: vector("center").unwrap_or_default(), axis, angle }
        }
    };
    let partner = condition.get("partner")?.as_str()?;
    let tolerance = condition.get("tolerance").and_then(Json::as_f64).unwrap_or(USUAL_TOLERANCE);
    Some(Periodic { names: [name.into(), partner.into()], motion, tolerance })
}

/// Settings as nested JSON objects, one for each table.
fn nested(settings: &[Effective]) -> Json {
    let mut root = serde_json::Map::new();
    for Effective { table: of, key, value } in settings {
        let mut table = &mut root;
        for segment in of.name.split('.').filter(|segment| !segment.is_empty()) {
            table = table
                .entry(segment)
                .or_insert_with(|| Json::Object(serde_json::Map::new()))
                .as_object_mut()
                .expect("no key has the path of a table");
        }
        table.insert(key.name.into(), value.to_json());
    }
    Json::Object(root)
}
