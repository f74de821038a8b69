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
    let (low, high) = if points.is_empty() { (1e-3, 1.0) } else { (decade_below(low), decade_above(high)) };
    let end = (residuals.len() as f64).max(2.0);
    picture(title, subtitle, |area| {
        let mut chart = ChartBuilder::on(area)
            .x_label_area_size(48)
            .y_label_area_size(76)
            .build_cartesian_2d(0.0..end, (low..high).log_scale())?;
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

/// The largest power of ten below a positive number.
fn decade_below(value: f64) -> f64 {
    10f64.powi((value * 0.999).log10().floor() as i32)
}

/// The smallest power of ten above a positive number.
fn decade_above(value: f64) -> f64 {
    10f64.powi((value * 1.001).log10().ceil() as i32)
}
