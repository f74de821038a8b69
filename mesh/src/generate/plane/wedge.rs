//! A wedge in supersonic flow.

use cfd_engine::comm::Comm;

use super::{Join, Plane, Side, divisible};
use crate::{ElementMesh, MeshError};

/// The tangent of 10 degrees, correctly rounded.
const SLOPE: f64 = 0.176_326_980_708_464_98;

/// A wedge of 10 degrees that rises from (0, 0), in a channel from -0.5 to 1 whose top is at 1, in equal columns and rows.
///
/// Boundaries: `inlet`, `outlet`, `lower`, `upper`. Collective.
///
/// # Errors
/// Nodes along the wedge that are not one more than a multiple of 3, fewer than 2 across, more than ranks can hold.
pub fn wedge(comm: &Comm, nodes: [u64; 2]) -> Result<ElementMesh, MeshError> {
    divisible(nodes, 3, "76, 151, 301")?;
    let plane = Plane::new(comm, nodes, Join::Nothing)?;
    let name = |side: Side, _| match side {
        Side::Bottom => "lower",
        Side::Right => "outlet",
        Side::Top => "upper",
        Side::Left => "inlet",
    };
    plane.mesh(comm, name, |i, j| {
        let x = 1.5 * i as f64 / (nodes[0] - 1) as f64 - 0.5;
        let low = SLOPE * x.max(0.0);
        [x, low + (1.0 - low) * j as f64 / (nodes[1] - 1) as f64]
    })
}
