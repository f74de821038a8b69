//! Settings from the file and the command line, checked against the table of keys; later ones win.

use std::collections::BTreeMap;

use cfd_engine::given::short;
use cfd_engine::strategy::{Mode, Strategy};
use cfd_keys::{Key, Mismatch, Table, Value, describe};
use cfd_reducers::{Kind, strategies};
use cfd_solvers::case::Case;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::Override;
use super::error::{ConfigError, SettingSource};
use super::hint::hint;
use super::keys;

/// Alternatives: a configuration uses one of the two.
const ALTERNATIVES: [&str; 2] = ["mesh.file", "mesh.generate"];
/// The table of both; some cases have a key that replaces it.
const MESH: &str = "mesh";

/// Maximum number of segments in a path, more than any key has.
const DEEPER_THAN_ANY_KEY: usize = 8;

/// The settings made so far, by the path of their key.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    values: BTreeMap<String, Setting>,
    layer: usize,
}

/// A key and its value in a complete configuration.
#[derive(Clone, Debug)]
pub struct Effective {
    /// The key's table.
    pub table: &'static Table,
    /// The key.
    pub key: &'static Key,
    /// Its value.
    pub value: Value,
}

#[derive(Clone, Debug)]
struct Setting {
    value: Value,
    /// Its source: the file is one, each command-line option another.
    layer: usize,
    place: SettingSource,
}

impl Settings {
    /// Adds the settings of a TOML file. `path` is its name in messages.
    pub fn add_file(&mut self, path: &str, text: &str) -> Result<(), ConfigError> {
        let place = |offset: usize| SettingSource::in_file(path, text, offset);
        let document = DeTable::parse(text).map_err(|error| ConfigError::Syntax {
            place: place(error.span().map_or(0, |span| span.start)),
            reason: error.message().lines().collect::<Vec<_>>().join("; "),
        })?;
        self.layer += 1;
        self.add_table("", document.get_ref(), &place)
    }

    /// Adds one setting from the command line, of the key at `path`.
    pub fn add_flag(&mut self, given: &Override, path: &str) -> Result<(), ConfigError> {
        let place = |_: usize| SettingSource::Flag(given.flag.clone());
        let text_key =
            keys::find(path, self.case()).first().map(|(_, key)| *key).filter(|key| key.takes_text());
        let value = Value::parse_text(given.bare && text_key.is_some(), &given.value).into_inner();
        if let Some(key) = text_key.filter(|_| !value.is_str()) {
            let (found, text) = (describe(&value), short(&given.value));
            return Err(ConfigError::Invalid {
                place: place(0),
                key: path.into(),
                expected: key.kind.to_string(),
                found: format!("{found}; a string of these characters is '\"{text}\"'"),
            });
        }
        self.layer += 1;
        let known = self.condition_of(path);
        let (path, value) = match &known {
            Some((boundary, known, name)) => (boundary.as_str(), with_value(known, name, value)),
            None => (path, value),
        };
        // One table for each segment of the path, so the same descent checks it; no key has as many segments as this
        // allows.
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

    /// If a path names a value of a boundary's condition that is set: the path of the condition, what it is as TOML, and the
    /// name of the value.
    fn condition_of<'p>(&self, path: &'p str) -> Option<(String, String, &'p str)> {
        // Another kind has other values.
        let (boundary_path, name) = path.rsplit_once('.').filter(|(_, name)| *name != "kind")?;
        let (table, boundary) = boundary_path.rsplit_once('.')?;
        let Value::Boundaries(conditions) = &self.values.get(table)?.value else { return None };
        let known = conditions.iter().find(|condition| condition.boundary == boundary)?;
        Some((boundary_path.into(), known.to_toml(), name))
    }

