//! Pieces of a Hilbert curve.
//!
//! 1. The centroids are scaled, all axes alike, so that the longest side of their bounding box has 2^32 steps.
//! 2. An element's key is its centroid's position along the Hilbert curve through that cube, 32 bits per axis.
//! 3. The order of (key, global id) is cut into equal pieces ([`select`](crate::select)).
//!
//! The curve itself is in [`curve`](crate::curve).

use cfd_engine::comm::Comm;
use cfd_engine::mesh::Mesh;

use super::{Partitioner, Partitioning};
use crate::centroid::centroids;
use crate::curve::{AXIS_BITS, Cube};
use crate::primary::find;
use crate::select::split_by_key;
use crate::{Load, PartitionError, Primary};

/// Pieces of the Hilbert curve through the elements' centroids.
#[derive(Clone, Copy, Debug)]
pub struct Hilbert;

impl Partitioner for Hilbert {
    fn partition(
        &self,
        comm: &Comm,
        mesh: &Mesh,
        primary: &Primary,
        load: &Load,
    ) -> Result<Partitioning, PartitionError> {
        let found = find(primary, mesh)?;
        let axes = centroids(comm, mesh, found.nodes, found.coordinates)?;
        let keys = Cube::around(comm, &axes).positions(&axes);
        let key_bits = AXIS_BITS * axes.len() as u32;
        let owners = split_by_key(comm, mesh.blocks(found.set, comm), load, key_bits, &keys);
        Ok(Partitioning { parts: load.parts(), owners, note: None })
    }
}
