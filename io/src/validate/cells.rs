//! Checks cells individually and against each other.

use cfd_engine::mesh::fetch_rows;

use super::View;
use crate::IoError;

/// Nodes, areas, duplicates, unused nodes. Returns the coordinates of this rank's cells' nodes.
pub(super) fn check(view: &View<'_>) -> Result<Vec<f64>, IoError> {
    view.comm.agree(distinct_nodes(view))?;
    let corners = fetch_rows(view.comm, view.blocks("nodes"), 2, view.x(), view.map("cell_nodes"));
    view.comm.agree(areas(view, &corners))?;
    let duplicates = duplicates(view);
    view.comm.agree(duplicates)?;
    let unused = unused_nodes(view, "nodes", "cell_nodes", "cell");
    view.comm.agree(unused)?;
    Ok(corners)
}

/// A cell's nodes are distinct, except for the last, which a triangle repeats.
fn distinct_nodes(view: &View<'_>) -> Result<(), IoError> {
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

/// Cells have a positive area, with their nodes in the topology's order.
fn areas(view: &View<'_>, corners: &[f64]) -> Result<(), IoError> {
    let ring = view.schema.ring;
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
fn duplicates(view: &View<'_>) -> Result<(), IoError> {
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
pub(super) fn unused_nodes(
    view: &View<'_>,
    nodes: &str,
    corners: &str,
    element: &str,
) -> Result<(), IoError> {
    let owners = view.blocks(nodes);
    let mut send: Vec<Vec<u64>> = vec![Vec::new(); view.comm.size()];
    for &node in view.map(corners) {
        send[owners.owner(node)].push(node);
    }
    let own = owners.range(view.comm.rank());
    let mut used = vec![false; (own.end - own.start) as usize];
    for node in view.comm.all_to_all(send).concat() {
        used[(node - own.start) as usize] = true;
    }
    match used.iter().position(|used| !used) {
        None => Ok(()),
        Some(k) => {
            let what = format!(
                "extra row: the node belongs to no {element}; remove it or add the missing {element}s"
            );
            Err(view.error("x", own.start + k as u64, what))
        }
    }
}
