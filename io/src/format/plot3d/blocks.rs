//! Blocks: numbers of their nodes, cells and faces.

use serde::{Deserialize, Serialize};

/// Names of directions.
const DIRECTIONS: [&str; 3] = ["i", "j", "k"];

/// All blocks of a file.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Grid {
    /// 2 or 3: the dimension of cells.
    pub(super) dimension: usize,
    pub(super) blocks: Vec<Block>,
}

/// A block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Block {
    /// The number of its first node.
    pub(super) first: u64,
    /// Nodes in each direction; 1 in the third of a plane block.
    pub(super) nodes: [u64; 3],
}

/// A side of a block: all nodes that are first, or last, in one direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Side {
    pub(super) block: usize,
    pub(super) direction: usize,
    pub(super) last: bool,
}

impl Block {
    /// Cells in each direction; 1 in the third of a plane block.
    pub(super) fn cells(&self) -> [u64; 3] {
        self.nodes.map(|nodes| (nodes - 1).max(1))
    }

    /// The number of its nodes.
    pub(super) fn count(&self) -> u64 {
        self.nodes.iter().product()
    }

    /// The node at a place.
    pub(super) fn node(&self, at: [u64; 3]) -> u64 {
        self.first + at[0] + self.nodes[0] * (at[1] + self.nodes[1] * at[2])
    }
}

impl Grid {
    /// The nodes of a cell, counted through all blocks: around the first face of it, then around the one opposite.
    pub(super) fn corners(&self, mut cell: u64) -> Vec<u64> {
        let mut of = 0;
        while cell >= self.blocks[of].cells().iter().product() {
            cell -= self.blocks[of].cells().iter().product::<u64>();
            of += 1;
        }
        let block = &self.blocks[of];
        let [ni, nj, _] = block.cells();
        let at = [cell % ni, cell / ni % nj, cell / (ni * nj)];
        let ring = [[0, 0], [1, 0], [1, 1], [0, 1]];
        let layers = if self.dimension == 2 { 0..1 } else { 0..2 };
        let corner = |k: u64| ring.map(|[i, j]| block.node([at[0] + i, at[1] + j, at[2] + k]));
        layers.flat_map(corner).collect()
    }

    /// The sides of all blocks.
    pub(super) fn sides(&self) -> impl Iterator<Item = Side> {
        let of_block = |block| {
            let directions = 0..self.dimension;
            directions.flat_map(move |direction| [false, true].map(|last| Side { block, direction, last }))
        };
        (0..self.blocks.len()).flat_map(of_block)
    }

    /// The directions along a side.
    pub(super) fn along(&self, side: Side) -> Vec<usize> {
        (0..self.dimension).filter(|direction| *direction != side.direction).collect()
    }

    /// The faces of a side: the cell of each, and its nodes, 2 in the plane or 4 around it in space.
    pub(super) fn faces(&self, side: Side) -> impl Iterator<Item = ([u64; 3], Vec<u64>)> {
        let (block, along) = (self.blocks[side.block], self.along(side));
        let cells = block.cells();
        let fixed = if side.last { cells[side.direction] - 1 } else { 0 };
        let size = |k: usize| along.get(k).map_or(1, |direction| cells[*direction]);
        let (first, second) = (size(0), size(1));
        (0..second).flat_map(move |b| (0..first).map(move |a| [a, b])).map(move |place| {
            let mut cell = [0; 3];
            cell[side.direction] = fixed;
            along.iter().zip(place).for_each(|(direction, at)| cell[*direction] = at);
            let ring: &[[u64; 2]] =
                if along.len() == 1 { &[[0, 0], [1, 0]] } else { &[[0, 0], [1, 0], [1, 1], [0, 1]] };
            let node = |shift: &[u64; 2]| {
                let mut at = cell;
                at[side.direction] += u64::from(side.last);
                along.iter().zip(shift).for_each(|(direction, by)| at[*direction] += by);
                block.node(at)
            };
            (cell, ring.iter().map(node).collect())
        })
    }

    /// What a side is called.
    pub(super) fn name(&self, side: Side) -> String {
        let end = if side.last { "max" } else { "min" };
        let name = format!("{}{end}", DIRECTIONS[side.direction]);
        if self.blocks.len() == 1 { name } else { format!("block{}_{name}", side.block + 1) }
    }

    /// The number of a block's cell among those of all.
    pub(super) fn cell(&self, block: usize, at: [u64; 3]) -> u64 {
        let before = self.blocks[..block].iter().map(|block| block.cells().iter().product::<u64>());
        let [ni, nj, _] = self.blocks[block].cells();
        before.sum::<u64>() + at[0] + ni * (at[1] + nj * at[2])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_and_faces_have_the_nodes_of_their_block() {
        let plane = Block { first: 0, nodes: [3, 2, 1] };
        let grid = Grid { dimension: 2, blocks: vec![plane, Block { first: 6, ..plane }] };
        assert_eq!(grid.corners(1), [1, 2, 5, 4]);
        assert_eq!(grid.corners(2), [6, 7, 10, 9]);
        let side = |direction, last| Side { block: 1, direction, last };
        let faces: Vec<_> = grid.faces(side(1, true)).collect();
        assert_eq!(faces, [([0, 0, 0], vec![9, 10]), ([1, 0, 0], vec![10, 11])]);
        assert_eq!(grid.faces(side(0, true)).collect::<Vec<_>>(), [([1, 0, 0], vec![8, 11])]);
        assert_eq!((grid.name(side(1, true)), grid.cell(1, [1, 0, 0])), ("block2_jmax".into(), 3));

        let grid = Grid { dimension: 3, blocks: vec![Block { first: 0, nodes: [2, 3, 2] }] };
        assert_eq!(grid.corners(1), [2, 3, 5, 4, 8, 9, 11, 10]);
        let side = Side { block: 0, direction: 0, last: true };
        assert_eq!(grid.faces(side).last().unwrap(), ([0, 1, 0], vec![3, 5, 11, 9]));
        assert_eq!(grid.sides().count(), 6);
        assert_eq!(grid.name(side), "imax");
    }
}
