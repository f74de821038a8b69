//! Pieces of the file's order.

use cfd_engine::comm::Comm;
use cfd_engine::mesh::{Blocks, Mesh};

use super::{Partitioner, Partitioning};
use crate::check::block_rows;
use crate::primary::find;
use crate::{Load, PartitionError, Primary};

/// Part p gets the rows `floor(p n / parts) .. floor((p + 1) n / parts)`; with weights, the rows whose preceding weight
/// lies in its share.
#[derive(Clone, Copy, Debug)]
pub struct Block;

impl Partitioner for Block {
    fn partition(
        &self,
        comm: &Comm,
        mesh: &Mesh,
        primary: &Primary,
        load: &Load,
    ) -> Result<Partitioning, PartitionError> {
        let set = find(primary, mesh)?.set;
        let rows = block_rows(comm, mesh, set);
        let mut before = comm.exclusive_sum((0..rows).map(|i| load.weight(i)).sum());
        let starts = &load.starts()[1..load.parts()];
        let owner = |i| {
            let part = starts.partition_point(|&start| start <= before) as u32;
            before += load.weight(i);
            part
        };
        Ok(Partitioning { parts: load.parts(), owners: (0..rows).map(owner).collect(), note: None })
    }
}

/// The blocks of any set, for this rank's rows.
pub(crate) fn block_owners(comm: &Comm, mesh: &Mesh, set: usize, parts: usize) -> Vec<u32> {
    let blocks = Blocks::new(mesh.sets[set].rows, parts);
    mesh.blocks(set, comm).range(comm.rank()).map(|row| blocks.owner(row) as u32).collect()
}
