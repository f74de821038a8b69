//! C-grids around NACA0012 with a sharp trailing edge.

use cfd_engine::comm::Comm;

use super::spacing::{BothSides, Geometric, root};
use super::{Join, Plane, Side, divisible};
use crate::{ElementMesh, MeshError};

/// Focus of the square-root transform, inside the leading edge.
const FOCUS: f64 = 0.0077;
/// How far the grid extends in the transformed plane: 500 chords.
const EXTENT: f64 = 22.4;
/// Steps of the finest grid of the family, 7169 x 2049 nodes: on each side of the airfoil, in the wake, away from the wall.
const SIDE: u64 = 2048;
const WAKE: u64 = 1536;
const AWAY: u64 = 2048;
/// The finest grid's steps in chords: along the wall at the leading edge and at the trailing edge, and away from the wall.
const LEADING: f64 = 1.25e-5;
const TRAILING: f64 = 1.25e-5;
const WALL: f64 = 1e-7;

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

/// A C-grid around NACA0012 with a sharp trailing edge, in the sizes of NASA's family II, 113 x 33 to 7169 x 2049 nodes, and
/// others: 3/14 of the columns in the wake on each side, the rest around the airfoil from the trailing edge below to that
/// above.
///
/// The grid is one of upright columns in the plane of the square root of x + i y - 0.0077, so columns meet the airfoil at
/// nearly right angles, 8 degrees off at the trailing edge; the far field is about 500 chords away. The finest grid's steps
/// are the family's: 1.25e-5 chords along the wall at both edges, 1e-7 away from it, from where they grow by the same factor.
/// Boundaries: `airfoil`, `far_field`. Collective.
///
/// Source: <https://turbmodels.larc.nasa.gov/naca0012numerics_grids.html>.
///
/// # Errors
/// Nodes around that are not one more than a multiple of 14, fewer than 2 away from the wall, more than ranks can hold.
pub fn airfoil(comm: &Comm, nodes: [u64; 2]) -> Result<ElementMesh, MeshError> {
    grid(comm, nodes, WALL, AWAY)
}

/// The same with a first step of `wall` chords away from the airfoil, for flow without boundary layers or with thicker ones.
/// Collective.
///
/// # Errors
/// The same.
pub fn airfoil_from(comm: &Comm, nodes: [u64; 2], wall: f64) -> Result<ElementMesh, MeshError> {
    grid(comm, nodes, wall, nodes[1].saturating_sub(1))
}

/// A column of the grid, in the transformed plane: the place of its lower end, and how its nodes are spread.
struct Column {
    u: f64,
    v: f64,
    /// |dz/dw| / 2 of the first step.
    stretch: f64,
    /// What lengths are a share of.
    length: f64,
    steps: Geometric,
}

impl Column {
    /// From its lower end up, with a first of `count` steps of `wall` chords.
    fn new([u, v]: [f64; 2], wall: f64, count: u64) -> Column {
        // In the wake, where there is no wall, steps may grow with the distance from the trailing edge.
        let stretch = (u * u + v * v).sqrt().min(tail());
        let height = EXTENT - v;
        let length = height * (height + 2.0 * stretch);
        Column { u, v, stretch, length, steps: Geometric::new(wall / length, count) }
    }

    /// The place after the share `s` of all steps. At a height of h above the lower end, the distance from there is about
    /// h (h + 2 stretch): near the wall and far away. That is what grows by the same factor.
    fn at(&self, s: f64) -> [f64; 2] {
        let away = self.length * self.steps.at(s);
        let v = self.v + away / ((self.stretch * self.stretch + away).sqrt() + self.stretch);
        [self.u * self.u - v * v + FOCUS, 2.0 * self.u * v]
    }
}

/// The trailing edge in the transformed plane.
fn tail() -> f64 {
    unfolded(1.0 - FOCUS, 0.0)[0]
}

/// The lower ends of the columns from the nose to the trailing edge and on to the end of the wake.
fn lower_ends(side: u64, wake: u64) -> Vec<[f64; 2]> {
    let tail = tail();
    // Along the wall, an arc from the nose is about u sqrt(u^2 + 4 F) long: 2 sqrt(F) u near it and u^2 far away.
    let arc = tail * (tail * tail + 4.0 * FOCUS).sqrt();
    let along = BothSides::of(LEADING / arc, TRAILING / arc, SIDE);
    let of_side = (1..side).map(|k| {
        let s = arc * along.at(k as f64 / side as f64);
        let u = s / ((4.0 * FOCUS * FOCUS + s * s).sqrt() + 2.0 * FOCUS).sqrt();
        let at = |x: f64| unfolded(x - FOCUS, surface(x));
        at(root(0.0, 1.0, |x| at(x)[0] - u))
    });
    let far = EXTENT * EXTENT - tail * tail;
    let behind = Geometric::new(TRAILING / far, WAKE);
    let of_wake = (0..=wake).map(|k| [(tail * tail + far * behind.at(k as f64 / wake as f64)).sqrt(), 0.0]);
    std::iter::once(unfolded(-FOCUS, 0.0)).chain(of_side).chain(of_wake).collect()
}

/// The grid whose first of `count` steps away from the wall is `wall` chords.
fn grid(comm: &Comm, nodes: [u64; 2], wall: f64, count: u64) -> Result<ElementMesh, MeshError> {
    divisible(nodes, 14, "113, 225, 449, 897, 1793")?;
    let part = (nodes[0] - 1) / 14;
    let (wake, side) = (3 * part, 4 * part);
    let plane = Plane::new(comm, nodes, Join::Wake(wake))?;
    let upper: Vec<Column> =
        lower_ends(side, wake).into_iter().map(|end| Column::new(end, wall, count)).collect();
    let name = |side: Side, _| if side == Side::Bottom { "airfoil" } else { "far_field" };
    plane.mesh(comm, name, |i, j| {
        let [x, y] = upper[i.abs_diff(wake + side) as usize].at(j as f64 / (nodes[1] - 1) as f64);
        [x, if i < wake + side { -y } else { y }]
    })
}