    fn add_table(
        &mut self,
        prefix: &str,
        table: &DeTable<'_>,
        place: &dyn Fn(usize) -> SettingSource,
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
            let found = keys::find(&path, self.case());
            if let Some((_, key)) = found.first() {
                // The case may be set later; a value that no case accepts is always wrong.
                let checked = found.iter().find_map(|(_, key)| Value::check(key.kind, value.get_ref()).ok());
                let checked = checked.map_or_else(|| Value::check(key.kind, value.get_ref()), Ok);
                let checked = checked.map_err(|mismatch| {
                    let place = place(mismatch.at.unwrap_or(value.span().start));
                    let within = mismatch.within.iter().map(String::as_str);
                    let key = std::iter::once(&path[..]).chain(within).collect::<Vec<_>>().join(".");
                    ConfigError::Invalid { place, key, expected: mismatch.expected, found: mismatch.found }
                })?;
                self.insert(path, checked, key_place)?;
            } else if keys::is_table(&path) {
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
                    hint: hint(prefix, name.get_ref(), self.case()),
                });
            }
        }
        Ok(())
    }

    /// Stores a value. A repeated key replaces the one from an earlier source, and its alternative.
    fn insert(
        &mut self,
        path: String,
        value: Value,
        place: impl Fn() -> SettingSource,
    ) -> Result<(), ConfigError> {
        if let Some(own) = ALTERNATIVES.iter().position(|root| belongs(&path, root)) {
            let other = ALTERNATIVES[1 - own];
            let same_layer =
                |(path, setting): (&String, &Setting)| belongs(path, other) && setting.layer == self.layer;
            if self.values.iter().any(same_layer) {
                let (first, second) = (other.into(), ALTERNATIVES[own].into());
                return Err(ConfigError::Conflict { place: place(), first, second });
            }
            self.values.retain(|path, _| !belongs(path, other));
        }
        // Conditions are given boundary by boundary.
        if let (Value::Boundaries(new), Some(Setting { value: Value::Boundaries(known), .. })) =
            (&value, self.values.get_mut(&path))
        {
            known.retain(|old| new.iter().all(|new| new.boundary != old.boundary));
            known.extend(new.iter().cloned());
            return Ok(());
        }
        self.values.insert(path, Setting { value, layer: self.layer, place: place() });
        Ok(())
    }

    /// The name of the case, once it is set.
    pub fn case_name(&self) -> Option<&str> {
        self.text("case")
    }

    /// The case, once it is set.
    fn case(&self) -> Option<&'static Case> {
        keys::case(self.text("case")?)
    }

    /// A string value, if set.
    fn text(&self, path: &str) -> Option<&str> {
        match &self.values.get(path)?.value {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The strategy implied by the mode if none is set; an error if the two do not fit.
    fn strategy(&self) -> Result<Strategy, ConfigError> {
        let fast = self.text("execution.mode") == Some("fast");
        let Some(chosen) = self.text("execution.strategy") else {
            return Ok(match (fast, self.text("execution.backend").unwrap_or("cpu")) {
                (false, _) => Strategy::default(),
                (true, "cpu") => Strategy::of_mode(Mode::Fast),
                // Common to processors and devices.
                (true, "auto") => Strategy::Regions,
                (true, _) => strategies::of(Kind::Atomic),
            });
        };
        let strategy = strategies::named(chosen).expect("the table of keys names the strategies");
        if !fast && !strategy.is_reproducible() {
            let reproducible = strategies::all().filter(|strategy| strategy.is_reproducible());
            return Err(ConfigError::NotReproducible {
                place: self.values["execution.strategy"].place.clone(),
                strategy: chosen.into(),
                reproducible: reproducible.map(|strategy| strategy.name().into()).collect(),
            });
        }
        Ok(strategy)
    }

    /// The settings of a table, with their paths.
    fn in_table(&self, table: &str) -> impl Iterator<Item = (&String, &Setting)> {
        self.values.iter().filter(move |(path, _)| path.rsplit_once('.').is_some_and(|(of, _)| of == table))
    }

    /// Resolves the settings of a case with a key that replaces the table `mesh`: both from the same source are an
    /// error; from different sources, the later one counts.
    fn without_other_mesh(&self, case: &Case) -> Result<Settings, ConfigError> {
        let mut settings = self.clone();
        let Some(own) = case.facts().mesh_key.map(|key| format!("{}.{key}", case.name())) else {
            return Ok(settings);
        };
        let Some(by_case) = self.values.get(&own) else { return Ok(settings) };
        let others = || self.values.iter().filter(|(path, _)| belongs(path, MESH));
        if let Some((path, _)) = others().find(|(_, other)| other.layer == by_case.layer) {
            let root = ALTERNATIVES.iter().find(|root| belongs(path, root)).unwrap_or(&MESH);
            let place = by_case.place.clone();
            return Err(ConfigError::Conflict { place, first: root.to_string(), second: own });
        }
        if others().any(|(_, other)| other.layer > by_case.layer) {
            settings.values.remove(&own);
        } else {
            settings.values.retain(|path, _| !belongs(path, MESH));
        }
        Ok(settings)
    }

    /// An error if the settings for generating the mesh do not fit the case's generator.
    fn check_generated(&self, case: &Case, path: &str) -> Result<(), ConfigError> {
        let keys_of_case: &[Key] = case.facts().generator.map_or(&[], |generator| generator.table.keys);
        let key_of = |path: &str| keys_of_case.iter().find(|key| path.ends_with(&format!(".{}", key.name)));
        for (path, setting) in self.in_table(keys::GENERATE) {
            let Some(key) = key_of(path) else {
                let (place, key, case) = (setting.place.clone(), path.clone(), case.name().into());
                return Err(ConfigError::NotForCase { place, key, case });
            };
            setting.value.check_again(key.kind).map_err(|Mismatch { expected, .. }| {
                ConfigError::Invalid {
                    place: setting.place.clone(),
                    key: path.clone(),
                    expected: format!("{expected} for case \"{}\"", case.name()),
                    found: short(&setting.value.to_toml()).into_owned(),
                }
            })?;
        }
        let is_set = |key: &Key| self.values.contains_key(&format!("{}.{}", keys::GENERATE, key.name));
        let usual = case.facts().generator.map_or(&[][..], |generator| generator.usual);
        let lines: Vec<String> = usual.iter().map(|(name, value)| format!("{name} = {value}")).collect();
        if self.in_table(keys::GENERATE).next().is_none() {
            let generate = format!(" or generate = {{ {} }}", lines.join(", "));
            let generate = if case.facts().generator.is_some() { &generate } else { "" };
            let own =
                case.facts().mesh_key.map_or(String::new(), |key| format!("{key} to [{}], or ", case.name()));
            return Err(missing(path, "the mesh", &format!("{own}file = \"...\"{generate} to [mesh]")));
        }
        match keys_of_case.iter().find(|key| key.required && !is_set(key)) {
            None => Ok(()),
            Some(key) => {
                let line = lines.iter().find(|line| line.starts_with(key.name)).map_or("it", String::as_str);
                let what = format!("key \"{}.{}\"", keys::GENERATE, key.name);
                Err(missing(path, &what, &format!("{line} to [{}]", keys::GENERATE)))
            }
        }
    }

    /// An error if boundaries are named for a mesh without names, or are of a kind that the case does not know.
    fn check_boundaries(&self, case: &Case) -> Result<(), ConfigError> {
        let known = keys::named(keys::BOUNDARIES, None).flat_map(|table| table.keys);
        for key in known.map(|key| format!("{}.{}", keys::BOUNDARIES, key.name)) {
            let Some(setting) = self.values.get(&key) else { continue };
            let place = setting.place.clone();
            if case.facts().boundaries.iter().all(|kind| key != format!("{}.{}", keys::BOUNDARIES, kind.name))
            {
                return Err(ConfigError::NotForCase { place, key, case: case.name().into() });
            }
            if self.in_table(keys::GENERATE).next().is_some() {
                return Err(ConfigError::Conflict { place, first: keys::GENERATE.into(), second: key });
            }
        }
        Ok(())
    }

    /// An error if a device is requested for a case that cannot use one.
    fn check_backend(&self, case: &Case) -> Result<(), ConfigError> {
        let Some(setting) = self.values.get("execution.backend") else { return Ok(()) };
        if case.facts().devices || ["cpu", "auto"].contains(&self.text("execution.backend").unwrap_or("cpu"))
        {
            return Ok(());
        }
        Err(ConfigError::NoDevices { place: setting.place.clone(), case: case.name().into() })
    }

    /// Fills in defaults and checks that nothing is missing; the case, and the settings in the order of the tables.
    pub fn complete(&self, path: &str) -> Result<(&'static Case, Vec<Effective>), ConfigError> {
        let Some(case) = self.case() else {
            let first = format!("case = \"{}\" as the first line", cfd_solvers::CASES[0].name());
            return Err(missing(path, "key \"case\"", &first));
        };
        let settings = self.without_other_mesh(case)?;
        settings.complete_for(case, path).map(|complete| (case, complete))
    }

    /// [`Settings::complete`], for this case.
    fn complete_for(&self, case: &'static Case, path: &str) -> Result<Vec<Effective>, ConfigError> {
        if !self.values.contains_key("mesh.file") && !self.mesh_is_of(case) {
            self.check_generated(case, path)?;
        }
        self.check_boundaries(case)?;
        self.check_backend(case)?;
        let strategy = self.strategy()?;
        let own = case.facts().generator.map(|generator| generator.table);
        let is_of_another = |table: &Table| table.name == keys::GENERATE && Some(table) != own;
        let mut complete = Vec::new();
        for &table in keys::tables().iter().filter(|table| !is_of_another(table)) {
            // Settings in the file for other cases are kept.
            let without_defaults = !keys::is_for(table, case) || table.name == keys::GENERATE;
            for key in table.keys {
                let path = table.path(key);
                let value = match self.values.get(&path) {
                    _ if path == "execution.strategy" => Some(Value::Text(strategy.name().into())),
                    Some(setting) => Some(setting.value.clone()),
                    None if without_defaults => None,
                    None => key.default_value(),
                };
                complete.extend(value.map(|value| Effective { table, key, value }));
            }
        }
        Ok(complete)
    }

    /// Whether the case's own key generates the mesh.
    fn mesh_is_of(&self, case: &Case) -> bool {
        case.facts().mesh_key.is_some_and(|key| self.values.contains_key(&format!("{}.{key}", case.name())))
    }
}

/// An error about a missing setting.
fn missing(path: &str, what: &str, remedy: &str) -> ConfigError {
    ConfigError::Missing { path: path.into(), what: what.into(), remedy: remedy.into() }
}

/// A condition, given as TOML, with one of its values set anew.
fn with_value<'a>(known: &'a str, name: &'a str, value: DeValue<'a>) -> DeValue<'a> {
    let parsed = DeValue::parse(known).expect("conditions are printed as TOML").into_inner();
    let mut table = match parsed {
        DeValue::Table(table) => table,
        // The bare name of a kind.
        kind => DeTable::from_iter([(Spanned::new(0..0, "kind".into()), Spanned::new(0..0, kind))]),
    };
    table.insert(Spanned::new(0..0, name.into()), Spanned::new(0..0, value));
    DeValue::Table(table)
}

/// True if the key is the alternative `root` or is below it.
fn belongs(path: &str, root: &str) -> bool {
    path.strip_prefix(root).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}
