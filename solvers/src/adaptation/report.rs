//! What an adaptation reports: columns of the history, figures, pictures.

use std::time::Duration;

use cfd_adapt::mesh::{BAND, LONGEST, Statistics};
use cfd_adapt::operation::Counts;
use cfd_engine::comm::Comm;
use serde_json::{Map, Value as Json, json};

use super::{Adaptation, Last};
use crate::output::{Drawing, Output};

/// Names of the values of an iteration.
pub(super) const COLUMNS: [&str; 11] = [
    "collapses",
    "splits",
    "swaps",
    "moves",
    "vertices",
    "elements",
    "complexity",
    "quality_min",
    "quality_mean",
    "length_min",
    "length_max",
];

/// Their values.
pub(super) fn values(counts: Counts, statistics: &Statistics, complexity: f64) -> Vec<f64> {
    let Counts { collapses, splits, swaps, moves } = counts;
    let Statistics { vertices, elements, quality_min, quality_mean, length_min, length_max, .. } =
        *statistics;
    let counts = [collapses, splits, swaps, moves, vertices, elements].map(|count| count as f64);
    counts.into_iter().chain([complexity, quality_min, quality_mean, length_min, length_max]).collect()
}

/// Seconds of the phases, each on the rank where it took longest; for the last iteration and for all.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Times {
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

    /// Adds the time of a phase on this rank. Collective.
    pub fn add(&mut self, comm: &Comm, phase: usize, time: Duration) {
        let seconds = longest(comm, time);
        self.last[phase] = seconds;
        self.all[phase] += seconds;
    }

    /// Adds the time of the passes in total, and of coarsen, refine, swap and smooth each. Collective.
    pub fn add_passes(&mut self, comm: &Comm, all: Duration, phases: [Duration; 4]) {
        self.passes += longest(comm, all);
        for (phase, time) in (Times::COARSEN..).zip(phases) {
            self.add(comm, phase, time);
        }
    }

    /// The phases of the last iteration.
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

/// Figures and pictures of the current mesh and of all iterations.
pub(super) fn outputs(of: &Adaptation) -> Vec<Output<'static>> {
    let Some(last) = &of.last else { return Vec::new() };
    let mut outputs = vec![Output::Entries(entries(of, last)), Output::Times(of.times.entries())];
    outputs.extend(drawings(of, &last.statistics).map(Output::Drawing));
    outputs
}

fn entries(of: &Adaptation, last: &Last) -> Map<String, Json> {
    let Last { statistics, complexity, mean_before } = last;
    let Counts { collapses, splits, swaps, moves } = of.operations;
    let [messages, bytes] = of.traffic;
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
        "passes": of.passes,
        "operations": { "collapses": collapses, "splits": splits, "swaps": swaps, "moves": moves },
        "messages": messages,
        "bytes": bytes,
    });
    let Json::Object(entries) = entries else { unreachable!("it is written as an object") };
    entries
}

fn drawings(of: &Adaptation, statistics: &Statistics) -> [Drawing; 4] {
    [
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
        Drawing::Bars { file: "phases", title: "Time of the phases", axis: "seconds", bars: of.times.bars() },
    ]
}
