//! Checks on all ranks that a mesh is usable, before anything is computed on it.
//!
//! ```text
//! values    shapes, index ranges, finite coordinates, flags
//! cells     nodes, area, orientation, duplicates
//! sides     cells with edges: every side of every cell belongs to exactly one edge or boundary edge, rightly oriented
//! levels    dual edges: edges, boundary nodes, volumes, maps between levels; how well dual cells close
//! triangles corners, area, tags of boundaries; every side belongs to two triangles, or to one and a facet
//! hexahedra hexahedra with neighbours: nodes, volumes, flags, neighbours that lead back
//! elements  bilinear elements: elements that are not folded and meet along whole sides, distinct far-field nodes
//! ```
//!
//! Each check runs on all ranks, then they agree: the error is the one of the lowest row, on any number of ranks.

mod cells;
mod elements;
mod hexahedra;
mod levels;
mod sides;
mod triangles;
mod values;

use std::path::Path;

use cfd_engine::comm::Comm;
use cfd_engine::mesh::{Blocks, Mesh, Values};
use cfd_topology::{BoundaryKind, Schema, Topology};

use crate::place::{Place, dataset};
use crate::{Boundaries, IoError};

pub(crate) use values::{checked_targets, ranges, shapes};

/// Checks a mesh. Collective.
///
/// All topologies:
///
/// * Sets, maps and dats are those of the topology, of the right shapes, and every index is in range. There are nodes,
///   and cells if the topology has them.
/// * Coordinates and weights are finite.
/// * Cells have distinct nodes (a triangle repeats its last one) and positive area in the topology's order of nodes, and no two
///   have the same nodes. Every node belongs to a cell.
///
/// Cells with edges, which run counter-clockwise:
///
/// * `bound` is 1 (wall) or 2 (far field), or the flag of a kind of boundary requested by the reader.
/// * An edge joins two different cells and is a side of both, a boundary edge is a side of its cell; the first cell,
///   and a boundary edge's cell, lie to the right of the direction from the first node to the second. Where a mesh is
///   joined along a cut line, two copies of a node may coincide; then an edge's nodes belong to one cell, and the other
///   cell has a side at the same position (within a thousandth of its length).
/// * Every side of every cell belongs to exactly one edge or boundary edge.
///
/// Bilinear elements, which have their nodes at (0,0), (1,0), (0,1), (1,1) of the unit square:
///
/// * No cell is folded: the Jacobian of its map from the unit square is positive at the four Gauss points.
/// * Two cells that share a side are on opposite sides of it.
/// * No two rows of `bnode_node` are the same node.
///
/// Dual edges, every level:
///
/// * `bnode_group` is 0 to 7.
/// * An edge joins two different nodes, and no two edges have the same ones.
/// * Every node has an edge to another place with a nonzero weight, so its dual cell has a volume.
/// * Every node of a coarse level has a child.
///
/// Triangles:
///
/// * The three vertices of a triangle are distinct and not collinear; those of a facet are distinct.
/// * Tags of boundaries are 1 to 65535.
/// * Every side of a triangle belongs to another one or to one facet, every facet to one triangle, and every vertex to a
///   triangle.
///
/// Hexahedra with neighbours:
///
/// * An element has eight distinct nodes and a positive volume; every node belongs to an element.
/// * `elem_sides` is 0 (inside), 1 (symmetry) or 2 (free), `node_symmetry` is 0 or 1.
/// * Across an interior face is an element that has the same nodes on its opposite face and leads back; a boundary face
///   leads to the element itself.
///
/// [`cfd_topology::closure_defect`] measures whether dual cells close: those of published meshes do not.
///
/// # Errors
/// The first violation, with the dataset and row in `path`, what is wrong and what would be right.
pub fn validate(comm: &Comm, mesh: &Mesh, topology: Topology, path: &Path) -> Result<(), IoError> {
    validate_with(comm, mesh, topology, path, &Boundaries::default())
}

