//! Bilinear elements: their maps from the unit square, how they meet, and the nodes on the far field.

use super::RING;
use crate::derive::cells;
use crate::derive::view::{Defect, View};

/// Coordinate of the lower of the two Gauss points of the unit interval, (1 - 1/sqrt(3)) / 2.
const GAUSS: f64 = 0.211_324_865_405_187_1;

/// Cells, folded elements, sides with two elements on one side of them, far-field nodes.
pub(super) fn check(view: &View<'_>) -> Result<(), Defect> {
    let corners = &cells::check(view, RING)?;
    view.comm.agree(jacobians(view, corners))?;
    let sides = sides(view);
    view.comm.agree(sides)?;
    let bnodes = bnodes(view);
    view.comm.agree(bnodes)
}

/// The Jacobian of the map from the unit square is positive where the element is integrated.
///
/// ```text
/// x(s, t) = (1-s)(1-t) x0 + s(1-t) x1 + (1-s)t x2 + s t x3,    J = x_s y_t - x_t y_s
/// ```
///
/// An element with positive area may still be folded at one corner. A triangle is not: as its last two nodes coincide,
/// J = 2 (1-t) times its area.
fn jacobians(view: &View<'_>, corners: &[f64]) -> Result<(), Defect> {
    let folded = corners.chunks_exact(8).map(folded);
    match (view.start("cells")..).zip(folded).find_map(|(row, what)| Some((row, what?))) {
        None => Ok(()),
        Some((row, what)) => {
            let what = format!("folded cell: {what} with its nodes at (0,0), (1,0), (0,1), (1,1)");
            Err(view.error("cell_nodes", row, what))
        }
    }
}

/// Where an element with these nodes is folded, if it is.
pub(super) fn folded(x: &[f64]) -> Option<String> {
    for (s, t) in [(GAUSS, GAUSS), (1.0 - GAUSS, GAUSS), (GAUSS, 1.0 - GAUSS), (1.0 - GAUSS, 1.0 - GAUSS)] {
        let along_s = |k: usize| (1.0 - t) * (x[2 + k] - x[k]) + t * (x[6 + k] - x[4 + k]);
        let along_t = |k: usize| (1.0 - s) * (x[4 + k] - x[k]) + s * (x[6 + k] - x[2 + k]);
        let jacobian = along_s(0) * along_t(1) - along_t(0) * along_s(1);
        // Written so that NaN, from overflow, is refused.
        let positive = jacobian > 0.0;
        if !positive {
            return Some(format!(
                "at its Gauss point ({s:.3}, {t:.3}) the Jacobian of its map from the unit square is {jacobian:e}; \
                 expected a convex cell"
            ));
        }
    }
    None
}

/// Two cells that share a side run along it in opposite directions: no direction of a side occurs twice. Sides meet at
/// the owner of their lower node.
fn sides(view: &View<'_>) -> Result<(), Defect> {
    let owners = view.blocks("nodes");
    let mut send: Vec<Vec<[u64; 3]>> = vec![Vec::new(); view.comm.size()];
    for (row, nodes) in (view.start("cells")..).zip(view.map("cell_nodes").chunks_exact(4)) {
        let ring = RING.map(|k| nodes[k]);
        for k in 0..4 {
            let (a, b) = (ring[k], ring[(k + 1) % 4]);
            // A triangle's repeated node is not a side.
            if a != b {
                send[owners.owner(a.min(b))].push([a, b, row]);
            }
        }
    }
    let mut met: Vec<[u64; 3]> = view.comm.all_to_all(send).concat();
    met.sort_unstable();
    match met.windows(2).filter(|w| w[0][..2] == w[1][..2]).min_by_key(|w| w[1][2]) {
        None => Ok(()),
        Some(w) => {
            let [a, b, other] = w[0];
            let what = format!(
                "the side between nodes {a} and {b} belongs to cell {other} in the same direction, so the two cells \
                 overlap; expected one cell on each of its sides"
            );
            Err(view.error("cell_nodes", w[1][2], what))
        }
    }
}

/// Each far-field node is named once: rows meet at the owner of the node.
fn bnodes(view: &View<'_>) -> Result<(), Defect> {
    let owners = view.blocks("nodes");
    let mut send: Vec<Vec<[u64; 2]>> = vec![Vec::new(); view.comm.size()];
    for (row, &node) in (view.start("bnodes")..).zip(view.map("bnode_node")) {
        send[owners.owner(node)].push([node, row]);
    }
    let mut met: Vec<[u64; 2]> = view.comm.all_to_all(send).concat();
    met.sort_unstable();
    match met.windows(2).find(|w| w[0][0] == w[1][0]) {
        None => Ok(()),
        Some(w) => {
            let what = format!("duplicate far-field node: row {} is also node {}", w[0][1], w[0][0]);
            Err(view.error("bnode_node", w[1][1], what))
        }
    }
}
