//! Two summaries: hashes and the bits of the last residual.

use std::path::Path;

use cfd_engine::given::short;
use cfd_io::IoError;
use serde::Serialize;
use serde_json::{Map, Value};

use super::unlike;
use crate::exit::Error;
use crate::report::summary;

/// What may explain a difference: printed if it differs, but not part of the result.
const CIRCUMSTANCES: [&str; 13] = [
    "/version",
    "/case",
    "/mesh/hash",
    "/iterations",
    "/ranks",
    "/threads",
    "/backend",
    "/lanes",
    "/mode",
    "/strategy",
    "/hash_class",
    "/partitioner",
    "/seed",
];

/// An entry of two summaries.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Entry {
    /// Its path, such as `hash.solution`.
    pub key: String,
    /// Its value in the first file.
    pub a: Value,
    /// Its value in the second file.
    pub b: Value,
    /// Whether both are the same.
    pub equal: bool,
}

impl Entry {
    fn new(pointer: &str, a: &Value, b: &Value) -> Entry {
        let key = pointer.trim_start_matches('/').replace('/', ".");
        Entry { key, a: a.clone(), b: b.clone(), equal: a == b }
    }
}

/// How two summaries differ.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SummaryDifference {
    /// Hashes of the fields and the solution, of the history, and the bits of the last residual.
    pub results: Vec<Entry>,
    /// What is different about the runs.
    pub circumstances: Vec<Entry>,
}

impl SummaryDifference {
    /// True when all results are equal.
    pub fn equal(&self) -> bool {
        self.results.iter().all(|entry| entry.equal)
    }

    /// What differs, in a few words.
    pub fn verdict(&self) -> Option<String> {
        let keys: Vec<&str> =
            self.results.iter().filter(|entry| !entry.equal).map(|entry| entry.key.as_str()).collect();
        (!keys.is_empty()).then(|| format!("the summaries in {}", keys.join(", ")))
    }

    /// The figures, for people.
    pub fn text(&self) -> String {
        let mut text = String::from("summary:\n");
        for Entry { key, a, b, equal } in &self.results {
            let [a, b] = [a, b].map(plain);
            text.push_str(&match equal {
                true => format!("  {key:<20} equal    {a}\n"),
                false => format!("  {key:<20} differs  A {a}\n{:<30}  B {b}\n", ""),
            });
        }
        for Entry { key, a, b, .. } in &self.circumstances {
            text.push_str(&format!("  runs differ in {key}: {} | {}\n", plain(a), plain(b)));
        }
        text
    }
}

/// A value; a string without its quotation marks.
fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), String::from)
}

/// Compares two summaries.
///
/// # Errors
/// One of them is missing or not a summary, or they have different fields.
pub fn compare(a: &Path, b: &Path) -> Result<SummaryDifference, Error> {
    let (in_a, in_b) = (read(a)?, read(b)?);
    let (fields_a, fields_b) = (hashes(a, &in_a)?, hashes(b, &in_b)?);
    let names = |fields: &Map<String, Value>| fields.keys().cloned().collect::<Vec<_>>().join(", ");
    if names(fields_a) != names(fields_b) {
        let [of_a, of_b] = [fields_a, fields_b].map(|fields| short(&names(fields)).into_owned());
        let what = format!("the hashes are of {of_a} and {of_b}; compare runs of the same case");
        return Err(unlike(a, b, what));
    }
    let mut results: Vec<Entry> = fields_a
        .iter()
        .map(|(name, hash)| Entry::new(&format!("/hash/{name}"), hash, &fields_b[name]))
        .collect();
    for pointer in ["/history_hash", "/residual/final_bits"] {
        results.push(Entry::new(pointer, entry(a, &in_a, pointer)?, entry(b, &in_b, pointer)?));
    }
    // Only cases that replace the given mesh have it.
    let mesh = |summary: &Value| summary.get("mesh_hash").cloned().unwrap_or(Value::Null);
    if [&in_a, &in_b].iter().any(|summary| !mesh(summary).is_null()) {
        results.push(Entry::new("/mesh_hash", &mesh(&in_a), &mesh(&in_b)));
    }
    let circumstances = CIRCUMSTANCES.iter().filter_map(|pointer| {
        let entry = Entry::new(pointer, in_a.pointer(pointer)?, in_b.pointer(pointer)?);
        (!entry.equal).then_some(entry)
    });
    Ok(SummaryDifference { results, circumstances: circumstances.collect() })
}

