//! Slowdowns as bars.

use plotters::coord::types::RangedCoordf64;
use plotters::prelude::*;

use crate::measure::Timing;
use crate::report::{layout, named};
use crate::timing::ratio;
use crate::variant::PLAIN;

const SIZE: (u32, u32) = (900, 960);
const INK: RGBColor = RGBColor(0x33, 0x33, 0x33);
const GRID: RGBColor = RGBColor(0xdd, 0xdd, 0xdd);
const BARS: [RGBColor; 4] = [
    RGBColor(0x1f, 0x5f, 0xa8),
    RGBColor(0xd9, 0x7b, 0x29),
    RGBColor(0x3c, 0x8d, 0x5a),
    RGBColor(0x8a, 0x4f, 0x9e),
];
const FONT: &str = "sans-serif";
/// Height of a variant's bars, as a share of the unit between two variants.
const THICKNESS: f64 = 0.8;

/// A group of bars for each variant, a bar for each number of ranks: the whole run against plain loops.
pub fn svg(timings: &[Timing]) -> String {
    let mut svg = String::new();
    {
        let root = SVGBackend::with_string(&mut svg, SIZE).into_drawing_area();
        draw(&root, timings).and_then(|()| root.present()).expect("drawing into a string does not fail");
    }
    svg
}

type DrawError = DrawingAreaErrorKind<std::io::Error>;

fn draw(
    root: &DrawingArea<SVGBackend<'_>, plotters::coord::Shift>,
    timings: &[Timing],
) -> Result<(), DrawError> {
    let Some(first) = timings.iter().max_by_key(|timing| timing.variants.len()) else { return Ok(()) };
    let names: Vec<&str> = first.variants.iter().map(|v| &v.name[..]).collect();
    let slowdown = |timing: &Timing, name: &str| match timing.variants.iter().find(|v| v.name == name) {
        Some(variant) => ratio(&variant.whole, &named(timing, PLAIN).whole),
        // Not measured with this number of threads.
        None => 0.0,
    };
    let longest = timings
        .iter()
        .flat_map(|timing| names.iter().map(move |name| slowdown(timing, name)))
        .fold(1.0, f64::max);
    root.fill(&WHITE)?;
    let mut chart = ChartBuilder::on(root)
        .margin(16)
        .caption(
            format!("Airfoil, {} cells: whole run against plain loops with plain sums", first.cells),
            (FONT, 18, &INK),
        )
        .x_label_area_size(44)
        .y_label_area_size(170)
        .build_cartesian_2d(0.0..longest * 1.12, -(names.len() as f64)..0.0)?;
    chart
        .configure_mesh()
        .disable_y_mesh()
        .disable_y_axis()
        .y_labels(0)
        .x_desc("time / time of fast mode with strategy core")
        .axis_style(INK)
        .bold_line_style(GRID)
        .light_line_style(TRANSPARENT)
        .label_style((FONT, 14, &INK))
        .draw()?;
    let bar = THICKNESS / timings.len() as f64;
    for (index, timing) in timings.iter().enumerate() {
        let color = BARS[index % BARS.len()];
        // Heights run downwards from 0, one unit per variant.
        let top = |row: usize| -(row as f64) - (1.0 - THICKNESS) / 2.0 - index as f64 * bar;
        chart
            .draw_series(names.iter().enumerate().map(|(row, name)| {
                Rectangle::new(
                    [(0.0, top(row)), (slowdown(timing, name), top(row) - 0.94 * bar)],
                    color.filled(),
                )
            }))?
            .label(layout(timing))
            .legend(move |(x, y)| Rectangle::new([(x, y - 5), (x + 14, y + 5)], color.filled()));
        let measured = names.iter().enumerate().filter(|(_, name)| slowdown(timing, name) > 0.0);
        chart.draw_series(measured.map(|(row, name)| {
            let slowdown = slowdown(timing, name);
            let at = (slowdown + longest * 0.01, top(row) - 0.22 * bar);
            Text::new(format!("{slowdown:.2}"), at, (FONT, 13).into_font().color(&INK))
        }))?;
    }
    let line = PathElement::new(vec![(1.0, 0.0), (1.0, -(names.len() as f64))], INK.stroke_width(1));
    chart.draw_series([line])?;
    label_rows(&chart, &names, root)?;
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::LowerRight)
        .background_style(WHITE.mix(0.9))
        .border_style(GRID)
        .label_font((FONT, 14, &INK))
        .draw()
}

/// Writes the variants' names to the left of their bars.
fn label_rows(
    chart: &ChartContext<'_, SVGBackend<'_>, Cartesian2d<RangedCoordf64, RangedCoordf64>>,
    names: &[&str],
    root: &DrawingArea<SVGBackend<'_>, plotters::coord::Shift>,
) -> Result<(), DrawError> {
    use plotters::style::text_anchor::{HPos, Pos, VPos};
    let style = (FONT, 14).into_font().color(&INK).pos(Pos::new(HPos::Right, VPos::Center));
    for (row, name) in names.iter().enumerate() {
        let (x, y) = chart.backend_coord(&(0.0, -(row as f64) - 0.5));
        root.draw(&Text::new((*name).to_string(), (x - 8, y), style.clone()))?;
    }
    Ok(())
}
