//! A grid of bilinear elements, columns by rows, and its numbering.
//!
//! Place (i, j), cell (i, j): column i, row j, from 0. A cell's nodes are those at (i, j), (i+1, j), (i, j+1),
//! (i+1, j+1), in this order; cells are numbered row by row.
//!
//! The first `cut` bottom sides may be joined to the last `cut` ones, mirrored (the cut line behind an airfoil): the
//! first cut + 1 places of the bottom row then have the nodes of the last ones, mirrored, place (i, 0) that of
//! (columns-i, 0). Nodes are numbered row by row, without those places.
//!
//! The boundary nodes, in node order, are those at the left, right and top end; at the bottom, too, without a cut; with
//! one, the middle of the bottom row is a wall.

use std::ops::Range;

use cfd_engine::comm::Comm;
use cfd_engine::mesh::{Blocks, Mesh, Values};

use crate::MeshError;

/// A grid's dimensions.
#[derive(Clone, Copy, Debug)]
pub(super) struct Elements {
    columns: u64,
    rows: u64,
    /// Places of the bottom row without nodes of their own.
    glued: u64,
}

impl Elements {
    /// A grid of `columns` by `rows` cells whose first and last `cut` bottom sides are joined. Error: more elements
    /// than a rank can hold.
    pub(super) fn new(comm: &Comm, columns: u64, rows: u64, cut: u64) -> Result<Elements, MeshError> {
        // If it were narrower than the cut's two sides, the trailing edge would be joined to itself.
        assert!(
            columns >= 1 && rows >= 1 && (cut == 0 || 2 * cut < columns),
            "a grid has cells, and a cut a wall"
        );
        let places = (columns as u128 + 1) * (rows as u128 + 1);
        if places > u32::MAX as u128 * comm.size() as u128 {
            return Err(MeshError::Generate(format!(
                "a mesh of {columns} x {rows} cells is too large for {} ranks; a rank holds fewer than 2^32 elements of a set",
                comm.size()
            )));
        }
        Ok(Elements { columns, rows, glued: if cut == 0 { 0 } else { cut + 1 } })
    }

    fn nodes(&self) -> u64 {
        (self.columns + 1) * (self.rows + 1) - self.glued
    }

    /// The node at a place.
    fn node(&self, i: u64, j: u64) -> u64 {
        let i = if j == 0 && i < self.glued { self.columns - i } else { i };
        j * (self.columns + 1) + i - self.glued
    }

    /// Boundary nodes of the bottom row: all, or at a cut only its right end, which is also its left end.
    fn bottom(&self) -> u64 {
        if self.glued > 0 { 1 } else { self.columns + 1 }
    }

    fn bnodes(&self) -> u64 {
        self.bottom() + 2 * (self.rows - 1) + self.columns + 1
    }

    /// The node of a boundary node.
    fn bnode(&self, id: u64) -> u64 {
        let bottom = self.bottom();
        if id < bottom {
            return self.node(self.columns + 1 - bottom + id, 0);
        }
        let id = id - bottom;
        if id < 2 * (self.rows - 1) {
            return self.node(if id.is_multiple_of(2) { 0 } else { self.columns }, 1 + id / 2);
        }
        self.node(id - 2 * (self.rows - 1), self.rows)
    }

    /// This rank's blocks of the mesh; `coordinates` gives those of the node at place (i, j).
    pub(super) fn mesh(&self, comm: &Comm, coordinates: impl Fn(u64, u64) -> [f64; 2]) -> Mesh {
        let own = |rows: u64| -> Range<u64> { Blocks::new(rows, comm.size()).range(comm.rank()) };
        let (places, cell_count) = (self.columns + 1, self.columns * self.rows);
        let mut mesh = Mesh::default();
        let nodes = mesh.add_set("nodes", self.nodes());
        let cells = mesh.add_set("cells", cell_count);
        let bnodes = mesh.add_set("bnodes", self.bnodes());
        let cell_nodes = own(cell_count).flat_map(|id| {
            let (i, j) = (id % self.columns, id / self.columns);
            [self.node(i, j), self.node(i + 1, j), self.node(i, j + 1), self.node(i + 1, j + 1)]
        });
        let x = own(self.nodes())
            .map(|id| id + self.glued)
            .flat_map(|place| coordinates(place % places, place / places))
            .collect();
        mesh.add_map("cell_nodes", cells, nodes, 4, cell_nodes.collect());
        mesh.add_map("bnode_node", bnodes, nodes, 1, own(self.bnodes()).map(|id| self.bnode(id)).collect());
        mesh.add_dat("x", nodes, 2, Values::F64(x));
        mesh
    }
}
