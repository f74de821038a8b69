//! Meshes in formats that list only nodes, elements and named groups, Gmsh's and SU2's: triangles and quadrilaterals in
//! the plane become cells with edges or bilinear elements; any elements become a mesh of mixed elements.
//!
//! ```text
//! deal         rows from rank 0 to all ranks while it reads the file; rows to the ranks whose blocks they belong to
//! boundaries   which names are boundaries of which kind
//! nodes        the file's numbers of nodes to rows; unused nodes; the plane
//! element_mesh every kind of element by itself, with its groups
//! cells        orientation
//! sides        sides of cells and listed boundary edges meet: interior edges, boundary edges
//! elements     the order of nodes in bilinear elements; the nodes on the far field
//! ```
//!
//! All ranks do everything after reading, each for its rows, and the mesh is the same on any number of ranks: nodes
//! that belong to a cell, cells and boundary edges keep the file's order. Interior edges are numbered by the lower of
//! their two cells, then by its side; far-field nodes are numbered in node order.

mod boundaries;
mod cells;
mod deal;
mod element_mesh;
mod elements;
mod nodes;
mod sides;

use std::ops::Range;
use std::path::Path;

use cfd_engine::comm::Comm;
use cfd_engine::mesh::{Mesh, Values};
use cfd_mesh::Topology;

pub use self::boundaries::Boundaries;
use self::cells::CELL;
pub(crate) use self::deal::{Dealer, Kind, NO_GROUP, Wanted};
use self::deal::{Dealt, deal};
pub(crate) use self::element_mesh::read_elements;
use self::nodes::{Listed, Nodes};
use self::sides::{Edges, LINE};
use crate::IoError;
use crate::format::{Format, Request};
use crate::place::Place;

/// What can be built, the default first.
pub(crate) const TOPOLOGIES: [Topology; 2] = [Topology::CellEdges, Topology::Elements];

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

/// Reads this rank's blocks of a mesh of one of [`TOPOLOGIES`], from a file whose rows `list` distributes. Collective.
///
/// # Errors
/// The file is damaged or unsupported, a boundary's name is unknown, or cells and boundaries do not fit together; each
/// with line, or byte, and what would be right.
pub(crate) fn read(
    comm: &Comm,
    format: &'static Format,
    request: &Request<'_>,
    list: Lister,
) -> Result<(Mesh, Place), IoError> {
    let path = request.path;
    let (contents, listed) = deal(comm, Wanted::PlaneCells, |dealer| list(path, dealer))?;
    let source = Source { path, binary: contents.binary };
    let names: Vec<Vec<String>> = contents.groups.into_iter().map(|group| group.names).collect();
    let flags = request.boundaries.of_groups(path, &names)?;
    if listed.rows(Kind::Cell) == 0 {
        let what = "there is no triangle and no quadrilateral in this mesh";
        return Err(IoError::file(path, what));
    }
    let found = settle(comm, source, contents.tagged, listed, &flags)?;
    let mesh = match request.topology {
        Topology::Elements => elements::mesh(comm, found),
        _ => cells_with_edges(found),
    };
    Ok((mesh, Place::new(path, format.dataset)))
}

/// A file's contents: this rank's blocks of them.
struct Described {
    nodes: Nodes,
    /// Number of cells on all ranks together, and this rank's: position in the file and nodes, counter-clockwise.
    cell_rows: u64,
    cells: Vec<u64>,
    /// Boundary edges on all ranks together, and the flag of each of this rank's.
    bedge_rows: u64,
    bound: Vec<i32>,
    edges: Edges,
}

/// Combines what was listed; `flags` has the flag of each group of boundary edges. Collective.
fn settle(
    comm: &Comm,
    source: Source<'_>,
    tagged: bool,
    listed: Dealt,
    flags: &[i32],
) -> Result<Described, IoError> {
    let [cell_rows, bedge_rows] = [Kind::Cell, Kind::Side].map(|kind| listed.rows(kind));
    let mut cells = listed.block(comm, Kind::Cell);
    let mut lines = listed.block(comm, Kind::Side);
    let mut lists = [
        Listed { rows: &mut cells, width: CELL, first: 1, are_cells: true },
        Listed { rows: &mut lines, width: LINE, first: 2, are_cells: false },
    ];
    let nodes = nodes::settle(comm, source, 2, tagged, &listed, &mut lists)?;
    drop(listed);
    comm.agree(cells::turn(comm, source, &nodes, &mut cells))?;
    let edges = sides::join(comm, source, &nodes, cell_rows, &cells, &lines)?;
    let bound = lines.chunks_exact(LINE).map(|line| flags[line[1] as usize]).collect();
    Ok(Described { nodes, cell_rows, cells, bedge_rows, bound, edges })
}

/// Some columns of rows.
fn columns(rows: &[u64], width: usize, range: Range<usize>) -> Vec<u64> {
    rows.chunks_exact(width).flat_map(|row| row[range.clone()].iter().copied()).collect()
}

fn cells_with_edges(found: Described) -> Mesh {
    let Described { nodes, cell_rows, cells, bedge_rows, bound, edges } = found;
    let mut mesh = Mesh::default();
    let node_set = mesh.add_set("nodes", nodes.rows);
    let edge_set = mesh.add_set("edges", edges.edge_rows);
    let bedge_set = mesh.add_set("bedges", bedge_rows);
    let cell_set = mesh.add_set("cells", cell_rows);
    mesh.add_map("edge_nodes", edge_set, node_set, 2, columns(&edges.edges, 4, 0..2));
    mesh.add_map("edge_cells", edge_set, cell_set, 2, columns(&edges.edges, 4, 2..4));
    mesh.add_map("bedge_nodes", bedge_set, node_set, 2, columns(&edges.bedges, 3, 0..2));
    mesh.add_map("bedge_cell", bedge_set, cell_set, 1, columns(&edges.bedges, 3, 2..3));
    mesh.add_map("cell_nodes", cell_set, node_set, 4, columns(&cells, CELL, 1..5));
    mesh.add_dat("x", node_set, 2, Values::F64(nodes.x));
    mesh.add_dat("bound", bedge_set, 1, Values::I32(bound));
    mesh
}
