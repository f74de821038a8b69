//! A grid of quadrilaterals, columns by rows, and its numbering.
//!
//! Node (i, j), cell (i, j): column i, row j, from 0; ids row by row. A cell's nodes run counter-clockwise:
//! (i, j), (i+1, j), (i+1, j+1), (i, j+1).
//!
//! The first `cut` bottom sides may be joined to the last `cut` ones, mirrored (the cut line behind an airfoil): cell
//! (i, 0) then neighbours cell (columns-1-i, 0). The copies of the nodes on the cut line stay distinct.
//!
//! Edges are numbered cell by cell, row by row; each cell contributes, in this order, where they exist: its bottom
//! side on the cut line (only the first half of them), its top side, its right side. Boundary edges: the bottom's
//! free sides by increasing i, the right sides by increasing j, the top by decreasing i, the left by decreasing j.
//! With these orientations an edge's first cell lies to the right of its direction, as does a boundary edge's cell.

use std::ops::Range;

use cfd_engine::comm::Comm;
use cfd_engine::memory;
use cfd_engine::mesh::{Blocks, Mesh, Values};

use crate::{FAR_FIELD, MeshError};

/// A grid's dimensions.
#[derive(Clone, Copy, Debug)]
pub(super) struct Grid {
    columns: u64,
    rows: u64,
    cut: u64,
    /// Flag of the bottom's free sides.
    bottom: i32,
}

impl Grid {
    /// A grid of `columns` by `rows` cells whose first and last `cut` bottom sides are joined. Error: more elements
    /// than a rank can hold.
    pub(super) fn new(
        comm: &Comm,
        columns: u64,
        rows: u64,
        cut: u64,
        bottom: i32,
    ) -> Result<Grid, MeshError> {
        assert!(columns >= 1 && rows >= 1 && 2 * cut <= columns, "a grid has cells, and the cut two sides");
        let grid = Grid { columns, rows, cut, bottom };
        // Edges are the largest set: fewer than 2 per cell plus one more row.
        let largest = 2 * (columns as u128 + 1) * (rows as u128 + 1);
        let room = u32::MAX as u128 * comm.size() as u128;
        if largest > room {
            return Err(MeshError::Generate(format!(
                "a mesh of {columns} x {rows} cells is too large for {} ranks; a rank holds fewer than 2^32 elements of a set",
                comm.size()
            )));
        }
        Ok(grid)
    }

    fn node(&self, i: u64, j: u64) -> u64 {
        j * (self.columns + 1) + i
    }

    fn cell(&self, i: u64, j: u64) -> u64 {
        j * self.columns + i
    }

    fn nodes(&self) -> u64 {
        (self.columns + 1) * (self.rows + 1)
    }

    fn cells(&self) -> u64 {
        self.columns * self.rows
    }

    fn edges(&self) -> u64 {
        self.cut + self.columns * (self.rows - 1) + (self.columns - 1) * self.rows
    }

    fn bedges(&self) -> u64 {
        self.columns - 2 * self.cut + self.columns + 2 * self.rows
    }

    /// Nodes and cells of an edge.
    fn edge(&self, id: u64) -> ([u64; 2], [u64; 2]) {
        let (m, last) = (self.columns, self.rows - 1);
        // A cell of any row but the last has a top edge.
        let top = u64::from(self.rows > 1);
        let first_row = self.cut + m * top + (m - 1);
        let cut_part = self.cut * (2 + top);
        // The cell (i, j) that contributes the edge, and whether it is the bottom, top or right side.
        if id < cut_part {
            let (i, k) = (id / (2 + top), id % (2 + top));
            match k {
                0 => ([self.node(i, 0), self.node(i + 1, 0)], [self.cell(m - 1 - i, 0), self.cell(i, 0)]),
                k if k == top => self.top_edge(i, 0),
                _ => self.right_edge(i, 0),
            }
        } else if id < first_row {
            let id = id - cut_part;
            let (i, k) = (self.cut + id / (1 + top), id % (1 + top));
            if k < top { self.top_edge(i, 0) } else { self.right_edge(i, 0) }
        } else {
            let id = id - first_row;
            let j = 1 + id / (2 * m - 1);
            if j < last {
                let k = id % (2 * m - 1);
                if k.is_multiple_of(2) { self.top_edge(k / 2, j) } else { self.right_edge(k / 2, j) }
            } else {
                self.right_edge(id - (last - 1) * (2 * m - 1), last)
            }
        }
    }

