//! What a case's mesh consists of, and what its parts are called in the mesh and in files.
//!
//! A new case is a new [`Schema`]: readers, writers and shape checks work from these tables.

use std::fmt;
use std::path::Path;
use std::str::FromStr;

use cfd_engine::given::short;
use cfd_engine::mesh::Mesh;
use serde::{Deserialize, Serialize};

use crate::IoError;

/// An application and its kind of mesh.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Case {
    /// 2D Euler equations, cell-centred.
    Airfoil,
    /// 2D full potential equation, finite elements.
    Aero,
    /// 3D Euler equations, node-centred, multigrid.
    Mgcfd,
}

impl Case {
    const NAMES: [(&'static str, Case); 3] =
        [("airfoil", Case::Airfoil), ("aero", Case::Aero), ("mgcfd", Case::Mgcfd)];

    /// Its name in files and configurations.
    pub fn name(self) -> &'static str {
        Case::NAMES.iter().find(|(_, case)| *case == self).expect("every case has a name").0
    }

    /// The sets, maps and dats of this case's meshes of `levels` levels; only Mgcfd's have more than one.
    pub fn schema(self, levels: usize) -> Schema {
        match self {
            Case::Airfoil => airfoil(),
            Case::Aero => aero(),
            Case::Mgcfd => mgcfd(levels),
        }
    }

    /// The sets, maps and dats that a mesh of this case should have, going by the number of levels that it has.
    pub fn schema_of(self, mesh: &Mesh) -> Schema {
        self.schema(levels(mesh).max(1))
    }
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Case {
    type Err = IoError;

    fn from_str(text: &str) -> Result<Case, IoError> {
        Case::NAMES.iter().find(|(name, _)| *name == text).map(|(_, case)| *case).ok_or_else(|| {
            IoError::Case(format!(
                "unknown case \"{}\"; known cases: \"airfoil\", \"aero\", \"mgcfd\"",
                short(text)
            ))
        })
    }
}

/// A mesh file format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Format {
    /// The project's HDF5 layout.
    Hdf5,
    /// OP2's HDF5 layout.
    Op2Hdf5,
    /// OP2's text format.
    Op2Text,
    /// MG-CFD's `input.dat` and one HDF5 file a level.
    MgCfd,
    /// Gmsh's format 4.1, which is only read.
    Gmsh,
    /// SU2's format, which is only read.
    Su2,
}

impl Format {
    /// The format that a file name asks for: `.dat` is OP2's text or, for Mgcfd, MG-CFD's `input.dat`; `.op2.h5` and
    /// `.op2.hdf5` is OP2's HDF5, other `.h5` and `.hdf5` the project's HDF5.
    pub fn from_name(path: &Path, case: Case) -> Result<Format, IoError> {
        let name = path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
        let ends = |ends: &[&str]| ends.iter().any(|end| name.ends_with(end));
        if ends(&[".dat"]) {
            Ok(if case == Case::Mgcfd { Format::MgCfd } else { Format::Op2Text })
        } else if ends(&[".op2.h5", ".op2.hdf5"]) {
            Ok(Format::Op2Hdf5)
        } else if ends(&[".h5", ".hdf5"]) {
            Ok(Format::Hdf5)
        } else {
            Err(IoError::file(
                path,
                "cannot tell the mesh format from this name; use .h5 or .hdf5 (HDF5), .op2.h5 (OP2's HDF5) or .dat (OP2's text, MG-CFD's input)",
            ))
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Format::Hdf5 => "HDF5",
            Format::Op2Hdf5 => "OP2 HDF5",
            Format::Op2Text => "OP2 text",
            Format::MgCfd => "MG-CFD",
            Format::Gmsh => "Gmsh",
            Format::Su2 => "SU2",
        })
    }
}

