//! `cp.svg`: pressure coefficient along the wall, with suction upwards, as usual, and upper and lower side
//! distinguished.

use std::fmt::Write as _;

use plotters::prelude::*;

use super::legend::{Entry, Mark, legend};
use super::style::Style;
use super::ticks::{Axis, Step};
use super::{COLOURS, draw_axes, picture};

/// A side of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Above.
    Upper,
    /// Below.
    Lower,
}

impl Side {
    /// Its word.
    pub fn word(self) -> &'static str {
        match self {
            Side::Upper => "upper",
            Side::Lower => "lower",
        }
    }
}

/// A point on a wall.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// The body, from 0 in the order of the wall.
    pub body: usize,
    /// Its side.
    pub side: Side,
    /// Where it is.
    pub place: [f64; 2],
    /// x as a share of the chord, the extent of all bodies together along x.
    pub x_over_c: f64,
    /// The pressure coefficient.
    pub cp: f64,
}

/// The points of a wall, given as (x, y, cp) in wall order.
pub fn points(wall: &[[f64; 3]]) -> Vec<Point> {
    let along = |p: &[f64; 3]| p[0];
    let front = wall.iter().map(along).fold(f64::INFINITY, f64::min);
    let rear = wall.iter().map(along).fold(f64::NEG_INFINITY, f64::max);
    let chord = if rear > front { rear - front } else { 1.0 };
    let mut points = Vec::new();
    for (body, part) in bodies(wall).enumerate() {
        points.extend(part.iter().zip(sides(part)).map(|(&[x, y, cp], side)| {
            let x_over_c = (x - front) / chord;
            Point { body, side, place: [x, y], x_over_c, cp }
        }));
    }
    points
}

/// The side of each point of a body, whose points go around it: of the two ways from the leading to the trailing edge,
/// the one that is higher on average is the upper side. An edge lies between two points, the foremost (rearmost) and
/// the one of its neighbours that is further to the front (rear).
fn sides(body: &[[f64; 3]]) -> Vec<Side> {
    let n = body.len();
    if n < 4 {
        return vec![Side::Upper; n];
    }
    let x = |at: usize| body[at % n][0];
    // The first point after an edge; `sign` is 1 for the leading edge, -1 for the trailing one.
    let behind = |sign: f64| {
        let foremost = (0..n).min_by(|&a, &b| (sign * x(a)).total_cmp(&(sign * x(b)))).unwrap_or(0);
        let (before, after) = (sign * x(foremost + n - 1), sign * x(foremost + 1));
        if after < before { (foremost + 1) % n } else { foremost }
    };
    let (leading, trailing) = (behind(1.0), behind(-1.0));
    let is_on_first = |at: usize| (at + n - leading) % n < (trailing + n - leading) % n;
    let mean = |first: bool| {
        let heights: Vec<f64> = (0..n).filter(|&at| is_on_first(at) == first).map(|at| body[at][1]).collect();
        heights.iter().sum::<f64>() / heights.len().max(1) as f64
    };
    let first_is_upper = mean(true) >= mean(false);
    (0..n).map(|at| if is_on_first(at) == first_is_upper { Side::Upper } else { Side::Lower }).collect()
}

/// `cp.csv` of a wall in the plane.
pub fn to_csv(points: &[Point]) -> String {
    let mut csv = String::from("body,side,x,y,x_over_c,cp\n");
    for Point { body, side, place: [x, y], x_over_c, cp } in points {
        writeln!(csv, "{body},{},{x},{y},{x_over_c},{cp}", side.word()).expect("writing to a string");
    }
    csv
}

/// Points drawn in one colour: in wall order, with sides.
type Curve = Vec<(Side, f64, f64)>;

/// Draws a wall's pressure over x / c.
pub fn svg(title: &str, subtitle: &str, points: &[Point]) -> String {
    let bodies = points.chunk_by(|a, b| a.body == b.body);
    let curves: Vec<Curve> =
        bodies.map(|body| body.iter().map(|p| (p.side, p.x_over_c, p.cp)).collect()).collect();
    let side = |label: &str, colour, mark| Entry { label: label.into(), colour, mark };
    let entries = [side("upper side", COLOURS[0], Mark::Line), side("lower side", COLOURS[1], Mark::Dashed)];
    let entries = if points.is_empty() { &[][..] } else { &entries };
    let colour = |_: usize, side: Side| match side {
        Side::Upper => COLOURS[0],
        Side::Lower => COLOURS[1],
    };
    draw(title, subtitle, "x / c", &curves, entries, colour, |_| None)
}

