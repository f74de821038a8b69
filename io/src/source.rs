//! The position of a mesh's row in its file, for messages.

use std::path::{Path, PathBuf};

use cfd_mesh::{Table, level_of};

use crate::IoError;

/// The names of a mesh's tables in a file.
pub(crate) type Naming = fn(&Table) -> &str;

/// The schemas' names.
pub(crate) fn dataset(table: &Table) -> &str {
    &table.dataset
}

/// A mesh's file, and how to find its rows in it.
#[derive(Clone, Debug)]
pub(crate) struct MeshSource {
    path: PathBuf,
    naming: Naming,
    /// The files of the levels, if each has its own.
    levels: Vec<PathBuf>,
    /// The number of a set's first element in the file.
    base: u8,
    /// Text only: the sets in the order of their lines, with the line of row 0.
    first_lines: Vec<(&'static str, u64)>,
}

impl MeshSource {
    /// A file in which a row is a row of a dataset.
    pub(crate) fn new(path: &Path, naming: Naming) -> MeshSource {
        MeshSource { path: path.into(), naming, levels: Vec::new(), base: 0, first_lines: Vec::new() }
    }

    /// A text file, in which a row is a line; `first_lines` has the line of each set's row 0.
    pub(crate) fn text(path: &Path, naming: Naming, first_lines: Vec<(&'static str, u64)>) -> MeshSource {
        MeshSource { first_lines, ..MeshSource::new(path, naming) }
    }

    /// Files, one per level, in which elements are numbered from `base`.
    pub(crate) fn levels(levels: Vec<PathBuf>, base: u8, naming: Naming) -> MeshSource {
        let first = levels.first().cloned().unwrap_or_default();
        MeshSource { levels, base, ..MeshSource::new(&first, naming) }
    }

    /// An error about a set without elements.
    pub(crate) fn empty(&self, set: &str) -> IoError {
        IoError::file(&self.path, format!("the mesh has no {set}; expected some"))
    }

    /// The number of a set's first element in the file.
    pub(crate) fn base(&self) -> i64 {
        i64::from(self.base)
    }

    /// The file that a table is in.
    fn path(&self, table: &Table) -> &Path {
        level_of(&table.name).and_then(|level| self.levels.get(level)).unwrap_or(&self.path)
    }

    /// Name of a table in this file.
    pub(crate) fn dataset<'a>(&self, table: &'a Table) -> &'a str {
        (self.naming)(table)
    }

    /// An error about one row of a table.
    pub(crate) fn row(&self, table: &Table, row: u64, what: String) -> IoError {
        let (path, dataset) = (self.path(table).display(), self.dataset(table));
        let place = match self.first_lines.iter().find(|(set, _)| *set == table.set) {
            Some((_, first)) => format!("{path}:{}: `{dataset}` row {row}", first + row),
            None => format!("{path}: `{dataset}` row {row}"),
        };
        IoError::Row { place, what }
    }

    /// An error about a whole table.
    pub(crate) fn table(&self, table: &Table, what: String) -> IoError {
        IoError::dataset(self.path(table), self.dataset(table), what)
    }
}
