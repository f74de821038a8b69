//! Redistributes the vertices among the ranks.

use cfd_engine::mesh::{Blocks, fetch_rows};
use cfd_partition::{Options, PartitionError, Primary, partition};

use super::Mesh;
use super::canonical::names;

impl<const D: usize> Mesh<D> {
    /// Redistributes the vertices among the ranks and moves them there; the mesh itself does not change. Collective.
    ///
    /// # Errors
    /// The partitioner's error, the same on all ranks; the mesh then stays where it was.
    pub fn balance(&mut self, options: &Options) -> Result<(), PartitionError> {
        if self.comm.size() == 1 {
            return Ok(());
        }
        let canonical = self.canonical();
        let primary = Primary {
            coordinates: names::X.into(),
            ..Primary::located(names::VERTICES, names::ELEMENT_VERTICES)
        };
        let parts = partition(&self.comm, &canonical.mesh, &primary, self.comm.size(), options)?;
        let own: Vec<u32> = self.local.own_vertices().collect();
        let rows: Vec<u64> = own.iter().map(|&v| canonical.vertex_rows[v as usize]).collect();
        let blocks = Blocks::new(canonical.mesh.sets[0].rows, self.comm.size());
        let owners = fetch_rows(&self.comm, blocks, 1, &parts.owners, &rows);
        let mut owner = vec![0; self.local.vertices.len()];
        own.iter().zip(owners).for_each(|(&v, rank)| owner[v as usize] = rank as usize);
        self.migrate(|v| owner[v as usize]);
        Ok(())
    }

    /// The largest number of vertices on a rank relative to the mean. Collective.
    pub fn imbalance(&self) -> f64 {
        let own = self.local.own_vertices().count() as u64;
        let (most, all) = (self.comm.max(own), self.comm.sum(own));
        most as f64 * self.comm.size() as f64 / all as f64
    }
}
