//! Cells run counter-clockwise.

use cfd_engine::comm::Comm;
use cfd_engine::mesh::fetch_rows;

use super::Source;
use super::nodes::Nodes;
use crate::IoError;

/// Values of a cell: its position in the file and its nodes.
pub(super) const CELL: usize = 5;

/// Reverses this rank's clockwise cells, keeping the first node. Collective, except that ranks have yet to agree on the
/// error.
pub(super) fn turn(comm: &Comm, source: Source<'_>, nodes: &Nodes, cells: &mut [u64]) -> Result<(), IoError> {
    let corners: Vec<u64> = cells.chunks_exact(CELL).flat_map(|cell| cell[1..].iter().copied()).collect();
    let x = fetch_rows(comm, nodes.blocks(comm), 2, &nodes.x, &corners);
    for (cell, x) in cells.chunks_exact_mut(CELL).zip(x.chunks_exact(8)) {
        let (place, nodes) = cell.split_at_mut(1);
        let twice = (0..4).any(|k| (0..k).any(|l| nodes[l] == nodes[k] && (l, k) != (2, 3)));
        // Half the cross product of the diagonals; the last corner of a triangle is its third.
        let area = 0.5 * ((x[4] - x[0]) * (x[7] - x[3]) - (x[6] - x[2]) * (x[5] - x[1]));
        if twice || area == 0.0 || !area.is_finite() {
            let what = if twice { "a node of it is repeated".into() } else { format!("its area is {area}") };
            let what =
                format!("degenerate cell: {what}; expected a triangle or a quadrilateral with an area");
            return Err(source.error(place[0], what));
        }
        if area < 0.0 {
            // A triangle's repeated node is the last again afterwards.
            let triangle = nodes[2] == nodes[3];
            nodes.copy_from_slice(&match *nodes {
                [a, b, c, _] if triangle => [a, c, b, b],
                [a, b, c, d] => [a, d, c, b],
                _ => unreachable!("a cell has four nodes"),
            });
        }
    }
    Ok(())
}
