//! What meshes consist of, independent of applications: topologies, boundaries, generated meshes, coarse levels.
//!
//! ```text
//! topology     the topologies, their words in mesh files, what is shown of them
//! schema       the sets, maps and dats of a topology: tables that readers, writers and checks work from
//! elements/    meshes of mixed elements with named groups, without a topology
//! boundary     kinds of boundaries: their flags and the names that need no configuration
//! generate/    meshes made from formulas
//! level        one level of a mesh of dual edges in memory
//! agglomerate/ coarse levels made by putting nodes together
//! closure      how well dual cells close
//! blocks       from rows that lie in order of the ranks to blocks
//! noise        numbers that look random
//! ```
//!
//! Files (`cfd-io`) and partitions (`cfd-partition`) know topologies; an application names the one it computes on.
//! Every rank holds one block of each set ([`cfd_engine::mesh::Blocks`]). All functions that take a
//! [`cfd_engine::comm::Comm`] are collective, and their results do not depend on the ranks.

mod agglomerate;
mod blocks;
mod boundary;
mod closure;
mod elements;
mod error;
pub mod generate;
mod level;
mod noise;
mod schema;
mod topology;
#[cfg(test)]
mod whole;

pub use agglomerate::agglomerate;
pub use blocks::blocks_of;
pub use boundary::{BoundaryKind, FAR_FIELD, WALL};
pub use closure::{ClosureDefect, closure_defect, smallest_volume};
pub use elements::{
    ElementBlock, ElementKind, ElementMesh, ElementMeshBuilder, Elements, Group, Groups, orient,
};
pub use error::MeshError;
pub use level::sorted_at_owners;
pub use schema::{
    Content, FACE_FREE, FACE_INSIDE, FACE_SYMMETRY, SHOWN_CELLS, SHOWN_FACES, Schema, Table, level_name,
    level_of,
};
pub use topology::{Cells, Topology};
