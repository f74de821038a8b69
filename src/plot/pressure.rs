//! `cp.svg`: pressure coefficient along the wall, suction upwards as is the custom.

use plotters::prelude::*;

use super::{CURVE, FONT, GRID, INK, picture};

/// Draws (x, cp) pairs in wall order.
pub fn svg(title: &str, subtitle: &str, wall: &[[f64; 2]]) -> String {
    let points: Vec<(f64, f64)> =
        wall.iter().filter(|p| p.iter().all(|v| v.is_finite())).map(|&[x, cp]| (x, -cp)).collect();
    let x = range(points.iter().map(|p| p.0), 0.02);
    let suction = range(points.iter().map(|p| p.1), 0.06);
    picture(title, subtitle, |area| {
        let mut chart = ChartBuilder::on(area)
            .x_label_area_size(48)
            .y_label_area_size(76)
            .build_cartesian_2d(x, suction)?;
        chart
            .configure_mesh()
            .x_desc("x")
            .y_desc("pressure coefficient cp (axis inverted)")
            .x_label_formatter(&|x| format!("{x:.1}"))
            // The axis runs over -cp. Adding zero makes -0 a plain 0.
            .y_label_formatter(&|y| format!("{:.1}", -y + 0.0))
            .axis_style(INK)
            .bold_line_style(GRID)
            .light_line_style(TRANSPARENT)
            .label_style((FONT, 14, &INK))
            .axis_desc_style((FONT, 16, &INK))
            .draw()?;
        chart.draw_series(points.iter().map(|&point| Circle::new(point, 2, CURVE.filled())))?;
        chart.draw_series(LineSeries::new(points, CURVE.stroke_width(2)))?;
        Ok(())
    })
}

/// The range of values with a margin (a share of its width) on both sides.
fn range(values: impl Iterator<Item = f64>, margin: f64) -> std::ops::Range<f64> {
    let (low, high) = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(v), h.max(v)));
    if low > high {
        return 0.0..1.0;
    }
    let margin = if high > low { (high - low) * margin } else { 0.5 };
    low - margin..high + margin
}
