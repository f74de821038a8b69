//! Pictures of a run, as SVG.
//!
//! ```text
//! convergence    residual over iterations
//! pressure       pressure coefficient along the wall
//! field          a field in the plane around the body
//! raster         such a field as an image
//! contour        contour lines of an image
//! outline        the bodies in the plane
//! cut            a plane through hexahedra
//! difference     relative differences between two solutions
//! growth         differences between two runs over iterations
//! sides          the sides of a mesh's cells
//! film           meshes and a field on them at several moments
//! counts         histograms; a number for each of several names
//! scaling        speedup or rate, and efficiency over cores
//! reductions     how often trees differ, and their time
//! lengths        times of trees over the length of the vector and over ranks
//! heading        what stands above a run's pictures
//! legend         what curves and bars mean
//! style          what tells curves apart: colour, marker, dashes
//! ticks          round numbers along a scale
//! ```

pub mod contour;
pub mod convergence;
pub mod counts;
pub mod cut;
pub mod difference;
pub mod field;
pub mod film;
pub mod growth;
pub mod heading;
pub mod legend;
pub mod lengths;
pub mod outline;
pub mod pressure;
pub mod raster;
pub mod reductions;
pub mod scaling;
pub mod sides;
pub mod style;
pub mod ticks;

use cfd_engine::comm::Comm;
use cfd_io::Piece;
use cfd_solvers::output::Drawing;
use plotters::chart::MeshStyle;
use plotters::coord::Shift;
use plotters::coord::ranged1d::ValueFormatter;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

/// Width and height of a picture.
const SIZE: (u32, u32) = (900, 560);
/// The colour of curves.
const CURVE: RGBColor = RGBColor(0x1f, 0x5f, 0xa8);
/// Colours of several curves or fields, the first for a single one; distinguishable with colour blindness, too.
const COLOURS: [RGBColor; 6] = [
    CURVE,
    RGBColor(0xd5, 0x6a, 0x1c),
    RGBColor(0x3a, 0x91, 0x5c),
    RGBColor(0x8e, 0x5a, 0xa8),
    RGBColor(0xb8, 0x9a, 0x1a),
    RGBColor(0x77, 0x77, 0x77),
];
/// The colour of axes and text.
const INK: RGBColor = RGBColor(0x33, 0x33, 0x33);
/// The colour of grid lines.
const GRID: RGBColor = RGBColor(0xdd, 0xdd, 0xdd);
/// The font of everything.
const FONT: &str = "sans-serif";

/// Why a picture could not be drawn.
type DrawError = DrawingAreaErrorKind<std::io::Error>;

/// A picture that a solver asks for; rank 0 has it. Collective.
pub fn drawing(comm: &Comm, title: &str, subtitle: &str, drawing: &Drawing, piece: &Piece) -> Option<String> {
    let titled = |what: &str| format!("{what}: {title}");
    match drawing {
        Drawing::Sides { title, .. } => sides::svg(comm, &titled(title), subtitle, piece),
        Drawing::Histogram { title, axis, range, counts, marks, .. } => {
            Some(counts::histogram(&titled(title), subtitle, axis, *range, counts, marks))
        }
        Drawing::Bars { title, axis, bars, .. } => Some(counts::bars(&titled(title), subtitle, axis, bars)),
    }
}

