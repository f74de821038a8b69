//! The mesh: elements of any kind with named groups, and what schemes need beside them, derived from it.
//!
//! ```text
//! elements/    nodes, elements, boundary elements, groups: read, generated, checked, shown, adapted
//! derive/      sets, maps and dats made from elements, one folder a derivation
//! given        a mesh as a file or a generator gives it, and what a case makes of it
//! generate/    meshes made from formulas
//! survey/      what there is to say about a mesh: sizes, shapes, defects
//! distance/    from points to the nearest of some faces
//! interpolate/ from the nodes of one mesh to points
//! boxes        a tree of bounding boxes
//! blocks       from rows that lie in order of the ranks to blocks
//! noise        numbers that look random
//! ```
//!
//! Files (`cfd-io`) hold elements or derived sets, partitions (`cfd-partition`) divide the latter; an application names
//! what it needs. Every rank holds one block of each set ([`cfd_engine::mesh::Blocks`]). All functions that take a
//! [`cfd_engine::comm::Comm`] are collective, and their results do not depend on the ranks.

mod blocks;
mod boxes;
pub mod derive;
mod distance;
mod elements;
mod error;
pub mod generate;
mod given;
mod interpolate;
mod noise;
pub mod survey;
#[cfg(test)]
mod whole;

pub use blocks::blocks_of;
pub use derive::boundary::{Boundaries, BoundaryKind, FAR_FIELD, Named, NamedBoundary, WALL};
pub use derive::dual_levels::{
    ClosureDefect, agglomerate, closure_defect, level_name, level_of, smallest_volume, sorted_at_owners,
};
pub use derive::neighbours::{FACE_FREE, FACE_INSIDE, FACE_SYMMETRY};
pub use derive::periodic::{Motion, PERIODIC, Pair, Periodic, USUAL_TOLERANCE, Way};
pub use derive::primary::Primary;
pub use derive::schema::{Content, Schema, Table};
pub use derive::view::Defect;
pub use derive::{
    BILINEAR, CELL_EDGES, Cells, DUAL, DUAL_LEVELS, Derived, Interfaces, Levels, NEIGHBOURS, Request, STORED,
    TRIANGLES,
};
pub use distance::distances;
pub use elements::{
    ElementBlock, ElementKind, ElementMesh, ElementMeshBuilder, Elements, Group, Groups, MOST_GROUPS, Mark,
    orient,
};
pub use error::MeshError;
pub use given::{Given, Prepared};
pub use interpolate::interpolated;
