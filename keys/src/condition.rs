//! Conditions on the named boundaries of a mesh: kinds with values of their own, each described like a table of keys.
//!
//! ```toml
//! [flow.boundaries]
//! airfoil = "wall"
//! inlet = { kind = "inlet", total_pressure = 1.028 }
//! ```

use std::fmt;

use cfd_engine::given::short;
use toml::de::{DeTable, DeValue};

use crate::similar::{did_you_mean, nearest};
use crate::{Key, Mismatch, Value, describe};

/// A kind of condition: its name in configurations and the keys of its values.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Condition {
    /// Its name.
    pub name: &'static str,
    /// What it is, in a line without a full stop.
    pub about: &'static str,
    /// The keys of its values.
    pub keys: &'static [Key],
}

/// The condition of a named boundary.
#[derive(Clone, Debug, PartialEq)]
pub struct BoundaryCondition {
    /// The boundary's name.
    pub boundary: String,
    /// The name of the kind.
    pub kind: &'static str,
    /// The values of the kind's keys, those by default included.
    pub values: Vec<(&'static str, Value)>,
}

impl BoundaryCondition {
    /// The conditions in a table of boundaries.
    pub(crate) fn check_all(
        kinds: &'static [Condition],
        given: &DeTable<'_>,
    ) -> Result<Vec<BoundaryCondition>, Mismatch> {
        let mut entries: Vec<_> = given.iter().collect();
        entries.sort_by_key(|(name, _)| name.span().start);
        let check =
            |(name, value): &(&toml::Spanned<toml::de::DeString<'_>>, &toml::Spanned<DeValue<'_>>)| {
                let boundary = name.get_ref().to_string();
                let within = |mismatch: Mismatch| mismatch.inside(&boundary, value.span().start);
                let (kind, values) = check_one(kinds, value.get_ref()).map_err(within)?;
                Ok(BoundaryCondition { boundary: boundary.clone(), kind, values })
            };
        entries.iter().map(check).collect()
    }

    /// As TOML: the kind's name, or a table.
    pub fn to_toml(&self) -> String {
        let kind = toml::Value::from(self.kind);
        if self.values.is_empty() {
            return kind.to_string();
        }
        let values = self.values.iter().map(|(name, value)| format!(", {name} = {}", value.to_toml()));
        format!("{{ kind = {kind}{} }}", values.collect::<String>())
    }

