//! Histograms of values, and bars for named numbers.

use std::ops::Range;

use plotters::prelude::*;

use super::{COLOURS, CURVE, FONT, INK, draw_axes, picture};

/// Draws a histogram with bins of equal width from `range[0]` to `range[1]`, as shares of all values; `marks` are drawn
/// as lines.
pub fn histogram(
    title: &str,
    subtitle: &str,
    axis: &str,
    range: [f64; 2],
    counts: &[u64],
    marks: &[f64],
) -> String {
    let all = counts.iter().sum::<u64>().max(1) as f64;
    let shares: Vec<f64> = counts.iter().map(|&count| 100.0 * count as f64 / all).collect();
    let top = 1.06 * shares.iter().copied().fold(1.0, f64::max);
    let width = (range[1] - range[0]) / counts.len().max(1) as f64;
    picture(title, subtitle, |area| {
        let mut chart = ChartBuilder::on(area)
            .x_label_area_size(48)
            .y_label_area_size(76)
            .build_cartesian_2d(range[0]..range[1], 0.0..top)?;
        draw_axes(
            chart
                .configure_mesh()
                .x_desc(axis)
                .y_desc("share of all (%)")
                .y_label_formatter(&|y| format!("{y:.0}")),
        )?;
        let bar = |(class, &share): (usize, &f64)| {
            let left = range[0] + class as f64 * width;
            Rectangle::new([(left, 0.0), (left + 0.9 * width, share)], CURVE.filled())
        };
        chart.draw_series(shares.iter().enumerate().map(bar))?;
        let line = |&mark: &f64| PathElement::new([(mark, 0.0), (mark, top)], COLOURS[1].stroke_width(2));
        chart.draw_series(marks.iter().map(line))?;
        Ok(())
    })
}

/// Draws a bar for each name, one below the other.
pub fn bars(title: &str, subtitle: &str, axis: &str, bars: &[(String, f64)]) -> String {
    let most = bars.iter().map(|&(_, number)| number).filter(|number| number.is_finite()).fold(0.0, f64::max);
    let x: Range<f64> = 0.0..if most > 0.0 { 1.15 * most } else { 1.0 };
    let rows = bars.len().max(1) as f64;
    picture(title, subtitle, |area| {
        let mut chart = ChartBuilder::on(area)
            .x_label_area_size(48)
            .y_label_area_size(96)
            .build_cartesian_2d(x, rows..0.0)?;
        draw_axes(chart.configure_mesh().disable_y_mesh().x_desc(axis).y_labels(0))?;
        let bar = |(row, (_, number)): (usize, &(String, f64))| {
            Rectangle::new([(0.0, row as f64 + 0.2), (*number, row as f64 + 0.8)], CURVE.filled())
        };
        chart.draw_series(bars.iter().enumerate().map(bar))?;
        let plot = chart.plotting_area();
        for (row, (name, number)) in bars.iter().enumerate() {
            let (x, y) = plot.map_coordinate(&(*number, row as f64 + 0.5));
            let (left, _) = plot.map_coordinate(&(0.0, row as f64 + 0.5));
            let base = area.get_base_pixel();
            let style = || (FONT, 14).into_font().color(&INK);
            area.draw(&Text::new(format!("{number:.2}"), (x - base.0 + 6, y - base.1 - 8), style()))?;
            area.draw(&Text::new(name.clone(), (left - base.0 - 80, y - base.1 - 8), style()))?;
        }
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn histograms_of_any_counts_can_be_drawn() {
        for counts in [&[3, 0, 7][..], &[0, 0], &[]] {
            let svg = histogram("t", "s", "quality", [0.0, 1.0], counts, &[0.5]);
            assert!(
                svg.contains("quality") && svg.contains("share of all") && !svg.contains("NaN"),
                "{counts:?}"
            );
        }
    }

    #[test]
    fn bars_stand_with_their_names_and_numbers() {
        let svg = bars("t", "s", "seconds", &[("coarsen".into(), 1.25), ("smooth".into(), 0.5)]);
        for word in ["seconds", "coarsen", "1.25", "smooth", "0.50"] {
            assert!(svg.contains(word), "{word}");
        }
        assert!(!bars("t", "s", "seconds", &[("coarsen".into(), 0.0)]).contains("NaN"));
    }
}
