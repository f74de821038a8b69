//! The flat plate of NASA's turbulence modeling resource.

use cfd_engine::comm::Comm;

use super::spacing::{Growing, OneSided};
use super::{Join, Plane, Side, divisible};
use crate::{ElementMesh, MeshError};

/// Steps of the finest grid of the family, 545 x 385 nodes: before the plate, along it while they grow, in all; away from it.
const BEFORE: f64 = 96.0;
const GROWING: f64 = 356.0;
const ALONG: f64 = 544.0;
const AWAY: u64 = 384;
/// The first node; the plate begins at 0 and ends at 2.
const START: f64 = -0.33333;
const END: f64 = 2.0;
/// Where steps along the plate no longer grow.
const EQUAL_FROM: f64 = 1.011_955_220_138_8;
/// The finest grid's step on both sides of the leading edge.
const LEADING_EDGE: f64 = 1e-3;
/// The finest grid's first step away from the plate; the top is at 1.
const WALL: f64 = 5e-7;

/// The flat plate of NASA's turbulence modeling resource (<https://turbmodels.larc.nasa.gov/flatplate.html>), with its nodes:
/// the grids clustered at the leading edge, from 35 x 25 to 545 x 385, and any others with their distribution.
///
/// Boundaries: `wall`, `symmetry` before it, `inlet`, `outlet`, `far_field` above. Collective.
///
/// # Errors
/// Nodes along the plate that are not one more than a multiple of 17, fewer than 2 away from it, more than ranks can hold.
pub fn flat_plate(comm: &Comm, nodes: [u64; 2]) -> Result<ElementMesh, MeshError> {
    divisible(nodes, 17, "35, 69, 137, 273, 545")?;
    let plane = Plane::new(comm, nodes, Join::Nothing)?;
    let step = (END - EQUAL_FROM) / (ALONG - BEFORE - GROWING);
    let before = OneSided::new(LEADING_EDGE / -START, BEFORE as u64);
    let growing = Growing::new(LEADING_EDGE / EQUAL_FROM, step / EQUAL_FROM, GROWING as u64);
    let away = OneSided::new(WALL, AWAY);
    let columns = (nodes[0] - 1) as f64;
    let x = |i: u64| {
        // Steps of the finest grid.
        let s = ALONG * i as f64 / columns;
        if s <= BEFORE {
            START * before.at((BEFORE - s) / BEFORE)
        } else if s <= BEFORE + GROWING {
            EQUAL_FROM * growing.at((s - BEFORE) / GROWING)
        } else {
            END - step * (ALONG - s)
        }
    };
    let plate = 3 * ((nodes[0] - 1) / 17);
    let name = |side: Side, k: u64| match side {
        Side::Bottom if k < plate => "symmetry",
        Side::Bottom => "wall",
        Side::Right => "outlet",
        Side::Top => "far_field",
        Side::Left => "inlet",
    };
    plane.mesh(comm, name, |i, j| [x(i), away.at(j as f64 / (nodes[1] - 1) as f64)])
}
