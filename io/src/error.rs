//! What can go wrong with files, as one enum that ranks exchange.

use std::path::Path;

use cfd_engine::given::{short, short_name};
use cfd_mesh::MeshError;
use cfd_mesh::derive::boundary::or;
use serde::{Deserialize, Serialize};

/// An error in reading, checking or writing; says where, what is wrong and what would be right.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
pub enum IoError {
    /// An input file is missing, unreadable or damaged as a whole.
    #[error("{}: cannot be read: {reason}", short_name(path))]
    Read {
        /// The file.
        path: String,
        /// Why.
        reason: String,
    },
    /// A file cannot be written.
    #[error("{}: cannot be written: {reason}", short_name(path))]
    Write {
        /// The file.
        path: String,
        /// Why.
        reason: String,
    },
    /// The file as a whole is not what it should be.
    #[error("{}: {what}", short_name(path))]
    File {
        /// The file.
        path: String,
        /// What is wrong, what would be right.
        what: String,
    },
    /// A place in a text file.
    #[error("{}:{line}:{column}: {what}", short_name(path))]
    Text {
        /// The file.
        path: String,
        /// Line, from 1.
        line: u64,
        /// Column in bytes, from 1.
        column: u64,
        /// What is wrong, what would be right.
        what: String,
    },
    /// A dataset or an attribute of an HDF5 file.
    #[error("{}: `{}`: {what}", short_name(path), short(dataset))]
    Dataset {
        /// The file.
        path: String,
        /// The dataset or attribute.
        dataset: String,
        /// What is wrong, what would be right.
        what: String,
    },
    /// A row of a mesh.
    #[error("{place}: {what}")]
    Row {
        /// The row: file and dataset and row, or file and line.
        place: String,
        /// What is wrong, what would be right.
        what: String,
    },
    /// The names of a mesh's boundaries imply no kind, and none is given for them.
    #[error("{}: {what}; give it a kind, {} (Boundaries::give)", short_name(path), or(kinds))]
    UnknownBoundary {
        /// The file.
        path: String,
        /// Which boundaries, and which exist.
        what: String,
        /// The names of the possible kinds.
        kinds: Vec<String>,
    },
    /// A mesh that cannot be built or used as requested.
    #[error(transparent)]
    Mesh(#[from] MeshError),
    /// A value that must not be hashed or written as a result.
    #[error("field `{field}`, row {row}, component {component}: {value} is not a finite number")]
    NotFinite {
        /// The field.
        field: String,
        /// Global row.
        row: u64,
        /// Component, from 0.
        component: u64,
        /// The value.
        value: String,
    },
}

impl IoError {
    /// True if the user's input is wrong (a missing or bad mesh, bad sizes); false if the machine failed (writing) or
    /// the solution is not finite.
    pub fn is_input(&self) -> bool {
        !matches!(self, IoError::Write { .. } | IoError::NotFinite { .. })
    }

    /// A file whose mesh cannot be used as requested.
    pub fn of_mesh(path: &Path, error: MeshError) -> IoError {
        match error {
            MeshError::Boundary { what, kinds } => {
                IoError::UnknownBoundary { path: path.display().to_string(), what, kinds }
            }
            error => IoError::file(path, error.to_string()),
        }
    }

    /// A file that cannot be read.
    pub fn read(path: &Path, reason: impl std::fmt::Display) -> IoError {
        IoError::Read { path: path.display().to_string(), reason: reason.to_string() }
    }

    /// A file that cannot be written.
    pub fn write(path: &Path, reason: impl std::fmt::Display) -> IoError {
        IoError::Write { path: path.display().to_string(), reason: reason.to_string() }
    }

    /// A file that is not what it should be.
    pub fn file(path: &Path, what: impl Into<String>) -> IoError {
        IoError::File { path: path.display().to_string(), what: what.into() }
    }

    /// A dataset or attribute that is not what it should be.
    pub fn dataset(path: &Path, dataset: &str, what: impl Into<String>) -> IoError {
        IoError::Dataset { path: path.display().to_string(), dataset: dataset.into(), what: what.into() }
    }
}
