//! What makes a derived mesh usable: the frame in which each derivation checks its sets, maps and dats.
//!
//! Each check runs on all ranks, then they agree: the defect is the one of the lowest row, on any number of ranks.

use cfd_engine::comm::Comm;
use cfd_engine::mesh::{Blocks, Mesh, Values};
use serde::{Deserialize, Serialize};

use super::values;
use crate::{BoundaryKind, Derived, Schema, Table};

/// What is wrong with a mesh, and where.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
pub enum Defect {
    /// One row of a map or dat.
    #[error("`{}` row {row}: {what}", table.dataset)]
    Row {
        /// The map or dat.
        table: Box<Table>,
        /// The row.
        row: u64,
        /// What is wrong, what would be right.
        what: String,
    },
    /// A whole map or dat.
    #[error("`{}`: {what}", table.dataset)]
    Table {
        /// The map or dat.
        table: Box<Table>,
        /// What is wrong, what would be right.
        what: String,
    },
    /// A set without elements.
    #[error("the mesh has no {set}; expected some")]
    Empty {
        /// The set.
        set: String,
    },
}

impl Derived {
    /// Checks that a mesh is usable: it has these sets, maps and dats, in range and finite, and what its derivation
    /// requires beyond that; `kinds` are the kinds of boundaries that flags may name. Collective.
    ///
    /// # Errors
    /// The first defect, the same on every rank.
    pub fn check(&'static self, comm: &Comm, mesh: &Mesh, kinds: &[BoundaryKind]) -> Result<(), Defect> {
        let schema = self.schema_of(mesh);
        comm.agree(values::shapes(comm, mesh, &schema.tables))?;
        let is_empty = |name: &&String| mesh.set(name).is_some_and(|set| mesh.sets[set].rows == 0);
        if let Some(set) = schema.needed.iter().find(is_empty) {
            return Err(Defect::Empty { set: set.clone() });
        }
        comm.agree(values::ranges(comm, mesh, &schema.tables))?;
        let view = View { comm, mesh, schema: &schema, kinds };
        comm.agree(values::finite(&view))?;
        (self.check)(&view)
    }
}

/// A mesh with correct shapes and ranges.
pub struct View<'a> {
    pub(super) comm: &'a Comm,
    pub(super) mesh: &'a Mesh,
    pub(super) schema: &'a Schema,
    pub(super) kinds: &'a [BoundaryKind],
}

impl<'a> View<'a> {
    /// The distribution of a set.
    pub(super) fn blocks(&self, set: &str) -> Blocks {
        self.mesh.blocks(self.mesh.set(set).expect("shapes are checked"), self.comm)
    }

    /// This rank's rows of a map.
    pub(super) fn map(&self, name: &str) -> &'a [u64] {
        &self.mesh.maps[self.mesh.map(name).expect("shapes are checked")].rows
    }

    /// This rank's rows of a dat.
    fn dat(&self, name: &str) -> &'a Values {
        &self.mesh.dats[self.mesh.dat(name).expect("shapes are checked")].values
    }

    /// This rank's rows of a dat of numbers.
    pub(super) fn numbers(&self, name: &str) -> &'a [f64] {
        let Values::F64(values) = self.dat(name) else { panic!("types are checked") };
        values
    }

    /// This rank's rows of a dat of integers.
    pub(super) fn integers(&self, name: &str) -> &'a [i32] {
        let Values::I32(values) = self.dat(name) else { panic!("types are checked") };
        values
    }

    /// This rank's coordinates.
    pub(super) fn x(&self) -> &'a [f64] {
        self.numbers("x")
    }

    /// The first row of this rank's block of a set.
    pub(super) fn start(&self, set: &str) -> u64 {
        self.blocks(set).range(self.comm.rank()).start
    }

    /// A defect in a row of a table.
    pub(super) fn error(&self, table: &str, row: u64, what: String) -> Defect {
        Defect::Row { table: Box::new(self.schema.table(table).clone()), row, what }
    }

    /// A defect of a whole table.
    pub(super) fn table_error(&self, table: &str, what: String) -> Defect {
        Defect::Table { table: Box::new(self.schema.table(table).clone()), what }
    }
}