/// Draws on a white picture under a title and a subtitle; the SVG text.
fn picture(
    title: &str,
    subtitle: &str,
    draw: impl FnOnce(&DrawingArea<SVGBackend<'_>, Shift>) -> Result<(), DrawError>,
) -> String {
    picture_of(SIZE, title, subtitle, draw)
}

/// The same with this width and height.
fn picture_of(
    size: (u32, u32),
    title: &str,
    subtitle: &str,
    draw: impl FnOnce(&DrawingArea<SVGBackend<'_>, Shift>) -> Result<(), DrawError>,
) -> String {
    let mut svg = String::new();
    {
        let root = SVGBackend::with_string(&mut svg, size).into_drawing_area();
        let centred = Pos::new(HPos::Center, VPos::Top);
        let heading = |height: i32| (FONT, height).into_font().color(&INK).pos(centred);
        let middle = size.0 as i32 / 2;
        root.fill(&WHITE)
            .and_then(|()| root.draw(&Text::new(title.to_string(), (middle, 14), heading(22))))
            .and_then(|()| root.draw(&Text::new(subtitle.to_string(), (middle, 42), heading(14))))
            .and_then(|()| draw(&root.margin(64, 12, 16, 28)))
            .and_then(|()| root.present())
            .expect("drawing into a string does not fail");
    }
    svg
}

/// Draws axes and grid in the style of all pictures.
fn draw_axes<X, Y>(mesh: &mut MeshStyle<'_, '_, X, Y, SVGBackend<'_>>) -> Result<(), DrawError>
where
    X: Ranged + ValueFormatter<X::ValueType>,
    Y: Ranged + ValueFormatter<Y::ValueType>,
{
    mesh.axis_style(INK)
        .bold_line_style(GRID)
        .light_line_style(TRANSPARENT)
        .label_style((FONT, 14, &INK))
        .axis_desc_style((FONT, 16, &INK))
        .draw()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_svg_with(svg: &str, words: &[&str]) {
        assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"));
        assert!(!svg.contains("NaN") && !svg.contains("inf\""), "coordinates are finite");
        for word in words {
            assert!(svg.contains(word), "{word} is in the picture");
        }
    }

    #[test]
    fn convergence_shows_every_kind_of_history() {
        let falling: Vec<f64> = (0..5000).map(|i| (-0.01 * i as f64).exp()).collect();
        for residuals in [&falling[..], &falling[..1], &[], &[0.0, 0.0], &[f64::NAN, 1e-3, f64::INFINITY]] {
            let svg = convergence::svg("flow on small.h5", "2 ranks", residuals);
            is_svg_with(&svg, &["flow on small.h5", "2 ranks", "iteration", "residual"]);
            assert!(svg.len() < 200_000, "a long history makes no huge picture");
        }
    }

    #[test]
    fn several_histories_stand_in_one_picture_with_their_names() {
        let curve = |label: &str, rate: f64| convergence::Curve {
            label: label.into(),
            points: (0..300).map(|i| (f64::from(i), (-rate * f64::from(i)).exp())).collect(),
        };
        let both = [curve("single grid", 0.01), curve("multigrid", 0.05)];
        let svg = convergence::curves("wing", "", "work", &both);
        is_svg_with(&svg, &["wing", "work", "single grid", "multigrid"]);
        is_svg_with(&convergence::curves("none", "", "work", &[]), &["none"]);
    }

    #[test]
    fn scaling_shows_any_number_of_points() {
        let point = |ranks, threads, rates: &[f64], speedup| {
            let mut point = scaling::Point::new(ranks, threads, rates.into());
            point.speedup = speedup;
            point
        };
        let curve = |label: &str, points: Vec<scaling::Point>| scaling::Curve { label: label.into(), points };
        let mut curves = vec![curve("regions", vec![point(1, 1, &[1.0, 1.1], 1.0)])];
        let speed_up = scaling::Scale::SpeedUp;
        is_svg_with(
            &scaling::svg("t", "s", &speed_up, &curves),
            &["speedup", "efficiency", "ideal", "regions"],
        );
        curves.push(curve("core", (1..=20).map(|n| point(n, 2, &[1.0], 1.7 * n as f64)).collect()));
        let svg = scaling::svg("strong", "s", &speed_up, &curves);
        is_svg_with(&svg, &["strong", "core", "\n32\n", "0 %"]);
        assert!(!svg.contains("\n34\n"), "too many numbers of cores are not all named");
        let rate = scaling::Scale::Rate { what: "zones per second".into(), unit: "million/s".into() };
        let svg = scaling::svg("strong", "s", &rate, &curves);
        is_svg_with(&svg, &["zones per second (million/s)", "efficiency"]);
        assert!(!svg.contains("speedup"));
    }

    #[test]
    fn sections_stand_in_one_picture_with_their_stations() {
        let curve = vec![[1.0, 0.0, 0.2], [0.5, 0.1, -0.3], [0.0, 0.0, 1.0], [0.5, -0.1, -0.4]];
        let svg = pressure::sections("wing", "after 3 cycles", &[(0.2, curve.clone()), (0.65, curve)]);
        is_svg_with(&svg, &["20 % of the span", "65 % of the span", "x / c"]);
        is_svg_with(&pressure::sections("wing", "", &[]), &["x / c"]);
    }

    #[test]
    fn suction_points_upwards() {
        let curve = [[1.0, 0.0, 0.2], [0.5, 0.1, -0.3], [0.0, 0.0, 1.0]];
        let svg = pressure::svg("flow on small.h5", "after 3 iterations", &pressure::points(&curve));
        is_svg_with(&svg, &["pressure coefficient", "x"]);
        for points in [&[][..], &curve[..1]] {
            is_svg_with(&pressure::svg("t", "s", &pressure::points(points)), &["pressure coefficient"]);
        }
        // The polyline's points are "x,y" with y downwards: the stagnation point (cp = 1) is the lowest.
        let points = svg.rsplit("points=\"").next().and_then(|rest| rest.split('"').next()).unwrap();
        let heights: Vec<f64> =
            points.split_whitespace().map(|p| p.split(',').nth(1).unwrap().parse().unwrap()).collect();
        assert_eq!(heights.len(), curve.len());
        assert_eq!(heights.iter().copied().fold(f64::MIN, f64::max), heights[2]);
    }
}
