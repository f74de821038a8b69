//! `scaling.svg`: speedup, or the rate of several methods, and efficiency against cores, with the ideal.

use std::ops::Range;

use plotters::prelude::*;

use super::legend::{Area, Entry, Mark, legend};
use super::style::Style;
use super::ticks::{log_text, log_ticks};
use super::{DrawError, INK, draw_axes, picture};

/// Maximum labels on the axis of cores.
const LABELS: usize = 8;
/// Room beyond the first and the last point, as a factor.
const MARGIN: f64 = 1.15;

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
    /// A point whose speedup is not yet known.
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

    /// Speedup per core.
    pub fn efficiency(&self) -> f64 {
        self.speedup / self.cores() as f64
    }

    /// What is shown for a rate of this point's runs.
    fn shown(&self, scale: &Scale, rate: f64) -> f64 {
        match scale {
            Scale::SpeedUp => self.speedup * rate / self.rate(),
            Scale::Rate { .. } => rate,
        }
    }
}

/// Points that belong together.
#[derive(Clone, Debug)]
pub struct Curve {
    /// What tells it from the others.
    pub label: String,
    /// By cores, ascending.
    pub points: Vec<Point>,
}

/// What is shown against cores.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Scale {
    /// The speedup over each curve's own base: curves of unlike work.
    SpeedUp,
    /// The rate, which compares methods.
    Rate {
        /// What is counted.
        what: String,
        /// Its unit.
        unit: String,
    },
}

/// Draws speedup or rate on the left and efficiency on the right; bars reach from the slowest to the fastest run of a
/// point.
pub fn svg(title: &str, subtitle: &str, scale: &Scale, curves: &[Curve]) -> String {
    let mut entries = vec![Entry { label: "ideal".into(), colour: INK, mark: Mark::Dashed }];
    entries.extend(curves.iter().enumerate().map(|(at, curve)| {
        let style = Style::of(at);
        Entry { label: curve.label.clone(), colour: style.colour, mark: Mark::Curve(style) }
    }));
    picture(title, subtitle, |area| {
        let (left, right) = legend(area, &entries)?.split_horizontally((50).percent_width());
        speeds(&left, scale, curves)?;
        efficiencies(&right, curves)
    })
}

fn speeds(area: &Area<'_>, scale: &Scale, curves: &[Curve]) -> Result<(), DrawError> {
    let points = || curves.iter().flat_map(|curve| &curve.points);
    let (range, cores) = cores(curves);
    // The ideal of the fastest base.
    let ideal = match scale {
        Scale::SpeedUp => 1.0,
        Scale::Rate { .. } => points()
            .map(|point| point.rate() / point.speedup)
            .filter(|rate| rate.is_finite())
            .fold(0.0, f64::max),
    };
    let lowest = points().map(|p| p.shown(scale, p.range().0)).fold(ideal * range.start, f64::min);
    let highest = points().map(|p| p.shown(scale, p.range().1)).fold(ideal * range.end, f64::max);
    let (lowest, highest) = (lowest / MARGIN, highest * MARGIN);
    let x = range.clone().log_scale().with_key_points(cores.clone());
    let (labels, name) = match scale {
        Scale::SpeedUp => (cores, "speedup".to_string()),
        Scale::Rate { what, unit } => (log_ticks(lowest, highest), format!("{what} ({unit})")),
    };
    let y = (lowest..highest).log_scale().with_key_points(labels);
    let mut chart =
        ChartBuilder::on(area).x_label_area_size(48).y_label_area_size(64).build_cartesian_2d(x, y)?;
    draw_axes(
        chart
            .configure_mesh()
            .x_desc("cores (ranks x threads)")
            .y_desc(name)
            .x_label_formatter(&|x| format!("{x:.0}"))
            .y_label_formatter(&|y| log_text(*y)),
    )?;
    let ends = [range.start, range.end].map(|cores| (cores, ideal * cores));
    chart.draw_series(DashedLineSeries::new(ends, 6, 4, INK.stroke_width(1)))?;
    for (at, curve) in curves.iter().enumerate() {
        let style = Style::of(at);
        let place = |point: &Point, rate: f64| (point.cores() as f64, point.shown(scale, rate));
        let line: Vec<_> = curve.points.iter().map(|point| place(point, point.rate())).collect();
        style.draw(&mut chart, &line)?;
        chart.draw_series(curve.points.iter().map(|point| {
            let (slowest, fastest) = point.range();
            PathElement::new([place(point, slowest), place(point, fastest)], style.colour.stroke_width(1))
        }))?;
    }
    Ok(())
}

fn efficiencies(area: &Area<'_>, curves: &[Curve]) -> Result<(), DrawError> {
    let (range, cores) = cores(curves);
    let highest = curves.iter().flat_map(|curve| &curve.points).map(Point::efficiency).fold(1.0, f64::max);
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
    for (at, curve) in curves.iter().enumerate() {
        let line: Vec<_> =
            curve.points.iter().map(|point| (point.cores() as f64, point.efficiency())).collect();
        Style::of(at).draw(&mut chart, &line)?;
    }
    Ok(())
}

/// The axis of cores and its labels: at the points, or at powers of two if there are many.
fn cores(curves: &[Curve]) -> (Range<f64>, Vec<f64>) {
    let mut cores: Vec<u64> = curves.iter().flat_map(|curve| &curve.points).map(Point::cores).collect();
    cores.sort_unstable();
    cores.dedup();
    let (first, last) = (cores.first().copied().unwrap_or(1), cores.last().copied().unwrap_or(1));
    if cores.len() > LABELS {
        cores.retain(|cores| cores.is_power_of_two());
    }
    let labels = cores.into_iter().map(|cores| cores as f64).collect();
    (first as f64 / MARGIN..last as f64 * MARGIN, labels)
}
