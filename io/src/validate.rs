//! Checks that a mesh is usable, with places in its file.

use std::path::Path;

use cfd_engine::comm::Comm;
use cfd_engine::mesh::Mesh;
use cfd_mesh::{Boundaries, BoundaryKind, Defect, Derived, Table};

use crate::IoError;
use crate::source::{MeshSource, dataset};

/// Checks a mesh that came from `path` ([`Derived::check`]), whose boundaries are walls or far field. Collective.
///
/// # Errors
/// The first defect, with the dataset and row in `path`, what is wrong and what would be right.
pub fn validate(comm: &Comm, mesh: &Mesh, derived: &'static Derived, path: &Path) -> Result<(), IoError> {
    validate_with(comm, mesh, derived, path, &Boundaries::default())
}

/// [`validate`], for a mesh with other kinds of boundaries. Collective.
///
/// # Errors
/// As [`validate`].
pub fn validate_with(
    comm: &Comm,
    mesh: &Mesh,
    derived: &'static Derived,
    path: &Path,
    boundaries: &Boundaries,
) -> Result<(), IoError> {
    validate_at(comm, mesh, derived, &MeshSource::new(path, dataset), boundaries.kinds)
}

/// [`validate`], for a mesh that came from `source`, whose boundaries are of `kinds`.
pub(crate) fn validate_at(
    comm: &Comm,
    mesh: &Mesh,
    derived: &'static Derived,
    source: &MeshSource,
    kinds: &[BoundaryKind],
) -> Result<(), IoError> {
    derived.check(comm, mesh, kinds).map_err(|defect| source.defect(defect))
}

impl MeshSource {
    /// A defect of the mesh in this file.
    pub(crate) fn defect(&self, defect: Defect) -> IoError {
        match defect {
            Defect::Row { table, row, what } => self.row(&table, row, what),
            Defect::Table { table, what } => self.table(&table, what),
            Defect::Empty { set } => self.empty(&set),
        }
    }
}

/// Converts a file's indices, counted from its base, to rows of a set of `targets` elements; `start` is the first row's
/// number.
pub(crate) fn checked_targets(
    source: &MeshSource,
    table: &Table,
    start: u64,
    values: &[i64],
    targets: u64,
) -> Result<Vec<u64>, IoError> {
    let from_zero = |value: i64| value.checked_sub(source.base()).and_then(|value| u64::try_from(value).ok());
    let check = |(k, &value): (usize, &i64)| match from_zero(value) {
        Some(target) if target < targets => Ok(target),
        _ => {
            let what = table.out_of_range(source.base().cast_unsigned(), value, targets);
            Err(source.row(table, start + (k / table.dim) as u64, what))
        }
    };
    values.iter().enumerate().map(check).collect()
}
