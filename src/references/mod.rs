//! Benchmarks with known results: a run that is one of them recognises it and checks its own results.
//!
//! A run is a benchmark if case, mesh, all keys of the case, canonical order and kind of sums match the benchmark's
//! configuration, whatever its ranks, threads, partitioner and backend. In reproducible mode, with a strategy of the
//! known result's class, all bits must match `known.toml`; in other runs the values are compared.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use cfd_engine::strategy::{HashClass, Mode};
use serde::{Deserialize, Serialize};

use crate::config::{Config, Run};
use crate::exit::Error;
use crate::history::is_count;

/// Names of the benchmarks, and their configurations.
const CONFIGURATIONS: &[(&str, &str)] = &include!("../../configs/benchmarks.rs");

/// Values in fast mode match if they differ by at most this share.
const NEAR: f64 = 1e-6;

/// A benchmark's results in reproducible mode, with a strategy of class "sequential".
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reference {
    /// Its name, the configuration's.
    pub name: String,
    /// The size of its mesh, in words.
    pub size: String,
    /// Hash of the mesh.
    pub mesh: String,
    /// Iterations done.
    pub iterations: u64,
    /// Hash of the solution.
    pub solution: String,
    /// Hash of all residuals.
    pub history: String,
    /// Hash of the mesh that replaced the first, if the case does that.
    pub new_mesh: Option<String>,
    /// The run's final values.
    pub values: BTreeMap<String, f64>,
}

/// All of them.
static KNOWN: LazyLock<Vec<Reference>> = LazyLock::new(|| {
    #[derive(Deserialize)]
    struct File {
        reference: Vec<Reference>,
    }
    let file: File = toml::from_str(include_str!("known.toml")).expect("the file is part of the program");
    file.reference
});

/// All benchmarks with a known result.
pub fn known() -> &'static [Reference] {
    &KNOWN
}

/// The configuration of a benchmark, as TOML.
pub fn configuration(name: &str) -> Option<&'static str> {
    CONFIGURATIONS.iter().find(|(known, _)| *known == name).map(|(_, text)| *text)
}

/// A run's final results.
#[derive(Clone, Copy, Debug)]
pub struct Ended<'a> {
    /// What it was.
    pub run: &'a Run,
    /// Hash of the mesh that it was given.
    pub mesh: &'a str,
    /// Iterations done.
    pub iterations: u64,
    /// Class of its hashes.
    pub class: HashClass,
    /// Hash of the solution.
    pub solution: &'a str,
    /// Hash of all residuals.
    pub history: &'a str,
    /// Hash of the mesh that replaced the first.
    pub new_mesh: Option<&'a str>,
    /// Its values.
    pub values: &'a [(String, f64)],
}

/// How a run compares with a known result.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Checked {
    /// The benchmark.
    pub name: String,
    /// Whether the result matches the known one: all bits or, if those may differ, the values to within a millionth.
    pub matched: bool,
    /// What differs, or by how much the values do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub difference: Option<String>,
    #[serde(skip)]
    is_exact: bool,
}

impl Checked {
    /// The text in the verdict.
    pub fn text(&self) -> String {
        let Checked { name, matched, difference, .. } = self;
        let verdict = if *matched { "reference matched" } else { "REFERENCE NOT MATCHED" };
        match difference {
            None => format!("{verdict} ({name})"),
            Some(difference) => format!("{verdict} ({name}: {difference})"),
        }
    }

    /// The error of a run whose bits should match the known ones but do not.
    pub fn error(&self) -> Option<Error> {
        let what = self.difference.clone().filter(|_| self.is_exact && !self.matched)?;
        Some(Error::Reference { name: self.name.clone(), what })
    }
}

/// Compares a run with its benchmark's known result, if it is a benchmark.
pub fn check(ended: &Ended<'_>) -> Option<Checked> {
    known().iter().find(|reference| reference.is_of(ended)).map(|reference| reference.check(ended))
}

