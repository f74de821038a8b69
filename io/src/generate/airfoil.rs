//! A mesh around the NACA0012 airfoil, by a complex square-root transform.

use std::f64::consts::FRAC_PI_2;

use cfd_engine::comm::Comm;
use cfd_engine::mesh::Mesh;

use super::grid::{Grid, WALL};
use super::spline::Spline;
use crate::IoError;

/// Focus of the square-root transform, just inside the leading edge.
const FOCUS: f64 = 0.0077;
/// Points of the airfoil's upper surface that the spline goes through.
const SURFACE_POINTS: usize = 100;
/// More decimals say nothing about a double.
const MOST_DECIMALS: u32 = 17;

/// The mesh of the published Airfoil program around a NACA0012, 3 `i` by `j` quadrilaterals.
///
/// The upper surface is
///
/// ```text
/// y = 0.594689181 (0.298222773 sqrt(x) - 0.127125232 x - 0.357907906 x^2 + 0.291984971 x^3 - 0.105174696 x^4)
/// ```
///
/// at x = sin^2(s), s equally spaced. z = sqrt(x + i y - 0.0077) unfolds the outside of the airfoil to the upper half
/// plane, where the mesh is plain columns: 3 `i` + 1 equally spaced from -3 to 3, each from the bottom line to 3 in
/// `j` steps. The middle third of the bottom line is the airfoil (a not-a-knot spline through the surface points,
/// z and -conj(z)), the rest the cut line behind it, y = 0. Squaring maps the plane back.
///
/// Two copies of the cut line's nodes stay distinct. `decimals` rounds the coordinates as writing them to a text file
/// with so many decimals and reading them back would. Each rank makes only its rows, and the bits are the same
/// everywhere: the sines come from `libm`, all else is exactly rounded.
///
/// # Errors
/// `i` below 2, `j` below 1, more than 17 decimals, or more elements than the ranks can hold.
///
/// # Example
/// ```
/// use cfd_engine::comm::Comm;
/// let mesh = cfd_io::generate::airfoil(&Comm::single(), 10, 15, Some(6)).unwrap();
/// assert_eq!(mesh.sets[3].rows, 3 * 10 * 15);
/// ```
pub fn airfoil(comm: &Comm, i: u64, j: u64, decimals: Option<u32>) -> Result<Mesh, IoError> {
    if i < 2 || j < 1 {
        return Err(IoError::Generate(format!(
            "an airfoil mesh of size {i},{j} is not possible; the size is I,J with I at least 2 and J at least 1"
        )));
    }
    if decimals.is_some_and(|d| d > MOST_DECIMALS) {
        return Err(IoError::Generate(format!("coordinates have at most {MOST_DECIMALS} decimals")));
    }
    let columns = i.checked_mul(3).filter(|&c| c < 1 << 32);
    let columns = columns.ok_or_else(|| {
        IoError::Generate(format!("an airfoil mesh of {i} columns a third is too wide; I is below 2^32 / 3"))
    })?;
    let grid = Grid::new(comm, columns, j, i, WALL)?;
    let bottom = bottom_line(i);
    let round = |v: f64| match decimals {
        Some(d) => format!("{v:.*}", d as usize).parse().expect("a formatted number is a number"),
        None => v,
    };
    Ok(grid.mesh(comm, |column, row| {
        let [x, y0] = bottom[column as usize];
        let y = if row == j { 3.0 } else { y0 + (3.0 - y0) * row as f64 / j as f64 };
        [round(x * x - y * y), round(2.0 * x * y)]
    }))
}

