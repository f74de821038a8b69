//! Hexahedra in columns i, rows j and layers k, and the numbering of their nodes.
//!
//! Nodes are numbered layer by layer, row by row, column by column. The columns may wrap around, with the last one next
//! to the first. Then, from layer `cut` on, the first row may be folded: there the columns i and n - i of n are one
//! node, so the row has n/2 + 1 nodes and the mesh is joined along it.

use cfd_engine::comm::Comm;

use crate::MeshError;

/// Fewest blocks of nodes along an axis on any level.
const FEWEST: u64 = 2;
/// Fewest blocks of nodes along an axis that wraps around.
const FEWEST_AROUND: u64 = 4;

/// A grid's dimensions.
#[derive(Clone, Copy, Debug)]
pub(super) struct Grid {
    /// Nodes along each axis.
    n: [u64; 3],
    /// Whether the columns wrap around.
    around: bool,
    /// The first layer whose first row is folded.
    cut: u64,
    /// Group of each side: low and high end of each axis. `None` without a boundary.
    groups: [Option<i32>; 6],
}

impl Grid {
    /// A grid of `size` hexahedra, of which `levels` levels can be made.
    ///
    /// # Errors
    /// An impossible size or number of levels, or more elements than a rank can hold.
    pub(super) fn new(
        comm: &Comm,
        size: [u64; 3],
        levels: usize,
        groups: [Option<i32>; 6],
    ) -> Result<Grid, MeshError> {
        Grid { n: size.map(|n| n.saturating_add(1)), around: false, cut: u64::MAX, groups }
            .checked(comm, size, levels)
    }

    /// A grid of `size` hexahedra whose columns wrap around and whose first row is folded from layer `cut` on; `groups`
    /// are those of the low and high rows and layers.
    ///
    /// # Errors
    /// As [`Grid::new`], and an odd number of columns.
    pub(super) fn around(
        comm: &Comm,
        size: [u64; 3],
        levels: usize,
        cut: u64,
        groups: [i32; 4],
    ) -> Result<Grid, MeshError> {
        let [low_row, high_row, low_layer, high_layer] = groups.map(Some);
        let groups = [None, None, low_row, high_row, low_layer, high_layer];
        let n = [size[0], size[1].saturating_add(1), size[2].saturating_add(1)];
        if !size[0].is_multiple_of(2) {
            return Err(MeshError::Generate(format!(
                "a mesh with {} hexahedra around a section is not possible; their number must be even, half on each \
                 side",
                size[0]
            )));
        }
        Grid { n, around: true, cut, groups }.checked(comm, size, levels)
    }

    fn checked(self, comm: &Comm, size: [u64; 3], levels: usize) -> Result<Grid, MeshError> {
        let [i, j, k] = size;
        let most = self.most_levels();
        if most == 0 || self.n.iter().any(|&n| n > 1 << 32) {
            return Err(MeshError::Generate(format!(
                "a mesh of {i} x {j} x {k} hexahedra is not possible; each size is at least {} and below 2^32",
                if self.around { "1, the first at least 4," } else { "1" }
            )));
        }
        if levels == 0 || levels > most {
            return Err(MeshError::Generate(format!(
                "a mesh of {i} x {j} x {k} hexahedra cannot have {levels} levels; 1 to {most} are possible, because \
                 each level has half the nodes along each axis"
            )));
        }
        // Edges are the largest set: at most 3 per node.
        let largest = 3 * self.n.iter().map(|&n| n as u128).product::<u128>();
        if largest > u32::MAX as u128 * comm.size() as u128 {
            return Err(MeshError::Generate(format!(
                "a mesh of {i} x {j} x {k} hexahedra is too large for {} ranks; a rank holds fewer than 2^32 elements of a set",
                comm.size()
            )));
        }
        Ok(self)
    }

    /// The largest number of levels with enough blocks of nodes along every axis.
    fn most_levels(&self) -> usize {
        let fewest = [if self.around { FEWEST_AROUND } else { FEWEST }, FEWEST, FEWEST];
        (0..64).take_while(|level| (0..3).all(|d| self.n[d] >> level >= fewest[d])).count()
    }

    /// Columns, rows and layers of nodes.
    pub(super) fn n(&self) -> [u64; 3] {
        self.n
    }

    /// Columns, rows and layers of hexahedra.
    pub(super) fn size(&self) -> [u64; 3] {
        let [columns, rows, layers] = self.n;
        [if self.around { columns } else { columns - 1 }, rows - 1, layers - 1]
    }

    /// Nodes of a layer before the first folded one.
    fn whole(&self) -> u64 {
        self.n[0] * self.n[1]
    }

