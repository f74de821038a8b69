//! `scaling.svg`: speed-up and efficiency against cores, with the ideal.

use std::collections::BTreeMap;
use std::ops::Range;

use plotters::prelude::*;

use super::legend::{Area, Entry, Mark, legend};
use super::{COLOURS, DrawError, INK, draw_axes, picture};

/// Maximum labels on the axis of cores.
const LABELS: usize = 8;

/// Runs on the same number of ranks and threads.
#[derive(Clone, Debug)]
pub struct Point {
    /// Number of ranks.
    pub ranks: u64,
    /// Threads of each.
    pub threads: u64,
    /// Work per unit of time of each run, ascending; at least one.
    pub rates: Vec<f64>,
    /// Rate relative to the base's rate per core.
    pub speedup: f64,
}

impl Point {
    /// A point whose speed-up is not yet known.
    pub fn new(ranks: u64, threads: u64, mut rates: Vec<f64>) -> Point {
        rates.sort_by(f64::total_cmp);
        Point { ranks, threads, rates, speedup: 0.0 }
    }

    /// Cores in use: one per thread.
    pub fn cores(&self) -> u64 {
        self.ranks * self.threads
    }

    /// The median of the rates.
    pub fn rate(&self) -> f64 {
        let middle = self.rates.len() / 2;
        if self.rates.len().is_multiple_of(2) {
            0.5 * (self.rates[middle - 1] + self.rates[middle])
        } else {
            self.rates[middle]
        }
    }

    /// The lowest and the highest rate.
    pub fn range(&self) -> (f64, f64) {
        (self.rates[0], self.rates[self.rates.len() - 1])
    }

    /// Speed-up per core.
    pub fn efficiency(&self) -> f64 {
        self.speedup / self.cores() as f64
    }

    /// The speed-up for a rate of this point's runs.
    fn scaled(&self, rate: f64) -> f64 {
        self.speedup * rate / self.rate()
    }
}

/// Draws speed-up on the left and efficiency on the right, with one curve per number of threads per rank; bars reach
/// from the slowest to the fastest run of a point.
pub fn svg(title: &str, subtitle: &str, points: &[Point]) -> String {
    let mut curves: BTreeMap<u64, Vec<&Point>> = BTreeMap::new();
    for point in points {
        curves.entry(point.threads).or_default().push(point);
    }
    let mut entries = vec![Entry { label: "ideal".into(), colour: INK, mark: Mark::Dashed }];
    entries.extend(curves.keys().enumerate().map(|(curve, threads)| Entry {
        label: label(*threads),
        colour: COLOURS[curve % COLOURS.len()],
        mark: Mark::Line,
    }));
    picture(title, subtitle, |area| {
        let (left, right) = legend(area, &entries)?.split_horizontally((50).percent_width());
        speedups(&left, &curves)?;
        efficiencies(&right, &curves)
    })
}

type Curves<'a> = BTreeMap<u64, Vec<&'a Point>>;

fn speedups(area: &Area<'_>, curves: &Curves<'_>) -> Result<(), DrawError> {
    let (range, cores) = cores(curves);
    let lowest = curves.values().flatten().map(|p| p.scaled(p.range().0)).fold(range.start, f64::min);
    let highest = curves.values().flatten().map(|p| p.scaled(p.range().1)).fold(range.end, f64::max);
    let x = range.clone().log_scale().with_key_points(cores.clone());
    let y = (lowest..highest).log_scale().with_key_points(cores);
    let mut chart =
        ChartBuilder::on(area).x_label_area_size(48).y_label_area_size(64).build_cartesian_2d(x, y)?;
    draw_axes(
        chart
            .configure_mesh()
            .x_desc("cores (ranks x threads)")
            .y_desc("speed-up")
            .x_label_formatter(&|x| format!("{x:.0}"))
            .y_label_formatter(&|y| format!("{y:.0}")),
    )?;
    let ideal = [(range.start, range.start), (range.end, range.end)];
    chart.draw_series(DashedLineSeries::new(ideal, 6, 4, INK.stroke_width(1)))?;
    for (curve, points) in curves.values().enumerate() {
        let colour = COLOURS[curve % COLOURS.len()];
        let place = |point: &Point, rate: f64| (point.cores() as f64, point.scaled(rate));
        let line = points.iter().map(|point| place(point, point.rate()));
        chart.draw_series(LineSeries::new(line.clone(), colour.stroke_width(2)))?;
        chart.draw_series(line.map(|place| Circle::new(place, 4, colour.filled())))?;
        chart.draw_series(points.iter().map(|point| {
            let (slowest, fastest) = point.range();
            PathElement::new([place(point, slowest), place(point, fastest)], colour.stroke_width(1))
        }))?;
    }
    Ok(())
}

fn efficiencies(area: &Area<'_>, curves: &Curves<'_>) -> Result<(), DrawError> {
    let (range, cores) = cores(curves);
    let highest = curves.values().flatten().map(|point| point.efficiency()).fold(1.0, f64::max);
    let x = range.clone().log_scale().with_key_points(cores);
    let mut chart = ChartBuilder::on(area)
        .x_label_area_size(48)
        .y_label_area_size(64)
        .build_cartesian_2d(x, 0.0..1.05 * highest)?;
    draw_axes(
        chart
            .configure_mesh()
            .x_desc("cores (ranks x threads)")
            .y_desc("efficiency")
            .x_label_formatter(&|x| format!("{x:.0}"))
            .y_label_formatter(&|y| format!("{:.0} %", 100.0 * y)),
    )?;
    let ideal = [(range.start, 1.0), (range.end, 1.0)];
    chart.draw_series(DashedLineSeries::new(ideal, 6, 4, INK.stroke_width(1)))?;
    for (curve, points) in curves.values().enumerate() {
        let colour = COLOURS[curve % COLOURS.len()];
        let line = points.iter().map(|point| (point.cores() as f64, point.efficiency()));
        chart.draw_series(LineSeries::new(line.clone(), colour.stroke_width(2)))?;
        chart.draw_series(line.map(|place| Circle::new(place, 4, colour.filled())))?;
    }
    Ok(())
}

/// The axis of cores and its labels: at the points, or at powers of two if there are many.
fn cores(curves: &Curves<'_>) -> (Range<f64>, Vec<f64>) {
    let mut cores: Vec<u64> = curves.values().flatten().map(|point| point.cores()).collect();
    cores.sort_unstable();
    cores.dedup();
    let (first, last) = (cores.first().copied().unwrap_or(1), cores.last().copied().unwrap_or(1));
    if cores.len() > LABELS {
        cores.retain(|cores| cores.is_power_of_two());
    }
    let margin = 1.15;
    let labels = cores.into_iter().map(|cores| cores as f64).collect();
    (first as f64 / margin..last as f64 * margin, labels)
}

fn label(threads: u64) -> String {
    if threads == 1 { "1 thread per rank".into() } else { format!("{threads} threads per rank") }
}
