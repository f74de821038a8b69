//! Pieces of the file's order.

use cfd_engine::comm::Comm;
use cfd_engine::mesh::{Blocks, Mesh};

use super::{Partitioner, Partitioning};
use crate::{PartitionError, Primary};

/// Part p gets the rows `floor(p n / parts) .. floor((p + 1) n / parts)`.
#[derive(Clone, Copy, Debug)]
pub struct Block;

impl Partitioner for Block {
    fn partition(
        &self,
        comm: &Comm,
        mesh: &Mesh,
        primary: &Primary,
        parts: usize,
    ) -> Result<Partitioning, PartitionError> {
        let set = primary.find(mesh)?.set;
        let owners = block_owners(comm, mesh, set, parts);
        Ok(Partitioning { parts, owners, note: None })
    }
}

/// The blocks of any set, for this rank's rows.
pub(crate) fn block_owners(comm: &Comm, mesh: &Mesh, set: usize, parts: usize) -> Vec<u32> {
    let blocks = Blocks::new(mesh.sets[set].rows, parts);
    mesh.blocks(set, comm).range(comm.rank()).map(|row| blocks.owner(row) as u32).collect()
}
