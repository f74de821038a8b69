//! The format of Medit and libMeshb (GMF), which tools of mesh adaptation share: `.mesh` in text, `.meshb` in binary.
//!
//! ```text
//! MeshVersionFormatted 2
//! Dimension 3
//! Vertices
//! 4                       how many
//! 0 0 0 1                 x y z, and a number that counts for nothing here
//! Tetrahedra
//! 1
//! 1 2 3 4 0               nodes, from 1, and the number of the region, 0 for none
//! Triangles
//! 1
//! 1 3 2 5                 nodes, and the number of the boundary
//! End
//! ```
//!
//! In two dimensions the boundary consists of `Edges`, of which the same one may be there twice, as Mmg writes those inside; a mesh in the plane may also say that it has three dimensions.
//! There, `Corners`, `RequiredVertices`, `RequiredEdges` and `RequiredTriangles` are kept as marks ([`cfd_mesh::Mark`]).
//! Ridges, normals and all that a mesh does not need are skipped. Names of boundaries are in a file beside it
//! ([`super::mapbc`]). Binary files have versions 1 to 4, which differ in the widths of numbers, and either byte order.
//!
//! Values at nodes, `.sol` and `.solb`, are in the same format: [`fields`].
//!
//! Source: L. Marechal, "The Gamma Mesh Format Library", version 7 (<https://github.com/LoicMarechal/libMeshb>).

mod binary;
pub(crate) mod fields;
mod text;
mod twice;
mod write;

use cfd_engine::comm::Comm;
use cfd_mesh::{ElementKind, Given, Mark};

use super::{Format, Holds, Reading, Request, Signs, Start, Writer, mapbc};
use crate::IoError;
use crate::listed::{Contents, GroupList, Numbering, Position, assemble};

/// Medit's format.
pub static MEDIT: Format = Format {
    name: "Medit",
    option: "medit",
    endings: &ENDINGS,
    derived: &[],
    signs: Signs { hdf5: None, other: Some("a mesh of Medit (MeshVersionFormatted, or .meshb)") },
    dataset: crate::source::dataset,
    detect: |start| Ok(is_medit(&start.bytes).then_some(Holds::Elements)),
    read,
    write: Some(Writer::Elements(write::write)),
};

const ENDINGS: [&str; 2] = [".mesh", ".meshb"];

/// Elements: their keyword in text, its number in binary files, their kind. The order of nodes is that of [`ElementKind`].
const ELEMENTS: [(&str, i64, ElementKind); 7] = [
    ("Edges", 5, ElementKind::Line),
    ("Triangles", 6, ElementKind::Triangle),
    ("Quadrilaterals", 7, ElementKind::Quadrilateral),
    ("Tetrahedra", 8, ElementKind::Tetrahedron),
    ("Pyramids", 49, ElementKind::Pyramid),
    ("Prisms", 9, ElementKind::Prism),
    ("Hexahedra", 10, ElementKind::Hexahedron),
];

/// What an adaptation of a plane mesh must keep: the keyword in text, its number in binary files, the kind of mark. A row is
/// the number of a vertex, an edge or a triangle, from 1.
const MARKS: [(&str, i64, Mark); 4] = [
    ("Corners", 13, Mark::Corner),
    ("RequiredVertices", 15, Mark::Node),
    ("RequiredEdges", 16, Mark::Line),
    ("RequiredTriangles", 17, Mark::Triangle),
];

/// The word that text begins with.
const FIRST_WORD: &[u8] = b"MeshVersionFormatted";

fn is_medit(start: &[u8]) -> bool {
    binary::is_binary(start) || text::begins(start)
}

fn read(comm: &Comm, request: &Request<'_>) -> Result<Reading, IoError> {
    let path = request.path;
    let begin = || {
        let names = mapbc::read(&mapbc::beside(path, &ENDINGS))?;
        Ok::<_, IoError>(Some((names, binary::is_binary(&Start::of(path)?.bytes))))
    };
    let begun = comm.agree(if comm.is_root() { begin() } else { Ok(None) })?;
    let (names, is_binary): (mapbc::Names, bool) = comm.broadcast(0, begun);
    let (dimension, rows, position) = match is_binary {
        true => {
            let (dimension, rows) = binary::rows(comm, path)?;
            (dimension, rows, Position::Byte)
        }
        false => {
            let (dimension, rows) = text::rows(comm, path)?;
            (dimension, rows, Position::Line)
        }
    };
    // Boundaries have one dimension less than the domain, whichever that is.
    let has_volumes = ELEMENTS.iter().any(|(.., kind)| kind.dimension() == 3 && rows.has(*kind));
    let of = if has_volumes { 2 } else { 1 };
    let names = names.into_iter().map(|(number, name)| ((of, number), vec![name])).collect();
    let groups = GroupList::Numbered(names);
    // Two dimensions are certain; three may be said of a mesh in the plane.
    let dimension = Some(dimension).filter(|dimension| *dimension == 2);
    let contents = Contents {
        dimension,
        groups,
        numbering: Numbering::From(1),
        position,
        dropped: Vec::new(),
        periodic: Vec::new(),
    };
    let mut reading = assemble(comm, &MEDIT, path, &contents, rows)?;
    if let Given::Elements(mesh) = &mut reading.given
        && mesh.dimension() == 2
    {
        twice::drop_lines(comm, mesh);
    }
    Ok(reading)
}

/// The number of a group, as rows have it.
fn group(number: i32) -> u64 {
    u64::from(number as u32)
}
