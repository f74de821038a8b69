//! The node positions of a mesh around the NACA0012 airfoil, from a complex square-root transform.

use std::f64::consts::FRAC_PI_2;

use crate::MeshError;
use crate::generate::spline::Spline;

/// Focus of the square-root transform, just inside the leading edge.
const FOCUS: f64 = 0.0077;
/// Points of the airfoil's upper surface that the spline goes through.
const SURFACE_POINTS: usize = 100;
/// More decimals carry no information about a double.
const MOST_DECIMALS: u32 = 17;

/// Nodes around a NACA0012.
///
/// The upper surface is
///
/// ```text
/// y = 0.594689181 (0.298222773 sqrt(x) - 0.127125232 x - 0.357907906 x^2 + 0.291984971 x^3 - 0.105174696 x^4)
/// ```
///
/// at x = sin^2(s), s equally spaced. z = sqrt(x + i y - 0.0077) unfolds the outside of the airfoil to the upper half
/// plane, where the mesh is plain columns: 3 I + 1 equally spaced from -3 to 3, each from the bottom line to 3 in J
/// steps. The middle third of the bottom line is the airfoil (a not-a-knot spline through the surface points, z and
/// -conj(z)), the rest the cut line behind it, y = 0. Squaring maps the plane back. The sines come from `same-math`,
/// everything else is correctly rounded, so the bits are the same everywhere.
pub(super) struct Naca0012 {
    /// The lower end of each column in the square-root plane.
    bottom: Vec<[f64; 2]>,
    rows: u64,
    decimals: Option<u32>,
}

impl Naca0012 {
    /// 3 `i` columns of `j` cells, coordinates rounded to `decimals`.
    ///
    /// # Errors
    /// `i` below 2 or not below 2^32 / 3, `j` below 1, more than 17 decimals.
    pub(super) fn new(i: u64, j: u64, decimals: Option<u32>) -> Result<Naca0012, MeshError> {
        if i < 2 || j < 1 {
            return Err(MeshError::Generate(format!(
                "an airfoil mesh of size {i},{j} is not possible; the size is I,J with I at least 2 and J at least 1"
            )));
        }
        if decimals.is_some_and(|d| d > MOST_DECIMALS) {
            return Err(MeshError::Generate(format!("coordinates have at most {MOST_DECIMALS} decimals")));
        }
        if i.checked_mul(3).is_none_or(|columns| columns >= 1 << 32) {
            return Err(MeshError::Generate(format!(
                "an airfoil mesh of {i} columns per third is too wide; I is below 2^32 / 3"
            )));
        }
        Ok(Naca0012 { bottom: bottom_line(i), rows: j, decimals })
    }

    /// Cells along the airfoil and its wake.
    pub(super) fn columns(&self) -> u64 {
        self.bottom.len() as u64 - 1
    }

    /// Coordinates of the node in a column and a row, counted from 0.
    pub(super) fn node(&self, column: u64, row: u64) -> [f64; 2] {
        let [x, y0] = self.bottom[column as usize];
        let y = if row == self.rows { 3.0 } else { y0 + (3.0 - y0) * row as f64 / self.rows as f64 };
        let round = |v: f64| self.decimals.map_or(v, |decimals| rounded(v, decimals));
        [round(x * x - y * y), round(2.0 * x * y)]
    }
}

/// The number written with at most 17 decimals and read back: correctly rounded to a decimal number, and that to a
/// double.
fn rounded(v: f64, decimals: u32) -> f64 {
    // A double, as are all powers of ten up to 10^22.
    let power = 10u64.pow(decimals) as f64;
    let scaled = v * power;
    let units = scaled.round_ties_even();
    // Below 2^40 the product is off by at most 2^-14: that far from the midpoint between two integers, the nearest one
    // is also the exact product's. Both are doubles, so the quotient is the decimal number rounded once.
    if scaled.abs() < (1u64 << 40) as f64 && (scaled - units).abs() < 0.5 - 1.0 / 4096.0 {
        return units / power;
    }
    format!("{v:.*}", decimals as usize).parse().expect("a formatted number is a number")
}

