//! What makes a mesh usable, checked by all ranks before anything is computed on it.
//!
//! ```text
//! values    shapes, index ranges, finite coordinates, flags
//! cells     nodes, area, orientation, duplicates
//! sides     every side of every cell belongs to exactly one edge or boundary edge, rightly oriented
//! ```
//!
//! Each check runs on all ranks, then they agree: the error is that of the lowest row, on any number of ranks.

mod cells;
mod sides;
mod values;

use std::path::Path;

use cfd_engine::comm::Comm;
use cfd_engine::mesh::{Blocks, Mesh, Values};

use crate::IoError;
use crate::place::Place;
use crate::schema::{Case, Format, Schema};

pub(crate) use values::checked_targets;

/// Checks a mesh. Collective.
///
/// * Sets, maps and dats are those of the case, of the right shapes, and every index is in range.
/// * Coordinates are finite; `bound` is 1 (wall) or 2 (far field).
/// * Cells have distinct nodes (a triangle repeats its last one), run counter-clockwise with positive area, and no two have
///   the same nodes. Every node belongs to a cell.
/// * An edge joins two different cells and is a side of both, a boundary edge is a side of its cell; the first cell, and
///   a boundary edge's cell, lie to the right of the direction from the first node to the second. Where a mesh is
///   glued along a cut line, two copies of a node may lie at one place; an edge's nodes then are one cell's own, and the
///   other cell has a side at the same place (within a thousandth of its length).
/// * Every side of every cell belongs to exactly one edge or boundary edge.
///
/// # Errors
/// The first violation, with the dataset and row in `path`, what is wrong and what would be right.
pub fn validate(comm: &Comm, mesh: &Mesh, case: Case, path: &Path) -> Result<(), IoError> {
    validate_at(comm, mesh, case, &Place::hdf5(path, Format::Hdf5))?;
    Ok(())
}

/// [`validate`], for a mesh that came from `place`.
pub(crate) fn validate_at(comm: &Comm, mesh: &Mesh, case: Case, place: &Place) -> Result<(), IoError> {
    let schema = case.schema()?;
    comm.agree(values::shapes(comm, mesh, schema, place))?;
    comm.agree(values::ranges(comm, mesh, schema, place))?;
    let view = View::new(comm, mesh, schema, place);
    comm.agree(values::coordinates(&view))?;
    comm.agree(values::flags(&view))?;
    cells::check(&view)?;
    sides::check(&view)
}

/// Checks that a mesh has its case's sets, maps and dats, of the right shapes. Not collective.
pub(crate) fn check_shape(
    comm: &Comm,
    mesh: &Mesh,
    schema: &'static Schema,
    path: &Path,
) -> Result<(), IoError> {
    values::shapes(comm, mesh, schema, &Place::hdf5(path, Format::Hdf5))
}

/// A mesh of edges, boundary edges and cells whose shapes and ranges are right.
struct View<'a> {
    comm: &'a Comm,
    schema: &'static Schema,
    place: &'a Place,
    nodes: Blocks,
    edges: Blocks,
    bedges: Blocks,
    cells: Blocks,
    x: &'a [f64],
    bound: &'a [i32],
    edge_nodes: &'a [u64],
    edge_cells: &'a [u64],
    bedge_nodes: &'a [u64],
    bedge_cell: &'a [u64],
    cell_nodes: &'a [u64],
}

impl<'a> View<'a> {
    fn new(comm: &'a Comm, mesh: &'a Mesh, schema: &'static Schema, place: &'a Place) -> View<'a> {
        let blocks = |set: &str| mesh.blocks(mesh.set(set).expect("shapes are checked"), comm);
        let map = |name: &str| &mesh.maps[mesh.map(name).expect("shapes are checked")].rows[..];
        let dat = |name: &str| &mesh.dats[mesh.dat(name).expect("shapes are checked")].values;
        let (Values::F64(x), Values::I32(bound)) = (dat("x"), dat("bound")) else {
            panic!("types are checked")
        };
        View {
            comm,
            schema,
            place,
            nodes: blocks("nodes"),
            edges: blocks("edges"),
            bedges: blocks("bedges"),
            cells: blocks("cells"),
            x,
            bound,
            edge_nodes: map("edge_nodes"),
            edge_cells: map("edge_cells"),
            bedge_nodes: map("bedge_nodes"),
            bedge_cell: map("bedge_cell"),
            cell_nodes: map("cell_nodes"),
        }
    }

    /// The first row of this rank's block.
    fn start(&self, blocks: Blocks) -> u64 {
        blocks.range(self.comm.rank()).start
    }

    /// An error about a row of a table.
    fn error(&self, table: &str, row: u64, what: String) -> IoError {
        self.place.row(self.schema.table(table), row, what)
    }
}

#[cfg(test)]
mod tests;