    fn top_edge(&self, i: u64, j: u64) -> ([u64; 2], [u64; 2]) {
        ([self.node(i, j + 1), self.node(i + 1, j + 1)], [self.cell(i, j), self.cell(i, j + 1)])
    }

    fn right_edge(&self, i: u64, j: u64) -> ([u64; 2], [u64; 2]) {
        ([self.node(i + 1, j), self.node(i + 1, j + 1)], [self.cell(i + 1, j), self.cell(i, j)])
    }

    /// Nodes, cell and flag of a boundary edge.
    fn bedge(&self, id: u64) -> ([u64; 2], u64, i32) {
        let (m, rows) = (self.columns, self.rows);
        let bottom = m - 2 * self.cut;
        if id < bottom {
            let i = self.cut + id;
            return ([self.node(i + 1, 0), self.node(i, 0)], self.cell(i, 0), self.bottom);
        }
        let id = id - bottom;
        if id < rows {
            return ([self.node(m, id + 1), self.node(m, id)], self.cell(m - 1, id), FAR_FIELD.flag);
        }
        let id = id - rows;
        if id < m {
            let i = m - 1 - id;
            return ([self.node(i, rows), self.node(i + 1, rows)], self.cell(i, rows - 1), FAR_FIELD.flag);
        }
        let j = rows - 1 - (id - m);
        ([self.node(0, j), self.node(0, j + 1)], self.cell(0, j), FAR_FIELD.flag)
    }

    /// This rank's blocks of the mesh; `coordinates` gives those of node (i, j).
    pub(super) fn mesh(&self, comm: &Comm, coordinates: impl Fn(u64, u64) -> [f64; 2]) -> Mesh {
        let own = |rows: u64| -> Range<u64> { Blocks::new(rows, comm.size()).range(comm.rank()) };
        let mut mesh = Mesh::default();
        let nodes = mesh.add_set("nodes", self.nodes());
        let edges = mesh.add_set("edges", self.edges());
        let bedges = mesh.add_set("bedges", self.bedges());
        let cells = mesh.add_set("cells", self.cells());

        let count = |rows: u64| (own(rows).end - own(rows).start) as usize;
        let mut edge_nodes = memory::with_capacity(2 * count(self.edges()));
        let mut edge_cells = memory::with_capacity(2 * count(self.edges()));
        for id in own(self.edges()) {
            let (nodes, cells) = self.edge(id);
            edge_nodes.extend_from_slice(&nodes);
            edge_cells.extend_from_slice(&cells);
        }
        let (mut bedge_nodes, mut bedge_cell, mut bound) = (Vec::new(), Vec::new(), Vec::new());
        for id in own(self.bedges()) {
            let (nodes, cell, flag) = self.bedge(id);
            bedge_nodes.extend(nodes);
            bedge_cell.push(cell);
            bound.push(flag);
        }
        let mut cell_nodes = memory::with_capacity(4 * count(self.cells()));
        for id in own(self.cells()) {
            let (i, j) = (id % self.columns, id / self.columns);
            cell_nodes.extend_from_slice(&[
                self.node(i, j),
                self.node(i + 1, j),
                self.node(i + 1, j + 1),
                self.node(i, j + 1),
            ]);
        }
        let mut x = memory::with_capacity(2 * count(self.nodes()));
        for id in own(self.nodes()) {
            x.extend_from_slice(&coordinates(id % (self.columns + 1), id / (self.columns + 1)));
        }

        mesh.add_map("edge_nodes", edges, nodes, 2, edge_nodes);
        mesh.add_map("edge_cells", edges, cells, 2, edge_cells);
        mesh.add_map("bedge_nodes", bedges, nodes, 2, bedge_nodes);
        mesh.add_map("bedge_cell", bedges, cells, 1, bedge_cell);
        mesh.add_map("cell_nodes", cells, nodes, 4, cell_nodes);
        mesh.add_dat("x", nodes, 2, Values::F64(x));
        mesh.add_dat("bound", bedges, 1, Values::I32(bound));
        mesh
    }
}
