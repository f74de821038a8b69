//! Values of settings: checked against a key's type and range, printed as TOML and JSON.

use cfd_engine::given::short;
use toml::Spanned;
use toml::de::DeValue;

use crate::similar::{did_you_mean, nearest};
use crate::{BoundaryCondition, Key, Kind};

/// A checked value.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A string.
    Text(String),
    /// A list of strings.
    Texts(Vec<String>),
    /// A truth value.
    Bool(bool),
    /// An integer.
    Integer(u64),
    /// A list of integers.
    Integers(Vec<u64>),
    /// A number.
    Number(f64),
    /// A list of numbers.
    Numbers(Vec<f64>),
    /// A list of points.
    Points(Vec<Vec<f64>>),
    /// Conditions on boundaries.
    Boundaries(Vec<BoundaryCondition>),
}

/// A value that the key does not take: what was found and what was expected.
#[derive(Clone, Debug, PartialEq)]
pub struct Mismatch {
    /// What is expected.
    pub expected: String,
    /// What is there.
    pub found: String,
    /// Where it is within the value: the path to it, empty for the value itself.
    pub within: Vec<String>,
    /// Its offset in the text, if it is within the value.
    pub at: Option<usize>,
}

impl Mismatch {
    /// A value that is wrong as a whole.
    pub(crate) fn new(expected: impl ToString, found: impl ToString) -> Mismatch {
        Mismatch { expected: expected.to_string(), found: found.to_string(), within: Vec::new(), at: None }
    }

    /// The same, within a table under this name, at an offset.
    pub(crate) fn inside(mut self, name: &str, at: usize) -> Mismatch {
        self.within.insert(0, name.into());
        self.at.get_or_insert(at);
        self
    }

    /// The path within the value, segments divided by dots.
    pub fn path(&self) -> String {
        self.within.join(".")
    }
}

impl Value {
    /// Checks a TOML value against a key's kind. `1` is a number as well as an integer.
    ///
    /// # Errors
    /// What is expected, and what was found.
    pub fn check(kind: Kind, given: &DeValue<'_>) -> Result<Value, Mismatch> {
        let value = match (kind, given) {
            (Kind::Text, DeValue::String(text)) if !text.is_empty() => Some(Value::Text(text.to_string())),
            (Kind::Choice(words), DeValue::String(text)) if words.contains(&text.as_ref()) => {
                Some(Value::Text(text.to_string()))
            }
            (Kind::Choices(words), DeValue::Array(list)) => list
                .iter()
                .map(|item| item.get_ref().as_str().filter(|word| words.contains(word)).map(String::from))
                .collect::<Option<Vec<_>>>()
                .map(Value::Texts),
            (Kind::Names, DeValue::Array(list)) if !list.is_empty() => list
                .iter()
                .map(|item| item.get_ref().as_str().filter(|name| !name.is_empty()).map(String::from))
                .collect::<Option<Vec<_>>>()
                .map(Value::Texts),
            (Kind::ChoiceOrFile(words), DeValue::String(text)) => {
                let named = words.iter().any(|word| match word.strip_suffix("PATH") {
                    Some(prefix) => text.strip_prefix(prefix).is_some_and(|path| !path.is_empty()),
                    None => *word == text.as_ref(),
                });
                named.then(|| Value::Text(text.to_string()))
            }
            (Kind::Bool, DeValue::Boolean(value)) => Some(Value::Bool(*value)),
            (Kind::Integer(low, high), given) => {
                integer(given).filter(|value| (low..=high).contains(value)).map(Value::Integer)
            }
            (Kind::AutoOr(_), DeValue::String(text)) if text == "auto" => Some(Value::Text(text.to_string())),
            (Kind::AutoOr(numbers), given) => {
                integer(given).filter(|value| numbers.contains(value)).map(Value::Integer)
            }
            (Kind::PowerOfTwo(low, high), given) => integer(given)
                .filter(|&value| value == 0 || value.is_power_of_two() && (low..=high).contains(&value))
                .map(Value::Integer),
            (Kind::Integers(count, lows, high), DeValue::Array(list)) if count.allows(list.len()) => list
                .iter()
                .zip(lows)
                .map(|(item, &low)| integer(item.get_ref()).filter(|value| (low..=high).contains(value)))
                .collect::<Option<Vec<_>>>()
                .map(Value::Integers),
            (Kind::Number(..), given) => number(given).filter(|&value| kind.allows(value)).map(Value::Number),
            (Kind::Numbers(count, ..), DeValue::Array(list)) if count.allows(list.len()) => list
                .iter()
                .map(|item| number(item.get_ref()).filter(|&value| kind.allows(value)))
                .collect::<Option<Vec<_>>>()
                .map(Value::Numbers),
            (Kind::Points, DeValue::Array(list)) => {
                list.iter().map(|item| point(item.get_ref())).collect::<Option<Vec<_>>>().map(Value::Points)
            }
            (Kind::Boundaries(kinds), DeValue::Table(table)) => {
                return BoundaryCondition::check_all(kinds, table).map(Value::Boundaries);
            }
            _ => None,
        };
        value.ok_or_else(|| Mismatch::new(kind, describe(given) + &did_you_mean(meant(kind, given))))
    }

