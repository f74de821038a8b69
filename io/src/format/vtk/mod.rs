//! Files for ParaView that runs of this program have left, read as meshes: VTKHDF, and VTU with its list of pieces.
//!
//! ```text
//! hdf        VTKHDF: its last mesh; also written
//! vtu        VTU: numbers appended raw, in one piece or several
//! xml        its header, and the list of pieces
//! ```
//!
//! Names of groups are beside what VTK knows: in VTKHDF in the group `groups` of the general layout, in VTU in the text
//! `groups` of the field data, a line each: dimension, number, name. Cells have their group in the array `group`; without one,
//! there are no groups.

mod hdf;
mod vtu;
mod xml;

use cfd_engine::comm::Comm;
use cfd_engine::mesh::Blocks;
use cfd_mesh::{ElementKind, Groups};

use super::{Format, Holds, Signs, Writer};
use crate::IoError;
use crate::listed::{Contents, GroupList, NO_GROUP, Numbering, OwnElements, Position, Rows};

/// VTKHDF.
pub static VTKHDF: Format = Format {
    name: "VTKHDF",
    option: "vtkhdf",
    endings: &[".vtkhdf"],
    derived: &[],
    signs: Signs { hdf5: Some("VTK's group `VTKHDF`"), other: None },
    dataset: crate::source::dataset,
    detect: |start| Ok(start.hdf5.as_ref().is_some_and(|file| file.has("VTKHDF")).then_some(Holds::Elements)),
    read: |comm, request| hdf::read(comm, request.path),
    write: Some(Writer::Elements(hdf::write)),
};

/// VTU.
pub static VTU: Format = Format {
    name: "VTU",
    option: "vtu",
    endings: &[".vtu", ".pvtu"],
    derived: &[],
    signs: Signs { hdf5: None, other: Some("VTK's XML (.vtu, .pvtu)") },
    dataset: crate::source::dataset,
    detect: |start| Ok(xml::is_vtk(&start.bytes).then_some(Holds::Elements)),
    read: |comm, request| vtu::read(comm, request.path),
    write: None,
};

/// Cells that this rank has, in the order of all.
#[derive(Default)]
struct Cells {
    /// VTK's type of each.
    types: Vec<u64>,
    groups: Vec<i32>,
    /// The nodes of all, one cell after the other.
    nodes: Vec<u64>,
}

impl Cells {
    /// Adds them to the rows of a file, where they are a block of `all` cells. An error is a cell of a type that is not read, and
    /// its type. Collective.
    fn add(&self, comm: &Comm, all: u64, rows: &mut Rows) -> Result<(), (u64, u64)> {
        let mut own = OwnElements::default();
        let mut wrong = Ok(());
        let mut nodes = self.nodes.iter().copied();
        let first = Blocks::new(all, comm.size()).range(comm.rank()).start;
        for (cell, (number, group)) in (first..).zip(self.types.iter().zip(&self.groups)) {
            match ElementKind::of_vtk_type(*number) {
                Some(kind) => {
                    let group = if *group == 0 { NO_GROUP } else { u64::from(group.cast_unsigned()) };
                    own.push(kind, cell, group, nodes.by_ref().take(kind.nodes()));
                }
                None => {
                    wrong = Err((cell, *number));
                    break;
                }
            }
        }
        rows.add_in_order(comm, own);
        wrong
    }
}

/// What a file lists in addition to its rows.
fn contents(groups: &Groups) -> Contents {
    let mut names = std::collections::BTreeMap::new();
    for group in groups.iter() {
        let list: &mut Vec<String> = names.entry((group.dimension, group.id)).or_default();
        list.push(group.name.clone());
    }
    Contents {
        dimension: None,
        groups: GroupList::Numbered(names),
        numbering: Numbering::From(0),
        position: Position::Element,
        dropped: Vec::new(),
        periodic: Vec::new(),
    }
}

/// An error about a cell of a type that is not read.
fn unknown(path: &std::path::Path, contents: &Contents, (cell, number): (u64, u64)) -> IoError {
    let what = format!(
        "a cell of VTK's type {number}; expected lines (3), triangles (5), quadrilaterals (9), tetrahedra (10), hexahedra \
         (12), prisms (13) or pyramids (14)"
    );
    contents.error(path, cell, what)
}
