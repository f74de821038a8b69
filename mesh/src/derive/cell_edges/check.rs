//! Sides of cells, edges and boundary edges fit together.
//!
//! A cell's side k goes from its node k to its node k+1, with the cell on its left. So an edge (a, b) whose first cell
//! lies on its right is the side (b, a) of the first cell and the side (a, b) of the second; a boundary edge (a, b) is
//! the side (b, a) of its cell.

use cfd_engine::mesh::fetch_rows;

use super::RING;
use crate::derive::cells;
use crate::derive::view::{Defect, View};

/// Maximum distance, in edge lengths, between the two copies of a cut line's nodes.
const CUT_TOLERANCE: f64 = 1e-3;

/// A claim on one side of a cell: cell, side, row of the edge.
type Claim = [u64; 3];

/// Flags, cells; edges fit their cells and together cover each side once.
pub(super) fn check(view: &View<'_>) -> Result<(), Defect> {
    view.comm.agree(flags(view))?;
    cells::check(view, RING)?;
    let edges = edges(view)?;
    let bedges = bedges(view)?;
    let covered = coverage(view, edges, bedges);
    view.comm.agree(covered)
}

/// Flags are those of known kinds of boundaries.
fn flags(view: &View<'_>) -> Result<(), Defect> {
    let (bound, kinds) = (view.integers("bound"), view.kinds);
    match bound.iter().position(|&flag| !kinds.iter().any(|kind| kind.flag == flag)) {
        None => Ok(()),
        Some(k) => {
            let known: Vec<String> =
                kinds.iter().map(|kind| format!("{} ({})", kind.flag, kind.words())).collect();
            let what = format!("the flag {} is unknown; a boundary edge is {}", bound[k], known.join(" or "));
            Err(view.error("bound", view.start("bedges") + k as u64, what))
        }
    }
}

/// The side of a cell that goes from one node to another.
fn side(cell: &[u64], from: u64, to: u64) -> Option<u64> {
    (0..4).find(|&k| cell[k] == from && cell[(k + 1) % 4] == to).map(|k| k as u64)
}

const ORIENTATION: &str = "wrong orientation: the first cell must lie to the right of the direction from the first \
    node to the second; swap the nodes or the cells";

/// The sides that the edges claim; a side is found in the cell by its nodes or, at a cut line, by its position.
fn edges(view: &View<'_>) -> Result<Vec<Claim>, Defect> {
    let start = view.start("edges");
    let (edge_nodes, edge_cells) = (view.map("edge_nodes"), view.map("edge_cells"));
    let cell_nodes = fetch_rows(view.comm, view.blocks("cells"), 4, view.map("cell_nodes"), edge_cells);
    let mut claims = Vec::with_capacity(edge_cells.len());
    // Claims that only the coordinates can settle: index of the edge, and 0 or 1 for its cell.
    let mut at_cut: Vec<(usize, usize)> = Vec::new();
    let mut by_nodes = || {
        for (k, nodes) in edge_nodes.chunks_exact(2).enumerate() {
            let (a, b) = (nodes[0], nodes[1]);
            let row = start + k as u64;
            let cells = &edge_cells[2 * k..2 * k + 2];
            if cells[0] == cells[1] {
                let what = format!("both cells are {}; an edge lies between two different cells", cells[0]);
                return Err(view.error("edge_cells", row, what));
            }
            let of = |which: usize| &cell_nodes[4 * (2 * k + which)..4 * (2 * k + which) + 4];
            let right = [side(of(0), b, a), side(of(1), a, b)];
            let wrong = [side(of(0), a, b), side(of(1), b, a)];
            if right == [None, None] {
                return Err(if wrong == [None, None] {
                    let what = format!(
                        "the nodes {a} and {b} are not a side of cell {} nor of cell {}; expected neighbouring nodes of both cells",
                        cells[0], cells[1]
                    );
                    view.error("edge_nodes", row, what)
                } else {
                    view.error("edge_nodes", row, ORIENTATION.into())
                });
            }
            for which in [0, 1] {
                match right[which] {
                    Some(side) => claims.push([cells[which], side, row]),
                    None => at_cut.push((k, which)),
                }
            }
        }
        Ok(())
    };
    let by_nodes = by_nodes();
    view.comm.agree(by_nodes)?;
    let by_place = cut_sides(view, &cell_nodes, &at_cut);
    claims.extend(view.comm.agree(by_place)?);
    Ok(claims)
}