    /// Nodes of a folded row.
    fn folded(&self) -> u64 {
        self.n[0] / 2 + 1
    }

    /// Number of nodes.
    pub(super) fn nodes(&self) -> u64 {
        let folded = self.n[2].saturating_sub(self.cut);
        self.n[2] * self.whole() - folded * (self.n[0] - self.folded_or_whole())
    }

    fn folded_or_whole(&self) -> u64 {
        if self.cut < self.n[2] { self.folded() } else { self.n[0] }
    }

    /// The node at a place.
    pub(super) fn node(&self, [i, j, k]: [u64; 3]) -> u64 {
        if k < self.cut {
            return k * self.whole() + j * self.n[0] + i;
        }
        let saved = self.n[0] - self.folded();
        let layer = k * self.whole() - (k - self.cut) * saved;
        if j == 0 { layer + i.min(self.n[0] - i) } else { layer + j * self.n[0] + i - saved }
    }

    /// The place of a node; for a folded one, the place in the first half of the columns.
    pub(super) fn place(&self, node: u64) -> [u64; 3] {
        let before = self.cut.min(self.n[2]) * self.whole();
        if node < before {
            let row = node / self.n[0];
            return [node % self.n[0], row % self.n[1], row / self.n[1]];
        }
        let saved = self.n[0] - self.folded();
        let layer = self.whole() - saved;
        let (k, rest) = (self.cut + (node - before) / layer, (node - before) % layer);
        if rest < self.folded() {
            return [rest, 0, k];
        }
        let rest = rest + saved;
        [rest % self.n[0], rest / self.n[0], k]
    }

    /// All places of the node at a place, the given one first.
    pub(super) fn places(&self, [i, j, k]: [u64; 3]) -> impl Iterator<Item = [u64; 3]> {
        let twice = j == 0 && k >= self.cut && i != 0 && 2 * i != self.n[0];
        let other = twice.then(|| [self.n[0] - i, j, k]);
        std::iter::once([i, j, k]).chain(other)
    }

    /// The place next to a place along an axis, up or down.
    pub(super) fn next(&self, place: [u64; 3], axis: usize, up: bool) -> Option<[u64; 3]> {
        let (at, n) = (place[axis], self.n[axis]);
        let around = self.around && axis == 0;
        let to = match up {
            true if at + 1 < n => at + 1,
            false if at > 0 => at - 1,
            _ if !around => return None,
            true => 0,
            false => n - 1,
        };
        let mut next = place;
        next[axis] = to;
        Some(next)
    }

    /// The group of the boundary side, at the low or high end of an axis, of a hexahedron in layer `k`.
    pub(super) fn group(&self, axis: usize, high: bool, k: u64) -> Option<i32> {
        let glued = axis == 1 && !high && k >= self.cut;
        if glued { None } else { self.groups[2 * axis + usize::from(high)] }
    }

    /// The grid of its blocks of 2 x 2 x 2 nodes; if their number is odd, the last block has three.
    pub(super) fn coarse(&self) -> Grid {
        Grid { n: self.n.map(|n| n / 2), cut: u64::MAX, ..*self }
    }

    /// The block that contains a place, as a place of the coarse grid.
    pub(super) fn block(&self, place: [u64; 3]) -> [u64; 3] {
        [0, 1, 2].map(|d| (place[d] / 2).min(self.n[d] / 2 - 1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_and_places_are_each_other_s_inverse_and_folded_columns_one_node() {
        for cut in [0, 1, 2, 4] {
            let grid = Grid::around(&Comm::single(), [8, 2, 3], 1, cut, [0, 3, 1, 3]).unwrap();
            let mut found = 0;
            for node in 0..grid.nodes() {
                let place = grid.place(node);
                for place in grid.places(place) {
                    assert_eq!(grid.node(place), node, "{place:?}, cut {cut}");
                    found += 1;
                }
            }
            assert_eq!(found, 8 * 3 * 4, "every place belongs to one node");
            assert_eq!(grid.nodes(), 8 * 3 * 4 - 3 * (4 - cut));
        }
    }

    #[test]
    fn blocks_cover_all_nodes_and_the_last_takes_a_third_layer() {
        let grid = Grid::new(&Comm::single(), [4, 6, 2], 1, [Some(3); 6]).unwrap();
        assert_eq!(grid.coarse().n(), [2, 3, 1]);
        assert_eq!(grid.block([4, 6, 2]), [1, 2, 0]);
        assert_eq!(grid.block([1, 2, 1]), [0, 1, 0]);
    }
}
