//! Curves of boundaries: by formulas, and through points of files.

use std::path::Path as File;

use cfd_adapt::geometry::{Path, Point, Spline};
use cfd_engine::given;
use cfd_mesh::generate::naca0012::half_thickness;

/// Points of each side of the NACA0012's curve: between them, the spline is within 1e-10 chords of the formula.
const AIRFOIL_POINTS: u32 = 1000;

/// The NACA0012 from its trailing edge below to that above, densest at both edges.
pub(super) fn naca0012() -> Spline<2> {
    let side = |k: u32, sign: f64| {
        let sine = same_math::sin(std::f64::consts::FRAC_PI_2 * f64::from(k) / f64::from(AIRFOIL_POINTS));
        let x = sine * sine;
        [x, if k == AIRFOIL_POINTS { 0.0 } else { sign * half_thickness(x) }]
    };
    let below = (1..=AIRFOIL_POINTS).rev().map(|k| side(k, -1.0));
    Spline::new(below.chain((0..=AIRFOIL_POINTS).map(|k| side(k, 1.0))).collect(), false)
}

/// The curve through the points of a file: x and y in a line, with a comma or blanks between them; lines that begin with `#`
/// are comments. Not collective.
///
/// # Errors
/// The file cannot be read, or has something else, too few points, or one twice in a row.
pub(super) fn points_of(path: &str) -> Result<Vec<Point<2>>, String> {
    let text = given::open(File::new(path), "points").map_err(|error| error.to_string());
    let text = text.and_then(|file| std::io::read_to_string(file).map_err(|error| error.to_string()));
    points_in(path, &text.map_err(|error| format!("{path}: {error}"))?)
}

/// The points in a file's text.
fn points_in(path: &str, text: &str) -> Result<Vec<Point<2>>, String> {
    let mut points: Vec<Point<2>> = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let words = line.split(|c: char| c == ',' || c.is_whitespace()).filter(|word| !word.is_empty());
        let numbers: Option<Vec<f64>> =
            words.map(|word| word.parse().ok().filter(|x: &f64| x.is_finite())).collect();
        let Some(&[x, y]) = numbers.as_deref() else {
            return Err(format!(
                "{path}:{number}: \"{}\"; expected two numbers: x and y",
                given::short(line)
            ));
        };
        if points.last() == Some(&[x, y]) {
            return Err(format!("{path}:{number}: the same point as before; expected each once"));
        }
        points.push([x, y]);
    }
    let least = if points.first() == points.last() { 4 } else { 2 };
    match points.len() {
        found if found < least => Err(format!(
            "{path}: {found} points; expected at least two, or three and the first again for a closed curve"
        )),
        _ => Ok(points),
    }
}

/// The curve through points, with corners where it turns by more than an angle in degrees.
pub(super) fn through(points: &[Point<2>], corner_angle: f64) -> Path<2> {
    Path::new(points.to_vec(), corner_angle.to_radians())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_come_from_lines_and_what_is_none_is_named_with_its_line() {
        let read = |text: &str| points_in("points.csv", text);
        assert_eq!(read("# x, y\n0, 0\n\n 1.5 2\n1e0,\t-3\n"), Ok(vec![[0.0, 0.0], [1.5, 2.0], [1.0, -3.0]]));
        for (text, words) in [
            ("0 0\nx y\n", "points.csv:2: \"x y\"; expected two numbers: x and y"),
            ("0 0\n1 2 3\n", ":2: \"1 2 3\""),
            ("0 0\n1 nan\n", ":2: \"1 nan\""),
            ("0 0\n1\n", ":2: \"1\""),
            ("0 0\n1 b 2\n", ":2: "),
            ("0 0\n1 1\n1 1\n", ":3: the same point as before"),
            ("0 0\n", "1 points; expected at least two"),
            ("0 0\n1 1\n0 0\n", "3 points; expected"),
            ("", "0 points"),
        ] {
            let message = read(text).unwrap_err();
            assert!(message.contains(words), "{message}");
        }
    }
}
