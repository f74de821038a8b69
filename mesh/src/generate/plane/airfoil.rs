//! C-grids around NACA0012 with a sharp trailing edge.

use std::f64::consts::PI;

use cfd_engine::comm::Comm;

use super::spacing::OneSided;
use super::{Join, Plane, Side, divisible};
use crate::{ElementMesh, MeshError};

/// Focus of the square-root transform, inside the leading edge.
const FOCUS: f64 = 0.0077;
/// How far the grid extends in the transformed plane: about 500 chords.
const EXTENT: f64 = 22.4;
/// Steps of the finest grid of the family, 1793 x 513 nodes: around the airfoil, in the wake, away from the wall.
const AROUND: u64 = 1024;
const WAKE: u64 = 384;
const AWAY: u64 = 512;
/// The first step away from the wall in the transformed plane.
const WALL: f64 = 4e-7;

/// The height of the upper surface at x from 0 to 1, scaled so that the published formula ends in a point: NACA0012 with the
/// chord at which its thickness is 0 (<https://turbmodels.larc.nasa.gov/naca0012_val.html>).
pub(super) fn surface(x: f64) -> f64 {
    let series = -0.127_125_232 + x * (-0.357_907_906 + x * (0.291_984_971 - x * 0.105_174_606));
    0.594_689_181 * (0.298_222_773 * x.sqrt() + x * series)
}

/// The square root of x + i y in the upper half plane.
fn unfolded(x: f64, y: f64) -> [f64; 2] {
    let length = (x * x + y * y).sqrt();
    // Of the two parts, one is a difference of nearly equal numbers: the other gives it.
    if x >= 0.0 {
        let u = (0.5 * (length + x)).sqrt();
        if y >= 0.0 { [u, 0.5 * y / u] } else { [-u, -0.5 * y / u] }
    } else {
        let v = (0.5 * (length - x)).sqrt();
        [0.5 * y / v, v]
    }
}

/// A C-grid around NACA0012 with a sharp trailing edge, in the sizes of NASA's family, 113 x 33 to 1793 x 513 nodes, and
/// others: 3/14 of the columns in the wake on each side, the rest around the airfoil from the trailing edge below to that
/// above.
///
/// The grid is one of upright columns in the plane of the square root of x + i y - 0.0077, so columns meet the airfoil and each
/// other at right angles; the far field is about 500 chords away. Boundaries: `airfoil`, `far_field`. Collective.
///
/// # Errors
/// Nodes around that are not one more than a multiple of 14, fewer than 2 away from the wall, more than ranks can hold.
pub fn airfoil(comm: &Comm, nodes: [u64; 2]) -> Result<ElementMesh, MeshError> {
    grid(comm, nodes, OneSided::new(WALL, AWAY))
}

/// The same with a first step of about `wall` chords away from the middle of the airfoil, for flow without boundary layers or
/// with thicker ones. Collective.
///
/// # Errors
/// The same.
pub fn airfoil_from(comm: &Comm, nodes: [u64; 2], wall: f64) -> Result<ElementMesh, MeshError> {
    // A step dv in the transformed plane is one of 2 sqrt(x) dv.
    let first = wall / (2.0 * 0.5f64.sqrt()) / EXTENT;
    grid(comm, nodes, OneSided::new(first, nodes[1].saturating_sub(1)))
}

/// The grid with these steps away from the wall.
fn grid(comm: &Comm, nodes: [u64; 2], away: OneSided) -> Result<ElementMesh, MeshError> {
    divisible(nodes, 14, "113, 225, 449, 897, 1793")?;
    let part = (nodes[0] - 1) / 14;
    let (wake, around) = (3 * part, 8 * part);
    let plane = Plane::new(comm, nodes, Join::Wake(wake))?;
    let tail = unfolded(1.0 - FOCUS, 0.0)[0];
    let chordwise = |s: f64| 0.5 * (1.0 + same_math::cos(2.0 * PI * s));
    // Steps in the wake begin with the finest grid's before the trailing edge.
    let before = chordwise(1.0 / AROUND as f64);
    let first = tail - unfolded(before - FOCUS, surface(before))[0];
    let behind = OneSided::new(first / (EXTENT - tail), WAKE);
    // The lower end of column i, from the wake below the airfoil, around its nose, to the wake above.
    let bottom = |i: u64| -> [f64; 2] {
        let out = |k: u64| tail + (EXTENT - tail) * behind.at(k as f64 / wake as f64);
        if i <= wake {
            [-out(wake - i), 0.0]
        } else if i >= wake + around {
            [out(i - wake - around), 0.0]
        } else if 2 * (i - wake) == around {
            unfolded(-FOCUS, 0.0)
        } else {
            let k = i - wake;
            let x = chordwise(k as f64 / around as f64);
            let y = if 2 * k < around { -surface(x) } else { surface(x) };
            unfolded(x - FOCUS, y)
        }
    };
    let name = |side: Side, _| if side == Side::Bottom { "airfoil" } else { "far_field" };
    plane.mesh(comm, name, |i, j| {
        let [u, low] = bottom(i);
        let v = low + (EXTENT - low) * away.at(j as f64 / (nodes[1] - 1) as f64);
        [u * u - v * v + FOCUS, 2.0 * u * v]
    })
}
