//! Matches sides of cells with listed boundary edges.
//!
//! 1. Every side of every cell, and every listed edge, goes to the owner of its lower node.
//! 2. Sorting by their two nodes brings those between the same two nodes together: two sides of cells are an interior
//!    edge, one side and one listed edge are a boundary edge, and everything else is an error.
//! 3. Interior edges go to the owner of their lower cell and are numbered there, in the order of cells and sides.
//!
//! An edge (a, b) is the side (b, a) of its first cell, which lies to its right.

use cfd_engine::comm::Comm;
use cfd_engine::mesh::Blocks;
use cfd_mesh::blocks_of;
use serde::{Deserialize, Serialize};

use super::Source;
use super::cells::CELL;
use super::nodes::Nodes;
use crate::IoError;
use crate::field::block_of;

/// Values of a listed edge: its position in the file, its group, its nodes.
pub(super) const LINE: usize = 4;

/// Edges, each with two nodes and its cells.
pub(super) struct Edges {
    /// Interior edges, on all ranks together.
    pub(super) edge_rows: u64,
    /// This rank's block of them: nodes and cells.
    pub(super) edges: Vec<u64>,
    /// This rank's block of the boundary edges, in the order in which they are listed: nodes and cell.
    pub(super) bedges: Vec<u64>,
}

/// A claim to lie between two nodes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Way {
    /// A side from the lower node to the higher.
    Up = 0,
    /// A side in the other direction.
    Down = 1,
    /// A listed edge.
    Listed = 2,
}

/// Lower node, higher node, [`Way`], row of the cell or listed edge, side of the cell, position in the file.
type Claim = [u64; 6];

/// What is wrong between two nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum Wrong {
    /// One cell, no listed edge.
    Unnamed,
    /// A listed edge without a cell.
    NoCell,
    /// A listed edge between two cells.
    Inside,
    /// An edge listed twice.
    Twice,
    /// Two cells on the same side.
    Folded,
    /// More than two cells.
    Many(u64),
}

/// Where something is wrong.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Defect {
    wrong: Wrong,
    nodes: [u64; 2],
    place: u64,
}

/// Finds all edges from this rank's blocks of the cells and of the listed edges. Collective.
pub(super) fn join(
    comm: &Comm,
    source: Source<'_>,
    nodes: &Nodes,
    cell_rows: u64,
    cells: &[u64],
    lines: &[u64],
) -> Result<Edges, IoError> {
    let claims = meet(comm, nodes, cell_rows, cells, lines);
    let cell_blocks = Blocks::new(cell_rows, comm.size());
    let mut interior: Vec<Vec<[u64; 6]>> = vec![Vec::new(); comm.size()];
    let (mut listed, mut bedges) = (Vec::new(), Vec::new());
    let mut defect = Ok(());
    for between in claims.chunk_by(|a, b| a[..2] == b[..2]) {
        let [low, high, ..] = between[0];
        match judge(between) {
            Ok(Found::Interior { up, down }) => {
                // Going up from a = low to b = high, the cell whose side goes down lies to the right.
                let lower = if up[3] < down[3] { up } else { down };
                let edge = [lower[3], lower[4], low, high, down[3], up[3]];
                interior[cell_blocks.owner(lower[3])].push(edge);
            }
            Ok(Found::Boundary { cell, line }) => {
                let [a, b] = if cell[2] == Way::Up as u64 { [high, low] } else { [low, high] };
                listed.push(line[3]);
                bedges.extend([a, b, cell[3]]);
            }
            Err((wrong, place)) => {
                defect = defect.and(Err(Defect { wrong, nodes: [low, high], place }));
            }
        }
    }
    if let Err(defect) = comm.agree(defect) {
        return Err(explain(comm, source, nodes, defect));
    }
    let (edge_rows, edges) = number(comm, interior);
    let line_rows = comm.sum((lines.len() / LINE) as u64);
    let bedges = block_of(comm, "boundary edges", 3, line_rows, &listed, &bedges);
    Ok(Edges { edge_rows, edges, bedges })
}