impl Reference {
    /// Whether a run is this benchmark's.
    fn is_of(&self, ended: &Ended<'_>) -> bool {
        if ended.mesh != self.mesh {
            return false;
        }
        let Some(text) = configuration(&self.name) else { return false };
        let Ok(Config { run, .. }) = Config::parse(&self.name, text, &[]) else { return false };
        let same_order = ended.run.execution.order == run.execution.order;
        let same_sums = ended.run.execution.sums == run.execution.sums;
        ended.run.case.name() == run.case.name() && ended.run.keys == run.keys && same_order && same_sums
    }

    fn check(&self, ended: &Ended<'_>) -> Checked {
        let is_exact = ended.run.execution.mode == Mode::Reproducible && ended.class == HashClass::Sequential;
        let difference = if is_exact { self.differing_bits(ended) } else { Some(self.distance(ended)) };
        let matched = match is_exact {
            true => difference.is_none(),
            false => self.largest(ended).1 <= NEAR,
        };
        Checked { name: self.name.clone(), matched, difference, is_exact }
    }

    /// What differs first.
    fn differing_bits(&self, ended: &Ended<'_>) -> Option<String> {
        let iterations = [self.iterations, ended.iterations].map(|count| count.to_string());
        let new_mesh = [self.new_mesh.as_deref(), ended.new_mesh].map(|hash| hash.unwrap_or("none"));
        let pairs = [
            ("the number of iterations", &iterations[0][..], &iterations[1][..]),
            ("the hash of the solution", &self.solution, ended.solution),
            ("the hash of the residuals", &self.history, ended.history),
            ("the hash of the mesh", new_mesh[0], new_mesh[1]),
        ];
        let different = pairs.into_iter().find(|(_, expected, found)| expected != found);
        if let Some((what, expected, found)) = different {
            return Some(format!("{what} is {found}, expected {expected}"));
        }
        let (name, found, expected) =
            self.pairs(ended).find(|(_, found, expected)| found.to_bits() != expected.to_bits())?;
        Some(format!("{name} is {found:e}, expected {expected:e}"))
    }