fn read(path: &Path) -> Result<Value, IoError> {
    let text = summary::read_text(path).map_err(|error| IoError::read(path, error))?;
    serde_json::from_str(&text)
        .map_err(|error| IoError::file(path, format!("this is not a summary: {}", short(&error.to_string()))))
}

fn entry<'a>(path: &Path, summary: &'a Value, pointer: &str) -> Result<&'a Value, IoError> {
    summary.pointer(pointer).ok_or_else(|| {
        let what = format!("this is not a summary: it has no {}", pointer[1..].replace('/', "."));
        IoError::File { path: path.display().to_string(), what }
    })
}

fn hashes<'a>(path: &Path, summary: &'a Value) -> Result<&'a Map<String, Value>, IoError> {
    let hashes = entry(path, summary, "/hash/solution").and_then(|_| entry(path, summary, "/hash"))?;
    Ok(hashes.as_object().expect("something with a key is an object"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn summary() -> Value {
        serde_json::json!({
            "hash": {"q": "blake3:01", "solution": "blake3:02"},
            "history_hash": "blake3:03",
            "residual": {"final": 0.5, "final_bits": "3fe0000000000000"},
            "ranks": 1, "mode": "fast", "time": {"total_s": 1.0},
        })
    }

    fn compared(change: impl FnOnce(&mut Value)) -> Result<SummaryDifference, Error> {
        let folder = tempfile::tempdir().unwrap();
        let [path_a, path_b] = ["a.json", "b.json"].map(|name| folder.path().join(name));
        let mut other = summary();
        change(&mut other);
        std::fs::write(&path_a, summary().to_string()).unwrap();
        std::fs::write(&path_b, other.to_string()).unwrap();
        compare(&path_a, &path_b)
    }

    #[test]
    fn runs_with_the_same_results_are_equal_whatever_else_differs() {
        let difference = compared(|other| {
            other["ranks"] = 8.into();
            other["time"]["total_s"] = 9.into();
        })
        .unwrap();
        assert!(difference.equal() && difference.verdict().is_none());
        assert_eq!(difference.results.len(), 4);
        assert!(difference.text().contains("runs differ in ranks: 1 | 8"), "{}", difference.text());
    }

    #[test]
    fn every_result_counts() {
        for (key, pointer) in [
            ("hash.q", "/hash/q"),
            ("hash.solution", "/hash/solution"),
            ("history_hash", "/history_hash"),
            ("residual.final_bits", "/residual/final_bits"),
        ] {
            let difference = compared(|other| *other.pointer_mut(pointer).unwrap() = "x".into()).unwrap();
            assert_eq!(difference.verdict().unwrap(), format!("the summaries in {key}"));
        }
    }

    #[test]
    fn meshes_that_cases_have_made_count() {
        let difference = compared(|other| other["mesh_hash"] = "blake3:04".into()).unwrap();
        assert_eq!(difference.verdict().unwrap(), "the summaries in mesh_hash");
    }

    #[test]
    fn what_is_no_summary_or_of_another_case_is_refused() {
        let message = |change: fn(&mut Value)| compared(change).unwrap_err().to_string();
        assert!(message(|other| *other = serde_json::json!([])).contains("it has no hash.solution"));
        assert!(
            message(|other| drop(other.as_object_mut().unwrap().remove("history_hash")))
                .contains("history_hash")
        );
        let other_field = message(|other| {
            other["hash"] = serde_json::json!({"phi": "blake3:01", "solution": "blake3:02"});
        });
        assert!(other_field.contains("q, solution and phi, solution"), "{other_field}");
    }
}
