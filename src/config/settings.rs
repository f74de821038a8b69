//! Settings: what the file and the command line set, checked against the table of keys, later ones winning.

use std::collections::BTreeMap;

use cfd_engine::strategy::Strategy;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::error::{ConfigError, Place};
use super::keys::{self, Key};
use super::value::{Mismatch, Value, describe};

/// Two ways to say the same, of which a configuration uses one.
const ALTERNATIVES: [&str; 2] = ["mesh.file", "mesh.generate"];

/// The strategy of fast mode when none is set: no redundant bookkeeping, contiguous rows.
const FASTEST: Strategy = Strategy::Core;

/// Segments of a path, more than any key's.
const DEEPER_THAN_ANY_KEY: usize = 8;

/// The settings made so far, by the path of their key.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    values: BTreeMap<&'static str, Setting>,
    layer: usize,
}

#[derive(Clone, Debug)]
struct Setting {
    value: Value,
    /// Which source made it: the file is one, each option on the command line another.
    layer: usize,
    place: Place,
}

impl Settings {
    /// Adds the settings of a TOML file. `path` is its name in messages.
    pub fn add_file(&mut self, path: &str, text: &str) -> Result<(), ConfigError> {
        let place = |offset: usize| Place::in_file(path, text, offset);
        let document = DeTable::parse(text).map_err(|error| ConfigError::Syntax {
            place: place(error.span().map_or(0, |span| span.start)),
            reason: error.message().lines().collect::<Vec<_>>().join("; "),
        })?;
        self.layer += 1;
        self.add_table("", document.get_ref(), &place)
    }

    /// Adds one setting from the command line. `flag` is the option as typed, for messages; `text` is TOML, or the
    /// bare text of a string.
    pub fn add_flag(&mut self, flag: &str, path: &str, text: &str) -> Result<(), ConfigError> {
        let place = |_: usize| Place::Flag(flag.to_string());
        let parsed = DeValue::parse(text);
        let bare = || DeValue::String(text.into());
        let value = match parsed {
            Ok(value) if takes_text(path) && !value.get_ref().is_str() => bare(),
            Ok(value) => value.into_inner(),
            Err(_) => bare(),
        };
        self.layer += 1;
        // One table for each segment of the path, so that the same descent checks it; no key has as many as are looked at.
        let segments: Vec<&str> = path.split('.').take(DEEPER_THAN_ANY_KEY).collect();
        let mut segments = segments.into_iter().rev();
        let innermost = segments.next().expect("splitting gives at least one segment");
        let mut table = DeTable::new();
        table.insert(Spanned::new(0..0, innermost.into()), Spanned::new(0..0, value));
        for segment in segments {
            let mut outer = DeTable::new();
            outer.insert(Spanned::new(0..0, segment.into()), Spanned::new(0..0, DeValue::Table(table)));
            table = outer;
        }
        self.add_table("", &table, &place)
    }

    fn add_table(
        &mut self,
        prefix: &str,
        table: &DeTable<'_>,
        place: &dyn Fn(usize) -> Place,
    ) -> Result<(), ConfigError> {
        let mut entries: Vec<_> = table.iter().collect();
        entries.sort_by_key(|(name, _)| name.span().start);
        for (name, value) in entries {
            let key_place = || place(name.span().start);
            let path = if prefix.is_empty() {
                name.get_ref().to_string()
            } else {
                format!("{prefix}.{}", name.get_ref())
            };
            if let Some(key) = keys::find(&path) {
                let checked =
                    Value::check(key, value.get_ref()).map_err(|Mismatch { expected, found }| {
                        ConfigError::Invalid { place: place(value.span().start), key: path, expected, found }
                    })?;
                self.insert(key, checked, key_place)?;
            } else if keys::TABLES.iter().any(|(table, _)| *table == path && !path.is_empty()) {
                let DeValue::Table(inner) = value.get_ref() else {
                    return Err(ConfigError::Invalid {
                        place: place(value.span().start),
                        key: path,
                        expected: "a table".into(),
                        found: describe(value.get_ref()),
                    });
                };
                self.add_table(&path, inner, place)?;
            } else {
                return Err(ConfigError::UnknownKey {
                    place: key_place(),
                    key: name.get_ref().to_string(),
                    table: prefix.into(),
                    hint: hint(prefix, name.get_ref()),
                });
            }
        }
        Ok(())
    }

