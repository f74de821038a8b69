//! Back from a dual mesh to the elements that it was derived from.

use cfd_engine::comm::Comm;
use cfd_engine::mesh::{Blocks, Mesh, Values, rows_to_blocks};

use super::{corners, face_nodes, group, kinds};
use crate::elements::{ElementBlock, Groups};
use crate::{ElementKind, ElementMesh};

/// The elements of a mesh, but for the groups of those that fill it and the boundary elements of periodic boundaries.
/// Boundary elements are sorted by the sets of conditions, then as their lowest nodes' faces are. Collective.
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
    let (width, mut rows) = (face_nodes(dim), 0);
    let (mut numbers, mut nodes, mut groups) = (Vec::new(), Vec::new(), Vec::new());
    for set in &mesh.sets {
        let found = mesh.map(&format!("{}_nodes", set.name)).zip(mesh.dat(&format!("{}_boundary", set.name)));
        let Some((map, boundary)) = found else { continue };
        let Values::I32(boundary) = &mesh.dats[boundary].values else { panic!("types are checked") };
        // A ring with fewer nodes than there is room for ends with the first again.
        let is_of_kind =
            |ring: &[u64]| kind.nodes() == if ring[width - 1] == ring[0] { width - 1 } else { width };
        let own: Vec<(&[u64], i32)> = (mesh.maps[map].rows.chunks_exact(width).zip(boundary.iter().copied()))
            .filter(|(ring, _)| is_of_kind(ring) && ring.iter().all(|&node| node >= ring[0]))
            .collect();
        let first = rows + comm.exclusive_sum(own.len() as u64);
        rows += comm.sum(own.len() as u64);
        numbers.extend(first..first + own.len() as u64);
        nodes.extend(own.iter().flat_map(|(ring, _)| &ring[..kind.nodes()]).copied());
        groups.extend(own.iter().map(|(_, group)| *group));
    }
    let blocks = Blocks::new(rows, comm.size());
    let nodes = rows_to_blocks(comm, "nodes of boundary elements", blocks, kind.nodes(), &numbers, &nodes);
    let groups = rows_to_blocks(comm, "groups of boundary elements", blocks, 1, &numbers, &groups);
    ElementBlock { kind, rows, nodes, groups }
}
