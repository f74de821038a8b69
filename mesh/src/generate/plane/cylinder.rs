//! O-grids around a cylinder.

use std::f64::consts::PI;

use cfd_engine::comm::Comm;

use super::spacing::OneSided;
use super::{Join, Plane, Side};
use crate::{ElementMesh, MeshError};

/// Radii of the cylinder and of the far field.
const RADIUS: f64 = 0.5;
const FAR: f64 = 20.0;
/// The first step away from the wall of a grid with 256 of them.
const WALL: f64 = 1e-3;
const AWAY: u64 = 256;

/// An O-grid around a cylinder of diameter 1, to a distance of 20: nodes around, the first of which is the last, and away
/// from it. Boundaries: `cylinder`, `far_field`. Collective.
///
/// # Errors
/// Fewer than 4 nodes around or 2 away from the wall, more than ranks can hold.
pub fn cylinder(comm: &Comm, nodes: [u64; 2]) -> Result<ElementMesh, MeshError> {
    grid(comm, nodes, FAR, OneSided::new(WALL / (FAR - RADIUS), AWAY))
}

/// The same to the distance `far` from the middle, with the first step `wall` away from the cylinder. Collective.
///
/// # Errors
/// The same; a far field inside the cylinder.
pub fn cylinder_from(comm: &Comm, nodes: [u64; 2], wall: f64, far: f64) -> Result<ElementMesh, MeshError> {
    if far <= RADIUS + wall {
        let what = format!("the far field at {far} is not outside the cylinder, whose radius is {RADIUS}");
        return Err(MeshError::Generate(what));
    }
    grid(comm, nodes, far, OneSided::new(wall / (far - RADIUS), nodes[1].saturating_sub(1)))
}

/// The grid to the distance `far` with these steps away from the wall.
fn grid(comm: &Comm, nodes: [u64; 2], far: f64, away: OneSided) -> Result<ElementMesh, MeshError> {
    let plane = Plane::new(comm, nodes, Join::Around)?;
    let name = |side: Side, _| if side == Side::Bottom { "cylinder" } else { "far_field" };
    plane.mesh(comm, name, |i, j| {
        // Clockwise, so that cells lie to the left of the wall.
        let angle = -2.0 * PI * i as f64 / (nodes[0] - 1) as f64;
        let r = RADIUS + (far - RADIUS) * away.at(j as f64 / (nodes[1] - 1) as f64);
        [r * same_math::cos(angle), r * same_math::sin(angle)]
    })
}
