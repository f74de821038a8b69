//! Runs as curves: which belong together, and which cannot stand in one chart.

use std::collections::BTreeMap;

use super::run::{Run, differing};
use crate::exit::Error;
use crate::plot::heading::grouped;
use crate::plot::scaling::{Curve, Point, Scale};

/// By this factor, shares of a mesh that grows with the cores may differ: a mesh has whole cells.
const SHARE: f64 = 1.25;
/// By this factor, iterations on one mesh may differ: in fast mode, rounding decides when a run converges.
const ITERATIONS: f64 = 1.1;

/// Runs that are alike except for ranks and threads.
#[derive(Debug)]
struct Alike<'a> {
    /// The values of the properties in which groups differ.
    values: Vec<Option<&'a str>>,
    runs: Vec<&'a Run>,
}

/// Runs, sorted into curves.
#[derive(Debug)]
pub struct Sweep {
    /// The properties in which curves differ.
    pub properties: Vec<String>,
    /// Their values, for each curve.
    pub values: Vec<Vec<String>>,
    /// One for each group of runs that are alike, and number of threads.
    pub curves: Vec<Curve>,
    /// What the curves show.
    pub scale: Scale,
    /// The cases.
    pub cases: Vec<String>,
    /// Strong or weak, if all cases agree.
    pub kind: Option<&'static str>,
}

impl Sweep {
    /// Sorts runs, of which there is at least one.
    ///
    /// # Errors
    /// Two runs of a case have different meshes, but not because they have more cores, or different numbers of
    /// iterations.
    pub fn of(runs: &[Run]) -> Result<Sweep, Error> {
        let mut cases: Vec<String> = Vec::new();
        for run in runs {
            if !cases.contains(&run.case) {
                cases.push(run.case.clone());
            }
        }
        let mut kinds = Vec::new();
        for case in &cases {
            kinds.push(check(&runs.iter().filter(|run| run.case == *case).collect::<Vec<_>>())?);
        }
        let properties = differing(runs);
        let alike = alike(runs, &properties);
        let mut threads: Vec<u64> = runs.iter().map(|run| run.threads).collect();
        threads.sort_unstable();
        threads.dedup();
        let (mut curves, mut values) = (Vec::new(), Vec::new());
        for group in &alike {
            let rates = group.runs.iter().map(|run| (*run, run.fom.value));
            for (threads_per_rank, points) in points(rates) {
                let described = properties.iter().filter_map(|name| group.runs[0].describe(name));
                let label = described.chain((threads.len() > 1).then(|| per_rank(threads_per_rank)));
                let label = label.collect::<Vec<_>>().join(", ");
                curves
                    .push(Curve { label: if label.is_empty() { "measured".into() } else { label }, points });
                values.push(group.values.iter().map(|value| value.unwrap_or("").to_string()).collect());
            }
        }
        let unit = |run: &Run| (run.fom.name.clone(), run.fom.unit.clone());
        let comparable = cases.len() == 1 && runs.iter().all(|run| unit(run) == unit(&runs[0]));
        let scale = match comparable && alike.len() > 1 {
            true => Scale::Rate { what: runs[0].fom.name.clone(), unit: runs[0].fom.unit.clone() },
            false => Scale::SpeedUp,
        };
        let kind = kinds.iter().all(|kind| *kind == kinds[0]).then_some(kinds[0]);
        Ok(Sweep { properties, values, curves, scale, cases, kind })
    }
}

/// Groups of runs that agree in all properties, in the order of their first runs.
fn alike<'a>(runs: &'a [Run], properties: &[String]) -> Vec<Alike<'a>> {
    let mut groups: Vec<Alike<'a>> = Vec::new();
    for run in runs {
        let values: Vec<Option<&str>> = properties.iter().map(|name| run.property(name)).collect();
        match groups.iter_mut().find(|group| group.values == values) {
            Some(group) => group.runs.push(run),
            None => groups.push(Alike { values, runs: vec![run] }),
        }
    }
    groups
}

/// Points of the rates of runs that are alike, by threads, then by cores; the base is that with the fewest cores, then
/// threads.
pub fn points<'a>(runs: impl Iterator<Item = (&'a Run, f64)>) -> BTreeMap<u64, Vec<Point>> {
    let mut rates: BTreeMap<(u64, u64), Vec<f64>> = BTreeMap::new();
    for (run, rate) in runs {
        rates.entry((run.cores(), run.threads)).or_default().push(rate);
    }
    let mut base = None;
    let mut curves: BTreeMap<u64, Vec<Point>> = BTreeMap::new();
    for ((cores, threads), rates) in rates {
        let mut point = Point::new(cores / threads, threads, rates);
        let base = *base.get_or_insert(point.rate() / cores as f64);
        point.speedup = point.rate() / base;
        curves.entry(threads).or_default().push(point);
    }
    curves
}

/// Whether the runs of a case scale strongly or weakly.
fn check(runs: &[&Run]) -> Result<&'static str, Error> {
    let mut of_cores: BTreeMap<u64, &Run> = BTreeMap::new();
    let mut of_mesh: BTreeMap<&str, &Run> = BTreeMap::new();
    for &run in runs {
        let other = *of_cores.entry(run.cores()).or_insert(run);
        if other.mesh != run.mesh {
            let on = cores(run.cores());
            let what =
                format!("on {on} they have different meshes, {}; draw each mesh by itself", both(other, run));
            return Err(unlike(other, run, &what));
        }
        let other = *of_mesh.entry(&run.mesh).or_insert(run);
        let (few, many) = (other.iterations.min(run.iterations), other.iterations.max(run.iterations));
        if many as f64 > ITERATIONS * few as f64 {
            let (one, two) = (grouped(other.iterations), grouped(run.iterations));
            let what = format!("they made {one} and {two} iterations on one mesh; give all as many");
            return Err(unlike(other, run, &what));
        }
    }
    if of_mesh.len() == 1 {
        return Ok("strong");
    }
    let share = |run: &Run| run.elements as f64 / run.cores() as f64;
    let first = of_cores.values().next().expect("there is a run");
    for run in of_cores.values() {
        let ratio = share(run) / share(first);
        if !(1.0 / SHARE..=SHARE).contains(&ratio) {
            let what = format!(
                "on {} and {} they have different meshes, {}: neither one mesh nor one that grows with the cores; \
                 draw each mesh by itself",
                cores(first.cores()),
                cores(run.cores()),
                both(first, run)
            );
            return Err(unlike(first, run, &what));
        }
    }
    Ok("weak")
}

/// The sizes of two meshes.
fn both(one: &Run, other: &Run) -> String {
    format!("with {} and {} elements in all sets", grouped(one.elements), grouped(other.elements))
}

fn unlike(one: &Run, other: &Run, what: &str) -> Error {
    Error::Argument {
        argument: format!("{} and {}", one.file.display(), other.file.display()),
        reason: format!("these runs of {} cannot stand in one chart: {what}", one.case),
    }
}

/// A number of cores, in words.
pub fn cores(cores: u64) -> String {
    format!("{cores} core{}", if cores == 1 { "" } else { "s" })
}

/// A number of threads per rank, in words.
pub fn per_rank(threads: u64) -> String {
    format!("{threads} thread{} per rank", if threads == 1 { "" } else { "s" })
}
