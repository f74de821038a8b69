//! A channel between two walls.

use cfd_engine::comm::Comm;

use super::spacing::BothSides;
use super::{Join, Plane, Side};
use crate::{ElementMesh, MeshError};

/// The first step away from the walls of a grid with 256 of them, across the height of 1.
const WALL: f64 = 1e-3;
const ACROSS: u64 = 256;
/// The channel's length.
const LENGTH: f64 = 4.0;

/// A channel of height 1 and length 4, in equal columns and rows that grow from both walls.
///
/// Boundaries: `inlet`, `outlet`, `lower`, `upper`. Collective.
///
/// # Errors
/// Fewer than 2 nodes along or across, more than ranks can hold.
pub fn channel(comm: &Comm, nodes: [u64; 2]) -> Result<ElementMesh, MeshError> {
    let plane = Plane::new(comm, nodes, Join::Nothing)?;
    let across = BothSides::new(WALL, ACROSS);
    let name = |side: Side, _| match side {
        Side::Bottom => "lower",
        Side::Right => "outlet",
        Side::Top => "upper",
        Side::Left => "inlet",
    };
    plane.mesh(comm, name, |i, j| {
        let [s, t] = [i as f64 / (nodes[0] - 1) as f64, j as f64 / (nodes[1] - 1) as f64];
        [LENGTH * s, across.at(t)]
    })
}
