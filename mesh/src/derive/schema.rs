//! The contents of a derived mesh: tables of its sets, maps and dats, and their names in the project's files.
//!
//! Readers, writers and shape checks work from these tables.

use serde::{Deserialize, Serialize};

/// The type of a table's values.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
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
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
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

impl Table {
    /// A map of `dim` targets.
    pub fn map(name: &str, set: &str, to: &str, dim: usize) -> Table {
        let content = Content::Map { to: to.into() };
        Table { name: name.into(), set: set.into(), dim, content, dataset: name.into() }
    }

    /// A dat.
    pub fn dat(name: &str, set: &str, dim: usize, content: Content, dataset: &str) -> Table {
        Table { name: name.into(), set: set.into(), dim, content, dataset: dataset.into() }
    }

    /// Coordinates of the nodes.
    pub fn coordinates(dim: usize) -> Table {
        Table::dat("x", "nodes", dim, Content::F64, "node_coordinates")
    }

    /// What is wrong with a value that is no row of the target set of `targets` rows, which files count from `base`.
    pub fn out_of_range(&self, base: u64, value: impl std::fmt::Display, targets: u64) -> String {
        let Content::Map { to } = &self.content else { panic!("only maps have indices") };
        let allowed = match targets {
            0 => format!("there are no {to}"),
            _ => format!("allowed are the {to} {base} to {}", base + targets - 1),
        };
        format!("index {value} is out of range; {allowed}")
    }
}

/// The sets, maps and dats of a mesh.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Schema {
    /// The sets, in the order of the mesh.
    pub sets: Vec<String>,
    /// Maps and dats, each kind in the order of the mesh.
    pub tables: Vec<Table>,
    /// The sets without whose elements there is nothing to compute.
    pub needed: Vec<String>,
    /// Tables that a mesh may have beside these.
    pub optional: Vec<Table>,
}

impl Schema {
    /// Sets and tables; no set of `needed` may be empty.
    pub(crate) fn new<const N: usize>(sets: [&str; N], needed: &[&str], tables: Vec<Table>) -> Schema {
        let names = |sets: &[&str]| sets.iter().map(|set| set.to_string()).collect();
        Schema { sets: names(&sets), tables, needed: names(needed), optional: Vec::new() }
    }

    /// With those of the optional tables that a mesh has.
    pub fn with(mut self, has: impl Fn(&Table) -> bool) -> Schema {
        self.tables.extend(self.optional.extract_if(.., |table| has(table)));
        self
    }

    /// The table with this name, which the schema must have.
    ///
    /// # Panics
    /// It has no such table.
    pub fn table(&self, name: &str) -> &Table {
        self.tables.iter().find(|t| t.name == name).expect("a schema has the tables that its code names")
    }
}
