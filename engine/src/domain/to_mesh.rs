//! From a domain back to a mesh.

use super::Domain;
use crate::driver::backend::BackendError;
use crate::model::any::AnyDat;
use crate::store::mesh::{Blocks, Mesh, rows_to_blocks};

impl Domain {
    /// The current mesh: all sets and maps as they were given, and all dats with their current values, including those
    /// made since (except transients). Each rank has its blocks of rows in global order, as before the mesh was
    /// distributed, whatever the ranks and the partitioner. Runs what was recorded. Collective.
    ///
    /// # Errors
    /// A device on some rank has failed; every rank gets the error.
    pub fn to_mesh(&mut self) -> Result<Mesh, BackendError> {
        self.flush()?;
        let comm = self.state.comm.clone();
        let mut mesh = Mesh::default();
        for set in &self.state.sets {
            mesh.add_set(&set.name, set.global_rows);
        }
        for index in 0..self.state.maps.len() {
            let map = &self.state.maps[index];
            let (from, to) = (&self.state.sets[map.from], &self.state.sets[map.to]);
            let targets = &self.state.local.maps[index][..from.owned * map.arity];
            let targets: Vec<u64> = targets.iter().map(|&target| to.global_ids[target as usize]).collect();
            let blocks = Blocks::new(from.global_rows, comm.size());
            let ids = &from.global_ids[..from.owned];
            let rows = rows_to_blocks(&comm, &map.name, blocks, map.arity, ids, &targets);
            mesh.add_map(&map.name, map.from, map.to, map.arity, rows);
        }
        for index in 0..self.state.dats.len() {
            if self.state.dats[index].transient {
                continue;
            }
            let (set, dim) = (self.state.dats[index].set, self.state.dats[index].dim);
            let element = self.state.local.storages[index].element_type();
            let dat = AnyDat { id: index as u32, set: self.set_handle(set), dim, element };
            let values = dat.read_block(self)?;
            mesh.add_dat(self.name_of(dat), set, dim, values);
        }
        Ok(mesh)
    }
}
