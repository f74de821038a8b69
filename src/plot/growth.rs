//! How two runs differ over iterations: the largest difference on a logarithmic scale, on which exact zeros have a row
//! of their own, and the share of values that differ.

use plotters::prelude::*;

use super::legend::{Area, Entry, Mark, legend};
use super::style::Style;
use super::ticks::{Axis, Step, around, log_ticks};
use super::{DrawError, GRID, draw_axes, picture};

/// Maximum labels along the iteration axis.
const LABELS: usize = 6;

/// The differences of a field, or of all fields of two runs.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    /// Its name.
    pub label: String,
    /// By iteration.
    pub points: Vec<Point>,
}

/// Differences after an iteration.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// Iterations done.
    pub iteration: u64,
    /// The largest scaled difference: 0 or more.
    pub largest: f64,
    /// Share of values with different bits, from 0 to 1.
    pub share: f64,
}

impl Point {
    /// The point after an iteration, with `different` of `values`.
    pub fn of(iteration: u64, largest: f64, different: u64, values: u64) -> Point {
        Point { iteration, largest, share: different as f64 / values.max(1) as f64 }
    }
}

/// Draws the largest difference on the left, the share of different values on the right.
pub fn svg(title: &str, subtitle: &str, curves: &[Curve]) -> String {
    let entry = |(at, curve): (usize, &Curve)| {
        let style = Style::of(at);
        Entry { label: curve.label.clone(), colour: style.colour, mark: Mark::Curve(style) }
    };
    let entries: Vec<Entry> = curves.iter().enumerate().map(entry).collect();
    picture(title, subtitle, |area| {
        let (left, right) = legend(area, &entries)?.split_horizontally((56).percent_width());
        largest(&left, curves)?;
        shares(&right, curves)
    })
}

/// The axis of iterations and its labels.
fn iterations(curves: &[Curve]) -> (Axis, Step) {
    let last = curves.iter().flat_map(|curve| &curve.points).map(|point| point.iteration).max().unwrap_or(1);
    let step = Step::of(last as f64, LABELS);
    let step = if step.size < 1.0 { Step { size: 1.0, decimals: 0 } } else { step };
    (Axis::new(0.0..1.03 * last.max(1) as f64, step), step)
}

fn largest(area: &Area<'_>, curves: &[Curve]) -> Result<(), DrawError> {
    let all = || curves.iter().flat_map(|curve| &curve.points).map(|point| point.largest);
    let positive = || all().filter(|largest| *largest > 0.0);
    let low = positive().fold(f64::INFINITY, f64::min);
    let high = positive().fold(0.0, f64::max);
    let (low, high) = if low > high { (0.9e-16, 1.1e-15) } else { around(low, high) };
    let mut labels = log_ticks(low, high);
    // Zeros lie a decade below, under a line.
    let zero = 10f64.powf(low.log10().floor() - 0.5);
    let bottom = match all().any(|largest| largest == 0.0) {
        true => {
            labels.insert(0, zero);
            zero / 10f64.sqrt()
        }
        false => low,
    };
    let (x, step) = iterations(curves);
    let end = x.range().end;
    let mut chart = ChartBuilder::on(area)
        .x_label_area_size(48)
        .y_label_area_size(76)
        .build_cartesian_2d(x, (bottom..high).log_scale().with_key_points(labels))?;
    draw_axes(
        chart
            .configure_mesh()
            .x_desc("iteration")
            .y_desc("largest difference relative to the largest value")
            .x_label_formatter(&|x| step.text(*x))
            .y_label_formatter(&|y| if *y <= zero { "0".into() } else { format!("{y:.0e}") }),
    )?;
    if bottom < zero {
        let height = 10f64.sqrt() * zero;
        chart.draw_series(LineSeries::new([(0.0, height), (end, height)], GRID.stroke_width(3)))?;
    }
    for (at, curve) in curves.iter().enumerate() {
        let place = |point: &Point| (point.iteration as f64, point.largest.max(zero));
        Style::of(at).draw(&mut chart, &curve.points.iter().map(place).collect::<Vec<_>>())?;
    }
    Ok(())
}

fn shares(area: &Area<'_>, curves: &[Curve]) -> Result<(), DrawError> {
    let (x, step) = iterations(curves);
    let mut chart = ChartBuilder::on(area)
        .x_label_area_size(48)
        .y_label_area_size(64)
        .build_cartesian_2d(x, Axis::new(-3.0..103.0, Step::of(100.0, 5)))?;
    draw_axes(
        chart
            .configure_mesh()
            .x_desc("iteration")
            .y_desc("values with different bits")
            .x_label_formatter(&|x| step.text(*x))
            .y_label_formatter(&|y| format!("{y:.0} %")),
    )?;
    for (at, curve) in curves.iter().enumerate() {
        let place = |point: &Point| (point.iteration as f64, 100.0 * point.share);
        Style::of(at).draw(&mut chart, &curve.points.iter().map(place).collect::<Vec<_>>())?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn curve(label: &str, largest: &[f64]) -> Curve {
        let points = (1..).zip(largest).map(|(n, &largest)| Point::of(10 * n, largest, 3 * n, 40)).collect();
        Curve { label: label.into(), points }
    }

    #[test]
    fn exact_zeros_have_a_row_below_the_least_difference() {
        let svg = svg("t", "s", &[curve("fast", &[1e-16, 1e-9]), curve("reproducible", &[0.0, 0.0])]);
        for word in ["\nfast\n", "\nreproducible\n", "\n0\n", "\n1e-9\n", "iteration", "different bits"] {
            assert!(svg.contains(word), "{word}");
        }
        // The squares of the second curve's markers stand lower than the circles of the first one's.
        let heights = |element: &str, from: fn(&str) -> f64| -> Vec<f64> {
            svg.split(element).skip(1).map(|rest| from(rest.split("/>").next().unwrap())).collect()
        };
        let circles = heights("<circle ", |text| {
            text.split("cy=\"").nth(1).unwrap().split('"').next().unwrap().parse().unwrap()
        });
        let squares = heights("<polygon ", |text| {
            text.split("points=\"").nth(1).unwrap().split([' ', ',']).nth(1).unwrap().parse().unwrap()
        });
        // The first of each is in the legend, the next two are on the left.
        assert!(
            squares[1..3].iter().all(|square| circles[1..3].iter().all(|circle| *square > circle + 10.0))
        );
        assert_eq!(squares[1], squares[2]);
    }

    #[test]
    fn any_differences_can_be_drawn() {
        let all: [&[f64]; 5] = [&[], &[0.0], &[2.0], &[5e-324, 2.0], &[1e-12, 0.0, 3e-12]];
        for largest in all {
            let svg = svg("t", "s", &[curve("q", largest)]);
            assert!(
                svg.contains("iteration") && !svg.contains("NaN") && !svg.contains("inf\""),
                "{largest:?}"
            );
        }
        assert!(super::svg("t", "s", &[]).contains("iteration"));
    }
}
