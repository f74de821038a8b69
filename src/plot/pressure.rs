//! `cp.svg`: pressure coefficient along the wall, suction upwards as is the custom.

use plotters::prelude::*;

use super::{COLOURS, FONT, GRID, INK, draw_axes, picture};

/// Draws (x, cp) pairs in wall order.
pub fn svg(title: &str, subtitle: &str, wall: &[[f64; 2]]) -> String {
    draw(title, subtitle, "x", &[(String::new(), wall)])
}

/// Draws sections of a three-dimensional body: each one's station, as a share of the span, and its (x / chord, cp) pairs.
pub fn sections(title: &str, subtitle: &str, sections: &[(f64, Vec<[f64; 2]>)]) -> String {
    let curves: Vec<(String, &[[f64; 2]])> = sections
        .iter()
        .map(|(station, points)| (format!("{:.0} % of the span", 100.0 * station), points.as_slice()))
        .collect();
    draw(title, subtitle, "x / chord", &curves)
}

fn draw(title: &str, subtitle: &str, x_axis: &str, curves: &[(String, &[[f64; 2]])]) -> String {
    let finite = |points: &[[f64; 2]]| -> Vec<(f64, f64)> {
        points.iter().filter(|p| p.iter().all(|v| v.is_finite())).map(|&[x, cp]| (x, -cp)).collect()
    };
    let curves: Vec<(&str, Vec<(f64, f64)>)> =
        curves.iter().map(|(label, points)| (label.as_str(), finite(points))).collect();
    let points = || curves.iter().flat_map(|(_, points)| points);
    let x = range(points().map(|p| p.0), 0.02);
    let suction = range(points().map(|p| p.1), 0.06);
    picture(title, subtitle, |area| {
        let mut chart = ChartBuilder::on(area)
            .x_label_area_size(48)
            .y_label_area_size(76)
            .build_cartesian_2d(x, suction)?;
        draw_axes(
            chart
                .configure_mesh()
                .x_desc(x_axis)
                .y_desc("pressure coefficient cp (axis inverted)")
                .x_label_formatter(&|x| format!("{x:.1}"))
                // The axis runs over -cp. Adding zero makes -0 a plain 0.
                .y_label_formatter(&|y| format!("{:.1}", -y + 0.0)),
        )?;
        for (at, (label, points)) in curves.iter().enumerate() {
            let colour = COLOURS[at % COLOURS.len()];
            chart.draw_series(points.iter().map(|&point| Circle::new(point, 2, colour.filled())))?;
            let lines = bodies(points).map(|body| PathElement::new(body.to_vec(), colour.stroke_width(2)));
            let drawn = chart.draw_series(lines)?;
            if !label.is_empty() {
                drawn
                    .label(*label)
                    .legend(move |(x, y)| PathElement::new([(x, y), (x + 18, y)], colour.stroke_width(2)));
            }
        }
        if curves.iter().any(|(label, _)| !label.is_empty()) {
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

/// Points in wall order, cut where one body ends and the next begins: where x leaps, by ten times what is usual and a
/// fiftieth of the whole.
fn bodies(points: &[(f64, f64)]) -> impl Iterator<Item = &[(f64, f64)]> {
    let mut steps: Vec<f64> = points.windows(2).map(|pair| (pair[1].0 - pair[0].0).abs()).collect();
    steps.sort_by(f64::total_cmp);
    let usual = steps.get(steps.len() / 2).copied().unwrap_or(0.0);
    let all = range(points.iter().map(|p| p.0), 0.0);
    let leap = (10.0 * usual).max((all.end - all.start) / 50.0);
    points.chunk_by(move |a, b| (b.0 - a.0).abs() <= leap)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_ends_with_its_body() {
        let body = |first: f64| (0..40).map(move |i| (first + 0.01 * f64::from(i), f64::from(i)));
        let one: Vec<(f64, f64)> = body(0.0).collect();
        assert_eq!(bodies(&one).count(), 1);
        let three: Vec<(f64, f64)> = body(-0.5).chain(body(0.0)).chain(body(0.5)).collect();
        assert_eq!(bodies(&three).map(<[_]>::len).collect::<Vec<_>>(), [40, 40, 40]);
        assert_eq!(bodies(&[]).count(), 0);
    }

    #[test]
    fn few_points_far_apart_are_one_line() {
        let points: Vec<(f64, f64)> = [0.0, 0.3, 0.8, 1.0, 0.6, 0.2].map(|x| (x, 0.0)).to_vec();
        assert_eq!(bodies(&points).count(), 1);
    }
}
