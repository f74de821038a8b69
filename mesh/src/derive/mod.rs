//! What schemes compute on: sets, maps and dats derived from the elements of a mesh.
//!
//! ```text
//! cell_edges/   cells in the plane with their edges and boundary edges
//! bilinear/     elements in the order of the unit square, and the nodes on the far field
//! dual/         the median dual: edges with area vectors, boundary faces by kind of condition, elements by kind
//! dual_levels/  the median dual with boundary nodes, on levels from fine to coarse
//! coarse        coarse levels of the median dual, for multigrid
//! neighbours/   hexahedra and their neighbours through each face
//! triangles/    vertices, triangles, boundary facets: what is adapted
//! stars         the elements around each rank's nodes, from which the derivations start
//! faces         faces with the elements on their two sides, boundary faces with what names them
//! schema        tables of sets, maps and dats
//! primary       what is partitioned
//! periodic/     pairs of boundaries of which one is the other, moved
//! boundary      kinds of boundaries, and which kind each named boundary of a mesh is
//! view, values, cells   what makes a derived mesh usable
//! ```
//!
//! Every derivation is collective, holds no more than a rank's share, and gives the same rows and bits on any number of
//! ranks: elements count in the order (kind, row), sums run in that order.

pub mod bilinear;
pub mod boundary;
pub mod cell_edges;
pub(crate) mod cells;
pub mod coarse;
pub mod dual;
pub mod dual_levels;
pub(crate) mod faces;
pub mod lines;
pub mod neighbours;
pub mod periodic;
pub mod primary;
pub mod schema;
pub(crate) mod stars;
pub mod triangles;
pub mod values;
pub mod view;

use std::fmt;

use cfd_engine::comm::Comm;
use cfd_engine::given::short;
use cfd_engine::mesh::Mesh;

pub use self::bilinear::BILINEAR;
use self::boundary::Named;
pub use self::cell_edges::CELL_EDGES;
pub use self::dual::DUAL;
pub use self::dual_levels::DUAL_LEVELS;
pub use self::neighbours::NEIGHBOURS;
use self::primary::Primary;
use self::schema::Schema;
pub use self::triangles::{Interfaces, TRIANGLES};
use self::view::{Defect, View};
use crate::{ElementMesh, MeshError};

/// Those that files can hold, under their tag: all that have ever been written.
pub static STORED: [&Derived; 5] = [&CELL_EDGES, &BILINEAR, &DUAL_LEVELS, &NEIGHBOURS, &TRIANGLES];

/// A derivation: which sets, maps and dats it makes of a mesh's elements, and what is known about them.
pub struct Derived {
    /// Its name in mesh files, the attribute `case`: for most, the first case that computed on it.
    pub tag: &'static str,
    /// What it is, in the plural: "cells with edges".
    pub about: &'static str,
    /// The dimensions of the element meshes from which it can be made.
    pub dimensions: &'static [usize],
    /// Whether there can be more than one level.
    pub has_levels: bool,
    /// What is shown of it where there is no element mesh.
    pub cells: Cells,
    /// The sets, maps and dats of a mesh of some number of levels, of some dimension.
    pub schema: fn(usize, usize) -> Schema,
    /// The set that is partitioned: the targets of increments.
    pub primary: fn(&Mesh) -> Primary,
    /// Derives it. Collective.
    pub derive: Derive,
    /// The elements that a mesh of this form was derived from, without [`orient`](crate::orient) and the like; `None` if
    /// it does not say. Collective.
    pub elements: Option<fn(&Comm, &Mesh) -> ElementMesh>,
    pub(crate) check: fn(&View<'_>) -> Result<(), Defect>,
}

/// Makes sets, maps and dats from elements.
pub type Derive = fn(&Comm, &ElementMesh, &Request<'_>) -> Result<Mesh, MeshError>;

/// What a derivation has to know beside the elements.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// What the named boundaries are.
    pub boundaries: &'a Named,
    /// Its levels.
    pub levels: Levels,
}

/// The levels that are derived of a mesh, where there can be more than one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Levels {
    /// Their number, the finest included. For [`DUAL_LEVELS`] 0 is as many as make sense; [`DUAL`] has at most so many,
    /// [`coarse`] levels above 1.
    pub number: usize,
    /// Whether coarse levels of [`DUAL`] have what fluxes need: places, volumes, areas and boundary faces.
    pub have_fluxes: bool,
}

