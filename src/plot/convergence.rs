//! `convergence.svg`: residual over iterations, on a logarithmic scale; several histories in one picture.

use plotters::prelude::*;

use super::legend::{Entry, Mark, legend};
use super::style::Style;
use super::ticks::{Axis, Step, around, log_ticks};
use super::{draw_axes, picture};

/// Maximum points of a curve: more cannot be seen.
const POINTS: usize = 2000;

/// About how many markers a curve has, if there are several.
const MARKERS: usize = 12;

/// Maximum labels along the iteration axis.
const LABELS: usize = 11;

/// One history in a picture.
#[derive(Clone, Debug, Default)]
pub struct Curve {
    /// What it is the history of; shown if there are several.
    pub label: String,
    /// Iterations, or another measure of work spent, and the residual there.
    pub points: Vec<(f64, f64)>,
}

/// Draws the residual of every iteration, the first being iteration 1.
pub fn svg(title: &str, subtitle: &str, residuals: &[f64]) -> String {
    let points = residuals.iter().enumerate().map(|(i, &residual)| ((i + 1) as f64, residual)).collect();
    curves(title, subtitle, "iteration", &[Curve { label: String::new(), points }])
}

/// Draws several histories against the work spent.
///
/// Residuals without a logarithm (zero, NaN, infinity) are omitted.
pub fn curves(title: &str, subtitle: &str, spent: &str, curves: &[Curve]) -> String {
    let curves: Vec<Curve> = curves.iter().map(Curve::thinned).collect();
    let points = || curves.iter().flat_map(|curve| &curve.points);
    let low = points().map(|p| p.1).fold(f64::INFINITY, f64::min);
    let high = points().map(|p| p.1).fold(0.0, f64::max);
    let (low, high) = if low > high { (1e-3, 1.0) } else { around(low, high) };
    let end = points().map(|p| p.0).fold(2.0, f64::max);
    let entry = |(at, curve): (usize, &Curve)| Entry {
        label: curve.label.clone(),
        colour: Style::of(at).colour,
        mark: Mark::Curve(Style::of(at)),
    };
    let entries: Vec<Entry> = match &curves[..] {
        [_] => Vec::new(),
        several => several.iter().enumerate().map(entry).collect(),
    };
    let step = Step::of(end, LABELS);
    // Iterations are integers.
    let step = if step.size < 1.0 { Step { size: 1.0, decimals: 0 } } else { step };
    picture(title, subtitle, |area| {
        let mut chart = ChartBuilder::on(&legend(area, &entries)?)
            .x_label_area_size(48)
            .y_label_area_size(76)
            .build_cartesian_2d(
                Axis::new(0.0..end, step),
                (low..high).log_scale().with_key_points(log_ticks(low, high)),
            )?;
        draw_axes(
            chart
                .configure_mesh()
                .x_desc(spent)
                .y_desc("residual")
                .x_label_formatter(&|x| step.text(*x))
                .y_label_formatter(&|y| format!("{y:.0e}")),
        )?;
        for (at, curve) in curves.iter().enumerate() {
            let style = Style::of(at);
            style.line(&mut chart, &curve.points)?;
            if curves.len() > 1 || curve.points.len() == 1 {
                let stride = curve.points.len().div_ceil(MARKERS).max(1);
                let marked: Vec<(f64, f64)> = curve.points.iter().copied().step_by(stride).collect();
                style.markers(&mut chart, &marked)?;
            }
        }
        Ok(())
    })
}

impl Curve {
    /// The curve reduced to few enough points, all with a logarithm.
    fn thinned(&self) -> Curve {
        let stride = self.points.len().div_ceil(POINTS).max(1);
        let last = self.points.len().saturating_sub(1);
        let kept = self.points.iter().enumerate().filter(|(i, (_, residual))| {
            (i % stride == 0 || *i == last) && residual.is_normal() && *residual > 0.0
        });
        Curve { label: self.label.clone(), points: kept.map(|(_, &point)| point).collect() }
    }
}