/// What a table's values are.
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
    /// The set that it is defined on.
    pub set: String,
    /// Values of one element: a map's arity, a dat's dimension.
    pub dim: usize,
    /// What the values are.
    pub content: Content,
    /// Dataset in the project's HDF5 files, of shape (rows, dim), or (rows) when dim is 1.
    pub dataset: String,
    /// Dataset in OP2's HDF5 files, or in MG-CFD's file of the level, of shape (rows, dim).
    pub op2: &'static str,
}

/// A set, and its dataset in OP2's files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SetNames {
    /// Name in the mesh.
    pub name: String,
    /// Dataset in OP2's HDF5 files, of one integer, the number of elements.
    pub op2: &'static str,
}

/// The sets, maps and dats of a case's mesh.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Schema {
    /// The case.
    pub case: Case,
    /// The sets, in the order of the mesh.
    pub sets: Vec<SetNames>,
    /// Maps and dats, each kind in the order of the mesh.
    pub tables: Vec<Table>,
    /// Positions in a row of `cell_nodes` that go around the cell counter-clockwise.
    pub ring: [usize; 4],
}

impl Schema {
    /// The table of a name that the schema is known to have.
    pub(crate) fn table(&self, name: &str) -> &Table {
        self.tables.iter().find(|t| t.name == name).expect("the schema has the tables its case needs")
    }

    /// The number of levels, 0 for cases without.
    pub(crate) fn levels(&self) -> usize {
        (0..).take_while(|&level| self.sets.iter().any(|set| set.name == level_name(level, "nodes"))).count()
    }

    /// The sets and tables of one level.
    pub(crate) fn of_level(&self, level: usize) -> Schema {
        let is_of = |name: &str| level_of(name) == Some(level);
        Schema {
            sets: self.sets.iter().filter(|set| is_of(&set.name)).cloned().collect(),
            tables: self.tables.iter().filter(|table| is_of(&table.name)).cloned().collect(),
            ..*self
        }
    }
}

fn set(name: &str, op2: &'static str) -> SetNames {
    SetNames { name: name.into(), op2 }
}

fn map(name: &str, set: &str, to: &str, dim: usize, op2: &'static str) -> Table {
    let content = Content::Map { to: to.into() };
    Table { name: name.into(), set: set.into(), dim, content, dataset: name.into(), op2 }
}

fn dat(name: &str, set: &str, dim: usize, content: Content, dataset: &str, op2: &'static str) -> Table {
    Table { name: name.into(), set: set.into(), dim, content, dataset: dataset.into(), op2 }
}

/// Coordinates in the plane.
fn plane() -> Table {
    dat("x", "nodes", 2, Content::F64, "node_coordinates", "p_x")
}

/// Airfoil: quadrilateral cells, interior edges between two cells, boundary edges of one.
fn airfoil() -> Schema {
    Schema {
        case: Case::Airfoil,
        sets: vec![
            set("nodes", "nodes"),
            set("edges", "edges"),
            set("bedges", "bedges"),
            set("cells", "cells"),
        ],
        tables: vec![
            map("edge_nodes", "edges", "nodes", 2, "pedge"),
            map("edge_cells", "edges", "cells", 2, "pecell"),
            map("bedge_nodes", "bedges", "nodes", 2, "pbedge"),
            map("bedge_cell", "bedges", "cells", 1, "pbecell"),
            map("cell_nodes", "cells", "nodes", 4, "pcell"),
            plane(),
            dat("bound", "bedges", 1, Content::I32, "bedge_bound", "p_bound"),
        ],
        ring: [0, 1, 2, 3],
    }
}

/// Aero: bilinear elements, whose nodes are at (0,0), (1,0), (0,1), (1,1) of the unit square, and far-field nodes.
/// OP2's program calls the far-field nodes `bedges`.
fn aero() -> Schema {
    Schema {
        case: Case::Aero,
        sets: vec![set("nodes", "nodes"), set("cells", "cells"), set("bnodes", "bedges")],
        tables: vec![
            map("cell_nodes", "cells", "nodes", 4, "pcell"),
            map("bnode_node", "bnodes", "nodes", 1, "pbedge"),
            plane(),
        ],
        ring: [0, 1, 3, 2],
    }
}

