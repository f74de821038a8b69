//! Back from a dual mesh to the elements that it was derived from.

use cfd_engine::comm::Comm;
use cfd_engine::mesh::{Blocks, Mesh, Values, rows_to_blocks};

use super::{corners, face_nodes, group, kinds};
use crate::elements::{ElementBlock, Groups};
use crate::{ElementKind, ElementMesh};

/// The elements of a mesh, but for the groups of those that fill it.
/// Boundary elements are sorted by their nodes, the lowest first, as in a mesh that was adapted. Collective.
pub(super) fn elements(comm: &Comm, mesh: &Mesh) -> ElementMesh {
    let coordinates = &mesh.dats[mesh.dat("x").expect("a dual mesh has coordinates")];
    let Values::F64(x) = &coordinates.values else { panic!("types are checked") };
    let dim = coordinates.dim;
    let filling = kinds(dim).map(|kind| {
        let map = &mesh.maps[mesh.map(&corners(kind)).expect("a dual mesh has its schema's maps")];
        let groups = match mesh.dat(&group(kind)).map(|dat| &mesh.dats[dat].values) {
            Some(Values::I32(groups)) => groups.clone(),
            _ => vec![0; map.rows.len() / kind.nodes()],
        };
        ElementBlock { kind, rows: mesh.sets[map.from].rows, nodes: map.rows.clone(), groups }
    });
    let boundary = kinds(dim - 1).map(|kind| boundary_elements(comm, mesh, dim, kind));
    let blocks = filling.chain(boundary).collect();
    ElementMesh::from_blocks(dim, mesh.sets[coordinates.set].rows, x.clone(), blocks, Groups::default())
}

/// The boundary elements of a kind: of their faces, one for each node, that of the lowest. Collective.
fn boundary_elements(comm: &Comm, mesh: &Mesh, dim: usize, kind: ElementKind) -> ElementBlock {
    let width = face_nodes(dim);
    // Each element goes to the rank with the block of its lowest node.
    let x = mesh.dat("x").expect("a dual mesh has coordinates");
    let ranks = Blocks::new(mesh.sets[mesh.dats[x].set].rows, comm.size());
    let mut send = vec![Vec::new(); comm.size()];
    for set in &mesh.sets {
        let found = mesh.map(&format!("{}_nodes", set.name)).zip(mesh.dat(&format!("{}_boundary", set.name)));
        let Some((map, boundary)) = found else { continue };
        let Values::I32(boundary) = &mesh.dats[boundary].values else { panic!("types are checked") };
        // A ring with fewer nodes than there is room for ends with the first again.
        let is_of_kind =
            |ring: &[u64]| kind.nodes() == if ring[width - 1] == ring[0] { width - 1 } else { width };
        for (ring, &group) in mesh.maps[map].rows.chunks_exact(width).zip(boundary) {
            if is_of_kind(ring) && ring.iter().all(|&node| node >= ring[0]) {
                let to: &mut Vec<u64> = &mut send[ranks.owner(ring[0])];
                to.extend(&ring[..kind.nodes()]);
                to.push(u64::from(group.cast_unsigned()));
            }
        }
    }
    let found = comm.all_to_all(send).concat();
    let mut found: Vec<&[u64]> = found.chunks_exact(kind.nodes() + 1).collect();
    found.sort_unstable();
    let first = comm.exclusive_sum(found.len() as u64);
    let numbers: Vec<u64> = (first..).take(found.len()).collect();
    let nodes: Vec<u64> = found.iter().flat_map(|row| &row[..kind.nodes()]).copied().collect();
    let groups: Vec<i32> = found.iter().map(|row| (row[kind.nodes()] as u32).cast_signed()).collect();
    let blocks = Blocks::new(comm.sum(found.len() as u64), comm.size());
    let rows = blocks.rows;
    let nodes = rows_to_blocks(comm, "nodes of boundary elements", blocks, kind.nodes(), &numbers, &nodes);
    let groups = rows_to_blocks(comm, "groups of boundary elements", blocks, 1, &numbers, &groups);
    ElementBlock { kind, rows, nodes, groups }
}