    /// Checks the value against another kind than it was checked against before.
    ///
    /// # Errors
    /// As [`Value::check`].
    pub fn check_again(&self, kind: Kind) -> Result<Value, Mismatch> {
        let text = self.to_toml();
        let parsed = DeValue::parse(&text).expect("values are printed as TOML");
        Value::check(kind, parsed.get_ref())
    }

    /// The value of a key from its own option: TOML, the bare text of a string, or the items of a list: `400,600`.
    ///
    /// # Errors
    /// As [`Value::check`].
    pub fn from_option(key: &Key, text: &str) -> Result<Value, Mismatch> {
        let is_list = matches!(key.kind, Kind::Integers(..) | Kind::Numbers(..));
        let list = if is_list && !text.starts_with('[') { format!("[{text}]") } else { text.to_string() };
        Value::check(key.kind, Value::parse_text(key.takes_text(), &list).get_ref())
    }

    /// The TOML of a text from the command line, which may be the bare text of a string; always a string if one is
    /// expected and the text is something else.
    pub fn parse_text(takes_text: bool, text: &str) -> Spanned<DeValue<'_>> {
        let bare = || Spanned::new(0..text.len(), DeValue::String(text.into()));
        match DeValue::parse(text) {
            Ok(value) if takes_text && !value.get_ref().is_str() => bare(),
            Ok(value) => value,
            Err(_) => bare(),
        }
    }

    /// The value as TOML; reading it again gives the same bits.
    pub fn to_toml(&self) -> String {
        let value = match self {
            Value::Text(text) => toml::Value::from(text.as_str()),
            Value::Texts(list) => toml::Value::from(list.clone()),
            Value::Bool(value) => toml::Value::from(*value),
            Value::Integer(value) => toml_integer(*value),
            Value::Integers(list) => {
                toml::Value::Array(list.iter().map(|&value| toml_integer(value)).collect())
            }
            Value::Number(value) => toml::Value::from(*value),
            Value::Numbers(list) => toml::Value::from(list.clone()),
            Value::Points(list) => toml::Value::from(list.clone()),
            Value::Boundaries(list) => return boundaries(list),
        };
        value.to_string()
    }

    /// The value as JSON.
    pub fn to_json(&self) -> serde_json::Value {
        match self {
            Value::Text(text) => text.as_str().into(),
            Value::Texts(list) => list.clone().into(),
            Value::Bool(value) => (*value).into(),
            Value::Integer(value) => (*value).into(),
            Value::Integers(list) => list.clone().into(),
            Value::Number(value) => (*value).into(),
            Value::Numbers(list) => list.clone().into(),
            Value::Points(list) => list.clone().into(),
            Value::Boundaries(list) => {
                let entries = list.iter().map(|condition| (condition.boundary.clone(), condition.to_json()));
                serde_json::Value::Object(entries.collect())
            }
        }
    }
}