/// The sides at the position of edges whose nodes the cell does not have.
fn cut_sides(view: &View<'_>, cell_nodes: &[u64], at_cut: &[(usize, usize)]) -> Result<Vec<Claim>, Defect> {
    let (edge_nodes, edge_cells) = (view.map("edge_nodes"), view.map("edge_cells"));
    let mut wanted = Vec::with_capacity(6 * at_cut.len());
    for &(k, which) in at_cut {
        wanted.extend(&edge_nodes[2 * k..2 * k + 2]);
        wanted.extend(&cell_nodes[4 * (2 * k + which)..4 * (2 * k + which) + 4]);
    }
    let x = fetch_rows(view.comm, view.blocks("nodes"), 2, view.x(), &wanted);
    let mut claims = Vec::with_capacity(at_cut.len());
    for (&(k, which), x) in at_cut.iter().zip(x.chunks_exact(12)) {
        let point = |n: usize| [x[2 * n], x[2 * n + 1]];
        let distance = |p: [f64; 2], q: [f64; 2]| {
            let d = [p[0] - q[0], p[1] - q[1]];
            (d[0] * d[0] + d[1] * d[1]).sqrt()
        };
        let (a, b) = (point(0), point(1));
        let near = CUT_TOLERANCE * distance(a, b);
        // The first cell has the side from b to a, the second the side from a to b.
        let (from, to) = if which == 0 { (b, a) } else { (a, b) };
        let nodes = &wanted[6 * claims.len() + 2..6 * claims.len() + 6];
        let side = (0..4).find(|&s| {
            let t = (s + 1) % 4;
            // A triangle's repeated node is not a side.
            nodes[s] != nodes[t] && distance(point(2 + s), from) <= near && distance(point(2 + t), to) <= near
        });
        let (row, cell) = (view.start("edges") + k as u64, edge_cells[2 * k + which]);
        let Some(side) = side else {
            let [a, b] = [edge_nodes[2 * k], edge_nodes[2 * k + 1]];
            let what = format!(
                "the nodes {a} and {b} are not a side of cell {cell}, and no side of it lies at the same place in this direction; expected neighbouring nodes of both cells"
            );
            return Err(view.error("edge_nodes", row, what));
        };
        claims.push([cell, side as u64, row]);
    }
    Ok(claims)
}

/// The sides that the boundary edges claim.
fn bedges(view: &View<'_>) -> Result<Vec<Claim>, Defect> {
    let start = view.start("bedges");
    let (bedge_nodes, bedge_cell) = (view.map("bedge_nodes"), view.map("bedge_cell"));
    let cell_nodes = fetch_rows(view.comm, view.blocks("cells"), 4, view.map("cell_nodes"), bedge_cell);
    let claim = |k: usize| {
        let (a, b) = (bedge_nodes[2 * k], bedge_nodes[2 * k + 1]);
        let (row, cell) = (start + k as u64, bedge_cell[k]);
        let nodes = &cell_nodes[4 * k..4 * k + 4];
        match (side(nodes, b, a), side(nodes, a, b)) {
            (Some(side), _) => Ok([cell, side, row]),
            (None, Some(_)) => {
                let what = "wrong orientation: the cell must lie to the right of the direction from the first node to \
                 the second; swap the nodes";
                Err(view.error("bedge_nodes", row, what.into()))
            }
            (None, None) => {
                let what = format!(
                    "the nodes {a} and {b} are not a side of cell {cell}; expected neighbouring nodes of the cell"
                );
                Err(view.error("bedge_nodes", row, what))
            }
        }
    };
    view.comm.agree((0..bedge_cell.len()).map(claim).collect())
}

/// Every side of every cell is claimed once: the claims meet at the owner of the cell.
fn coverage(view: &View<'_>, edges: Vec<Claim>, bedges: Vec<Claim>) -> Result<(), Defect> {
    let owners = view.blocks("cells");
    let meet = |claims: Vec<Claim>, kind: u64| {
        let mut send: Vec<Vec<[u64; 4]>> = vec![Vec::new(); view.comm.size()];
        for [cell, side, row] in claims {
            send[owners.owner(cell)].push([cell, side, kind, row]);
        }
        view.comm.all_to_all(send).concat()
    };
    let mut claims = meet(edges, 0);
    claims.extend(meet(bedges, 1));
    claims.sort_unstable();

    let tables = ["edge_nodes", "bedge_nodes"];
    let mut next = claims.iter().peekable();
    for (cell, nodes) in (view.start("cells")..).zip(view.map("cell_nodes").chunks_exact(4)) {
        for side in 0..4u64 {
            let (a, b) = (nodes[side as usize], nodes[(side as usize + 1) % 4]);
            let mut first: Option<&[u64; 4]> = None;
            while let Some(claim) = next.next_if(|c| c[0] == cell && c[1] == side) {
                if let Some(other) = first {
                    let what = format!(
                        "the side between nodes {a} and {b} of cell {cell} already belongs to `{}` row {}; expected \
                         one edge or boundary edge per side",
                        view.schema.table(tables[other[2] as usize]).dataset,
                        other[3]
                    );
                    return Err(view.error(tables[claim[2] as usize], claim[3], what));
                }
                first = Some(claim);
            }
            if first.is_none() && a != b {
                let what = format!(
                    "the side between nodes {a} and {b} belongs to no edge or boundary edge; a row is missing there"
                );
                return Err(view.error("cell_nodes", cell, what));
            }
        }
    }
    Ok(())
}
