//! Where a row of a mesh stands in the file it came from, for messages.

use std::path::{Path, PathBuf};

use crate::IoError;
use crate::schema::{Format, Table};

/// A mesh's file, and how its rows are found in it.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    path: PathBuf,
    format: Format,
    /// Text only: the sets in the order of their lines, with the line of row 0.
    first_lines: Vec<(&'static str, u64)>,
}

impl Place {
    /// An HDF5 file, where a row is a row of a dataset.
    pub(crate) fn hdf5(path: &Path, format: Format) -> Place {
        Place { path: path.into(), format, first_lines: Vec::new() }
    }

    /// A text file, where a row is a line; `first_lines` has the line of each set's row 0.
    pub(crate) fn text(path: &Path, first_lines: Vec<(&'static str, u64)>) -> Place {
        Place { path: path.into(), format: Format::Op2Text, first_lines }
    }

    /// Name of a table in this file.
    pub(crate) fn dataset<'a>(&self, table: &'a Table) -> &'a str {
        match self.format {
            Format::Op2Hdf5 => table.op2,
            Format::Hdf5 | Format::Op2Text => &table.dataset,
        }
    }

    /// An error about one row of a table.
    pub(crate) fn row(&self, table: &Table, row: u64, what: String) -> IoError {
        let (path, dataset) = (self.path.display(), self.dataset(table));
        let place = match self.first_lines.iter().find(|(set, _)| *set == table.set) {
            Some((_, first)) => format!("{path}:{}: `{dataset}` row {row}", first + row),
            None => format!("{path}: `{dataset}` row {row}"),
        };
        IoError::Row { place, what }
    }

    /// An error about a whole table.
    pub(crate) fn table(&self, table: &Table, what: String) -> IoError {
        IoError::dataset(&self.path, self.dataset(table), what)
    }
}
