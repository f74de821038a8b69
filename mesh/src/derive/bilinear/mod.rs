//! Bilinear elements in the plane, and the nodes on the far field.

mod check;
#[cfg(test)]
mod tests;

use cfd_engine::comm::Comm;
use cfd_engine::mesh::{Blocks, Mesh, Values, fetch_rows};

use super::cell_edges::{cells, plane_cells};
use super::faces::{Faces, ring};
use super::primary::Primary;
use super::schema::{Schema, Table};
use super::stars::{Stars, row_of};
use super::{Cells, Derived, Request};
use crate::blocks::blocks_of;
use crate::{ElementMesh, FAR_FIELD, Groups, MeshError};

/// Elements whose nodes are at (0,0), (1,0), (0,1), (1,1) of the unit square, and the nodes on the far field, ascending. A
/// triangle's last node is repeated.
pub static BILINEAR: Derived = Derived {
    tag: "aero",
    about: "bilinear elements",
    dimensions: &[2],
    has_levels: false,
    cells: Cells { set: "cells", nodes: "nodes", corners: "cell_nodes", ring: Some(RING), coordinates: "x" },
    schema: |_, _| schema(),
    primary: |_| Primary::located("nodes", "cell_nodes"),
    derive,
    elements: Some(elements),
    check: check::check,
};

/// Positions in a row of `cell_nodes` that go around the element counter-clockwise.
const RING: [usize; 4] = [0, 1, 3, 2];

fn schema() -> Schema {
    let tables = vec![
        Table::map("cell_nodes", "cells", "nodes", 4),
        Table::map("bnode_node", "bnodes", "nodes", 1),
        Table::coordinates(2),
    ];
    Schema::new(["nodes", "cells", "bnodes"], &["nodes", "cells"], tables)
}

fn derive(comm: &Comm, mesh: &ElementMesh, request: &Request<'_>) -> Result<Mesh, MeshError> {
    let (stars, outer) = (Stars::new(comm, mesh, false), Stars::new(comm, mesh, true));
    let faces = Faces::new(comm, mesh, &stars, &outer)?;
    let is_far = |line: u32| request.boundaries.flag(outer.groups[line as usize]) == FAR_FIELD.flag;
    let far = faces.boundary.iter().filter(|(_, line)| is_far(*line));
    let nodes = mesh.node_blocks(comm);
    // Sides belong to the owner of their lower node; the higher one may be another's.
    let mut send: Vec<Vec<u64>> = vec![Vec::new(); comm.size()];
    for node in far.flat_map(|(face, _)| ring(&stars, *face)) {
        send[nodes.owner(node)].push(node);
    }
    let mut own = comm.all_to_all(send).concat();
    own.sort_unstable();
    own.dedup();
    let (bnode_rows, bnodes) = blocks_of(comm, 1, &own);

    let (cell_rows, corners) = cells(comm, mesh);
    let corners: Vec<u64> =
        corners.as_chunks::<4>().0.iter().flat_map(|cell| RING.map(|k| cell[k])).collect();
    convex(comm, mesh, cell_rows, &corners)?;
    let mut derived = Mesh::default();
    let node_set = derived.add_set("nodes", nodes.rows);
    let cell_set = derived.add_set("cells", cell_rows);
    let bnode_set = derived.add_set("bnodes", bnode_rows);
    derived.add_map("cell_nodes", cell_set, node_set, 4, corners);
    derived.add_map("bnode_node", bnode_set, node_set, 1, bnodes);
    derived.add_dat("x", node_set, 2, Values::F64(mesh.x().to_vec()));
    Ok(derived)
}

/// Refuses elements that are folded. Collective.
fn convex(comm: &Comm, mesh: &ElementMesh, rows: u64, corners: &[u64]) -> Result<(), MeshError> {
    let first = Blocks::new(rows, comm.size()).range(comm.rank()).start;
    let corners = fetch_rows(comm, mesh.node_blocks(comm), 2, mesh.x(), corners);
    let folded = (first..).zip(corners.chunks_exact(8)).find_map(|(place, x)| {
        let (what, (kind, row)) = (check::folded(x)?, row_of(mesh, false, place));
        let [x, y] = [0, 1].map(|k| 0.25 * (x[k] + x[2 + k] + x[4 + k] + x[6 + k]));
        Some(MeshError::Element(format!("{kind} {row}, at ({x}, {y}), is folded: {what}")))
    });
    comm.agree(folded.map_or(Ok(()), Err))
}

/// The elements; their boundary is not known. Collective.
fn elements(comm: &Comm, mesh: &Mesh) -> ElementMesh {
    let map = &mesh.maps[mesh.map("cell_nodes").expect("it has its schema's maps")];
    let Values::F64(x) = &mesh.dats[mesh.dat("x").expect("it has coordinates")].values else {
        panic!("types are checked")
    };
    let nodes = mesh.sets[map.to].rows;
    let blocks = plane_cells(comm, &map.rows, RING);
    ElementMesh::from_blocks(2, nodes, x.clone(), blocks, Groups::default())
}
