//! What a case's mesh consists of, and what its parts are called in the mesh and in files.
//!
//! A new case is a new [`Schema`]: readers, writers and shape checks work from these tables.

use std::fmt;
use std::path::Path;
use std::str::FromStr;

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

    /// The sets, maps and dats of this case's mesh. Error: a case whose mesh files are not supported.
    pub fn schema(self) -> Result<&'static Schema, IoError> {
        match self {
            Case::Airfoil => Ok(&AIRFOIL),
            Case::Aero => Ok(&AERO),
            Case::Mgcfd => Err(IoError::Case(format!(
                "case \"{self}\": its meshes are not supported by this version; supported: \"airfoil\", \"aero\""
            ))),
        }
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
            IoError::Case(format!("unknown case \"{text}\"; known cases: \"airfoil\", \"aero\", \"mgcfd\""))
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
}

impl Format {
    /// The format that a file name asks for: `.dat` is OP2's text, `.op2.h5` and `.op2.hdf5` OP2's HDF5, other `.h5`
    /// and `.hdf5` the project's HDF5.
    pub fn from_name(path: &Path) -> Result<Format, IoError> {
        let name = path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
        let ends = |ends: &[&str]| ends.iter().any(|end| name.ends_with(end));
        if ends(&[".dat"]) {
            Ok(Format::Op2Text)
        } else if ends(&[".op2.h5", ".op2.hdf5"]) {
            Ok(Format::Op2Hdf5)
        } else if ends(&[".h5", ".hdf5"]) {
            Ok(Format::Hdf5)
        } else {
            Err(IoError::file(
                path,
                "cannot tell the mesh format from this name; use .h5 or .hdf5 (HDF5), .op2.h5 (OP2's HDF5) or .dat (OP2's text)",
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
        })
    }
}

/// What a table's values are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Content {
    /// A map: rows of another set.
    Map {
        /// The target set.
        to: &'static str,
    },
    /// A dat of double-precision numbers.
    F64,
    /// A dat of integers.
    I32,
}

/// One map or dat, and its dataset in files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Table {
    /// Name in the mesh.
    pub name: &'static str,
    /// The set that it is defined on.
    pub set: &'static str,
    /// Values of one element: a map's arity, a dat's dimension.
    pub dim: usize,
    /// What the values are.
    pub content: Content,
    /// Dataset in the project's HDF5 files, of shape (rows, dim), or (rows) when dim is 1.
    pub dataset: &'static str,
    /// Dataset in OP2's HDF5 files, of shape (rows, dim).
    pub op2: &'static str,
}

/// A set, and its dataset in OP2's files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SetNames {
    /// Name in the mesh.
    pub name: &'static str,
    /// Dataset in OP2's HDF5 files, of one integer, the number of elements.
    pub op2: &'static str,
}

/// The sets, maps and dats of a case's mesh.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Schema {
    /// The case.
    pub case: Case,
    /// The sets, in the order of the mesh.
    pub sets: &'static [SetNames],
    /// Maps, then dats, in the order of the mesh.
    pub tables: &'static [Table],
    /// Positions in a row of `cell_nodes` that go around the cell counter-clockwise.
    pub ring: [usize; 4],
}

impl Schema {
    /// The table of a name that the schema is known to have.
    pub(crate) fn table(&self, name: &str) -> &'static Table {
        self.tables.iter().find(|t| t.name == name).expect("the schema has the tables its case needs")
    }
}

const fn set(name: &'static str, op2: &'static str) -> SetNames {
    SetNames { name, op2 }
}

const fn map(
    name: &'static str,
    set: &'static str,
    to: &'static str,
    dim: usize,
    op2: &'static str,
) -> Table {
    Table { name, set, dim, content: Content::Map { to }, dataset: name, op2 }
}

/// Coordinates in the plane.
const X: Table =
    Table { name: "x", set: "nodes", dim: 2, content: Content::F64, dataset: "node_coordinates", op2: "p_x" };

/// Airfoil: quadrilateral cells, interior edges between two cells, boundary edges of one.
static AIRFOIL: Schema = Schema {
    case: Case::Airfoil,
    sets: &[set("nodes", "nodes"), set("edges", "edges"), set("bedges", "bedges"), set("cells", "cells")],
    tables: &[
        map("edge_nodes", "edges", "nodes", 2, "pedge"),
        map("edge_cells", "edges", "cells", 2, "pecell"),
        map("bedge_nodes", "bedges", "nodes", 2, "pbedge"),
        map("bedge_cell", "bedges", "cells", 1, "pbecell"),
        map("cell_nodes", "cells", "nodes", 4, "pcell"),
        X,
        Table {
            name: "bound",
            set: "bedges",
            dim: 1,
            content: Content::I32,
            dataset: "bedge_bound",
            op2: "p_bound",
        },
    ],
    ring: [0, 1, 2, 3],
};

/// Aero: bilinear elements, whose nodes are at (0,0), (1,0), (0,1), (1,1) of the unit square, and far-field nodes.
/// OP2's program calls the far-field nodes `bedges`.
static AERO: Schema = Schema {
    case: Case::Aero,
    sets: &[set("nodes", "nodes"), set("cells", "cells"), set("bnodes", "bedges")],
    tables: &[
        map("cell_nodes", "cells", "nodes", 4, "pcell"),
        map("bnode_node", "bnodes", "nodes", 1, "pbedge"),
        X,
    ],
    ring: [0, 1, 3, 2],
};

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
    fn unsupported_cases_are_refused_by_name() {
        let message = Case::Mgcfd.schema().unwrap_err().to_string();
        assert!(message.contains("\"mgcfd\"") && message.contains("\"airfoil\""), "{message}");
    }

    #[test]
    fn file_names_choose_the_format() {
        let format = |name: &str| Format::from_name(Path::new(name));
        assert_eq!(format("a/new_grid.dat"), Ok(Format::Op2Text));
        assert_eq!(format("a/grid.h5"), Ok(Format::Hdf5));
        assert_eq!(format("a/grid.OP2.h5"), Ok(Format::Op2Hdf5));
        assert!(format("a/grid.txt").unwrap_err().to_string().starts_with("a/grid.txt: cannot tell"));
    }
}
