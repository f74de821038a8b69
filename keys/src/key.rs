//! A key, and a table of keys.

use toml::de::DeValue;

use crate::{Kind, Value};

/// One configuration key.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Key {
    /// Its name in its table.
    pub name: &'static str,
    /// Type and limits.
    pub kind: Kind,
    /// Default, as TOML; `None` for a key that is unset or required.
    pub default: Option<&'static str>,
    /// Whether it is required if its table is present.
    pub required: bool,
    /// Unit; empty for a dimensionless number or a word.
    pub unit: &'static str,
    /// What it does.
    pub meaning: &'static str,
}

impl Key {
    /// The value of the default, if there is one.
    ///
    /// # Panics
    /// If the description's default fails its own check.
    pub fn default_value(&self) -> Option<Value> {
        let parsed = DeValue::parse(self.default?).expect("defaults are TOML");
        let checked = Value::check(self.kind, parsed.get_ref());
        Some(checked.unwrap_or_else(|mismatch| panic!("the default of {}: {mismatch:?}", self.name)))
    }

    /// True if the key takes a string, whose bare text may look like something else: `--out 2024`.
    pub fn takes_text(&self) -> bool {
        matches!(self.kind, Kind::Text | Kind::Choice(_) | Kind::ChoiceOrFile(_))
    }
}

/// The keys of a table.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Table {
    /// Its path, `mesh.generate`; empty at the top.
    pub name: &'static str,
    /// What it is for, in a line without a full stop.
    pub about: &'static str,
    /// Its keys, in printing order.
    pub keys: &'static [Key],
}

impl Table {
    /// The key of a name.
    pub fn key(&self, name: &str) -> Option<&'static Key> {
        self.keys.iter().find(|key| key.name == name)
    }

    /// The path of one of its keys: `mesh.file`.
    pub fn path(&self, key: &Key) -> String {
        if self.name.is_empty() { key.name.into() } else { format!("{}.{}", self.name, key.name) }
    }
}
