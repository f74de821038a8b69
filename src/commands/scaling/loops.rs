//! Scaling loop by loop: a loop's rate is the elements that its ranks have executed over the slowest rank's seconds.

use super::quoted;
use super::run::{Loop, Run};
use super::sweep::{Sweep, per_rank, points};
use crate::exit::Error;
use crate::plot::scaling::{Curve, Point};

/// Loops in a picture: those that take the most time on the fewest cores.
const SHOWN: usize = 8;
/// Others take less than this share of the time of all: a call or two, whose times say little.
const LEAST: f64 = 0.01;

/// A loop in runs on several numbers of cores.
#[derive(Debug)]
pub struct Scaled {
    name: String,
    /// Seconds of the slowest rank on the fewest cores.
    seconds: f64,
    /// For each number of threads per rank, its points, and the elements of one run of each.
    curves: Vec<(u64, Vec<(Point, u64)>)>,
}

/// The loops that all runs have executed, those first that take the most time.
///
/// # Errors
/// The runs are more than one method.
pub fn of(runs: &[Run], sweep: &Sweep) -> Result<Vec<Scaled>, Error> {
    if !sweep.properties.is_empty() {
        return Err(Error::Argument {
            argument: "--loops".into(),
            reason: format!(
                "the runs differ in {}; loops are drawn for runs that differ in ranks and threads alone",
                sweep.properties.join(", ")
            ),
        });
    }
    let first = runs.iter().min_by_key(|run| (run.cores(), run.threads)).expect("there is a run");
    let mut all = Vec::new();
    for Loop { name, .. } in &first.loops {
        let found: Vec<(&Run, &Loop)> = runs.iter().filter_map(|run| Some((run, find(run, name)?))).collect();
        if found.len() < runs.len() {
            continue;
        }
        let elements = |point: &Point| {
            let is_its = |run: &Run| run.ranks == point.ranks && run.threads == point.threads;
            found.iter().find(|(run, _)| is_its(run)).map_or(0, |(_, own)| own.elements)
        };
        let rates = found.iter().map(|(run, own)| (*run, own.elements as f64 / own.seconds()));
        let curves = points(rates).into_iter().map(|(threads, points)| {
            (threads, points.into_iter().map(|point| (point.clone(), elements(&point))).collect())
        });
        let seconds = find(first, name).map_or(0.0, Loop::seconds);
        all.push(Scaled { name: name.clone(), seconds, curves: curves.collect() });
    }
    all.sort_by(|a, b| b.seconds.total_cmp(&a.seconds));
    Ok(all)
}

/// A loop that has been executed and has taken time.
fn find<'a>(run: &'a Run, name: &str) -> Option<&'a Loop> {
    run.loops.iter().find(|own| own.name == name && own.elements > 0 && own.seconds() > 0.0)
}

/// The table.
pub fn csv(loops: &[Scaled]) -> String {
    let mut csv =
        String::from("loop,ranks,threads,cores,runs,seconds,rate,lowest,highest,speedup,efficiency\n");
    for Scaled { name, curves, .. } in loops {
        for (point, elements) in curves.iter().flat_map(|(_, points)| points) {
            let (ranks, threads, cores, runs) =
                (point.ranks, point.threads, point.cores(), point.rates.len());
            let ((lowest, highest), rate) = (point.range(), point.rate());
            let (seconds, speedup, efficiency) = (*elements as f64 / rate, point.speedup, point.efficiency());
            csv += &format!(
                "{},{ranks},{threads},{cores},{runs},{seconds:.6},{rate:.6e},{lowest:.6e},{highest:.6e},{speedup:.4},\
                 {efficiency:.4}\n",
                quoted(name)
            );
        }
    }
    csv
}

/// The curves of the picture.
pub fn shown(loops: &[Scaled]) -> Vec<Curve> {
    let has_several = loops.iter().any(|of| of.curves.len() > 1);
    let curve = |name: &str, (threads, points): &(u64, Vec<(Point, u64)>)| Curve {
        label: if has_several { format!("{name}, {}", per_rank(*threads)) } else { name.into() },
        points: points.iter().map(|(point, _)| point.clone()).collect(),
    };
    let all: f64 = loops.iter().map(|of| of.seconds).sum();
    let shown = loops.iter().filter(|of| of.seconds >= LEAST * all).take(SHOWN);
    shown.flat_map(|of| of.curves.iter().map(|own| curve(&of.name, own))).collect()
}
