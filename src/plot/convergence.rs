//! `convergence.svg`: residual over iterations, on a logarithmic scale; several histories in one picture.

use plotters::prelude::*;

use super::{COLOURS, FONT, GRID, INK, draw_axes, picture};

/// Points of a curve at most: more cannot be seen.
const POINTS: usize = 2000;

/// Labels along the axis of iterations at most.
const LABELS: usize = 11;

/// One history in a picture.
#[derive(Clone, Debug, Default)]
pub struct Curve {
    /// What it is the history of; shown where there are several.
    pub label: String,
    /// Iterations, or what else has been spent, and the residual then.
    pub points: Vec<(f64, f64)>,
}

/// Draws the residual of every iteration, the first being iteration 1.
pub fn svg(title: &str, subtitle: &str, residuals: &[f64]) -> String {
    let points = residuals.iter().enumerate().map(|(i, &residual)| ((i + 1) as f64, residual)).collect();
    curves(title, subtitle, "iteration", &[Curve { label: String::new(), points }])
}

/// Draws several histories over what has been spent.
///
/// Residuals that have no logarithm (zero, NaN, infinity) are left out.
pub fn curves(title: &str, subtitle: &str, spent: &str, curves: &[Curve]) -> String {
    let curves: Vec<Curve> = curves.iter().map(Curve::thinned).collect();
    let points = || curves.iter().flat_map(|curve| &curve.points);
    let low = points().map(|p| p.1).fold(f64::INFINITY, f64::min);
    let high = points().map(|p| p.1).fold(0.0, f64::max);
    let (low, high) = if low > high { (1e-3, 1.0) } else { around(low, high) };
    let end = points().map(|p| p.0).fold(2.0, f64::max);
    picture(title, subtitle, |area| {
        let mut chart = ChartBuilder::on(area)
            .x_label_area_size(48)
            .y_label_area_size(76)
            .build_cartesian_2d(0.0..end, (low..high).log_scale().with_key_points(ticks(low, high)))?;
        draw_axes(
            chart
                .configure_mesh()
                .x_desc(spent)
                .y_desc("residual")
                // No more labels than there are iterations in a short run.
                .x_labels((end as usize + 1).min(LABELS))
                .x_label_formatter(&|x| format!("{x:.0}"))
                .y_label_formatter(&|y| format!("{y:.0e}")),
        )?;
        for (at, curve) in curves.iter().enumerate() {
            let colour = COLOURS[at % COLOURS.len()];
            if let [point] = curve.points[..] {
                chart.draw_series([Circle::new(point, 4, colour.filled())])?;
                continue;
            }
            let line = LineSeries::new(curve.points.iter().copied(), colour.stroke_width(2));
            let drawn = chart.draw_series(line)?;
            if curves.len() > 1 {
                drawn
                    .label(curve.label.clone())
                    .legend(move |(x, y)| PathElement::new([(x, y), (x + 18, y)], colour.stroke_width(2)));
            }
        }
        if curves.len() > 1 {
            chart
                .configure_series_labels()
                .background_style(WHITE)
                .border_style(GRID)
                .label_font((FONT, 14, &INK))
                .draw()?;
        }
        Ok(())
    })
}

impl Curve {
    /// The curve with few enough points, all of which have a logarithm.
    fn thinned(&self) -> Curve {
        let stride = self.points.len().div_ceil(POINTS).max(1);
        let last = self.points.len().saturating_sub(1);
        let kept = self.points.iter().enumerate().filter(|(i, (_, residual))| {
            (i % stride == 0 || *i == last) && residual.is_normal() && *residual > 0.0
        });
        Curve { label: self.label.clone(), points: kept.map(|(_, &point)| point).collect() }
    }
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
