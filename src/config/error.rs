//! What can be wrong with a configuration, where, and how to fix it.

use std::fmt;

use cfd_engine::given::{short, short_name};
use serde::{Deserialize, Serialize};

/// Where a setting was made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum SettingSource {
    /// In the configuration file; line and column count from 1, columns in characters.
    File {
        /// The file as the user named it.
        path: String,
        /// Line.
        line: usize,
        /// Column.
        column: usize,
    },
    /// On the command line, as typed: `--set partition.seed=3`.
    Flag(String),
    /// In the table of keys.
    Default,
}

impl SettingSource {
    /// The position of byte `offset` in the file's `text`.
    pub fn in_file(path: &str, text: &str, offset: usize) -> SettingSource {
        let before = text.get(..offset).unwrap_or(text);
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        SettingSource::File {
            path: path.into(),
            line: before.matches('\n').count() + 1,
            column: before[line_start..].chars().count() + 1,
        }
    }
}

impl fmt::Display for SettingSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SettingSource::File { path, line, column } => write!(f, "{}:{line}:{column}", short_name(path)),
            SettingSource::Flag(flag) => write!(f, "{flag}"),
            SettingSource::Default => write!(f, "default"),
        }
    }
}

/// Why a configuration is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
pub enum ConfigError {
    /// The file cannot be read.
    #[error("{}: cannot read the configuration: {reason}", short_name(path))]
    Read {
        /// The file.
        path: String,
        /// The system's reason.
        reason: String,
    },
    /// Not TOML.
    #[error("{place}: not valid TOML: {reason}")]
    Syntax {
        /// Where.
        place: SettingSource,
        /// The parser's reason.
        reason: String,
    },
    /// A key that does not exist.
    #[error("{place}: unknown key \"{}\"{}{hint}", short(key), in_table(table))]
    UnknownKey {
        /// Where the key is.
        place: SettingSource,
        /// The key.
        key: String,
        /// The table it is in; empty at the top level.
        table: String,
        /// "; did you mean ...?" or the existing keys.
        hint: String,
    },
    /// A value of the wrong type or out of range.
    #[error("{place}: {key} must be {expected}, found {found}")]
    Invalid {
        /// Where the value is.
        place: SettingSource,
        /// Full path of the key.
        key: String,
        /// Type and range.
        expected: String,
        /// What is there.
        found: String,
    },
    /// Two settings that exclude each other.
    #[error("{place}: {first} and {second} exclude each other; keep one of them")]
    Conflict {
        /// Where the second one is.
        place: SettingSource,
        /// One.
        first: String,
        /// The other.
        second: String,
    },
    /// A key without meaning for the case.
    #[error("{place}: {key} has no meaning for case \"{case}\"; remove it")]
    NotForCase {
        /// Where the key is.
        place: SettingSource,
        /// Full path of the key.
        key: String,
        /// The case.
        case: String,
    },
    /// A device for a case that has no loops.
    #[error("{place}: case \"{case}\" runs on processors only; use execution.backend = \"cpu\"")]
    NoDevices {
        /// Where the backend was chosen.
        place: SettingSource,
        /// The case.
        case: String,
    },
    /// In reproducible mode, a strategy whose bits depend on the partition.
    #[error(
        "{place}: execution.strategy \"{strategy}\" is not reproducible; use one of {}, or execution.mode = \"fast\"",
        quoted(reproducible)
    )]
    NotReproducible {
        /// Where the strategy was chosen.
        place: SettingSource,
        /// The strategy.
        strategy: String,
        /// Those that are.
        reproducible: Vec<String>,
    },
    /// A missing required setting.
    #[error("{}: missing {what}; add {remedy}", short_name(path))]
    Missing {
        /// The configuration file.
        path: String,
        /// What is missing.
        what: String,
        /// A line that would fix it.
        remedy: String,
    },
    /// `--set` without `key=value`.
    #[error("--set {}: expected key.path=value, for example --set partition.seed=3", short(given))]
    Assignment {
        /// The argument.
        given: String,
    },
}

fn quoted(names: &[String]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("\"{name}\"")).collect();
    quoted.join(", ")
}

fn in_table(table: &str) -> String {
    if table.is_empty() { String::new() } else { format!(" in [{table}]") }
}
