//! `reductions.svg`: how often the sums of trees differ, and the modeled time of trees over ranks.

use plotters::coord::Shift;
use plotters::prelude::*;

use super::legend::{Entry, Mark, legend};
use super::style::Style;
use super::{COLOURS, CURVE, DrawError, FONT, GRID, INK, draw_axes, picture};

/// What is drawn.
#[derive(Clone, Debug, Default)]
pub struct Picture {
    /// The title.
    pub title: String,
    /// What the left and right halves show.
    pub subtitle: String,
    /// For each tree: percentage of sets whose sum differs from a binomial tree's, and from the exact one.
    pub shares: Vec<(String, [f64; 2])>,
    /// For each tree: ranks and seconds.
    pub times: Vec<(String, Vec<(f64, f64)>)>,
}

/// Draws shares on the left, times on the right.
pub fn svg(what: &Picture) -> String {
    picture(&what.title, &what.subtitle, |area| {
        let (left, right) = area.split_horizontally((54).percent_width());
        shares(&left, &what.shares)?;
        times(&right, &what.times)
    })
}

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

/// Row names are to the left of the bars, in this many pixels.
const NAMES: i32 = 204;

fn shares(area: &Area<'_>, shares: &[(String, [f64; 2])]) -> Result<(), DrawError> {
    // The legend is below the bars.
    let rows = shares.len().max(1) as f64 * 1.12;
    let mut chart = ChartBuilder::on(area)
        .x_label_area_size(48)
        .y_label_area_size(NAMES)
        .margin_right(16)
        .build_cartesian_2d(0.0..100.0, rows..0.0)?;
    draw_axes(
        chart
            .configure_mesh()
            .disable_y_mesh()
            .x_desc("share of the data sets (%)")
            .x_label_formatter(&|x| format!("{x:.0}"))
            .y_labels(0),
    )?;
    for (kind, (name, colour)) in
        [("not the binomial tree's sum", CURVE), ("not the exact sum", COLOURS[1])].into_iter().enumerate()
    {
        let bar = |(row, (_, shares)): (usize, &(String, [f64; 2]))| {
            let top = row as f64 + 0.14 + 0.36 * kind as f64;
            Rectangle::new([(0.0, top), (shares[kind], top + 0.36)], colour.filled())
        };
        chart
            .draw_series(shares.iter().enumerate().map(bar))?
            .label(name)
            .legend(move |(x, y)| Rectangle::new([(x, y - 4), (x + 14, y + 4)], colour.filled()));
    }
    let base = area.get_base_pixel();
    for (row, (name, _)) in shares.iter().enumerate() {
        let (left, y) = chart.plotting_area().map_coordinate(&(0.0, row as f64 + 0.5));
        let style = (FONT, 13).into_font().color(&INK);
        area.draw(&Text::new(name.clone(), (left - base.0 - NAMES + 6, y - base.1 - 6), style))?;
    }
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::LowerRight)
        .background_style(WHITE.mix(0.9))
        .border_style(GRID)
        .label_font((FONT, 13, &INK))
        .draw()
}

fn times(area: &Area<'_>, times: &[(String, Vec<(f64, f64)>)]) -> Result<(), DrawError> {
    let points = || times.iter().flat_map(|(_, points)| points.iter().copied()).filter(|point| point.1 > 0.0);
    let ends = |values: &mut dyn Iterator<Item = f64>, margin: f64| {
        let (low, high) = values.fold((f64::MAX, 0.0f64), |(low, high), x| (low.min(x), high.max(x)));
        if high > 0.0 { low / margin..high * margin } else { 1.0..10.0 }
    };
    let x = ends(&mut points().map(|point| point.0), 1.4);
    let y = ends(&mut points().map(|point| point.1), 2.0);
    let names = times.iter().map(|(name, _)| name).enumerate();
    let entry = |(curve, name): (usize, &String)| {
        let style = Style::of(curve);
        Entry { label: name.clone(), colour: style.colour, mark: Mark::Curve(style) }
    };
    let entries: Vec<Entry> = names.map(entry).collect();
    let mut labels: Vec<f64> = points().map(|point| point.0).collect();
    labels.sort_by(f64::total_cmp);
    labels.dedup();
    let mut chart = ChartBuilder::on(&legend(area, &entries)?)
        .x_label_area_size(48)
        .y_label_area_size(72)
        .build_cartesian_2d(x.log_scale().with_key_points(labels), y.log_scale())?;
    draw_axes(
        chart
            .configure_mesh()
            .x_desc("ranks")
            .y_desc("modeled time (s)")
            .x_label_formatter(&|x| format!("{x:.0}"))
            .y_label_formatter(&|y| format!("{y:.0e}")),
    )?;
    for (curve, (_, points)) in times.iter().enumerate() {
        let drawn: Vec<(f64, f64)> = points.iter().copied().filter(|point| point.1 > 0.0).collect();
        Style::of(curve).draw(&mut chart, &drawn)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_number_of_trees_and_ranks_can_be_drawn() {
        let shares = vec![("linear".to_string(), [90.0, 91.0]), ("ring".to_string(), [0.0, 30.0])];
        let curve = |points: &[(f64, f64)]| vec![("linear".to_string(), points.to_vec())];
        for times in [curve(&[(64.0, 1e-3), (1024.0, 1e-2)]), curve(&[(1.0, 0.0)]), Vec::new()] {
            let what = Picture {
                title: "t".into(),
                subtitle: "s".into(),
                shares: shares.clone(),
                times: times.clone(),
            };
            let svg = svg(&what);
            for word in ["linear", "ring", "share of the data sets", "modeled time", "not the exact sum"] {
                assert!(svg.contains(word), "{word}");
            }
            assert!(!svg.contains("NaN") && !svg.contains("inf\""), "coordinates are finite");
        }
        assert!(super::svg(&Picture::default()).starts_with("<svg"));
    }
}
