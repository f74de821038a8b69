//! The partitioner's weights, from a file or measured.
//!
//! A measurement takes the mesh in equal parts, runs a few steps from the initial state, and discards them. With c the
//! time a rank takes per element of a loop, and n the elements that it executes per step, including halo copies:
//!
//! ```text
//! cost of a loop's element     C(loop) = sum over ranks of c n / sum over ranks of n
//! cost of a set's element      sum over loops of C(loop) times how often a step executes the element
//! speed of a rank              sum over loops of C(loop) n / sum over loops of c n
//! ```
//!
//! So costs are an average rank's, and a rank's speed is relative to that rank. The fastest of several steps counts,
//! loop by loop. The file of weights is TOML: `speeds`, a number for each rank, and `[costs]`, a number for each set.

use std::fmt::Write;
use std::path::Path;
use std::time::{Duration, Instant};

use cfd_engine::comm::Comm;
use cfd_engine::domain::Domain;
use cfd_engine::given;
use cfd_engine::timer::LoopTimer;
use cfd_partition::{Method, PartitionError, Weights};
use cfd_solvers::case::Environment;

use crate::console::say;
use crate::exit::Error;
use crate::setup::Setup;

/// The file that a measurement writes to the output directory.
pub const FILE: &str = "weights.toml";
/// A file of weights is at most this long: ten bytes for each of a million ranks, and the rest.
const LONGEST_FILE: u64 = 1 << 24;
/// Steps measured, after a warm-up step that builds schedules, buffers and kernels.
const STEPS: usize = 8;
/// Measuring ends early when the steps have taken this long on the slowest rank.
const ENOUGH: Duration = Duration::from_secs(1);
/// The speed of the mean rank.
const MEAN_SPEED: f64 = 1000.0;
/// Costs are in picoseconds.
const COST_UNIT: f64 = 1e-12;

/// What the configuration says of weights.
pub enum Requested {
    /// These, or none.
    Known(Option<Weights>),
    /// They are to be measured.
    Measured,
}

/// The requested weights; `measures`: there will be iterations, so they can be measured. Collective.
///
/// # Errors
/// The file does not hold weights, or the partitioner takes none.
pub fn requested(setup: &Setup<'_>, measures: bool) -> Result<Requested, Error> {
    let Setup { comm, run, console, .. } = *setup;
    let weights = &run.partition.weights[..];
    if let Some(path) = weights.strip_prefix("file:") {
        return Ok(Requested::Known(Some(read(comm, Path::new(path))?)));
    }
    if weights == "none" {
        return Ok(Requested::Known(None));
    }
    run.partition.method.parse::<Method>()?.takes_weights()?;
    let why_not = match (measures, comm.size()) {
        (false, _) => " in a dry run: the parts below have equal sizes",
        (true, 1) => ": one rank has all elements",
        (true, _) => return Ok(Requested::Measured),
    };
    say!(console, "weights      not measured{why_not}");
    Ok(Requested::Known(None))
}

/// Weights from a file. Collective.
fn read(comm: &Comm, path: &Path) -> Result<Weights, Error> {
    let read = || {
        let text = given::read_text(path, "a file of weights", LONGEST_FILE).map_err(|e| e.to_string())?;
        toml::from_str::<Weights>(&text).map_err(|error| {
            let line = error.span().map_or(1, |span| 1 + text[..span.start].matches('\n').count());
            format!("line {line}: {}; expected a file of weights (docs/partition.md)", error.message())
        })
    };
    let read = if comm.is_root() { read().map(Some) } else { Ok(None) };
    let problem = |problem| PartitionError::File { path: path.display().to_string(), problem };
    let root = comm.agree(read.map_err(problem))?;
    Ok(comm.broadcast(0, root))
}

/// The result of a measurement.
pub struct Measured {
    weights: Weights,
    steps: usize,
}

/// Runs a few steps on a domain of a mesh with these sets, discards them, and prints what they cost. Collective.
///
/// # Errors
/// A step fails, or a signal asks to stop.
pub fn measure(
    setup: &Setup<'_>,
    mut domain: Domain,
    sets: &[(String, u64)],
    environment: &Environment,
) -> Result<Measured, Error> {
    let Setup { comm, run, console, signals, .. } = *setup;
    let mut solver = comm.agree(run.case.solver(&mut domain, &run.keys, environment))?;
    let mut seen: Vec<Vec<LoopTimer>> = Vec::new();
    let begin = Instant::now();
    // One more than is measured: the first step does not count.
    for _ in 0..=STEPS {
        signals.check(comm)?;
        solver.step(&mut domain, false)?;
        seen.push(domain.timers().to_vec());
        let longest = comm.max((begin.elapsed().as_millis()) as u64);
        if seen.len() > 1 && u128::from(longest) > ENOUGH.as_millis() {
            break;
        }
    }
    let ranks = comm.gather(figures(&seen, sets));
    let weights = comm.is_root().then(|| weights(&ranks, sets));
    let measured = Measured { weights: comm.broadcast(0, weights), steps: seen.len() - 1 };
    say!(console, "weights      {}", measured.describe());
    say!(console, "             {}", run.output.directory.join(FILE).display());
    Ok(measured)
}

