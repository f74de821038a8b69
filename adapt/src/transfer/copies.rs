//! Elements held by several ranks: their owners' values.

use super::cavity::sort;
use crate::mesh::{Bytes, Local, Mesh, Numbers};

/// Elements owned by this rank, if `own`, or by the neighbour `rank`, of which the other one holds a copy.
fn shared<const D: usize>(local: &Local<D>, rank: u32, own: bool) -> Vec<u32> {
    let owner = |c: u32| local.vertices.owner[c as usize];
    let is_shared = |&e: &u32| {
        let corners = local.elements.corners(e);
        let (from, to) = if own { (local.rank, rank) } else { (rank, local.rank) };
        owner(corners[0]) == from && corners.iter().any(|&c| owner(c) == to)
    };
    let mut elements: Vec<u32> = local.elements.iter().filter(is_shared).collect();
    sort(local, &mut elements);
    elements
}

impl<const D: usize> Mesh<D> {
    /// The values of cell fields, with copies taken from the elements' owners. Collective.
    pub(crate) fn owners_values(&self) -> Vec<f64> {
        let (local, width) = (&self.local, self.local.elements.width);
        let mut values = local.elements.values.clone();
        if width == 0 || self.comm.size() == 1 {
            return values;
        }
        let ranks = || self.ghosts.neighbours.iter().map(|n| n.rank as u32);
        let message = |rank: u32| -> Vec<u8> {
            let rows = shared(local, rank, true);
            rows.iter()
                .flat_map(|&e| bytemuck::cast_slice::<f64, u8>(local.elements.values(e)))
                .copied()
                .collect()
        };
        let received = self.ghosts.swap_bytes(&self.comm, &ranks().map(message).collect::<Vec<_>>());
        for (rank, message) in ranks().zip(&received) {
            let mut message = Bytes(message);
            for e in shared(local, rank, false) {
                let row = &mut values[e as usize * width..][..width];
                row.iter_mut().for_each(|value| *value = message.get());
            }
        }
        values
    }

    /// Elements of this rank whose values differ from their owners', by their corners. Collective.
    pub(crate) fn differing_copies(&self) -> Vec<Numbers> {
        let local = &self.local;
        let same = |e: u32, owners: &[f64]| {
            local.elements.values(e).iter().zip(owners).all(|(a, b)| a.to_bits() == b.to_bits())
        };
        let width = local.elements.width;
        let owners = self.owners_values();
        let differing = local.elements.iter().filter(|&e| !same(e, &owners[e as usize * width..][..width]));
        differing.map(|e| local.elements.corners(e).iter().copied().collect()).collect()
    }
}
