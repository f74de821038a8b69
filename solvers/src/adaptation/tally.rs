//! What adaptations have taken, and what the mesh is like after the last: figures and pictures.

use std::time::{Duration, Instant};

use cfd_adapt::mesh::{BAND, LONGEST, Mesh, Statistics};
use cfd_adapt::metric::Background;
use cfd_adapt::operation::{AdaptError, Counts, MetricAt};
use cfd_adapt::outline::OutlineError;
use cfd_adapt::remesh::{Adapting, RemeshError};
use cfd_engine::comm::Comm;
use cfd_engine::plug::ThreadPool;
use serde_json::{Map, Value as Json, json};

use crate::Stopped;
use crate::output::{Drawing, Output};

/// All adaptations of a run.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tally {
    /// Operations of all adaptations.
    pub operations: Counts,
    /// Their passes.
    pub passes: u64,
    /// Messages and their bytes on all ranks, in this run.
    traffic: [u64; 2],
    /// Seconds of the phases.
    pub times: Times,
    /// The current mesh, if it has been looked at.
    pub last: Option<Last>,
}

/// Statistics of the current mesh.
#[derive(Clone, Debug)]
pub(crate) struct Last {
    pub statistics: Statistics,
    pub complexity: f64,
    /// Mean quality in the old mesh's metric.
    pub mean_before: Option<f64>,
}

impl Last {
    /// Numbers of [`Last::to_numbers`].
    pub const NUMBERS: usize = 2 + Statistics::NUMBERS;

    /// All of it as numbers of a checkpoint.
    pub fn to_numbers(&self) -> Vec<f64> {
        let first = [self.complexity, self.mean_before.unwrap_or(f64::NAN)];
        first.into_iter().chain(self.statistics.to_numbers()).collect()
    }

    /// Of those numbers; `None` if there are more or fewer.
    pub fn of_numbers(numbers: &[f64]) -> Option<Last> {
        let (&[complexity, mean_before], rest) = numbers.split_first_chunk()?;
        let mean_before = Some(mean_before).filter(|mean| !mean.is_nan());
        Some(Last { statistics: Statistics::of_numbers(rest)?, complexity, mean_before })
    }
}

impl Tally {
    /// Adapts a mesh to its metric, of this complexity; the operations that it took. Collective.
    ///
    /// # Errors
    /// What an operation or the partitioner cannot do.
    pub fn adapt(
        &mut self,
        adapting: &mut Adapting<'_>,
        metric: MetricAt<'_, 2>,
        complexity: f64,
        threads: usize,
    ) -> Result<Counts, RemeshError> {
        let comm = adapting.mesh().comm().clone();
        let before = Background::of(adapting.mesh());
        let began = Instant::now();
        adapting.redistribute()?;
        self.times.add(&comm, Times::BALANCE, began.elapsed());
        let began = Instant::now();
        let report = adapting.adapt(metric, &ThreadPool::new(threads))?;
        self.times.add_passes(&comm, began.elapsed(), report.times);
        self.passes += report.passes.len() as u64;
        self.operations.add(report.total);
        let [messages, bytes] = traffic(adapting.mesh());
        self.traffic = [self.traffic[0] + messages, self.traffic[1] + bytes];
        let began = Instant::now();
        let (statistics, mean_before) =
            (Statistics::of(adapting.mesh()), before.mean_quality(adapting.mesh()));
        self.last = Some(Last { statistics, complexity, mean_before: Some(mean_before) });
        self.times.add(&comm, Times::FINISH, began.elapsed());
        Ok(report.total)
    }

    /// Figures and pictures of the current mesh and of all adaptations.
    pub fn outputs(&self) -> Vec<Output<'static>> {
        let Some(last) = &self.last else { return Vec::new() };
        let mut outputs = vec![Output::Entries(self.entries(last)), Output::Times(self.times.entries())];
        outputs.extend(drawings(&self.times, &last.statistics).into_iter().map(Output::Drawing));
        outputs
    }

    fn entries(&self, last: &Last) -> Map<String, Json> {
        let Last { statistics, complexity, mean_before } = last;
        let Counts { collapses, splits, swaps, moves } = self.operations;
        let [messages, bytes] = self.traffic;
        let entries = json!({
            "quality": {
                "min": statistics.quality_min,
                "mean": statistics.quality_mean,
                "mean_input_metric": mean_before,
            },
            "edges": {
                "min": statistics.length_min,
                "max": statistics.length_max,
                "in_band": statistics.in_band,
            },
            "vertices": statistics.vertices,
            "elements": statistics.elements,
            "complexity": complexity,
            "passes": self.passes,
            "operations": { "collapses": collapses, "splits": splits, "swaps": swaps, "moves": moves },
            "messages": messages,
            "bytes": bytes,
        });
        let Json::Object(entries) = entries else { unreachable!("it is written as an object") };
        entries
    }

    /// Operations and passes as numbers of a checkpoint.
    pub fn numbers(&self) -> [f64; COUNTS] {
        let Counts { collapses, splits, swaps, moves } = self.operations;
        [collapses, splits, swaps, moves, self.passes].map(|count| count as f64)
    }

    /// Continues with them.
    pub fn resume(&mut self, numbers: &[f64; COUNTS]) {
        let [collapses, splits, swaps, moves, passes] = numbers.map(|count| count as u64);
        (self.operations, self.passes) = (Counts { collapses, splits, swaps, moves }, passes);
    }
}

/// Numbers of a tally in a checkpoint.
pub(crate) const COUNTS: usize = 5;