impl From<usize> for Levels {
    fn from(number: usize) -> Levels {
        Levels { number, have_fluxes: true }
    }
}

/// What pictures and files show of a derived mesh: names in it, of the finest level if there are several.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cells {
    /// The set of the cells.
    pub set: &'static str,
    /// The set of their corners.
    pub nodes: &'static str,
    /// The map from cells to corners.
    pub corners: &'static str,
    /// The order around a cell, if the map does not have it.
    pub ring: Option<[usize; 4]>,
    /// The dat of the corners' coordinates.
    pub coordinates: &'static str,
}

impl Derived {
    /// The stored one with this tag.
    ///
    /// # Errors
    /// There is none; names those there are.
    pub fn of_tag(tag: &str) -> Result<&'static Derived, MeshError> {
        STORED.into_iter().find(|derived| derived.tag == tag).ok_or_else(|| {
            let known: Vec<String> = STORED.iter().map(|known| format!("\"{}\"", known.tag)).collect();
            MeshError::Unknown(format!("unknown case \"{}\"; known cases: {}", short(tag), known.join(", ")))
        })
    }

    /// Whether nothing but lines can be shown of it where there is no element mesh.
    pub fn has_lines_only(&self) -> bool {
        self.schema(1).table(self.cells.corners).dim == 2
    }

    /// The number of levels of a mesh; 0 without levels.
    pub fn levels(&self, mesh: &Mesh) -> usize {
        if self.has_levels { dual_levels::levels(mesh) } else { 0 }
    }

    /// The sets, maps and dats of a mesh of some number of levels, of the lowest dimension that there is.
    pub fn schema(&self, levels: usize) -> Schema {
        (self.schema)(levels, self.dimensions[0])
    }

    /// What is partitioned of a mesh: the targets of increments.
    pub fn primary(&self, mesh: &Mesh) -> Primary {
        (self.primary)(mesh)
    }

    /// The sets, maps and dats, made from elements. Collective.
    ///
    /// # Errors
    /// Elements that do not fit together, or of kinds that it cannot be made from.
    pub fn derive(&self, comm: &Comm, mesh: &ElementMesh, request: &Request<'_>) -> Result<Mesh, MeshError> {
        (self.derive)(comm, mesh, request)
    }

    /// The sets, maps and dats that a mesh with this number of levels, of this dimension, should have.
    pub fn schema_of(&self, mesh: &Mesh) -> Schema {
        let coordinates = mesh.dat(self.cells.coordinates).map(|x| mesh.dats[x].dim);
        let dimension = coordinates.filter(|dim| self.dimensions.contains(dim)).unwrap_or(self.dimensions[0]);
        let schema = (self.schema)(self.levels(mesh).max(1), dimension);
        schema.with(|table| mesh.dat(&table.name).is_some())
    }
}

impl PartialEq for Derived {
    fn eq(&self, other: &Derived) -> bool {
        self.tag == other.tag
    }
}

impl Eq for Derived {}

impl fmt::Debug for Derived {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Derived").field(&self.tag).finish()
    }
}

impl fmt::Display for Derived {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.about)
    }
}

#[cfg(test)]
mod tests {
    use super::schema::Content;
    use super::*;

    #[test]
    fn tags_in_files_lead_to_derivations() {
        for derived in STORED {
            assert_eq!(Derived::of_tag(derived.tag), Ok(derived));
        }
        let message = Derived::of_tag("airfol").unwrap_err().to_string();
        assert_eq!(
            message,
            "unknown case \"airfol\"; known cases: \"airfoil\", \"aero\", \"mgcfd\", \"lulesh\", \"triangles\""
        );
    }

    #[test]
    fn what_is_shown_is_in_the_schema() {
        for derived in STORED {
            let (cells, schema) = (derived.cells, derived.schema(2));
            let corners = schema.table(cells.corners);
            assert_eq!(corners.set, cells.set);
            assert_eq!(corners.content, Content::Map { to: cells.nodes.into() });
            assert_eq!(schema.table(cells.coordinates).set, cells.nodes);
        }
    }

    #[test]
    fn only_dual_edges_have_levels() {
        let mut mesh = Mesh::default();
        (0..3).for_each(|level| {
            mesh.add_set(&dual_levels::level_name(level, "nodes"), 1);
        });
        assert_eq!(STORED.map(|derived| derived.levels(&mesh)), [0, 0, 3, 0, 0]);
    }
}
