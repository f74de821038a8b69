//! Checks cells individually and against each other.

use cfd_engine::comm::Comm;
use cfd_engine::mesh::{Blocks, fetch_rows};

use crate::derive::view::{Defect, View};
use crate::{ElementMesh, MeshError};

/// Nodes, areas, duplicates, unused nodes. Returns the coordinates of this rank's cells' nodes.
pub(super) fn check(view: &View<'_>, ring: [usize; 4]) -> Result<Vec<f64>, Defect> {
    view.comm.agree(distinct_nodes(view))?;
    let corners = fetch_rows(view.comm, view.blocks("nodes"), 2, view.x(), view.map("cell_nodes"));
    view.comm.agree(areas(view, ring, &corners))?;
    let duplicates = duplicates(view);
    view.comm.agree(duplicates)?;
    let unused = unused_nodes(view, "nodes", "cell_nodes", "cell");
    view.comm.agree(unused)?;
    Ok(corners)
}

/// A cell's nodes are distinct, except for the last, which a triangle repeats.
fn distinct_nodes(view: &View<'_>) -> Result<(), Defect> {
    for (row, nodes) in (view.start("cells")..).zip(view.map("cell_nodes").chunks_exact(4)) {
        let repeated = (0..4).flat_map(|k| (0..k).map(move |l| (l, k))).find(|&(l, k)| {
            let triangle = (l, k) == (2, 3);
            nodes[l] == nodes[k] && !triangle
        });
        if let Some((l, k)) = repeated {
            let what = format!(
                "degenerate cell: node {} is both its node {l} and its node {k}; only a triangle's last node may be repeated",
                nodes[k]
            );
            return Err(view.error("cell_nodes", row, what));
        }
    }
    Ok(())
}

/// Cells have a positive area, with their nodes in the order that `ring` goes around them.
fn areas(view: &View<'_>, ring: [usize; 4], corners: &[f64]) -> Result<(), Defect> {
    let order = if ring == [0, 1, 2, 3] {
        "a cell's nodes run counter-clockwise around a positive area"
    } else {
        "a cell's nodes are at (0,0), (1,0), (0,1), (1,1) of a unit square that is mapped to a positive area"
    };
    for (row, x) in (view.start("cells")..).zip(corners.chunks_exact(8)) {
        // Half the cross product of the diagonals: the area of a quadrilateral, and of a triangle
        // whose last node is repeated.
        let [a, b, c, d] = ring.map(|k| [x[2 * k], x[2 * k + 1]]);
        let area = 0.5 * ((c[0] - a[0]) * (d[1] - b[1]) - (d[0] - b[0]) * (c[1] - a[1]));
        // Written so that NaN, from overflow, is refused.
        let positive = area > 0.0;
        if !positive {
            let what = format!("degenerate cell: its area is {area:e}; {order}");
            return Err(view.error("cell_nodes", row, what));
        }
    }
    Ok(())
}

/// No two cells have the same nodes: cells meet at the owner of their lowest node and are compared there.
fn duplicates(view: &View<'_>) -> Result<(), Defect> {
    let owners = view.blocks("nodes");
    let mut send: Vec<Vec<[u64; 5]>> = vec![Vec::new(); view.comm.size()];
    for (row, nodes) in (view.start("cells")..).zip(view.map("cell_nodes").chunks_exact(4)) {
        let mut key = [nodes[0], nodes[1], nodes[2], nodes[3]];
        key.sort_unstable();
        send[owners.owner(key[0])].push([key[0], key[1], key[2], key[3], row]);
    }
    let mut met: Vec<[u64; 5]> = view.comm.all_to_all(send).concat();
    met.sort_unstable();
    match met.windows(2).find(|w| w[0][..4] == w[1][..4]) {
        None => Ok(()),
        Some(w) => {
            let what = format!("duplicate cell: row {} has the same nodes", w[0][4]);
            Err(view.error("cell_nodes", w[1][4], what))
        }
    }
}

/// Every node, of which `nodes` is the set, belongs to a cell, or to an element with corners by another name.
pub(super) fn unused_nodes(view: &View<'_>, nodes: &str, corners: &str, element: &str) -> Result<(), Defect> {
    match unused(view.comm, view.blocks(nodes), view.map(corners).iter().copied()) {
        None => Ok(()),
        Some(node) => {
            let what = format!(
                "extra row: the node belongs to no {element}; remove it or add the missing {element}s"
            );
            Err(view.error("x", node, what))
        }
    }
}

/// Every node of a mesh belongs to an element that fills the domain. Collective.
///
/// # Errors
/// The first node that does not.
pub(crate) fn every_node_is_used(comm: &Comm, mesh: &ElementMesh) -> Result<(), MeshError> {
    let blocks = mesh.node_blocks(comm);
    let lists = mesh.elements();
    let corners = lists.iter().filter(|list| !list.boundary).flat_map(|list| list.nodes).copied();
    let refused = unused(comm, blocks, corners).map(|node| {
        let at = (node - blocks.range(comm.rank()).start) as usize * mesh.dimension();
        let x: Vec<String> = mesh.x()[at..at + mesh.dimension()].iter().map(f64::to_string).collect();
        let what = format!("the node {node}, at ({}), belongs to no element; remove it", x.join(", "));
        MeshError::Element(what)
    });
    comm.agree(refused.map_or(Ok(()), Err))
}

/// The first node of this rank that is not among the corners of any rank's elements. Collective.
fn unused(comm: &Comm, nodes: Blocks, corners: impl Iterator<Item = u64>) -> Option<u64> {
    let mut send: Vec<Vec<u64>> = vec![Vec::new(); comm.size()];
    corners.for_each(|node| send[nodes.owner(node)].push(node));
    let own = nodes.range(comm.rank());
    let mut used = vec![false; (own.end - own.start) as usize];
    for node in comm.all_to_all(send).concat() {
        used[(node - own.start) as usize] = true;
    }
    own.zip(used).find(|(_, used)| !used).map(|(node, _)| node)
}