/// A name of level `level` of a Mgcfd mesh: `levelL/name`.
pub fn level_name(level: usize, name: &str) -> String {
    format!("level{level}/{name}")
}

/// The level in a name like `level2/x`.
pub(crate) fn level_of(name: &str) -> Option<usize> {
    name.strip_prefix("level")?.split_once('/')?.0.parse().ok()
}

/// The number of levels of a Mgcfd mesh; 0 for a mesh without levels.
pub fn levels(mesh: &Mesh) -> usize {
    (0..).take_while(|&level| mesh.set(&level_name(level, "nodes")).is_some()).count()
}

/// Mgcfd: the same sets, maps and dats on every level, and on all but the coarsest the map to the next coarser level.
fn mgcfd(levels: usize) -> Schema {
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
        sets.extend(
            [set("nodes", "nodes"), set("edges", "edges"), set("bnodes", "bnodes")]
                .map(|set| SetNames { name: at(&set.name), ..set }),
        );
        tables.extend(
            [
                map("edge_nodes", "edges", "nodes", 2, "edge-->node"),
                map("bnode_node", "bnodes", "nodes", 1, "bnd_node-->node"),
                dat("x", "nodes", 3, Content::F64, "node_coordinates", "node_coordinates"),
                dat("edge_weights", "edges", 3, Content::F64, "edge_weights", "edge_weights"),
                dat("bnode_weights", "bnodes", 3, Content::F64, "bnode_weights", "bnd_node_weights"),
                dat("bnode_group", "bnodes", 1, Content::I32, "bnode_group", "bnd_node-->group"),
            ]
            .map(table),
        );
        if level + 1 < levels {
            let coarser = Content::Map { to: level_name(level + 1, "nodes") };
            let up = table(map("node_mg_node", "nodes", "nodes", 1, "node-->mg_node"));
            tables.push(Table { content: coarser, ..up });
        }
    }
    Schema { case: Case::Mgcfd, sets, tables, ring: [0, 1, 2, 3] }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn case_names_are_parsed_and_printed() {
        for name in ["airfoil", "aero", "mgcfd"] {
            assert_eq!(name.parse::<Case>().unwrap().to_string(), name);
        }
        let message = "airfol".parse::<Case>().unwrap_err().to_string();
        assert!(message.contains("unknown case \"airfol\"") && message.contains("\"airfoil\""), "{message}");
    }

    #[test]
    fn every_level_has_the_same_tables_and_all_but_the_coarsest_lead_to_the_next() {
        let schema = Case::Mgcfd.schema(3);
        assert_eq!((schema.sets.len(), schema.tables.len()), (9, 3 * 6 + 2));
        let up = schema.table("level1/node_mg_node");
        assert_eq!((&up.set[..], &up.dataset[..]), ("level1/nodes", "level1/node_mg_node"));
        assert_eq!(up.content, Content::Map { to: "level2/nodes".into() });
        let x = schema.table("level2/x");
        assert_eq!((&x.set[..], &x.dataset[..], x.dim), ("level2/nodes", "level2/node_coordinates", 3));
    }

    #[test]
    fn file_names_choose_the_format() {
        let format = |name: &str| Format::from_name(Path::new(name), Case::Airfoil);
        assert_eq!(format("a/new_grid.dat"), Ok(Format::Op2Text));
        assert_eq!(Format::from_name(Path::new("a/input.dat"), Case::Mgcfd), Ok(Format::MgCfd));
        assert_eq!(format("a/grid.h5"), Ok(Format::Hdf5));
        assert_eq!(format("a/grid.OP2.h5"), Ok(Format::Op2Hdf5));
        assert!(format("a/grid.txt").unwrap_err().to_string().starts_with("a/grid.txt: cannot tell"));
    }
}