/// The lower end of each column in the square-root plane.
fn bottom_line(i: u64) -> Vec<[f64; 2]> {
    let (x, y) = surface().into_iter().unzip();
    let surface = Spline::not_a_knot(x, y);
    (0..=3 * i)
        .map(|k| {
            // -3 + 2 k / i with one rounding, so that the two sides are mirror images to the last bit.
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
            let sine = libm::sin(FRAC_PI_2 * k as f64 / last as f64);
            let x = sine * sine;
            let (x2, x3, x4) = (x * x, x * x * x, x * x * x * x);
            let y = 0.298222773 * x.sqrt() - 0.127125232 * x - 0.357907906 * x2 + 0.291984971 * x3
                - 0.105174696 * x4;
            let y = if k == last { 0.0 } else { 0.594689181 * y };
            complex_sqrt(x - FOCUS, y)
        })
        .collect();
    let mirrored = upper.iter().rev().map(|&(x, y)| (-x, y));
    mirrored.chain(upper[1..].iter().copied()).collect()
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
    use cfd_engine::mesh::Values;

    fn rows(mesh: &Mesh, set: &str) -> u64 {
        mesh.sets[mesh.set(set).unwrap()].rows
    }

    #[test]
    fn the_standard_mesh_has_the_published_numbers_of_elements() {
        // The last of many ranks, so that only few rows are made.
        let meshes = Comm::simulate(50, |comm| {
            let mesh = airfoil(&comm, 400, 600, Some(6)).unwrap();
            if comm.rank() == 49 { Some(mesh) } else { None }
        });
        let mesh = meshes[49].as_ref().unwrap();
        let sizes = ["nodes", "edges", "bedges", "cells"].map(|set| rows(mesh, set));
        assert_eq!(sizes, [1201 * 601, 1_438_600, 2_800, 720_000]);
    }

    #[test]
    fn the_first_and_last_rows_are_numbered_as_published() {
        let (i, j) = (4, 3);
        let mesh = airfoil(&Comm::single(), i, j, None).unwrap();
        let m = 3 * i;
        let map = |name: &str| &mesh.maps[mesh.map(name).unwrap()].rows;
        // Cell (1,1): the cut line to cell (3I,1), then its top, then its right side.
        assert_eq!(map("edge_nodes")[..6], [0, 1, m + 1, m + 2, 1, m + 2]);
        assert_eq!(map("edge_cells")[..6], [m - 1, 0, 0, m, 1, 0]);
        // The last edge is the right side of cell (3I-1,J).
        let (n, c) = (map("edge_nodes"), map("edge_cells"));
        assert_eq!(n[n.len() - 2..], [(j - 1) * (m + 1) + m - 1, j * (m + 1) + m - 1]);
        assert_eq!(c[c.len() - 2..], [j * m - 1, j * m - 2]);
        // The wall's first side; the last boundary edge is the left side of cell (1,1).
        assert_eq!(map("bedge_nodes")[..2], [i + 1, i]);
        assert_eq!(map("bedge_cell")[0], i);
        let b = map("bedge_nodes");
        assert_eq!(b[b.len() - 2..], [0, m + 1]);
    }

    #[test]
    fn far_corner_leading_edge_and_trailing_edge_are_where_they_should_be() {
        let mesh = airfoil(&Comm::single(), 10, 15, None).unwrap();
        let Values::F64(x) = &mesh.dats[0].values else { panic!("coordinates are f64") };
        // z = -3 squared; z = 1 squared, where the wall begins; the leading edge at x = 0, shifted by the focus.
        assert_eq!(x[..2], [9.0, 0.0]);
        assert_eq!(x[40..42], [1.0, 0.0]);
        assert!((x[30] + FOCUS).abs() < 1e-3 && x[31].abs() < 1e-15, "{:?}", &x[30..32]);
    }

    #[test]
    fn rounding_is_that_of_decimal_text() {
        let exact = airfoil(&Comm::single(), 6, 4, None).unwrap();
        let rounded = airfoil(&Comm::single(), 6, 4, Some(6)).unwrap();
        let (Values::F64(a), Values::F64(b)) = (&exact.dats[0].values, &rounded.dats[0].values) else {
            panic!("coordinates are f64")
        };
        assert_ne!(a, b);
        for (a, b) in a.iter().zip(b) {
            assert_eq!(format!("{a:.6}"), format!("{b:.6}"));
            assert_eq!(format!("{b:.6}").parse::<f64>().unwrap().to_bits(), b.to_bits());
        }
    }

    #[test]
    fn impossible_sizes_are_refused() {
        let comm = Comm::single();
        for (i, j) in [(0, 5), (1, 5), (5, 0)] {
            let message = airfoil(&comm, i, j, None).unwrap_err().to_string();
            assert!(message.contains(&format!("{i},{j}")) && message.contains("at least 2"), "{message}");
        }
        assert!(airfoil(&comm, u64::MAX, 1, None).is_err());
        assert!(airfoil(&comm, 1 << 20, u64::MAX, None).is_err());
        assert!(airfoil(&comm, 4, 4, Some(18)).is_err());
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