/// Draws sections of a three-dimensional body: each one's station, as a share of the span, and its (x / chord, height, cp), the
/// upper side first.
pub fn sections(title: &str, subtitle: &str, sections: &[(f64, Vec<[f64; 3]>)]) -> String {
    // Dashes tell the sides apart.
    let style = |at: usize| Style::of(at).solid();
    let curve = |(_, section): &(f64, Vec<[f64; 3]>)| {
        points(section).into_iter().map(|p| (p.side, p.place[0], p.cp)).collect()
    };
    let curves: Vec<Curve> = sections.iter().map(curve).collect();
    let station = |(at, (station, _)): (usize, &(f64, Vec<[f64; 3]>))| Entry {
        label: format!("{:.0} % of the span", 100.0 * station),
        colour: style(at).colour,
        mark: Mark::Curve(style(at)),
    };
    let mut entries: Vec<Entry> = sections.iter().enumerate().map(station).collect();
    if !entries.is_empty() {
        entries.push(Entry { label: "lower side".into(), colour: super::INK, mark: Mark::Dashed });
    }
    draw(
        title,
        subtitle,
        "x / c",
        &curves,
        &entries,
        |curve, _| style(curve).colour,
        |curve| Some(style(curve)),
    )
}

fn draw(
    title: &str,
    subtitle: &str,
    x_axis: &str,
    curves: &[Curve],
    entries: &[Entry],
    colour: impl Fn(usize, Side) -> RGBColor,
    style: impl Fn(usize) -> Option<Style>,
) -> String {
    let known = |curve: &Curve| -> Curve {
        curve.iter().copied().filter(|(_, x, cp)| x.is_finite() && cp.is_finite()).collect()
    };
    let curves: Vec<Curve> = curves.iter().map(known).collect();
    let all = || curves.iter().flatten();
    let x = range(all().map(|p| p.1), 0.02);
    // The axis runs over -cp.
    let suction = range(all().map(|p| -p.2), 0.06);
    let [x_step, y_step] = [&x, &suction].map(|range| Step::of(range.end - range.start, 8));
    let all_runs: Vec<_> = (0..)
        .zip(&curves)
        .flat_map(|(at, curve)| runs(curve).map(move |(first, side)| (at, curve, first, side)))
        .collect();
    picture(title, subtitle, |area| {
        let mut chart = ChartBuilder::on(&legend(area, entries)?)
            .x_label_area_size(48)
            .y_label_area_size(76)
            .build_cartesian_2d(Axis::new(x, x_step), Axis::new(suction, y_step))?;
        draw_axes(
            chart
                .configure_mesh()
                .x_desc(x_axis)
                .y_desc("pressure coefficient cp (suction upwards)")
                .x_label_formatter(&|x| x_step.text(*x))
                .y_label_formatter(&|y| y_step.text(-y)),
        )?;
        // Dashed lines go on top of the others, so both are visible where they coincide.
        for drawn in [Side::Upper, Side::Lower] {
            for (at, curve, first, side) in all_runs.iter().filter(|run| run.3 == drawn).cloned() {
                let run: Vec<(f64, f64)> = curve[first.clone()].iter().map(|&(_, x, cp)| (x, -cp)).collect();
                // Up to the start of the other side, to avoid a gap.
                let line = run.iter().copied().chain(curve.get(first.end).map(|&(_, x, cp)| (x, -cp)));
                let colour = colour(at, side);
                match (style(at), side) {
                    (Some(style), _) => style.markers(&mut chart, &run)?,
                    (None, Side::Upper) => {
                        chart.draw_series(run.iter().map(|&p| Circle::new(p, 2, colour.filled())))?;
                    }
                    (None, Side::Lower) => {
                        chart.draw_series(run.iter().map(|&p| Circle::new(p, 2, colour.stroke_width(1))))?;
                    }
                }
                match side {
                    Side::Upper => chart.draw_series(LineSeries::new(line, colour.stroke_width(2)))?,
                    Side::Lower => {
                        chart.draw_series(DashedLineSeries::new(line, 7, 4, colour.stroke_width(2)))?
                    }
                };
            }
        }
        Ok(())
    })
}

