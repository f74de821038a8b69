//! Meshes in formats that list nodes, elements and named groups.
//!
//! ```text
//! scan         numbers and words in sequence, from text and binary
//! deal         rows from rank 0 to all ranks while it reads the file; rows to the ranks whose blocks they belong to
//! nodes        the file's numbers of nodes to rows; unused nodes; the plane
//! element_mesh every kind of element by itself, with its groups
//! ```
//!
//! All ranks do everything after reading, each for its rows, and the mesh is the same on any number of ranks: nodes
//! that belong to an element that fills the domain, and elements of each kind, keep the file's order.

mod deal;
mod element_mesh;
mod nodes;
mod scan;

use std::path::Path;

pub(crate) use self::deal::{Dealer, Kind, NO_GROUP};
pub(crate) use self::element_mesh::read_elements;
pub(crate) use self::scan::{Encoding, Scan, short};
use crate::IoError;

/// What a file lists in addition to its rows.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub(crate) struct Contents {
    /// The dimension stated by the file; `None` if its elements imply it.
    pub(crate) dimension: Option<usize>,
    /// Groups of elements, which refer to them by index in this list.
    pub(crate) groups: Vec<ListedGroup>,
    /// Whether nodes come with their own numbers; otherwise they are numbered in order, from 0.
    pub(crate) tagged: bool,
    /// Whether the position of a row is a byte of the file; otherwise it is a line.
    pub(crate) binary: bool,
    /// The file's numbers of nodes that are not part of the mesh, in increasing order, nor are elements that have them.
    pub(crate) dropped: Vec<u64>,
}

/// A group of elements.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub(crate) struct ListedGroup {
    /// The dimension of its elements.
    pub(crate) dimension: usize,
    /// Its number in the file; several numbers if the elements are in several groups of the file.
    pub(crate) ids: Vec<i32>,
    /// A name for each number.
    pub(crate) names: Vec<String>,
}

/// Reads a file on rank 0 and distributes its rows.
pub(crate) type Lister = fn(&Path, &mut Dealer<'_>) -> Result<Contents, IoError>;

/// A file, for messages about its rows.
#[derive(Clone, Copy, Debug)]
struct Source<'a> {
    path: &'a Path,
    binary: bool,
}

impl Source<'_> {
    /// An error about the row at a position.
    fn error(&self, place: u64, what: String) -> IoError {
        let path = self.path.display();
        let place = if self.binary { format!("{path}: byte {place}") } else { format!("{path}:{place}") };
        IoError::Row { place, what }
    }
}