    /// As JSON: an object of the kind and its values.
    pub(crate) fn to_json(&self) -> serde_json::Value {
        let kind = [("kind".to_string(), self.kind.into())];
        let values = self.values.iter().map(|(name, value)| (name.to_string(), value.to_json()));
        serde_json::Value::Object(kind.into_iter().chain(values).collect())
    }
}

/// Values of keys by name.
type Values = Vec<(&'static str, Value)>;

/// The kind of a condition and the values of its keys.
fn check_one(kinds: &'static [Condition], given: &DeValue<'_>) -> Result<(&'static str, Values), Mismatch> {
    let (word, table) = match given {
        DeValue::String(word) => (word.as_ref(), None),
        DeValue::Table(table) => match table.get("kind").map(|kind| kind.get_ref()) {
            Some(DeValue::String(word)) => (word.as_ref(), Some(table)),
            Some(other) => return Err(Mismatch::new(Kinds(kinds), describe(other)).inside("kind", 0)),
            None => {
                let found = format!("{} without it", describe(given));
                return Err(Mismatch::new("a table with the key `kind`", found));
            }
        },
        other => return Err(Mismatch::new(Kinds(kinds), describe(other))),
    };
    let Some(condition) = kinds.iter().find(|condition| condition.name == word) else {
        let meant = did_you_mean(nearest(word, kinds.iter().map(|condition| condition.name)));
        let found = format!("the string \"{}\"{meant}", short(word).escape_debug());
        return Err(Mismatch::new(Kinds(kinds), found));
    };
    if let Some(table) = table {
        let known = |name: &str| name == "kind" || condition.keys.iter().any(|key| key.name == name);
        let mut names: Vec<_> = table.keys().filter(|name| !known(name.get_ref())).collect();
        names.sort_by_key(|name| name.span().start);
        if let Some(name) = names.first() {
            let keys: Vec<&str> = condition.keys.iter().map(|key| key.name).collect();
            let expected = match keys.is_empty() {
                true => format!("without values, as \"{word}\" has none"),
                false => format!("a table of the keys kind, {}", keys.join(", ")),
            };
            let unknown = name.get_ref();
            let hint = did_you_mean(nearest(unknown, keys.iter().copied()));
            let found = format!("the key \"{}\"{hint}", short(unknown).escape_debug());
            return Err(Mismatch { at: Some(name.span().start), ..Mismatch::new(expected, found) });
        }
    }
    let mut values = Vec::new();
    for key in condition.keys {
        let given = table.and_then(|table| table.get(key.name));
        match given {
            Some(value) => {
                let checked = Value::check(key.kind, value.get_ref());
                let within = |mismatch: Mismatch| mismatch.inside(key.name, value.span().start);
                values.push((key.name, checked.map_err(within)?));
            }
            None if key.required => {
                let expected = format!("a table with the key `{}`, {}: {}", key.name, key.meaning, key.kind);
                return Err(Mismatch::new(expected, format!("\"{word}\" without it")));
            }
            None => values.extend(key.default_value().map(|value| (key.name, value))),
        }
    }
    Ok((condition.name, values))
}

/// Kinds of conditions, as what is expected.
pub(crate) struct Kinds(pub(crate) &'static [Condition]);

impl fmt::Display for Kinds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<String> = self.0.iter().map(|condition| format!("\"{}\"", condition.name)).collect();
        match &names[..] {
            [first @ .., last] if !first.is_empty() => write!(f, "one of {} or {last}", first.join(", "))?,
            _ => write!(f, "{}", names.join(""))?,
        }
        write!(f, ", or a table with the key `kind` and its values")
    }
}

/// Describes kinds of conditions on named boundaries, and the enum that holds a condition, with `KINDS` for
/// [`Kind::Boundaries`](crate::Kind::Boundaries). The crate needs `serde`.
///
/// ```
/// cfd_keys::conditions! {
///     /// What holds on a boundary.
///     pub enum Condition {
///         /// a given temperature
///         Fixed = "fixed" {
///             /// the temperature
///             value: f64, Number(Free, Free), required = true;
///         }
///         /// no heat flows through
///         Insulated = "insulated" {}
///     }
/// }
/// cfd_keys::table! {
///     /// Heat in a plate: an example
///     pub struct Config = "plate" {
///         /// the condition of each named boundary
///         boundaries: std::collections::BTreeMap<String, Condition>, Boundaries(Condition::KINDS), default = {};
///     }
/// }
/// assert!(Config::default().boundaries.is_empty());
/// ```
#[macro_export]
macro_rules! conditions {
    (
        $(#[$about:meta])*
        $vis:vis enum $name:ident {
            $(
                $(#[doc = $meaning:literal])+
                $variant:ident = $word:literal {
                    $(
                        $(#[doc = $of_field:literal])+
                        $field:ident: $type:ty, $kind:expr
                            $(, default = $default:expr)? $(, unit = $unit:literal)? $(, required = $required:literal)?;
                    )*
                }
            )+
        }
    ) => {
        $(#[$about])*
        #[derive(Clone, Debug, PartialEq, ::serde::Deserialize)]
        #[serde(tag = "kind")]
        $vis enum $name {
            $(
                $(#[doc = $meaning])+
                #[serde(rename = $word)]
                $variant {
                    $($(#[doc = $of_field])+ $field: $type,)*
                },
            )+
        }

        impl $name {
            /// The kinds, in the order in which they are listed.
            pub const KINDS: &'static [$crate::Condition] = {
                #[allow(unused_imports, reason = "no description uses all of them")]
                use $crate::{Bound::*, Count::*, Kind::*, LARGEST};
                &[$($crate::Condition {
                    name: $word,
                    about: concat!($($meaning),+).trim_ascii(),
                    keys: &[$($crate::Key {
                        name: stringify!($field),
                        kind: $kind,
                        default: $crate::table!(@default $($default)?),
                        required: $crate::table!(@or false $($required)?),
                        unit: $crate::table!(@or "" $($unit)?),
                        meaning: concat!($($of_field),+).trim_ascii(),
                    }),*],
                }),+]
            };
        }
    };
}

#[cfg(test)]
mod tests {
    use crate::{Kind, Value, typed};
    use std::collections::BTreeMap;
    use toml::de::DeValue;

    crate::conditions! {
        /// What holds on a boundary.
        pub enum Held {
            /// a wall
            Wall = "wall" {}
            /// flow comes in
            Inlet = "inlet" {
                /// total pressure
                total_pressure: f64, Number(Open(0.0), Free), required = true;
                /// where to, in degrees
                angle: f64, Number(Free, Free), default = 0.0, unit = "degrees";
            }
        }
    }

    crate::table! {
        /// An example
        pub struct Config = "flow" {
            /// the condition of each named boundary
            boundaries: BTreeMap<String, Held>, Boundaries(Held::KINDS), default = {};
        }
    }

    fn check(text: &str) -> Result<Value, String> {
        let wrong = |mismatch: crate::Mismatch| {
            format!("{} must be {}, found {}", mismatch.path(), mismatch.expected, mismatch.found)
        };
        Value::check(Kind::Boundaries(Held::KINDS), DeValue::parse(text).unwrap().get_ref()).map_err(wrong)
    }

    #[test]
    fn a_word_or_a_table_is_a_condition_and_defaults_are_filled_in() {
        let text = "{ airfoil = \"wall\", in = { kind = \"inlet\", total_pressure = 1.5 } }";
        let value = check(text).unwrap();
        assert_eq!(
            value.to_toml(),
            "{ airfoil = \"wall\", in = { kind = \"inlet\", total_pressure = 1.5, angle = 0.0 } }"
        );
        assert_eq!(value.check_again(Kind::Boundaries(Held::KINDS)), Ok(value.clone()));
        let config: Config = typed(&serde_json::json!({ "boundaries": value.to_json() }));
        assert_eq!(config.boundaries["airfoil"], Held::Wall {});
        assert_eq!(config.boundaries["in"], Held::Inlet { total_pressure: 1.5, angle: 0.0 });
        assert_eq!(check("{ \"far field\" = \"wall\" }").unwrap().to_toml(), "{ \"far field\" = \"wall\" }");
    }

    #[test]
    fn what_is_wrong_is_said_with_its_place_and_what_was_meant() {
        for (text, words) in [
            ("1.0", "must be a table by name, found 1.0"),
            ("{ a = 1 }", "a must be one of \"wall\" or \"inlet\", or a table with the key `kind`"),
            ("{ a = \"wal\" }", "found the string \"wal\" (did you mean \"wall\"?)"),
            (
                "{ a = \"inlet\" }",
                "a must be a table with the key `total_pressure`, total pressure: a finite number greater than 0, found \"inlet\" without it",
            ),
            (
                "{ a = { total_pressure = 1 } }",
                "a must be a table with the key `kind`, found a table without it",
            ),
            (
                "{ a = { kind = \"inlet\", total_pressure = -1.0 } }",
                "a.total_pressure must be a finite number greater than 0, found -1.0",
            ),
            (
                "{ a = { kind = \"inlet\", total_presure = 1.0 } }",
                "the key \"total_presure\" (did you mean \"total_pressure\"?)",
            ),
            (
                "{ a = { kind = \"wall\", heat = 1.0 } }",
                "without values, as \"wall\" has none, found the key \"heat\"",
            ),
            ("{ a = { kind = 3 } }", "a.kind must be one of"),
        ] {
            let message = check(text).unwrap_err();
            assert!(message.contains(words), "{text}: {message}");
        }
    }
}
