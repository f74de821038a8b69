//! `lengths.svg`: a value of several sums over the length of the vector, and over ranks, on logarithmic scales.

use plotters::prelude::*;

use super::legend::{Area, Entry, Mark, legend};
use super::style::Style;
use super::ticks::{around, log_text, log_ticks};
use super::{DrawError, draw_axes, picture};

/// A sum.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    /// Its name.
    pub name: String,
    /// Numbers in the vector, and the value.
    pub over_lengths: Vec<(f64, f64)>,
    /// Ranks, and the value.
    pub over_ranks: Vec<(f64, f64)>,
}

/// What is drawn.
#[derive(Clone, Debug, Default)]
pub struct Picture {
    /// The title.
    pub title: String,
    /// What the halves show.
    pub subtitle: String,
    /// What the values are.
    pub value: String,
    /// The sums.
    pub curves: Vec<Curve>,
}

/// Draws lengths on the left, ranks on the right.
pub fn svg(what: &Picture) -> String {
    let entry = |(at, curve): (usize, &Curve)| {
        let style = Style::of(at);
        Entry { label: curve.name.clone(), colour: style.colour, mark: Mark::Curve(style) }
    };
    let entries: Vec<Entry> = what.curves.iter().enumerate().map(entry).collect();
    picture(&what.title, &what.subtitle, |area| {
        let (left, right) = legend(area, &entries)?.split_horizontally((54).percent_width());
        half(&left, &what.curves, |curve| &curve.over_lengths, "doubles", &what.value)?;
        half(&right, &what.curves, |curve| &curve.over_ranks, "ranks", &what.value)
    })
}

fn half(
    area: &Area<'_>,
    curves: &[Curve],
    points: impl Fn(&Curve) -> &Vec<(f64, f64)>,
    x_name: &str,
    y_name: &str,
) -> Result<(), DrawError> {
    let all: Vec<(f64, f64)> =
        curves.iter().flat_map(|curve| points(curve).iter().copied()).filter(|point| point.1 > 0.0).collect();
    let ends = |of: fn(&(f64, f64)) -> f64| {
        let (low, high) =
            all.iter().map(of).fold((f64::INFINITY, 0.0f64), |(low, high), x| (low.min(x), high.max(x)));
        if low > high { (1.0, 10.0) } else { around(low, high) }
    };
    let ((x_low, x_high), (y_low, y_high)) = (ends(|point| point.0), ends(|point| point.1));
    let mut chart = ChartBuilder::on(area).x_label_area_size(48).y_label_area_size(72).build_cartesian_2d(
        (x_low..x_high).log_scale().with_key_points(log_ticks(x_low, x_high)),
        (y_low..y_high).log_scale().with_key_points(log_ticks(y_low, y_high)),
    )?;
    draw_axes(
        chart
            .configure_mesh()
            .x_desc(x_name)
            .y_desc(y_name)
            .x_label_formatter(&|x| if *x < 1e5 { log_text(*x) } else { format!("{x:.0e}") })
            .y_label_formatter(&|y| if *y < 1e-2 { format!("{y:.0e}") } else { log_text(*y) }),
    )?;
    for (at, curve) in curves.iter().enumerate() {
        let drawn: Vec<(f64, f64)> = points(curve).iter().copied().filter(|point| point.1 > 0.0).collect();
        Style::of(at).draw(&mut chart, &drawn)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_values_can_be_drawn() {
        let curve = |points: &[(f64, f64)]| Curve {
            name: "linear".into(),
            over_lengths: points.to_vec(),
            over_ranks: points.to_vec(),
        };
        let all: [&[(f64, f64)]; 4] = [&[], &[(1.0, 0.0)], &[(8.0, 0.5)], &[(1.0, 2e-6), (1e6, 3e-2)]];
        for points in all {
            let what = Picture { value: "ratio".into(), curves: vec![curve(points)], ..Picture::default() };
            let svg = svg(&what);
            for word in ["doubles", "ranks", "ratio", "linear"] {
                assert!(svg.contains(word), "{word}");
            }
            assert!(!svg.contains("NaN") && !svg.contains("inf\""), "coordinates are finite");
        }
    }
}