/// One rank's measurements, one row per loop: seconds per executed element; elements executed per step; and how many of
/// these each set owns.
fn figures(seen: &[Vec<LoopTimer>], sets: &[(String, u64)]) -> Vec<f64> {
    let steps = (seen.len() - 1) as f64;
    let executed = |timer: Option<&LoopTimer>| timer.map_or(0, |t| t.elements() + t.redundant_elements());
    let owned = |timer: Option<&LoopTimer>, set: &str| {
        timer.into_iter().flat_map(|t| &t.work).filter(|work| work.set == set).map(|work| work.elements).sum()
    };
    let [first, .., last] = seen else { unreachable!("two steps at least") };
    let row = |at: usize| {
        let a_step = |count: &dyn Fn(Option<&LoopTimer>) -> u64| {
            (count(last.get(at)) - count(first.get(at))) as f64 / steps
        };
        let each = seen.windows(2).filter_map(|pair| {
            let (before, after) = (pair[0].get(at), &pair[1][at]);
            let elements = executed(Some(after)) - executed(before);
            let time = after.compute - before.map_or(Duration::ZERO, |timer| timer.compute);
            (elements > 0).then(|| time.as_secs_f64() / elements as f64)
        });
        // The least disturbed of several measurements.
        let fastest = each.reduce(f64::min).unwrap_or(0.0);
        let of_sets = sets.iter().map(|(set, _)| a_step(&|timer| owned(timer, set)));
        [fastest, a_step(&executed)].into_iter().chain(of_sets).collect::<Vec<f64>>()
    };
    (0..last.len()).flat_map(row).collect()
}

/// The weights that follow from all ranks' [`figures`].
fn weights(ranks: &[Vec<f64>], sets: &[(String, u64)]) -> Weights {
    let width = 2 + sets.len();
    let loops = ranks[0].len() / width;
    let figure = |rank: usize, at: usize, which: usize| ranks[rank][at * width + which];
    let sum = |of: &dyn Fn(usize) -> f64| (0..ranks.len()).map(of).sum::<f64>();
    let quotient = |a: f64, b: f64| if b > 0.0 { a / b } else { 0.0 };
    let cost: Vec<f64> = (0..loops)
        .map(|at| {
            let time = sum(&|rank| figure(rank, at, 0) * figure(rank, at, 1));
            quotient(time, sum(&|rank| figure(rank, at, 1)))
        })
        .collect();
    let costs = sets.iter().enumerate().filter_map(|(set, (name, rows))| {
        let executed = |at: usize| sum(&|rank| figure(rank, at, 2 + set));
        let time: f64 = (0..loops).map(|at| cost[at] * executed(at)).sum();
        let units = (quotient(time, *rows as f64) / COST_UNIT).round().min(1e9) as u32;
        (units > 0).then(|| (name.clone(), units))
    });
    let speed = |rank: usize| {
        let total =
            |of: &dyn Fn(usize) -> f64| (0..loops).map(|at| of(at) * figure(rank, at, 1)).sum::<f64>();
        quotient(total(&|at| cost[at]), total(&|at| figure(rank, at, 0)))
    };
    let speeds: Vec<f64> = (0..ranks.len()).map(speed).collect();
    // A rank without elements has no measured speed and counts as average.
    let known: Vec<f64> = speeds.iter().copied().filter(|&speed| speed > 0.0).collect();
    let mean = quotient(known.iter().sum(), known.len() as f64);
    let relative = |speed: f64| if speed > 0.0 { speed / mean } else { 1.0 };
    let speeds = speeds.into_iter().map(|speed| (MEAN_SPEED * relative(speed)).round().max(1.0) as u32);
    Weights { speeds: speeds.collect(), costs: costs.collect() }
}

impl Measured {
    /// The weights.
    pub fn weights(&self) -> &Weights {
        &self.weights
    }

    /// In a line.
    fn describe(&self) -> String {
        let Weights { speeds, costs } = &self.weights;
        let costs: Vec<String> =
            costs.iter().map(|(set, &cost)| format!("{set} {:.1}", f64::from(cost) / 1000.0)).collect();
        let speed = |speed: Option<&u32>| f64::from(*speed.expect("two ranks at least")) / MEAN_SPEED;
        let (least, most) = (speed(speeds.iter().min()), speed(speeds.iter().max()));
        let steps = self.steps;
        let s = if steps == 1 { "" } else { "s" };
        format!(
            "measured in {steps} step{s}: {} ns per element; ranks at {least:.2} to {most:.2} of the mean speed",
            costs.join(", ")
        )
    }