/// The stretches of a curve on one side.
fn runs(curve: &Curve) -> impl Iterator<Item = (std::ops::Range<usize>, Side)> {
    let mut first = 0;
    curve.chunk_by(|a, b| a.0 == b.0).map(move |run| {
        let range = first..first + run.len();
        first = range.end;
        (range, run[0].0)
    })
}

/// Points in wall order, cut where one body ends and the next begins: where the next point is far away, at ten times
/// the usual distance and a fiftieth of the whole.
fn bodies(points: &[[f64; 3]]) -> impl Iterator<Item = &[[f64; 3]]> {
    let way = |a: &[f64; 3], b: &[f64; 3]| (b[0] - a[0]).hypot(b[1] - a[1]);
    let mut steps: Vec<f64> = points.windows(2).map(|pair| way(&pair[0], &pair[1])).collect();
    steps.sort_by(f64::total_cmp);
    let usual = steps.get(steps.len() / 2).copied().unwrap_or(0.0);
    let all = range(points.iter().map(|p| p[0]), 0.0);
    let leap = (10.0 * usual).max((all.end - all.start) / 50.0);
    points.chunk_by(move |a, b| way(a, b) <= leap)
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
        let body = |first: f64| (0..40).map(move |i| [first + 0.01 * f64::from(i), 0.0, f64::from(i)]);
        let one: Vec<[f64; 3]> = body(0.0).collect();
        assert_eq!(bodies(&one).count(), 1);
        let three: Vec<[f64; 3]> = body(-0.5).chain(body(0.0)).chain(body(0.5)).collect();
        assert_eq!(bodies(&three).map(<[_]>::len).collect::<Vec<_>>(), [40, 40, 40]);
        assert_eq!(bodies(&[]).count(), 0);
    }

    #[test]
    fn few_points_far_apart_are_one_line() {
        let points: Vec<[f64; 3]> = [0.0, 0.3, 0.8, 1.0, 0.6, 0.2].map(|x| [x, 0.0, 0.0]).to_vec();
        assert_eq!(bodies(&points).count(), 1);
    }

    /// Sides of a lozenge from 1 to 3 along x, tilted, from its trailing edge over its lower side and back.
    fn lozenge() -> Vec<[f64; 3]> {
        [(3.0, 0.1), (2.0, -0.3), (1.0, -0.1), (1.0, 0.1), (2.0, 0.5), (3.0, 0.3)]
            .map(|(x, y)| [x, y, -y])
            .to_vec()
    }

    #[test]
    fn sides_go_from_edge_to_edge_wherever_a_wall_begins() {
        let body = lozenge();
        let expected = sides(&body);
        for first in 0..body.len() {
            let mut turned = body.clone();
            turned.rotate_left(first);
            let mut found = sides(&turned);
            found.rotate_right(first);
            assert_eq!(found, expected, "from {first}");
        }
        // A bent plate, whose lower side lies above its chord.
        let bent: Vec<[f64; 3]> = [(1.0, 0.0), (0.5, 0.3), (0.01, 0.0), (0.0, 0.01), (0.5, 0.4), (1.0, 0.01)]
            .map(|(x, y)| [x, y, 0.0])
            .to_vec();
        assert_eq!(sides(&bent), [[Side::Lower; 3], [Side::Upper; 3]].concat());
    }

    #[test]
    fn points_have_their_side_and_x_as_a_share_of_the_chord() {
        let points = points(&lozenge());
        let sides: Vec<Side> = points.iter().map(|p| p.side).collect();
        assert_eq!(sides, [[Side::Lower; 3], [Side::Upper; 3]].concat());
        assert_eq!(points.iter().map(|p| p.x_over_c).collect::<Vec<_>>(), [1.0, 0.5, 0.0, 0.0, 0.5, 1.0]);
        let csv = to_csv(&points);
        assert_eq!(csv.lines().next(), Some("body,side,x,y,x_over_c,cp"));
        assert_eq!(csv.lines().nth(2), Some("0,lower,2,-0.3,0.5,0.3"));
        let svg = svg("t", "s", &points);
        assert!(svg.contains("upper side") && svg.contains("lower side") && svg.contains("x / c"));
    }
}