/// [`validate`], for a mesh with other kinds of boundaries. Collective.
///
/// # Errors
/// As [`validate`].
pub fn validate_with(
    comm: &Comm,
    mesh: &Mesh,
    topology: Topology,
    path: &Path,
    boundaries: &Boundaries,
) -> Result<(), IoError> {
    validate_at(comm, mesh, topology, &Place::new(path, dataset), boundaries.kinds)
}

/// [`validate`], for a mesh that came from `place`, whose boundaries are of `kinds`.
pub(crate) fn validate_at(
    comm: &Comm,
    mesh: &Mesh,
    topology: Topology,
    place: &Place,
    kinds: &[BoundaryKind],
) -> Result<(), IoError> {
    let schema = topology.schema_of(mesh);
    comm.agree(values::shapes(comm, mesh, &schema.tables, place))?;
    some_rows(mesh, &schema, place)?;
    comm.agree(values::ranges(comm, mesh, &schema.tables, place))?;
    let view = View { comm, mesh, schema: &schema, place };
    comm.agree(values::finite(&view))?;
    match topology {
        Topology::CellEdges => {
            comm.agree(values::flags(&view, kinds))?;
            cells::check(&view)?;
            sides::check(&view)
        }
        Topology::Elements => {
            let corners = cells::check(&view)?;
            elements::check(&view, &corners)
        }
        Topology::DualEdges => levels::check(&view),
        Topology::Triangles => triangles::check(&view),
        Topology::Hexahedra => hexahedra::check(&view),
    }
}

/// Refuses a mesh without elements: a run would have nothing to compute.
fn some_rows(mesh: &Mesh, schema: &Schema, place: &Place) -> Result<(), IoError> {
    let needed = |name: &str| {
        ["cells", "elems", "vertices", "elements"].contains(&name)
            || name.ends_with("nodes") && !name.ends_with("bnodes")
    };
    let empty = schema
        .sets
        .iter()
        .map(String::as_str)
        .filter(|&name| needed(name))
        .find(|name| mesh.set(name).is_some_and(|set| mesh.sets[set].rows == 0));
    match empty {
        Some(name) => Err(place.empty(name)),
        None => Ok(()),
    }
}

/// Checks that a mesh has its topology's sets, maps and dats, of the right shapes. Not collective.
pub(crate) fn check_shape(comm: &Comm, mesh: &Mesh, schema: &Schema, path: &Path) -> Result<(), IoError> {
    values::shapes(comm, mesh, &schema.tables, &Place::new(path, dataset))
}

/// A mesh with correct shapes and ranges.
struct View<'a> {
    comm: &'a Comm,
    mesh: &'a Mesh,
    schema: &'a Schema,
    place: &'a Place,
}

impl<'a> View<'a> {
    /// The distribution of a set.
    fn blocks(&self, set: &str) -> Blocks {
        self.mesh.blocks(self.mesh.set(set).expect("shapes are checked"), self.comm)
    }

    /// This rank's rows of a map.
    fn map(&self, name: &str) -> &'a [u64] {
        &self.mesh.maps[self.mesh.map(name).expect("shapes are checked")].rows
    }

    /// This rank's rows of a dat.
    fn dat(&self, name: &str) -> &'a Values {
        &self.mesh.dats[self.mesh.dat(name).expect("shapes are checked")].values
    }

    /// This rank's rows of a dat of numbers.
    fn numbers(&self, name: &str) -> &'a [f64] {
        let Values::F64(values) = self.dat(name) else { panic!("types are checked") };
        values
    }

    /// This rank's coordinates.
    fn x(&self) -> &'a [f64] {
        self.numbers("x")
    }

    /// The first row of this rank's block of a set.
    fn start(&self, set: &str) -> u64 {
        self.blocks(set).range(self.comm.rank()).start
    }

    /// An error about a row of a table.
    fn error(&self, table: &str, row: u64, what: String) -> IoError {
        self.place.row(self.schema.table(table), row, what)
    }
}

#[cfg(test)]
mod elements_tests;
#[cfg(test)]
mod hexahedra_tests;
#[cfg(test)]
mod levels_tests;
#[cfg(test)]
mod tests;