/// Conditions on boundaries as an inline table.
fn boundaries(list: &[BoundaryCondition]) -> String {
    let is_bare = |name: &str| {
        !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte))
    };
    let entry = |condition: &BoundaryCondition| {
        let name = &condition.boundary;
        let name = if is_bare(name) { name.clone() } else { toml::Value::from(name.as_str()).to_string() };
        format!("{name} = {}", condition.to_toml())
    };
    match list {
        [] => "{}".into(),
        _ => format!("{{ {} }}", list.iter().map(entry).collect::<Vec<_>>().join(", ")),
    }
}

fn toml_integer(value: u64) -> toml::Value {
    toml::Value::Integer(i64::try_from(value).expect("the table of keys allows only TOML's integers"))
}

fn integer(given: &DeValue<'_>) -> Option<u64> {
    given.as_integer().and_then(|i| u64::from_str_radix(i.as_str().trim_start_matches('+'), i.radix()).ok())
}

fn number(given: &DeValue<'_>) -> Option<f64> {
    match given {
        DeValue::Float(float) => float.as_str().parse().ok(),
        // An integer literal is read as a decimal number, so it is rounded only once.
        DeValue::Integer(int) if int.radix() == 10 => int.as_str().parse().ok(),
        _ => None,
    }
}

fn point(given: &DeValue<'_>) -> Option<Vec<f64>> {
    let DeValue::Array(list) = given else { return None };
    let point = list
        .iter()
        .map(|item| number(item.get_ref()).filter(|x| x.is_finite()))
        .collect::<Option<Vec<_>>>()?;
    (2..=3).contains(&point.len()).then_some(point)
}