/// Why a run ends in whose iteration a mesh could not be adapted; an element takes at least so many bytes on all ranks, and
/// there are fewer with what `coarser` says.
pub(crate) fn stopped(error: RemeshError, iteration: u64, bytes: f64, coarser: &str) -> Stopped {
    let refused = |what: String| Stopped::Refused { what, iteration: iteration.max(1) };
    match error {
        RemeshError::Backend(error) => error.into(),
        RemeshError::Adapt(AdaptError::Elements { .. }) => refused(format!(
            "not enough memory: {error}, which take at least {bytes} bytes each on all ranks; use {coarser}, or more machines"
        )),
        RemeshError::Adapt(AdaptError::Identity { .. }) => {
            Stopped::Failed { what: error.to_string(), iteration }
        }
        RemeshError::Outline(error @ OutlineError::UnknownRegion { .. }) => {
            refused(format!("adaptation.regions: {error}"))
        }
        RemeshError::Outline(error @ OutlineError::NoVertex { .. }) => {
            refused(format!("adaptation.points: {error}"))
        }
        RemeshError::Outline(error) => refused(format!("adaptation.boundaries: {error}")),
        error => refused(error.to_string()),
    }
}

/// The sums over all ranks of messages and bytes that the mesh has taken. Collective.
fn traffic(mesh: &Mesh<2>) -> [u64; 2] {
    let traffic = mesh.traffic();
    [traffic.messages, traffic.bytes].map(|count| mesh.comm().sum(count))
}

/// Seconds of the phases, each on the rank where it took longest; for the last iteration and for all.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Times {
    last: [f64; 7],
    all: [f64; 7],
    /// All passes.
    passes: f64,
}

impl Times {
    /// Reading the mesh and building the metric.
    pub const METRIC: usize = 0;
    /// Dividing the elements among the ranks.
    pub const BALANCE: usize = 1;
    const COARSEN: usize = 2;
    /// Statistics, canonical order, the new domain.
    pub const FINISH: usize = 6;
    const NAMES: [&str; 7] = ["metric", "balance", "coarsen", "refine", "swap", "smooth", "finish"];

    /// Adds the time of a phase on this rank, after the one that begins an adaptation. Collective.
    pub fn add(&mut self, comm: &Comm, phase: usize, time: Duration) {
        let seconds = longest(comm, time);
        if phase == Times::METRIC {
            self.last = [0.0; 7];
        }
        self.last[phase] += seconds;
        self.all[phase] += seconds;
    }

    /// Adds the time of the passes in total, and of coarsen, refine, swap and smooth each. Collective.
    fn add_passes(&mut self, comm: &Comm, all: Duration, phases: [Duration; 4]) {
        self.passes += longest(comm, all);
        for (phase, time) in (Times::COARSEN..).zip(phases) {
            self.add(comm, phase, time);
        }
    }

    /// The phases of the last adaptation.
    pub fn line(&self) -> String {
        let phases =
            Times::NAMES.iter().zip(self.last).map(|(name, seconds)| format!("{name} {seconds:.2} s"));
        format!("{:>10}  {}", "time", phases.collect::<Vec<_>>().join(", "))
    }

    fn entries(&self) -> Map<String, Json> {
        let phases =
            Times::NAMES.iter().zip(self.all).map(|(name, seconds)| (format!("{name}_s"), json!(seconds)));
        [("adapt_s".to_string(), json!(self.passes))].into_iter().chain(phases).collect()
    }

    fn bars(&self) -> Vec<(String, f64)> {
        Times::NAMES.iter().zip(self.all).map(|(name, seconds)| (name.to_string(), seconds)).collect()
    }
}

/// On the rank where it took longest, in seconds.
fn longest(comm: &Comm, time: Duration) -> f64 {
    comm.max(u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)) as f64 * 1e-9
}

/// Pictures of a mesh and of the phases' times, if this run has adapted it.
fn drawings(times: &Times, statistics: &Statistics) -> Vec<Drawing> {
    let phases =
        Drawing::Bars { file: "phases", title: "Time of the phases", axis: "seconds", bars: times.bars() };
    let is_timed = times.all.iter().any(|&seconds| seconds > 0.0);
    let of_mesh = [
        Drawing::Sides { file: "mesh", title: "Mesh" },
        Drawing::Histogram {
            file: "quality",
            title: "Quality of the elements",
            axis: "quality",
            range: [0.0, 1.0],
            counts: statistics.qualities.clone(),
            marks: vec![statistics.quality_mean],
        },
        Drawing::Histogram {
            file: "lengths",
            title: "Length of the edges in the metric",
            axis: "length",
            range: [0.0, LONGEST],
            counts: statistics.lengths.clone(),
            marks: BAND.to_vec(),
        },
    ];
    of_mesh.into_iter().chain(is_timed.then_some(phases)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_of_a_mesh_come_back_from_their_numbers_and_from_no_others() {
        let statistics = Statistics {
            vertices: 5,
            quality_mean: 0.1 + 0.2,
            qualities: (0..50).collect(),
            lengths: (50..100).collect(),
            ..Statistics::default()
        };
        for mean_before in [Some(0.7), None] {
            let numbers = Last { statistics: statistics.clone(), complexity: 3.0, mean_before }.to_numbers();
            assert_eq!(numbers.len(), Last::NUMBERS);
            let again = Last::of_numbers(&numbers).unwrap();
            assert_eq!((&again.statistics, again.complexity), (&statistics, 3.0));
            assert_eq!(again.mean_before, mean_before);
            assert!(Last::of_numbers(&numbers[1..]).is_none() && Last::of_numbers(&[]).is_none());
        }
    }
}
