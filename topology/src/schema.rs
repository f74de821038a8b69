//! The contents of a topology's mesh: tables of its sets, maps and dats, and their names in the project's files.
//!
//! Readers, writers and shape checks work from these tables.

use cfd_engine::mesh::Mesh;

use crate::Topology;

/// The type of a table's values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Content {
    /// A map: rows of another set.
    Map {
        /// The target set.
        to: String,
    },
    /// A dat of double-precision numbers.
    F64,
    /// A dat of integers.
    I32,
}

/// One map or dat, and its dataset in files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    /// Name in the mesh.
    pub name: String,
    /// The set it is defined on.
    pub set: String,
    /// Values of one element: a map's arity, a dat's dimension.
    pub dim: usize,
    /// What the values are.
    pub content: Content,
    /// Its dataset in the project's HDF5 files.
    pub dataset: String,
}

/// The sets, maps and dats of a mesh.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Schema {
    /// The topology.
    pub topology: Topology,
    /// The sets, in the order of the mesh.
    pub sets: Vec<String>,
    /// Maps and dats, each kind in the order of the mesh.
    pub tables: Vec<Table>,
    /// Positions in a row of `cell_nodes` that go around the cell counter-clockwise.
    pub ring: [usize; 4],
}

impl Schema {
    /// The table with this name, which the schema must have.
    ///
    /// # Panics
    /// It has no such table.
    pub fn table(&self, name: &str) -> &Table {
        self.tables.iter().find(|t| t.name == name).expect("a schema has the tables of its topology")
    }

    /// The number of levels, 0 for topologies without.
    pub fn levels(&self) -> usize {
        (0..).take_while(|&level| self.sets.contains(&level_name(level, "nodes"))).count()
    }

    /// The sets and tables of one level.
    pub fn of_level(&self, level: usize) -> Schema {
        let is_of = |name: &str| level_of(name) == Some(level);
        Schema {
            sets: self.sets.iter().filter(|set| is_of(set)).cloned().collect(),
            tables: self.tables.iter().filter(|table| is_of(&table.name)).cloned().collect(),
            ..*self
        }
    }
}

fn map(name: &str, set: &str, to: &str, dim: usize) -> Table {
    let content = Content::Map { to: to.into() };
    Table { name: name.into(), set: set.into(), dim, content, dataset: name.into() }
}

fn dat(name: &str, set: &str, dim: usize, content: Content, dataset: &str) -> Table {
    Table { name: name.into(), set: set.into(), dim, content, dataset: dataset.into() }
}

/// Coordinates of the nodes.
fn coordinates(dim: usize) -> Table {
    dat("x", "nodes", dim, Content::F64, "node_coordinates")
}

fn names<const N: usize>(sets: [&str; N]) -> Vec<String> {
    sets.map(String::from).to_vec()
}

/// Cells of four nodes, counter-clockwise; interior edges between two of them, boundary edges of one.
pub(crate) fn cells_with_edges() -> Schema {
    Schema {
        topology: Topology::CellEdges,
        sets: names(["nodes", "edges", "bedges", "cells"]),
        tables: vec![
            map("edge_nodes", "edges", "nodes", 2),
            map("edge_cells", "edges", "cells", 2),
            map("bedge_nodes", "bedges", "nodes", 2),
            map("bedge_cell", "bedges", "cells", 1),
            map("cell_nodes", "cells", "nodes", 4),
            coordinates(2),
            dat("bound", "bedges", 1, Content::I32, "bedge_bound"),
        ],
        ring: [0, 1, 2, 3],
    }
}

/// Elements whose nodes are at (0,0), (1,0), (0,1), (1,1) of the unit square, and far-field nodes.
pub(crate) fn bilinear_elements() -> Schema {
    Schema {
        topology: Topology::Elements,
        sets: names(["nodes", "cells", "bnodes"]),
        tables: vec![
            map("cell_nodes", "cells", "nodes", 4),
            map("bnode_node", "bnodes", "nodes", 1),
            coordinates(2),
        ],
        ring: [0, 1, 3, 2],
    }
}

/// Of a level: the display elements for the cells that its dual edges were built from.
pub const SHOWN_CELLS: &str = "cell";
/// Of a level: the display elements for the boundary that its boundary nodes were built from.
pub const SHOWN_FACES: &str = "face";

