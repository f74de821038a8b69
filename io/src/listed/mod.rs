//! Meshes in formats that list nodes, elements and named groups.
//!
//! ```text
//! scan         numbers and words in sequence, from text and binary
//! slabs        rows of fixed size in binary files, each rank its own
//! rows         the rows of a file, each on some rank; rows to the ranks whose blocks they belong to
//! deal         rows from rank 0 to all ranks while it reads the file
//! nodes        the file's numbers of nodes to rows; unused nodes; the plane
//! marks        nodes and elements that an adaptation must keep
//! element_mesh every kind of element by itself, with its groups
//! ```
//!
//! All ranks do everything after reading, each for its rows, and the mesh is the same on any number of ranks: nodes
//! that belong to an element that fills the domain, and elements of each kind, keep the file's order.

mod deal;
mod element_mesh;
mod marks;
mod nodes;
mod rows;
mod scan;
mod slabs;

use std::collections::BTreeMap;
use std::path::Path;

use cfd_mesh::Periodic;
use serde::{Deserialize, Serialize};

pub(crate) use self::deal::{Dealer, deal};
pub(crate) use self::element_mesh::{assemble, read_elements};
pub(crate) use self::rows::{Kind, NO_GROUP, OwnElements, Rows};
pub(crate) use self::scan::{Encoding, Scan, short};
pub(crate) use self::slabs::{Slabs, Width};
use crate::IoError;

/// What a file lists in addition to its rows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Contents {
    /// The dimension stated by the file; `None` if its elements imply it.
    pub(crate) dimension: Option<usize>,
    /// Groups of elements.
    pub(crate) groups: GroupList,
    /// How elements name their nodes.
    pub(crate) numbering: Numbering,
    /// What the position of a row is.
    pub(crate) position: Position,
    /// The file's numbers of nodes that are not part of the mesh, in increasing order, nor are elements that have them.
    pub(crate) dropped: Vec<u64>,
    /// Pairs of boundaries that the file says are periodic.
    pub(crate) periodic: Vec<Periodic>,
}

impl Contents {
    /// An error about the row at a position.
    pub(crate) fn error(&self, path: &Path, place: u64, what: String) -> IoError {
        Source { path, position: &self.position }.error(place, what)
    }
}

/// The groups of a file's elements.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) enum GroupList {
    /// Elements refer to them by index in this list.
    Listed(Vec<ListedGroup>),
    /// Elements have their numbers; names by dimension and number, for those that have one.
    Numbered(BTreeMap<(usize, i32), Vec<String>>),
}

/// How elements name their nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Numbering {
    /// By numbers that the file gives them.
    Tagged,
    /// By numbers that the file gives them, unless elements name others; then in the order of the file, from 0 on.
    TaggedOrPlaces,
    /// In the order of the file, from this number on.
    From(u64),
}

/// What the position of a row in a file is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Position {
    /// A line, from 1.
    Line,
    /// A byte, from 0.
    Byte,
    /// An element, counted through the file from 1.
    Element,
    /// A cell of blocks with these numbers of cells in each direction, counted through all blocks.
    Cell(Vec<[u64; 3]>),
}

/// A group of elements.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
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
    position: &'a Position,
}

impl Source<'_> {
    /// An error about the row at a position.
    fn error(&self, mut place: u64, what: String) -> IoError {
        let path = self.path.display();
        let place = match self.position {
            Position::Line => format!("{path}:{place}"),
            Position::Byte => format!("{path}: byte {place}"),
            Position::Element => format!("{path}: element {place}"),
            Position::Cell(blocks) => {
                let mut block = 0;
                while place >= blocks[block].iter().product() {
                    place -= blocks[block].iter().product::<u64>();
                    block += 1;
                }
                let [ni, nj, _] = blocks[block];
                let (i, j, k) = (place % ni + 1, place / ni % nj + 1, place / (ni * nj) + 1);
                format!("{path}: block {}, cell ({i}, {j}, {k})", block + 1)
            }
        };
        IoError::Row { place, what }
    }
}
