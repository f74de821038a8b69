//! The topologies: which kinds of elements a mesh has, and how they touch.

use std::fmt;
use std::str::FromStr;

use cfd_engine::given::short;
use cfd_engine::mesh::Mesh;
use serde::{Deserialize, Serialize};

use crate::MeshError;
use crate::schema::{
    Schema, bilinear_elements, cells_with_edges, dual_edges, hexahedra_with_neighbours, levels, triangles,
};

/// How a mesh's elements touch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Topology {
    /// Triangles and quadrilaterals in the plane, interior edges between two of them, boundary edges of one, each with a
    /// flag.
    CellEdges,
    /// Bilinear elements in the plane, and the nodes on the far field.
    Elements,
    /// Nodes in space and the edges between them, with the areas of their dual cells' faces, on one level or more.
    DualEdges,
    /// Hexahedra in space and their neighbours through each face, with planes of symmetry and free faces.
    Hexahedra,
    /// Triangles in the plane and their boundary facets, each with the tag of its boundary.
    Triangles,
}

/// What pictures and VTU files show of a topology: names in the mesh, of the finest level if there are several.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cells {
    /// The set of the cells.
    pub set: &'static str,
    /// The set of their corners.
    pub nodes: &'static str,
    /// The map from cells to corners.
    pub corners: &'static str,
    /// The order around a cell, if the map does not have it.
    pub ring: Option<[usize; 4]>,
    /// The dat of the corners' coordinates.
    pub coordinates: &'static str,
}

impl Topology {
    /// All of them.
    pub const ALL: [Topology; 5] = [
        Topology::CellEdges,
        Topology::Elements,
        Topology::DualEdges,
        Topology::Hexahedra,
        Topology::Triangles,
    ];

    /// Its name in mesh files, the attribute `case`: for most, the first application that computed on it.
    pub fn tag(self) -> &'static str {
        match self {
            Topology::CellEdges => "airfoil",
            Topology::Elements => "aero",
            Topology::DualEdges => "mgcfd",
            Topology::Hexahedra => "lulesh",
            Topology::Triangles => "triangles",
        }
    }

    /// The sets, maps and dats of meshes of `levels` levels; only dual edges have more than one.
    pub fn schema(self, levels: usize) -> Schema {
        match self {
            Topology::CellEdges => cells_with_edges(),
            Topology::Elements => bilinear_elements(),
            Topology::DualEdges => dual_edges(levels),
            Topology::Hexahedra => hexahedra_with_neighbours(),
            Topology::Triangles => triangles(),
        }
    }

    /// The sets, maps and dats that a mesh with this number of levels should have.
    pub fn schema_of(self, mesh: &Mesh) -> Schema {
        self.schema(self.levels(mesh).max(1))
    }

    /// The number of levels of a mesh; 0 for a topology without levels.
    pub fn levels(self, mesh: &Mesh) -> usize {
        match self {
            Topology::CellEdges | Topology::Elements | Topology::Hexahedra | Topology::Triangles => 0,
            Topology::DualEdges => levels(mesh),
        }
    }

    /// What pictures show of it.
    pub fn cells(self) -> Cells {
        let plane =
            Cells { set: "cells", nodes: "nodes", corners: "cell_nodes", ring: None, coordinates: "x" };
        match self {
            Topology::CellEdges => plane,
            Topology::Elements => Cells { ring: Some(self.schema(1).ring), ..plane },
            // Nodes hold the state; the edges between them are the only cells.
            Topology::DualEdges => Cells {
                set: "level0/edges",
                nodes: "level0/nodes",
                corners: "level0/edge_nodes",
                ring: None,
                coordinates: "level0/x",
            },
            Topology::Hexahedra => Cells { set: "elems", corners: "elem_nodes", ..plane },
            Topology::Triangles => Cells {
                set: "elements",
                nodes: "vertices",
                corners: "element_vertices",
                ring: None,
                coordinates: "x",
            },
        }
    }
}

impl fmt::Display for Topology {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Topology::CellEdges => "cells with edges",
            Topology::Elements => "bilinear elements",
            Topology::DualEdges => "dual edges with levels",
            Topology::Hexahedra => "hexahedra with neighbours",
            Topology::Triangles => "triangles with boundary facets",
        })
    }
}

impl FromStr for Topology {
    type Err = MeshError;

    /// The topology named in a mesh file.
    fn from_str(text: &str) -> Result<Topology, MeshError> {
        Topology::ALL.into_iter().find(|topology| topology.tag() == text).ok_or_else(|| {
            let known: Vec<String> =
                Topology::ALL.iter().map(|known| format!("\"{}\"", known.tag())).collect();
            MeshError::Unknown(format!("unknown case \"{}\"; known cases: {}", short(text), known.join(", ")))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::level_name;

    #[test]
    fn words_in_files_are_parsed_and_printed() {
        for tag in ["airfoil", "aero", "mgcfd", "lulesh", "triangles"] {
            assert_eq!(tag.parse::<Topology>().unwrap().tag(), tag);
        }
        let message = "airfol".parse::<Topology>().unwrap_err().to_string();
        assert_eq!(
            message,
            "unknown case \"airfol\"; known cases: \"airfoil\", \"aero\", \"mgcfd\", \"lulesh\", \"triangles\""
        );
    }

    #[test]
    fn what_is_shown_is_in_the_schema() {
        for topology in Topology::ALL {
            let (cells, schema) = (topology.cells(), topology.schema(2));
            let corners = schema.table(cells.corners);
            assert_eq!(corners.set, cells.set);
            assert_eq!(corners.content, crate::Content::Map { to: cells.nodes.into() });
            assert_eq!(schema.table(cells.coordinates).set, cells.nodes);
        }
    }

    #[test]
    fn only_dual_edges_have_levels() {
        let mut mesh = Mesh::default();
        (0..3).for_each(|level| {
            mesh.add_set(&level_name(level, "nodes"), 1);
        });
        assert_eq!(Topology::ALL.map(|topology| topology.levels(&mesh)), [0, 0, 3, 0, 0]);
    }
}
