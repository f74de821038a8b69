//! The layout of a single rank, which has the whole mesh: every row stays where it is, without halos.

use cfd_engine::layout::{Layout, LocalDat, LocalMap, LocalSet};
use cfd_engine::memory;
use cfd_engine::mesh::{Mesh, MeshDat, MeshMap};

/// What [`distribute_in_order`](crate::distribute_in_order) returns on one rank, without any messages. Mesh and keys
/// have been checked.
pub(crate) fn whole(mesh: Mesh, keys: &[Vec<u64>]) -> Layout {
    let sets = mesh.sets.into_iter().zip(keys).map(|(set, keys)| {
        let rows = set.rows as usize;
        let mut global_ids = memory::with_capacity(rows);
        global_ids.extend(0..set.rows);
        LocalSet {
            name: set.name,
            global_rows: set.rows,
            core: rows,
            owned: rows,
            global_ids,
            order_keys: keys.clone(),
            ..LocalSet::default()
        }
    });
    let maps = mesh.maps.into_iter().map(|MeshMap { name, from, to, arity, rows }| {
        // In memory of their own: that of the ids is twice as large, and would be held just as long.
        let mut indices = memory::with_capacity(rows.len());
        indices.extend(rows.into_iter().map(|id| id as u32));
        LocalMap { name, from, to, arity, indices }
    });
    let dats =
        mesh.dats.into_iter().map(|MeshDat { name, set, dim, values }| LocalDat { name, set, dim, values });
    Layout { sets: sets.collect(), maps: maps.collect(), dats: dats.collect() }
}
