//! Curves against threads, and bars in groups, as SVG.

use plotters::coord::Shift;
use plotters::coord::ranged1d::ValueFormatter;
use plotters::prelude::*;

const INK: RGBColor = RGBColor(0x33, 0x33, 0x33);
const GRID: RGBColor = RGBColor(0xdd, 0xdd, 0xdd);
const COLOURS: [RGBColor; 8] = [
    RGBColor(0x1f, 0x5f, 0xa8),
    RGBColor(0xd9, 0x7b, 0x29),
    RGBColor(0x3c, 0x8d, 0x5a),
    RGBColor(0x8a, 0x4f, 0x9e),
    RGBColor(0x66, 0x66, 0x66),
    RGBColor(0xb0, 0x3a, 0x48),
    RGBColor(0x2c, 0x9d, 0xa8),
    RGBColor(0xb8, 0xa0, 0x20),
];
const FONT: &str = "sans-serif";
const PANEL: (u32, u32) = (400, 290);
/// Panels next to each other.
const COLUMNS: usize = 3;
/// Width of the bars' labels.
const NAMES: i32 = 150;
/// The share of a group's width that its bars fill.
const FILLED: f64 = 0.8;

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
type DrawError = DrawingAreaErrorKind<std::io::Error>;

/// Values over numbers of threads.
pub struct Curve {
    pub name: String,
    /// Colour and dash: none, short, shorter.
    pub style: (usize, usize),
    pub values: Vec<f64>,
}

/// Curves that share an axis.
pub struct Panel {
    pub title: String,
    pub curves: Vec<Curve>,
}

/// Draws the panels, three in a row, followed by the curves' names, taken from the panel that has the most.
pub fn curves(title: &str, threads: &[usize], panels: &[Panel]) -> String {
    let rows = (panels.len() + 1).div_ceil(COLUMNS);
    let size = (PANEL.0 * COLUMNS as u32, PANEL.1 * rows as u32 + 40);
    picture(title, size, |area| {
        let cells = area.split_evenly((rows, COLUMNS));
        for (cell, panel) in cells.iter().zip(panels) {
            draw_panel(cell, threads, panel)?;
        }
        let named = panels.iter().rev().map(|panel| &panel.curves).max_by_key(|curves| curves.len());
        named.map_or(Ok(()), |curves| draw_names(&cells[panels.len()], curves))
    })
}

/// Draws a group of bars for each name in `groups`; `bars` has a name, and a height for each group.
pub fn bars(title: &str, axis: &str, groups: &[&str], bars: &[(String, Vec<f64>)], most: f64) -> String {
    picture(title, (1000, 460), |area| draw_bars(area, axis, groups, bars, most))
}