    /// Stores a value. A key given anew replaces the old one, and its alternative, of an earlier source.
    fn insert(
        &mut self,
        key: &'static Key,
        value: Value,
        place: impl Fn() -> Place,
    ) -> Result<(), ConfigError> {
        if let Some(own) = ALTERNATIVES.iter().position(|root| belongs(key.path, root)) {
            let other = ALTERNATIVES[1 - own];
            let same_layer =
                |(path, setting): (&&str, &Setting)| belongs(path, other) && setting.layer == self.layer;
            if self.values.iter().any(same_layer) {
                let (first, second) = (other.into(), ALTERNATIVES[own].into());
                return Err(ConfigError::Conflict { place: place(), first, second });
            }
            self.values.retain(|path, _| !belongs(path, other));
        }
        self.values.insert(key.path, Setting { value, layer: self.layer, place: place() });
        Ok(())
    }

    /// The case, once it is set.
    pub fn case(&self) -> Option<&str> {
        self.text("case")
    }

    /// A string that was set.
    fn text(&self, path: &str) -> Option<&str> {
        match &self.values.get(path)?.value {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The strategy that follows from the mode when none is set; an error when the two do not fit.
    fn strategy(&self) -> Result<Strategy, ConfigError> {
        let fast = self.text("execution.mode") == Some("fast");
        let Some(chosen) = self.text("execution.strategy") else {
            let device = self.text("execution.backend").is_some_and(|backend| backend != "cpu");
            return Ok(match (fast, device) {
                (true, true) => Strategy::Atomic,
                (true, false) => FASTEST,
                (false, _) => Strategy::default(),
            });
        };
        let strategy = Strategy::ALL
            .into_iter()
            .find(|strategy| strategy.name() == chosen)
            .expect("the table of keys names the strategies");
        if !fast && !strategy.is_reproducible() {
            let reproducible = Strategy::ALL.into_iter().filter(|strategy| strategy.is_reproducible());
            return Err(ConfigError::NotReproducible {
                place: self.values["execution.strategy"].place.clone(),
                strategy: chosen.into(),
                reproducible: reproducible.map(|strategy| strategy.name().into()).collect(),
            });
        }
        Ok(strategy)
    }

    /// An error when the mesh that is to be made is not one for the case.
    fn check_generated(&self) -> Result<(), ConfigError> {
        let case = self.case().unwrap_or_default();
        let three = case == "mgcfd";
        let others: &[&str] = if three { &["decimals"] } else { &["levels", "shape"] };
        for key in others.iter().map(|name| format!("mesh.generate.{name}")) {
            if let Some(setting) = self.values.get(key.as_str()) {
                let place = setting.place.clone();
                return Err(ConfigError::NotForCase { place, key, case: case.into() });
            }
        }
        let Some(setting) = self.values.get("mesh.generate.size") else { return Ok(()) };
        let (count, least, names) = if three { (3, 1, "I, J, K") } else { (2, 2, "I, J") };
        match &setting.value {
            Value::Integers(size) if size.len() == count && size.iter().all(|&n| n >= least) => Ok(()),
            found => Err(ConfigError::Invalid {
                place: setting.place.clone(),
                key: "mesh.generate.size".into(),
                expected: format!("{count} integers ({names}) of at least {least} for case \"{case}\""),
                found: found.to_toml(),
            }),
        }
    }

    /// An error when boundaries are named for a mesh that has no names: one that is generated, or of another case.
    fn check_boundaries(&self) -> Result<(), ConfigError> {
        for key in ["boundaries.wall", "boundaries.far_field"] {
            let Some(setting) = self.values.get(key) else { continue };
            let place = setting.place.clone();
            let case = self.case().unwrap_or_default();
            if case != "airfoil" {
                return Err(ConfigError::NotForCase { place, key: key.into(), case: case.into() });
            }
            if self.values.contains_key("mesh.generate.size") {
                return Err(ConfigError::Conflict {
                    place,
                    first: "mesh.generate".into(),
                    second: key.into(),
                });
            }
        }
        Ok(())
    }

    /// True for a key in the table of a case that is not run; what the file sets there is kept.
    fn of_another_case(&self, key: &Key) -> bool {
        let table = key.split().0;
        let cases = keys::find("case").map(|case| case.kind);
        matches!(cases, Some(keys::Kind::Choice(cases)) if cases.contains(&table))
            && self.case() != Some(table)
    }

    /// Fills in defaults and checks that nothing is missing; the settings in the order of the table of keys.
    pub fn complete(&self, path: &str) -> Result<Vec<(&'static Key, Value)>, ConfigError> {
        let missing = |what: &str, remedy: &str| ConfigError::Missing {
            path: path.into(),
            what: what.into(),
            remedy: remedy.into(),
        };
        let set = |path: &str| self.values.contains_key(path);
        if self.case().is_none() {
            return Err(missing("key \"case\"", "case = \"airfoil\" as the first line"));
        }
        if !set("mesh.file") && !set("mesh.generate.size") {
            let remedy = "file = \"...\" or generate = { size = [100, 150] } to [mesh]";
            return Err(missing("the mesh", remedy));
        }
        self.check_generated()?;
        self.check_boundaries()?;
        let strategy = self.strategy()?;
        let mut complete = Vec::new();
        for key in keys::KEYS {
            if key.path == "execution.strategy" {
                complete.push((key, Value::Text(strategy.name().into())));
            } else if let Some(setting) = self.values.get(key.path) {
                complete.push((key, setting.value.clone()));
            } else if let Some(default) = key.default.filter(|_| !self.of_another_case(key)) {
                complete.push((key, default_value(key, default)));
            }
        }
        Ok(complete)
    }
}

/// The value of a default in the table of keys.
pub fn default_value(key: &Key, default: &str) -> Value {
    let parsed = DeValue::parse(default).expect("defaults in the table of keys are TOML");
    Value::check(key, parsed.get_ref()).expect("defaults in the table of keys pass their own check")
}

/// True when the key is the alternative `root` or stands below it.
fn belongs(path: &str, root: &str) -> bool {
    path.strip_prefix(root).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

/// True when a key takes a string, so that its bare text may look like something else (`--out 2024`).
fn takes_text(path: &str) -> bool {
    keys::find(path).is_some_and(|key| {
        matches!(key.kind, keys::Kind::Text | keys::Kind::Choice(_) | keys::Kind::Partitioner)
    })
}

/// What an unknown key could have meant: a similar name in its table, the same name in another, or all there are.
fn hint(table: &str, name: &str) -> String {
    let siblings: Vec<&str> = children(table);
    // Swapped and missing letters are few edits; an abbreviation has many, but the same beginning.
    let likeness = |a: &str, b: &str| {
        strsim::normalized_damerau_levenshtein(a, b).max(strsim::jaro_winkler(a, b) - 0.15)
    };
    let similar = siblings
        .iter()
        .map(|sibling| (likeness(sibling, &name.to_lowercase()), *sibling))
        .filter(|(score, _)| *score > 0.6)
        .max_by(|a, b| a.0.total_cmp(&b.0));
    if let Some((_, sibling)) = similar {
        return format!("; did you mean \"{sibling}\"?");
    }
    if let Some(elsewhere) = keys::KEYS.iter().find(|key| key.split().1 == name) {
        return format!("; did you mean \"{}\"?", elsewhere.path);
    }
    let quoted: Vec<String> = siblings.iter().map(|sibling| format!("\"{sibling}\"")).collect();
    format!("; the keys here are {}", quoted.join(", "))
}

/// Names of the keys and tables directly in a table.
fn children(table: &str) -> Vec<&'static str> {
    let paths = keys::KEYS.iter().map(|key| key.path).chain(keys::TABLES.iter().map(|(path, _)| *path));
    let mut names = Vec::new();
    for path in paths {
        let inside = if table.is_empty() {
            Some(path)
        } else {
            path.strip_prefix(table).and_then(|rest| rest.strip_prefix('.'))
        };
        let name = inside.and_then(|rest| rest.split('.').next()).unwrap_or("");
        if !name.is_empty() && !names.contains(&name) {
            names.push(name);
        }
    }
    names
}
