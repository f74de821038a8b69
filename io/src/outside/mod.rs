//! Meshes that other programs made: Gmsh's and SU2's, as meshes for Airfoil.
//!
//! Such a file lists nodes, cells (triangles and quadrilaterals) and named boundaries; edges follow from them.
//!
//! ```text
//! gmsh/        Gmsh's format 4.1, text and binary
//! su2          SU2's format
//! deal         rows from rank 0 to all ranks while it reads the file; rows to the ranks whose blocks they belong to
//! boundaries   which names are walls, which the far field
//! nodes        the file's numbers of nodes to rows; unused nodes; the plane
//! cells        orientation
//! sides        sides of cells and listed boundary edges meet: interior edges, boundary edges
//! ```
//!
//! Everything after reading is done by all ranks, each for its rows, and the mesh is the same on any number of ranks:
//! nodes that belong to a cell, cells and boundary edges stay in the order of the file. Interior edges are numbered by
//! the lower of their two cells, then by the side of it.

mod boundaries;
mod cells;
mod deal;
mod gmsh;
mod nodes;
mod sides;
mod su2;

use std::path::Path;

use cfd_engine::comm::Comm;
use cfd_engine::mesh::{Mesh, Values};

pub use self::boundaries::{Boundaries, FAR_FIELDS, WALLS};
use self::deal::{Dealt, Kind, deal};
use crate::IoError;
use crate::place::Place;
use crate::schema::Format;

/// True when the beginning of a file is that of a Gmsh file.
pub(crate) fn is_gmsh(start: &[u8]) -> bool {
    start.trim_ascii_start().starts_with(b"$")
}

/// True when the beginning of a file is that of an SU2 file: a comment, or a keyword with its value, known or not.
pub(crate) fn is_su2(start: &[u8]) -> bool {
    let start = start.trim_ascii_start();
    let is_part = |byte: &&u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || **byte == b'_';
    let word = start.iter().take_while(is_part).count();
    let is_word = word > 0 && start[0].is_ascii_uppercase();
    start.starts_with(b"%") || is_word && start[word..].trim_ascii_start().starts_with(b"=")
}

/// What a file lists besides its rows.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
struct Contents {
    /// Groups of boundary edges; each edge belongs to one of them. A group has one name or more.
    groups: Vec<Vec<String>>,
    /// Whether nodes have numbers of their own, given with them; else they are numbered in order, from 0.
    tagged: bool,
    /// Whether the place of a row is a byte of the file; else it is a line.
    binary: bool,
}

/// A file, for messages about its rows.
#[derive(Clone, Copy, Debug)]
struct Source<'a> {
    path: &'a Path,
    binary: bool,
}

impl Source<'_> {
    /// An error about the row at a place.
    fn error(&self, place: u64, what: String) -> IoError {
        let path = self.path.display();
        let place = if self.binary { format!("{path}: byte {place}") } else { format!("{path}:{place}") };
        IoError::Row { place, what }
    }
}

/// Reads this rank's blocks of an Airfoil mesh. Collective.
///
/// # Errors
/// The file is damaged or of a kind that is not supported, a boundary's name is not known, or cells and boundaries do
/// not fit together; each with line, or byte, and what would be right.
pub(crate) fn read(
    comm: &Comm,
    format: Format,
    path: &Path,
    boundaries: &Boundaries,
) -> Result<(Mesh, Place), IoError> {
    let (contents, listed) = deal(comm, |dealer| match format {
        Format::Gmsh => gmsh::read(path, dealer),
        _ => su2::read(path, dealer),
    })?;
    let source = Source { path, binary: contents.binary };
    let bounds = boundaries.of_groups(path, &contents.groups)?;
    if listed.rows(Kind::Cell) == 0 {
        let what = "there is no triangle and no quadrilateral in this mesh";
        return Err(IoError::file(path, what));
    }
    let mesh = build(comm, source, contents.tagged, listed, &bounds)?;
    Ok((mesh, Place::hdf5(path, format)))
}

/// The mesh of what was listed; `bounds` has the flag of each group of boundary edges. Collective.
fn build(
    comm: &Comm,
    source: Source<'_>,
    tagged: bool,
    listed: Dealt,
    bounds: &[i32],
) -> Result<Mesh, IoError> {
    let [cell_rows, side_rows] = [Kind::Cell, Kind::Side].map(|kind| listed.rows(kind));
    let mut cells = listed.block(comm, Kind::Cell);
    let mut lines = listed.block(comm, Kind::Side);
    let nodes = nodes::settle(comm, source, tagged, &listed, &mut cells, &mut lines)?;
    drop(listed);
    comm.agree(cells::turn(comm, source, &nodes, &mut cells))?;
    let found = sides::join(comm, source, &nodes, cell_rows, &cells, &lines)?;

    let mut mesh = Mesh::default();
    let node_set = mesh.add_set("nodes", nodes.rows);
    let edge_set = mesh.add_set("edges", found.edge_rows);
    let bedge_set = mesh.add_set("bedges", side_rows);
    let cell_set = mesh.add_set("cells", cell_rows);
    let columns = |rows: &[u64], width: usize, range: std::ops::Range<usize>| -> Vec<u64> {
        rows.chunks_exact(width).flat_map(|row| row[range.clone()].iter().copied()).collect()
    };
    mesh.add_map("edge_nodes", edge_set, node_set, 2, columns(&found.edges, 4, 0..2));
    mesh.add_map("edge_cells", edge_set, cell_set, 2, columns(&found.edges, 4, 2..4));
    mesh.add_map("bedge_nodes", bedge_set, node_set, 2, columns(&found.bedges, 3, 0..2));
    mesh.add_map("bedge_cell", bedge_set, cell_set, 1, columns(&found.bedges, 3, 2..3));
    mesh.add_map("cell_nodes", cell_set, node_set, 4, columns(&cells, cells::CELL, 1..5));
    let bound = lines.chunks_exact(sides::LINE).map(|line| bounds[line[1] as usize]).collect();
    mesh.add_dat("x", node_set, 2, Values::F64(nodes.x));
    mesh.add_dat("bound", bedge_set, 1, Values::I32(bound));
    Ok(mesh)
}