    /// Values of the run and the reference, by name; NaN for values that the run lacks.
    fn pairs<'a>(&'a self, ended: &'a Ended<'_>) -> impl Iterator<Item = (&'a str, f64, f64)> {
        self.values.iter().map(|(name, &expected)| {
            let found = ended.values.iter().find(|(other, _)| other == name);
            (name.as_str(), found.map_or(f64::NAN, |(_, value)| *value), expected)
        })
    }

    /// The value that differs most, excluding counts, and its difference relative to the reference's value, or to 1 if
    /// that is smaller: a lift that should be 0 is as close as it is small.
    fn largest<'a>(&'a self, ended: &'a Ended<'_>) -> (&'a str, f64) {
        let measures = self.pairs(ended).filter(|(_, _, expected)| !is_count(*expected));
        let share = |found: f64, expected: f64| match (found - expected).abs() / expected.abs().max(1.0) {
            share if share.is_nan() => f64::INFINITY,
            share => share,
        };
        let shares = measures.map(|(name, found, expected)| (name, share(found, expected)));
        shares.max_by(|a, b| a.1.total_cmp(&b.1)).unwrap_or(("no value", 0.0))
    }

    fn distance(&self, ended: &Ended<'_>) -> String {
        match self.largest(ended) {
            (_, 0.0) => "all values are equal".into(),
            (name, share) => format!("values differ by at most {share:.1e}, in {name}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Override;

    fn ended<'a>(
        reference: &'a Reference,
        run: &'a Run,
        values: &'a [(String, f64)],
        mesh: &'a str,
    ) -> Ended<'a> {
        Ended {
            run,
            mesh,
            iterations: reference.iterations,
            class: run.execution.strategy.0.class(),
            solution: &reference.solution,
            history: &reference.history,
            new_mesh: reference.new_mesh.as_deref(),
            values,
        }
    }

    /// The run of a benchmark with these settings changed.
    fn run(reference: &Reference, changes: &[(&str, &str)]) -> Run {
        let text = configuration(&reference.name).expect("a configuration for each");
        let change = |&(path, value): &(&str, &str)| Override {
            flag: "--set".into(),
            path: path.into(),
            value: value.into(),
            bare: false,
        };
        let changes: Vec<Override> = changes.iter().map(change).collect();
        Config::parse(&reference.name, text, &changes).expect("a configuration").run
    }

    #[test]
    fn every_benchmark_is_known_by_its_configuration_on_any_ranks_and_threads() {
        for reference in known() {
            let run = run(reference, &[("execution.threads", "3"), ("partition.method", "rcb")]);
            let values: Vec<(String, f64)> = reference.values.clone().into_iter().collect();
            assert!(!values.is_empty(), "{}", reference.name);
            let checked = check(&ended(reference, &run, &values, &reference.mesh)).expect("it is known");
            assert_eq!(checked.text(), format!("reference matched ({})", reference.name));
            assert!(checked.error().is_none());
        }
    }

    #[test]
    fn the_page_for_beginners_has_the_lift_and_drag_that_its_run_ends_with() {
        let reference = known().iter().find(|reference| reference.name == "airfoil-converged").unwrap();
        let [lift, drag] = ["lift", "drag"].map(|name| reference.values[name]);
        let words = [
            format!("converged: residual below 1e-9 after {} iterations", reference.iterations),
            format!("a lift of {lift:.4} and a drag of {drag:.4}."),
        ];
        let page = include_str!("../../docs/start.md").split_whitespace().collect::<Vec<_>>().join(" ");
        for words in words {
            assert!(page.contains(&words), "{words}");
        }
    }

    #[test]
    fn other_keys_meshes_and_orders_are_other_runs() {
        let reference = &known()[0];
        let mesh = &reference.mesh;
        let is_known = |changes: &[(&str, &str)], mesh: &str| {
            check(&ended(reference, &run(reference, changes), &[], mesh)).is_some()
        };
        assert!(is_known(&[], mesh) && !is_known(&[], "blake3:00"));
        for change in [
            ("airfoil.mach", "0.5"),
            ("airfoil.iterations", "99"),
            ("execution.order", "hilbert"),
            ("execution.sums", "binned"),
        ] {
            assert!(!is_known(&[change], mesh), "{change:?}");
        }
    }

    #[test]
    fn another_bit_is_an_error_where_bits_are_promised_and_a_distance_elsewhere() {
        let reference = &known()[0];
        let mesh = &reference.mesh;
        let mut values: Vec<(String, f64)> = reference.values.clone().into_iter().collect();
        let drag = values.iter_mut().find(|(name, _)| name == "drag").expect("a drag");
        drag.1 = f64::from_bits(drag.1.to_bits() + 1);
        let exact = run(reference, &[]);
        let checked = check(&ended(reference, &exact, &values, mesh)).unwrap();
        assert!(checked.text().starts_with("REFERENCE NOT MATCHED (airfoil-small: drag is"), "{checked:?}");
        assert_eq!(checked.error().unwrap().code(), crate::exit::Code::Mismatch);
        let other = Ended { solution: "blake3:07", ..ended(reference, &exact, &values, mesh) };
        assert!(check(&other).unwrap().text().contains("the hash of the solution is blake3:07,"));
        let fast = run(reference, &[("execution.mode", "fast")]);
        let checked = check(&ended(reference, &fast, &values, mesh)).unwrap();
        assert!(checked.matched && checked.error().is_none(), "{checked:?}");
        assert!(checked.text().contains(", in drag"), "{}", checked.text());
        values.pop();
        let checked = check(&ended(reference, &fast, &values, mesh)).unwrap();
        assert!(!checked.matched && checked.error().is_none(), "{checked:?}");
    }
}