    /// The text of [`FILE`].
    pub fn to_text(&self, ranks: usize) -> String {
        let Weights { speeds, costs } = &self.weights;
        let version = env!("CARGO_PKG_VERSION");
        let speeds: Vec<String> = speeds.iter().map(u32::to_string).collect();
        let mut text = format!(
            "# Weights for the partitioner, measured by cfd {version} on {ranks} ranks. partition.weights = \
             \"file:PATH\" uses\n\
             # them again.\n\
             # The speed of each rank, in thousandths of the mean.\n\
             speeds = [{}]\n\n\
             # The cost of an element of each set, in picoseconds per step.\n\
             [costs]\n",
            speeds.join(", ")
        );
        for (set, cost) in costs {
            writeln!(text, "{} = {cost}", toml::Value::from(set.as_str())).expect("a string takes all");
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use cfd_engine::timer::SetWork;

    use super::*;

    fn timer(name: &str, seconds: u64, set: &str, elements: u64, redundant: u64) -> LoopTimer {
        let work = vec![SetWork { set: set.into(), elements, redundant }];
        LoopTimer { name: name.into(), compute: Duration::from_secs(seconds), work, ..LoopTimer::default() }
    }

    fn sets() -> Vec<(String, u64)> {
        vec![("cells".into(), 300), ("edges".into(), 200), ("nodes".into(), 7)]
    }

    #[test]
    fn the_fastest_step_after_the_first_counts_loop_by_loop() {
        let seen = [
            vec![timer("a", 1000, "cells", 100, 10)],
            vec![timer("a", 1220, "cells", 200, 20), timer("b", 50, "edges", 50, 0)],
            vec![timer("a", 1660, "cells", 300, 30), timer("b", 75, "edges", 100, 0)],
        ];
        let expected = [[2.0, 110.0, 100.0, 0.0, 0.0], [0.5, 50.0, 0.0, 50.0, 0.0]];
        assert_eq!(figures(&seen, &sets()), expected.concat());
    }

    #[test]
    fn a_rank_of_twice_the_speed_has_twice_the_weight_and_costs_are_those_of_a_mean_one() {
        let rank = |a: f64, b: f64, cells: f64, edges: f64| {
            [[a * 1e-9, cells, cells, 0.0, 0.0], [b * 1e-9, edges, 0.0, edges, 0.0]].concat()
        };
        let found = weights(&[rank(10.0, 20.0, 100.0, 50.0), rank(20.0, 40.0, 200.0, 150.0)], &sets());
        // (10 * 100 + 20 * 200) / 300 = 16.67 ns; (20 * 50 + 40 * 150) / 200 = 35 ns; nodes are in no loop.
        let costs: Vec<(&str, u32)> = found.costs.iter().map(|(set, &cost)| (&set[..], cost)).collect();
        assert_eq!(costs, [("cells", 16667), ("edges", 35000)]);
        let ratio = f64::from(found.speeds[0]) / f64::from(found.speeds[1]);
        assert!((ratio - 2.0).abs() < 0.02, "{:?}", found.speeds);
        assert_eq!(found.speeds.iter().sum::<u32>(), 2000, "their mean is 1000");
    }

    #[test]
    fn a_rank_without_elements_is_taken_for_a_mean_one() {
        let rank = |time: f64, cells: f64| vec![time, cells, cells, 0.0, 0.0];
        let found = weights(&[rank(1e-8, 150.0), rank(0.0, 0.0), rank(1e-8, 150.0)], &sets());
        assert_eq!(found.speeds, [1000; 3]);
    }

    #[test]
    fn the_text_of_measured_weights_is_read_as_the_same() {
        let costs = BTreeMap::from([("cells".to_string(), 31), ("level0/nodes".to_string(), 7)]);
        let weights = Weights { speeds: vec![970, 1030], costs };
        let measured = Measured { weights: weights.clone(), steps: 3 };
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(FILE);
        std::fs::write(&path, measured.to_text(2)).unwrap();
        for found in Comm::simulate(2, |comm| read(&comm, &path)) {
            assert_eq!(found.unwrap(), weights);
        }
        for (text, words) in [
            ("speeds = [1, 2]\n[costs]\ncells = -3\n", "line 3: "),
            ("speeds = [1]\n", "missing field `costs`"),
            ("speeds = [1]\nspeed = 3\n[costs]\n", "unknown field `speed`"),
        ] {
            std::fs::write(&path, text).unwrap();
            for found in Comm::simulate(2, |comm| read(&comm, &path)) {
                let message = found.unwrap_err().to_string();
                assert!(message.contains(words) && message.contains("weights.toml"), "{message}");
            }
        }
    }
}
