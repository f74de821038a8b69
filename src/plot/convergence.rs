//! `convergence.svg`: residual over iterations, on a logarithmic scale.

use plotters::prelude::*;

use super::{CURVE, FONT, GRID, INK, picture};

/// Points of a curve at most: more cannot be seen.
const POINTS: usize = 2000;

/// Draws the residual of every iteration, the first being iteration 1.
///
/// Residuals that have no logarithm (zero, NaN, infinity) are left out.
pub fn svg(title: &str, subtitle: &str, residuals: &[f64]) -> String {
    let stride = residuals.len().div_ceil(POINTS).max(1);
    let last = residuals.len().saturating_sub(1);
    let points: Vec<(f64, f64)> = residuals
        .iter()
        .enumerate()
        .filter(|(i, residual)| (i % stride == 0 || *i == last) && residual.is_normal() && **residual > 0.0)
        .map(|(i, &residual)| ((i + 1) as f64, residual))
        .collect();
    let low = points.iter().map(|p| p.1).fold(f64::INFINITY, f64::min);
    let high = points.iter().map(|p| p.1).fold(0.0, f64::max);
    let (low, high) = if points.is_empty() { (1e-3, 1.0) } else { around(low, high) };
    let end = (residuals.len() as f64).max(2.0);
    picture(title, subtitle, |area| {
        let mut chart = ChartBuilder::on(area)
            .x_label_area_size(48)
            .y_label_area_size(76)
            .build_cartesian_2d(0.0..end, (low..high).log_scale().with_key_points(ticks(low, high)))?;
        chart
            .configure_mesh()
            .x_desc("iteration")
            .y_desc("residual (root mean square of the update)")
            .x_label_formatter(&|x| format!("{x:.0}"))
            .y_label_formatter(&|y| format!("{y:.0e}"))
            .axis_style(INK)
            .bold_line_style(GRID)
            .light_line_style(TRANSPARENT)
            .label_style((FONT, 14, &INK))
            .axis_desc_style((FONT, 16, &INK))
            .draw()?;
        if let [point] = points[..] {
            chart.draw_series([Circle::new(point, 4, CURVE.filled())])?;
        } else {
            chart.draw_series(LineSeries::new(points, CURVE.stroke_width(2)))?;
        }
        Ok(())
    })
}

/// A range around positive values that has a power of ten, and so a label, in it.
fn around(low: f64, high: f64) -> (f64, f64) {
    let margin = 1.5;
    let (low, high) = (low / margin, high * margin);
    if low.log10().ceil() <= high.log10().floor() {
        (low, high)
    } else {
        // Just outside the powers of ten, which rounding could lose otherwise.
        (10f64.powf(low.log10().floor() - 0.02), 10f64.powf(high.log10().ceil() + 0.02))
    }
}

/// Where the axis is labelled: powers of ten, and twice and five times them where there are few.
fn ticks(low: f64, high: f64) -> Vec<f64> {
    let multiples: &[f64] = if high / low < 1e3 { &[1.0, 2.0, 5.0] } else { &[1.0] };
    let decades = low.log10().floor() as i32..=high.log10().ceil() as i32;
    let ticks =
        decades.flat_map(|decade| multiples.iter().map(move |multiple| multiple * 10f64.powi(decade)));
    ticks.filter(|tick| (low..=high).contains(tick)).collect()
}