/// The word of a choice that an unknown one could have meant.
fn meant(kind: Kind, given: &DeValue<'_>) -> Option<&'static str> {
    match (kind, given) {
        (Kind::Choice(words), DeValue::String(text)) => nearest(text, words.iter().copied()),
        (Kind::AutoOr(_), DeValue::String(text)) => nearest(text, ["auto"]),
        (Kind::ChoiceOrFile(words), DeValue::String(text)) => {
            let before_path = |word: &'static str| word.strip_suffix(":PATH").unwrap_or(word);
            let similar = nearest(text.split(':').next()?, words.iter().map(|word| before_path(word)))?;
            words.iter().copied().find(|word| before_path(word) == similar)
        }
        (Kind::Choices(words), DeValue::Array(list)) => {
            let given = list.iter().filter_map(|item| item.get_ref().as_str());
            given.filter(|word| !words.contains(word)).find_map(|word| nearest(word, words.iter().copied()))
        }
        _ => None,
    }
}

/// A value in the words of an error message.
pub fn describe(given: &DeValue<'_>) -> String {
    match given {
        DeValue::String(text) if text.is_empty() => "an empty string".into(),
        DeValue::String(text) => format!("the string \"{}\"", short(text)),
        DeValue::Integer(int) => short(&int.to_string()).into(),
        DeValue::Float(float) => short(&float.to_string()).into(),
        DeValue::Boolean(value) => value.to_string(),
        DeValue::Datetime(date) => format!("the date {date}"),
        DeValue::Array(list) => {
            let items: Vec<String> = list.iter().take(4).map(|item| describe(item.get_ref())).collect();
            let more = if list.len() > 4 { ", ..." } else { "" };
            format!("the list [{}{more}]", items.join(", "))
        }
        DeValue::Table(_) => "a table".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(kind: Kind) -> Key {
        Key { name: "key", kind, default: None, required: false, unit: "", meaning: "a key" }
    }

    #[test]
    fn an_option_of_its_own_takes_items_bare_text_and_toml() {
        let size = key(Kind::Integers(crate::Count::OneOf(&[2]), &[1, 1], 9));
        assert_eq!(Value::from_option(&size, "4,5"), Ok(Value::Integers(vec![4, 5])));
        assert_eq!(Value::from_option(&size, "[4, 5]"), Ok(Value::Integers(vec![4, 5])));
        assert!(Value::from_option(&size, "4,10").is_err() && Value::from_option(&size, "4").is_err());
        let word = key(Kind::Choice(&["on", "2024"]));
        assert_eq!(Value::from_option(&word, "2024"), Ok(Value::Text("2024".into())));
        assert_eq!(Value::from_option(&word, "\"on\""), Ok(Value::Text("on".into())));
        let file = key(Kind::ChoiceOrFile(&["a", "file:PATH"]));
        assert_eq!(Value::from_option(&file, "file:x y"), Ok(Value::Text("file:x y".into())));
        for wrong in ["file:", "file", "file:PATH2:", "b"] {
            assert_eq!(Value::from_option(&file, wrong).is_ok(), wrong == "file:PATH2:", "{wrong}");
        }
    }

    #[test]
    fn an_unknown_word_is_refused_with_the_similar_one() {
        let found = |kind: Kind, text: &str| {
            Value::check(kind, DeValue::parse(text).unwrap().get_ref()).unwrap_err().found
        };
        let limiter = Kind::Choice(&["van-albada", "venkatakrishnan", "none"]);
        let partitioner = Kind::ChoiceOrFile(&["metis", "rcb", "file:PATH"]);
        let formats = Kind::Choices(&["h5", "vtu", "vtkhdf"]);
        for (kind, text, words) in [
            (
                limiter,
                "\"venkatakrishna\"",
                "the string \"venkatakrishna\" (did you mean \"venkatakrishnan\"?)",
            ),
            (limiter, "\"superbee\"", "the string \"superbee\""),
            (limiter, "3", "3"),
            (partitioner, "\"metiss\"", "the string \"metiss\" (did you mean \"metis\"?)"),
            (partitioner, "\"fiel:a/b.txt\"", "the string \"fiel:a/b.txt\" (did you mean \"file:PATH\"?)"),
            (Kind::AutoOr(&[1, 2]), "\"Auto\"", "the string \"Auto\" (did you mean \"auto\"?)"),
            (
                formats,
                "[\"h5\", \"vtuu\"]",
                "the list [the string \"h5\", the string \"vtuu\"] (did you mean \"vtu\"?)",
            ),
            (formats, "[\"png\", 1]", "the list [the string \"png\", 1]"),
        ] {
            assert_eq!(found(kind, text), words);
        }
    }

    #[test]
    fn points_have_two_or_three_finite_numbers() {
        let check = |text: &str| Value::check(Kind::Points, DeValue::parse(text).unwrap().get_ref());
        assert_eq!(check("[]"), Ok(Value::Points(vec![])));
        let two = Value::Points(vec![vec![0.5, -1.0], vec![1.0, 2.0, 3e-5]]);
        assert_eq!(check("[[0.5, -1], [1.0, 2, 3e-5]]"), Ok(two.clone()));
        assert_eq!(two.check_again(Kind::Points), Ok(two));
        for wrong in
            ["[0.5, 1.0]", "[[1.0]]", "[[1, 2, 3, 4]]", "[[1.0, nan]]", "[[1.0, inf]]", "[[1, \"2\"]]", "1.0"]
        {
            assert!(check(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_value_that_is_checked_again_keeps_its_bits() {
        for number in [0.1 + 0.2, f64::MIN_POSITIVE, -0.0, 1e300] {
            let kind = Kind::Number(crate::Bound::Free, crate::Bound::Free);
            let Ok(Value::Number(again)) = Value::Number(number).check_again(kind) else {
                panic!("{number}")
            };
            assert_eq!(again.to_bits(), number.to_bits());
        }
        assert!(Value::Integers(vec![1, 2, 3]).check_again(Kind::Bool).is_err());
    }
}
