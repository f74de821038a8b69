//! The bump in a channel of NASA's turbulence modeling resource.

use std::f64::consts::{FRAC_PI_3, PI};

use cfd_engine::comm::Comm;

use super::spacing::{BothSides, OneSided};
use super::{Join, Plane, Side, divisible};
use crate::{ElementMesh, MeshError};

/// Steps of the finest grid of the family, 1409 x 641 nodes: before the plate and behind it, along it, away from it.
const BEFORE: u64 = 384;
const ALONG: u64 = 640;
const AWAY: u64 = 640;
/// The plate begins at 0 and ends here.
const PLATE: f64 = 1.5;
/// Length of the channel before the plate and behind it.
const CHANNEL: f64 = 25.0;
/// Its height.
const HEIGHT: f64 = 5.0;
/// How much further downstream the bump is in the middle of a channel of three dimensions.
const LEAN: f64 = 0.3;
/// The finest grid's steps: along x at the ends of the plate, away from the plate, away from the ends of the channel.
const EDGE: f64 = 8e-4;
const WALL: f64 = 5e-7;
const FAR: f64 = 2.000_044_416_970_9e-4;

/// The height of the wall: 0.05 sin^4(pi x / 0.9 - pi / 3) for x from 0.3 to 1.2.
fn wall(x: f64) -> f64 {
    if (0.3..=1.2).contains(&x) {
        0.05 * same_math::powi(same_math::sin(PI * x / 0.9 - FRAC_PI_3), 4)
    } else {
        0.0
    }
}

/// The bump in a channel of NASA's turbulence modeling resource (<https://turbmodels.larc.nasa.gov/bump.html>): before the
/// plate and behind it with the published nodes, 45 x 21 to 1409 x 641; over the plate with columns that stand upright, while
/// the published ones lean by up to 0.002 and their wall is a spline through the formula.
///
/// Boundaries: `wall` from 0 to 1.5, `symmetry` before and behind it and `top`, `inlet`, `outlet`. Collective.
///
/// # Errors
/// Nodes along the wall that are not one more than a multiple of 11, fewer than 2 away from it, more than ranks can hold.
pub fn bump(comm: &Comm, nodes: [u64; 2]) -> Result<ElementMesh, MeshError> {
    let grid = Bump::new(comm, nodes)?;
    grid.plane.mesh(comm, grid.name(), |i, j| grid.place(i, j))
}

/// Its bump in a channel in three dimensions (<https://turbmodels.larc.nasa.gov/bump3d.html>): the bump across the channel, y from
/// 0 to -1 and z upward, lies further downstream in the middle: x is moved by 0.3 sin^4(pi y) over the plate, and by a share
/// that falls to 0 at the ends of the channel. `nodes` are along the wall, away from it, across the channel.
///
/// Boundaries: those of [`bump`], and `symmetry` at both sides. Collective.
///
/// # Errors
/// The same, and fewer than 2 nodes across the channel.
pub fn bump_in_space(comm: &Comm, [along, away, across]: [u64; 3]) -> Result<ElementMesh, MeshError> {
    let grid = Bump::new(comm, [along, away])?;
    grid.plane.in_layers(comm, across, grid.name(), "symmetry", |i, j, k| {
        let ([x, z], y) = (grid.place(i, j), -(k as f64) / (across - 1) as f64);
        let share = 1.0 - outside(x) / CHANNEL;
        [x + share * LEAN * same_math::powi(same_math::sin(PI * y), 4), y, z]
    })
}

/// How far a place is before the plate, or behind it.
fn outside(x: f64) -> f64 {
    f64::max(-x, x - PLATE).max(0.0)
}

/// A grid and its distributions of nodes.
struct Bump {
    plane: Plane,
    nodes: [u64; 2],
    before: OneSided,
    along: BothSides,
    /// Away from the wall: over the plate, and at the ends of the channel.
    away: [OneSided; 2],
}

impl Bump {
    fn new(comm: &Comm, nodes: [u64; 2]) -> Result<Bump, MeshError> {
        divisible(nodes, 11, "45, 89, 177, 353, 705, 1409")?;
        Ok(Bump {
            plane: Plane::new(comm, nodes, Join::Nothing)?,
            nodes,
            before: OneSided::new(EDGE / CHANNEL, BEFORE),
            along: BothSides::new(EDGE / PLATE, ALONG),
            away: [WALL, FAR].map(|step| OneSided::new(step / HEIGHT, AWAY)),
        })
    }

    /// The columns at which the plate begins and ends.
    fn plate(&self) -> [u64; 2] {
        let part = (self.nodes[0] - 1) / 11;
        [3 * part, 8 * part]
    }

    fn name(&self) -> impl Fn(Side, u64) -> &'static str {
        let [first, last] = self.plate();
        move |side, k| match side {
            Side::Bottom if (first..last).contains(&k) => "wall",
            Side::Bottom => "symmetry",
            Side::Right => "outlet",
            Side::Top => "top",
            Side::Left => "inlet",
        }
    }

    fn place(&self, i: u64, j: u64) -> [f64; 2] {
        let [first, last] = self.plate();
        let x = if i <= first {
            -CHANNEL * self.before.at((first - i) as f64 / first as f64)
        } else if i <= last {
            PLATE * self.along.at((i - first) as f64 / (last - first) as f64)
        } else {
            PLATE + CHANNEL * self.before.at((i - last) as f64 / first as f64)
        };
        let s = j as f64 / (self.nodes[1] - 1) as f64;
        // From the distribution over the plate to that at the ends of the channel.
        let share = outside(x) / CHANNEL;
        let [near, far] = self.away.map(|away| away.at(s));
        let t = (1.0 - share) * near + share * far;
        let low = wall(x);
        [x, low + (HEIGHT - low) * t]
    }
}
