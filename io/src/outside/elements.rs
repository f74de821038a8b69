//! Bilinear elements: the cells with their nodes reordered, and the far-field nodes.

use cfd_engine::comm::Comm;
use cfd_engine::mesh::{Mesh, Values};
use cfd_mesh::{FAR_FIELD, blocks_of};

use super::Described;
use super::cells::CELL;

/// The mesh of bilinear elements. Collective.
///
/// A cell's nodes go around it; an element's are at (0,0), (1,0), (0,1), (1,1) of the unit square. A triangle's last node
/// is repeated in both.
pub(super) fn mesh(comm: &Comm, found: Described) -> Mesh {
    let (bnode_rows, bnodes) = far_field_nodes(comm, &found);
    let Described { nodes, cell_rows, cells, .. } = found;
    let corners = cells.chunks_exact(CELL).flat_map(|cell| [cell[1], cell[2], cell[4], cell[3]]);
    let corners = corners.collect();

    let mut mesh = Mesh::default();
    let node_set = mesh.add_set("nodes", nodes.rows);
    let cell_set = mesh.add_set("cells", cell_rows);
    let bnode_set = mesh.add_set("bnodes", bnode_rows);
    mesh.add_map("cell_nodes", cell_set, node_set, 4, corners);
    mesh.add_map("bnode_node", bnode_set, node_set, 1, bnodes);
    mesh.add_dat("x", node_set, 2, Values::F64(nodes.x));
    mesh
}

/// The nodes of far-field edges, each once, ascending: their number, and this rank's block. Duplicates meet at the
/// nodes' owners.
fn far_field_nodes(comm: &Comm, found: &Described) -> (u64, Vec<u64>) {
    let owners = found.nodes.blocks(comm);
    let mut send: Vec<Vec<u64>> = vec![Vec::new(); comm.size()];
    for (&flag, edge) in found.bound.iter().zip(found.edges.bedges.chunks_exact(3)) {
        if flag == FAR_FIELD.flag {
            edge[..2].iter().for_each(|&node| send[owners.owner(node)].push(node));
        }
    }
    let mut own = comm.all_to_all(send).concat();
    own.sort_unstable();
    own.dedup();
    blocks_of(comm, 1, &own)
}