fn picture(title: &str, size: (u32, u32), draw: impl FnOnce(&Area<'_>) -> Result<(), DrawError>) -> String {
    let mut svg = String::new();
    {
        let root = SVGBackend::with_string(&mut svg, size).into_drawing_area();
        let drawn = root.fill(&WHITE).and_then(|()| {
            let area = root.titled(title, (FONT, 18).into_font().color(&INK))?;
            draw(&area.margin(8, 8, 8, 8))?;
            root.present()
        });
        drawn.expect("drawing into a string does not fail");
    }
    svg
}

fn draw_panel(area: &Area<'_>, threads: &[usize], panel: &Panel) -> Result<(), DrawError> {
    let highest = panel.curves.iter().flat_map(|curve| &curve.values).copied().fold(0.0, f64::max);
    let label = |place: &f64| threads.get(place.round() as usize).map_or(String::new(), usize::to_string);
    let mut chart = ChartBuilder::on(area)
        .margin(6)
        .caption(&panel.title, (FONT, 14, &INK))
        .x_label_area_size(36)
        .y_label_area_size(52)
        .build_cartesian_2d(-0.2..threads.len() as f64 - 0.8, 0.0..1.08 * highest.max(1e-3))?;
    draw_axes(&mut chart, "threads", "", threads.len(), &label)?;
    for Curve { style: (colour, dash), values, .. } in &panel.curves {
        let style = COLOURS[*colour].stroke_width(2);
        let points: Vec<(f64, f64)> = values.iter().enumerate().map(|(at, &v)| (at as f64, v)).collect();
        draw_line(&mut chart, &points, *dash, style)?;
        chart
            .draw_series(points.into_iter().map(|point| Circle::new(point, 3, COLOURS[*colour].filled())))?;
    }
    Ok(())
}

type Chart<'a, 'b, X, Y> = ChartContext<'a, SVGBackend<'b>, Cartesian2d<X, Y>>;

fn draw_axes<X, Y>(
    chart: &mut Chart<'_, '_, X, Y>,
    x: &str,
    y: &str,
    labels: usize,
    label: &dyn Fn(&f64) -> String,
) -> Result<(), DrawError>
where
    X: Ranged<ValueType = f64> + ValueFormatter<f64>,
    Y: Ranged<ValueType = f64> + ValueFormatter<f64>,
{
    chart
        .configure_mesh()
        .disable_x_mesh()
        .x_labels(labels)
        .x_label_formatter(label)
        .x_desc(x)
        .y_desc(y)
        .y_labels(6)
        .axis_style(INK)
        .bold_line_style(GRID)
        .light_line_style(TRANSPARENT)
        .label_style((FONT, 13, &INK))
        .draw()
}

fn draw_line<X, Y>(
    chart: &mut Chart<'_, '_, X, Y>,
    points: &[(f64, f64)],
    dash: usize,
    style: ShapeStyle,
) -> Result<(), DrawError>
where
    X: Ranged<ValueType = f64>,
    Y: Ranged<ValueType = f64>,
{
    let points = points.iter().copied();
    match dash {
        0 => chart.draw_series(LineSeries::new(points, style)).map(drop),
        _ => {
            let length = [8, 2][(dash - 1).min(1)];
            chart.draw_series(DashedLineSeries::new(points, length, 4, style)).map(drop)
        }
    }
}

fn draw_names(area: &Area<'_>, curves: &[Curve]) -> Result<(), DrawError> {
    for (row, Curve { name, style: (colour, dash), .. }) in curves.iter().enumerate() {
        let (y, style) = (30 + 18 * row as i32, COLOURS[*colour].stroke_width(2));
        let length = [40, 8, 2][(*dash).min(2)];
        for start in (30..70).step_by(length + 4) {
            let end = (start + length as i32).min(70);
            area.draw(&PathElement::new([(start, y), (end, y)], style))?;
        }
        area.draw(&Text::new(name.clone(), (80, y - 6), (FONT, 13).into_font().color(&INK)))?;
    }
    Ok(())
}

fn draw_bars(
    area: &Area<'_>,
    axis: &str,
    groups: &[&str],
    bars: &[(String, Vec<f64>)],
    most: f64,
) -> Result<(), DrawError> {
    let (area, names) = area.split_horizontally(area.dim_in_pixel().0 as i32 - NAMES);
    let highest = bars.iter().flat_map(|(_, heights)| heights).copied().fold(0.0, f64::max).min(most);
    let label = |place: &f64| groups.get(place.round() as usize).map_or(String::new(), |name| (*name).into());
    let mut chart = ChartBuilder::on(&area)
        .x_label_area_size(36)
        .y_label_area_size(52)
        .build_cartesian_2d(-0.5..groups.len() as f64 - 0.5, 0.0..1.1 * highest)?;
    draw_axes(&mut chart, "", axis, groups.len(), &label)?;
    let width = FILLED / bars.len() as f64;
    for (index, (name, heights)) in bars.iter().enumerate() {
        let colour = COLOURS[index % COLOURS.len()];
        let left = |group: usize| group as f64 - FILLED / 2.0 + index as f64 * width;
        chart.draw_series(heights.iter().enumerate().map(|(group, &height)| {
            let corners = [(left(group), 0.0), (left(group) + 0.9 * width, height.min(highest))];
            Rectangle::new(corners, colour.filled())
        }))?;
        let cut = heights.iter().enumerate().filter(|(_, height)| **height > highest);
        chart.draw_series(cut.map(|(group, height)| {
            let at = (left(group), 1.06 * highest);
            Text::new(format!("{height:.1}"), at, (FONT, 12).into_font().color(&INK))
        }))?;
        let y = 20 + 18 * index as i32;
        names.draw(&Rectangle::new([(14, y - 5), (28, y + 5)], colour.filled()))?;
        names.draw(&Text::new(name.clone(), (36, y - 6), (FONT, 13).into_font().color(&INK)))?;
    }
    Ok(())
}
