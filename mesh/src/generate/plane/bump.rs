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
    divisible(nodes, 11, "45, 89, 177, 353, 705, 1409")?;
    let plane = Plane::new(comm, nodes, Join::Nothing)?;
    let part = (nodes[0] - 1) / 11;
    let (first, last) = (3 * part, 8 * part);
    let before = OneSided::new(EDGE / CHANNEL, BEFORE);
    let along = BothSides::new(EDGE / PLATE, ALONG);
    let (near, far) = (OneSided::new(WALL / HEIGHT, AWAY), OneSided::new(FAR / HEIGHT, AWAY));
    let x = |i: u64| {
        if i <= first {
            -CHANNEL * before.at((first - i) as f64 / first as f64)
        } else if i <= last {
            PLATE * along.at((i - first) as f64 / (last - first) as f64)
        } else {
            PLATE + CHANNEL * before.at((i - last) as f64 / first as f64)
        }
    };
    let name = |side: Side, k: u64| match side {
        Side::Bottom if (first..last).contains(&k) => "wall",
        Side::Bottom => "symmetry",
        Side::Right => "outlet",
        Side::Top => "top",
        Side::Left => "inlet",
    };
    plane.mesh(comm, name, |i, j| {
        let (x, s) = (x(i), j as f64 / (nodes[1] - 1) as f64);
        // From the distribution over the plate to that at the ends of the channel.
        let share = f64::max(-x, x - PLATE).max(0.0) / CHANNEL;
        let t = (1.0 - share) * near.at(s) + share * far.at(s);
        let low = wall(x);
        [x, low + (HEIGHT - low) * t]
    })
}