/// The lower end of each column in the square-root plane.
fn bottom_line(i: u64) -> Vec<[f64; 2]> {
    let (x, y) = surface().into_iter().unzip();
    let surface = Spline::not_a_knot(x, y);
    (0..=3 * i)
        .map(|k| {
            // -3 + 2 k / i rounded once, so the two sides are mirror images to the last bit.
            let x = (2 * k as i64 - 3 * i as i64) as f64 / i as f64;
            let y = if k > i && k < 2 * i { surface.at(x) } else { 0.0 };
            // Between the surface's last point and the cut line the spline would dip below the axis.
            let y = if x.abs() > surface.end() { y.max(0.0) } else { y };
            [x, y]
        })
        .collect()
}

/// The airfoil's surface in the square-root plane, from the lower trailing edge to the upper.
fn surface() -> Vec<(f64, f64)> {
    let upper: Vec<(f64, f64)> = (0..SURFACE_POINTS)
        .map(|k| {
            let last = SURFACE_POINTS - 1;
            let sine = same_math::sin(FRAC_PI_2 * k as f64 / last as f64);
            let x = sine * sine;
            let y = if k == last { 0.0 } else { half_thickness(x) };
            complex_sqrt(x - FOCUS, y)
        })
        .collect();
    let mirrored = upper.iter().rev().map(|&(x, y)| (-x, y));
    mirrored.chain(upper[1..].iter().copied()).collect()
}

/// Half the thickness of the NACA0012 at x of a chord of 1. At the trailing edge it is zero up to about 6e-8, a step
/// that the caller closes.
pub fn half_thickness(x: f64) -> f64 {
    let (x2, x3, x4) = (x * x, x * x * x, x * x * x * x);
    let y = 0.298222773 * x.sqrt() - 0.127125232 * x - 0.357907906 * x2 + 0.291984971 * x3 - 0.105174696 * x4;
    0.594689181 * y
}

/// The square root of a + i b with positive real part (or, on the negative axis, positive imaginary part), for b >= 0.
fn complex_sqrt(a: f64, b: f64) -> (f64, f64) {
    let modulus = (a * a + b * b).sqrt();
    // The half that does not cancel first, the other from b = 2 Re Im.
    if a >= 0.0 {
        let re = ((modulus + a) / 2.0).sqrt();
        (re, if re > 0.0 { b / (2.0 * re) } else { 0.0 })
    } else {
        let im = ((modulus - a) / 2.0).sqrt();
        (b / (2.0 * im), im)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_rounded_as_written_and_read() {
        let special =
            [0.0, 0.5, 1.5, 2.5, 0.125, 1e-9, 4.5e-7, 5e-7, 9.0, 1e9, 1e17, 1e300, f64::MIN_POSITIVE];
        let spread =
            (1..4000).map(|k| same_math::sin(f64::from(k)) * same_math::powf(10.0, f64::from(k % 23) - 9.0));
        let halves = (0..2000).map(|k| (f64::from(k) + 0.5) / 1e3);
        for v in special.into_iter().chain(spread).chain(halves).flat_map(|v| [v, -v]) {
            for decimals in 0..=MOST_DECIMALS {
                let read: f64 = format!("{v:.*}", decimals as usize).parse().expect("a number");
                assert_eq!(rounded(v, decimals).to_bits(), read.to_bits(), "{v:e} to {decimals} decimals");
            }
        }
    }

    #[test]
    fn the_principal_square_root_squares_back() {
        for (a, b) in [(-0.0077, 0.0), (0.5, 0.1), (-0.5, 0.1), (0.0, 0.0), (0.0, 2.0)] {
            let (re, im) = complex_sqrt(a, b);
            assert!((re * re - im * im - a).abs() < 1e-15 && (2.0 * re * im - b).abs() < 1e-15, "{a} {b}");
            assert!(re >= 0.0 && im >= 0.0);
        }
    }
}