/// A face between two hexahedra.
pub const FACE_INSIDE: i32 = 0;
/// A face of a hexahedron in a plane of symmetry.
pub const FACE_SYMMETRY: i32 = 1;
/// A free face of a hexahedron.
pub const FACE_FREE: i32 = 2;

/// Triangles, whose vertices run counter-clockwise, and the sides of one triangle only.
pub(crate) fn triangles() -> Schema {
    let coordinates = dat("x", "vertices", 2, Content::F64, "vertex_coordinates");
    Schema {
        topology: Topology::Triangles,
        sets: names(["vertices", "elements", "facets"]),
        tables: vec![
            map("element_vertices", "elements", "vertices", 3),
            map("facet_vertices", "facets", "vertices", 2),
            coordinates,
            dat("boundary", "facets", 1, Content::I32, "facet_boundary"),
        ],
        ring: [0, 1, 2, 2],
    }
}

/// Hexahedra and their neighbours: the eight nodes in VTK's order; across the faces of low xi, high xi, low eta, high
/// eta, low zeta, high zeta, another element or, at the boundary, itself, and the kind of face; for each node, the
/// coordinates that planes of symmetry hold (1) or leave free (0).
pub(crate) fn hexahedra_with_neighbours() -> Schema {
    Schema {
        topology: Topology::Hexahedra,
        sets: names(["nodes", "elems"]),
        tables: vec![
            map("elem_nodes", "elems", "nodes", 8),
            map("elem_elem", "elems", "elems", 6),
            coordinates(3),
            dat("node_symmetry", "nodes", 3, Content::I32, "node_symmetry"),
            dat("elem_sides", "elems", 6, Content::I32, "elem_sides"),
        ],
        ring: [0, 1, 2, 3],
    }
}

/// A name of level `level` of a mesh of dual edges: `levelL/name`.
pub fn level_name(level: usize, name: &str) -> String {
    format!("level{level}/{name}")
}

/// The level in a name like `level2/x`.
pub fn level_of(name: &str) -> Option<usize> {
    name.strip_prefix("level")?.split_once('/')?.0.parse().ok()
}

/// The number of levels of a mesh of dual edges; 0 for a mesh without levels.
pub(crate) fn levels(mesh: &Mesh) -> usize {
    (0..).take_while(|&level| mesh.set(&level_name(level, "nodes")).is_some()).count()
}

/// The same sets, maps and dats on every level, and on all but the coarsest the map to the next coarser level.
pub(crate) fn dual_edges(levels: usize) -> Schema {
    let (mut sets, mut tables) = (Vec::new(), Vec::new());
    for level in 0..levels {
        let at = |name: &str| level_name(level, name);
        let table = |table: Table| Table {
            name: at(&table.name),
            set: at(&table.set),
            dataset: at(&table.dataset),
            content: match table.content {
                Content::Map { to } => Content::Map { to: at(&to) },
                content => content,
            },
            ..table
        };
        sets.extend(["nodes", "edges", "bnodes"].map(at));
        tables.extend(
            [
                map("edge_nodes", "edges", "nodes", 2),
                map("bnode_node", "bnodes", "nodes", 1),
                coordinates(3),
                dat("edge_weights", "edges", 3, Content::F64, "edge_weights"),
                dat("bnode_weights", "bnodes", 3, Content::F64, "bnode_weights"),
                dat("bnode_group", "bnodes", 1, Content::I32, "bnode_group"),
            ]
            .map(table),
        );
        if level + 1 < levels {
            let coarser = Content::Map { to: level_name(level + 1, "nodes") };
            let up = table(map("node_mg_node", "nodes", "nodes", 1));
            tables.push(Table { content: coarser, ..up });
        }
    }
    Schema { topology: Topology::DualEdges, sets, tables, ring: [0, 1, 2, 3] }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_level_has_the_same_tables_and_all_but_the_coarsest_lead_to_the_next() {
        let schema = Topology::DualEdges.schema(3);
        assert_eq!((schema.sets.len(), schema.tables.len()), (9, 3 * 6 + 2));
        let up = schema.table("level1/node_mg_node");
        assert_eq!((&up.set[..], &up.dataset[..]), ("level1/nodes", "level1/node_mg_node"));
        assert_eq!(up.content, Content::Map { to: "level2/nodes".into() });
        let x = schema.table("level2/x");
        assert_eq!((&x.set[..], &x.dataset[..], x.dim), ("level2/nodes", "level2/node_coordinates", 3));
    }
}
