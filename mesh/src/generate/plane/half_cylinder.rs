//! The front half of a cylinder in supersonic flow.

use std::f64::consts::PI;

use cfd_engine::comm::Comm;

use super::{Join, Plane, Side};
use crate::{ElementMesh, MeshError};

/// Radius of the cylinder.
const RADIUS: f64 = 0.5;
/// Half axes of the ellipse on which the flow comes in: the bow shocks of Mach numbers from 3 on are within.
const OUTER: [f64; 2] = [1.25, 2.5];

/// The front half of a cylinder of diameter 1 at the origin, x < 0, out to half an ellipse: nodes around, from below to above,
/// and away from it. Boundaries: `cylinder`, `inlet`, and `outlet` above and below. Collective.
///
/// # Errors
/// Fewer than 2 nodes either way, more than ranks can hold.
pub fn half_cylinder(comm: &Comm, nodes: [u64; 2]) -> Result<ElementMesh, MeshError> {
    let plane = Plane::new(comm, nodes, Join::Nothing)?;
    let name = |side: Side, _| match side {
        Side::Bottom => "cylinder",
        Side::Top => "inlet",
        Side::Left | Side::Right => "outlet",
    };
    let columns = nodes[0] - 1;
    plane.mesh(comm, name, |i, j| {
        // Clockwise, so that cells lie to the left of the wall. Both halves are the same bits, and the middle is on the axis.
        let from_end = i.min(columns - i);
        let angle = PI * from_end as f64 / columns as f64;
        let share = j as f64 / (nodes[1] - 1) as f64;
        let [a, b] = OUTER.map(|outer| RADIUS + (outer - RADIUS) * share);
        let y = if 2 * i == columns { 0.0 } else { b * same_math::cos(angle) };
        [0.0 - a * same_math::sin(angle), if 2 * i < columns { -y } else { y }]
    })
}