/// This rank's claims, by nodes: those whose lower node it owns. Collective.
fn meet(comm: &Comm, nodes: &Nodes, cell_rows: u64, cells: &[u64], lines: &[u64]) -> Vec<Claim> {
    let owners = nodes.blocks(comm);
    let mut send: Vec<Vec<Claim>> = vec![Vec::new(); comm.size()];
    let mut claim = |a: u64, b: u64, way: Way, row: u64, side: u64, place: u64| {
        let (low, high) = (a.min(b), a.max(b));
        send[owners.owner(low)].push([low, high, way as u64, row, side, place]);
    };
    let first_cell = Blocks::new(cell_rows, comm.size()).range(comm.rank()).start;
    for (row, cell) in (first_cell..).zip(cells.chunks_exact(CELL)) {
        for side in 0..4 {
            let (a, b) = (cell[1 + side], cell[1 + (side + 1) % 4]);
            // A triangle's repeated node is not a side.
            if a != b {
                claim(a, b, if a < b { Way::Up } else { Way::Down }, row, side as u64, cell[0]);
            }
        }
    }
    let line_rows = comm.sum((lines.len() / LINE) as u64);
    let first_line = Blocks::new(line_rows, comm.size()).range(comm.rank()).start;
    for (row, line) in (first_line..).zip(lines.chunks_exact(LINE)) {
        claim(line[2], line[3], Way::Listed, row, 0, line[0]);
    }
    let mut claims = comm.all_to_all(send).concat();
    claims.sort_unstable();
    claims
}

/// What lies between two nodes.
enum Found<'a> {
    Interior { up: &'a Claim, down: &'a Claim },
    Boundary { cell: &'a Claim, line: &'a Claim },
}

/// What sorted claims between the same two nodes amount to; or what is wrong, and where.
fn judge(between: &[Claim]) -> Result<Found<'_>, (Wrong, u64)> {
    let is = |way: Way| move |claim: &&Claim| claim[2] == way as u64;
    let sides = between.iter().filter(|claim| claim[2] != Way::Listed as u64).count();
    let (cells, lines) = between.split_at(sides);
    let wrong = |wrong: Wrong, claim: &Claim| Err((wrong, claim[5]));
    match (cells, lines) {
        (_, [_, second, ..]) => wrong(Wrong::Twice, second),
        ([], [line]) => wrong(Wrong::NoCell, line),
        ([_, _], [line]) => wrong(Wrong::Inside, line),
        ([cell], [line]) => Ok(Found::Boundary { cell, line }),
        ([cell], []) => wrong(Wrong::Unnamed, cell),
        ([first, second], []) => match (is(Way::Up)(&first), is(Way::Down)(&second)) {
            (true, true) => Ok(Found::Interior { up: first, down: second }),
            _ => wrong(Wrong::Folded, second),
        },
        ([_, _, third, ..], _) => wrong(Wrong::Many(sides as u64), third),
        ([], []) => unreachable!("there is a claim between two nodes"),
    }
}

/// A defect in words. Collective.
fn explain(comm: &Comm, source: Source<'_>, nodes: &Nodes, defect: Defect) -> IoError {
    let Defect { wrong, nodes: [a, b], place } = defect;
    let between = format!("between nodes {} and {}", nodes.describe(comm, a), nodes.describe(comm, b));
    let what = match wrong {
        Wrong::Unnamed => format!(
            "the side {between} of this cell belongs to no other cell and to no named boundary; expected it in a \
             physical \
             curve (Gmsh) or a marker (SU2)"
        ),
        Wrong::NoCell => {
            format!("the boundary edge {between} is not a side of a cell; expected a side of one cell")
        }
        Wrong::Inside => format!(
            "the boundary edge {between} lies between two cells; expected a side of one cell: leave lines inside the \
             mesh \
             out of physical curves and markers"
        ),
        Wrong::Twice => {
            format!("the boundary edge {between} has been listed before; expected every edge once")
        }
        Wrong::Folded => format!(
            "the side {between} of this cell has another cell on the same side; the mesh is folded or cells overlap \
             there"
        ),
        Wrong::Many(cells) => {
            format!(
                "the side {between} of this cell belongs to {cells} cells; expected one cell on each side"
            )
        }
    };
    source.error(place, what)
}

/// Numbers interior edges by lower cell and side; returns their number and this rank's block. Collective.
fn number(comm: &Comm, edges: Vec<Vec<[u64; 6]>>) -> (u64, Vec<u64>) {
    let mut own = comm.all_to_all(edges).concat();
    own.sort_unstable();
    let values: Vec<u64> = own.iter().flat_map(|edge| edge[2..].iter().copied()).collect();
    blocks_of(comm, 4, &values)
}
