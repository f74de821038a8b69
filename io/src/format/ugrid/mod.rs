//! UGRID, the format of AFLR3, FUN3D and the tools around them, in text and binary.
//!
//! ```text
//! nodes triangles quadrilaterals tetrahedra pyramids prisms hexahedra     seven numbers
//! x y z                                                                   for each node
//! n1 n2 n3                                                                for each triangle of the boundary
//! n1 n2 n3 n4                                                             for each quadrilateral of the boundary
//! number                                                                  for each of these, of its boundary
//! n1 ...                                                                  for each element, kind by kind
//! ```
//!
//! Nodes count from 1. The quadrilateral of a pyramid is n1 n4 n5 n2, its apex n3. Binary files have the same numbers one after
//! the other; the ending of the name says how: `b` for the most significant byte first, `lb` for the least, 8 or 4 bytes
//! of a coordinate, `ugrid64` for integers of eight bytes instead of four. Names of boundaries are in a file beside it
//! ([`mapbc`]). What may follow, AFLR3's numbers of boundary-layer tetrahedra and of volumes, is not read.
//!
//! Source: <https://www.simcenter.msstate.edu/software/documentation/ug_io/3d_grid_file_type_ugrid.html>.

mod binary;
mod text;
mod write;

use std::path::Path;

use cfd_engine::comm::Comm;
use cfd_mesh::ElementKind;

use super::{Format, Holds, Reading, Request, Signs, Start, Writer, mapbc};
use crate::IoError;
use crate::listed::{Contents, GroupList, Numbering, Position, assemble};

/// UGRID.
pub static UGRID: Format = Format {
    name: "UGRID",
    option: "ugrid",
    endings: &ENDINGS,
    derived: &[],
    signs: Signs { hdf5: None, other: Some("UGRID, in text or with an ending like .b8.ugrid") },
    dataset: crate::source::dataset,
    detect,
    read,
    write: Some(Writer::Elements(write::write)),
};

const ENDINGS: [&str; 9] = [
    ".ugrid",
    ".b8.ugrid",
    ".lb8.ugrid",
    ".b4.ugrid",
    ".lb4.ugrid",
    ".b8.ugrid64",
    ".lb8.ugrid64",
    ".r8.ugrid",
    ".lr8.ugrid",
];

/// The elements in the order of the file, each with the place in a row of its nodes in our order.
const KINDS: [(ElementKind, &[usize]); 6] = [
    (ElementKind::Triangle, &[0, 1, 2]),
    (ElementKind::Quadrilateral, &[0, 1, 2, 3]),
    (ElementKind::Tetrahedron, &[0, 1, 2, 3]),
    (ElementKind::Pyramid, &[0, 3, 4, 1, 2]),
    (ElementKind::Prism, &[0, 1, 2, 3, 4, 5]),
    (ElementKind::Hexahedron, &[0, 1, 2, 3, 4, 5, 6, 7]),
];

/// Those that have the number of a boundary.
const SURFACE: [ElementKind; 2] = [ElementKind::Triangle, ElementKind::Quadrilateral];

/// The seven numbers that a file begins with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Sizes {
    nodes: u64,
    /// Of elements, in the order of [`KINDS`].
    elements: [u64; 6],
}

impl Sizes {
    /// The number of elements that fill the domain.
    fn volumes(&self) -> u64 {
        self.elements[2..].iter().sum()
    }

    /// Whether so many integers may follow: of boundary-layer tetrahedra, and a volume's for each element.
    fn may_follow(&self, integers: u64) -> bool {
        [0, 1, self.volumes(), self.volumes() + 1].contains(&integers)
    }
}

fn detect(start: &Start) -> Result<Option<Holds>, IoError> {
    let is_named = ENDINGS.iter().any(|end| start.name.ends_with(end));
    let found = is_named || text::is_header(&start.bytes) || binary::Layout::of_content(start).is_some();
    Ok(found.then_some(Holds::Elements))
}

fn read(comm: &Comm, request: &Request<'_>) -> Result<Reading, IoError> {
    let path = request.path;
    let begin = |path: &Path| {
        let names = mapbc::read(&mapbc::beside(path, &ENDINGS))?;
        let layout = binary::Layout::of(&Start::of(path)?, path)?;
        Ok::<_, IoError>(Some((names, layout)))
    };
    let begun = comm.agree(if comm.is_root() { begin(path) } else { Ok(None) })?;
    let (names, layout): (mapbc::Names, Option<binary::Layout>) = comm.broadcast(0, begun);
    let (mut rows, position) = match layout {
        Some(layout) => (binary::rows(comm, path, layout)?, Position::Byte),
        None => (text::rows(comm, path)?, Position::Line),
    };
    rows.join_groups(comm, &SURFACE);
    let names = names.into_iter().map(|(number, name)| ((2, number), vec![name])).collect();
    let groups = GroupList::Numbered(names);
    let contents = Contents {
        dimension: None,
        groups,
        numbering: Numbering::From(1),
        position,
        dropped: Vec::new(),
        periodic: Vec::new(),
    };
    assemble(comm, &UGRID, path, &contents, rows)
}
