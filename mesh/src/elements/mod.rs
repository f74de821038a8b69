//! Meshes of mixed elements, for solvers that work on them as they are.
//!
//! ```text
//! kind      kinds of elements: order of nodes, faces, measures
//! groups    names of groups of elements
//! mesh      a mesh of elements: its sets, maps and dats, and the names beside it
//! marks     what an adaptation must keep of it
//! orient    elements that are none are refused, others turned
//! builder   from coordinates and elements in memory
//! ```

mod builder;
mod groups;
mod kind;
mod marks;
mod mesh;
mod orient;

pub use builder::ElementMeshBuilder;
pub use groups::{Group, Groups};
pub use kind::ElementKind;
pub use marks::Mark;
pub use mesh::{ElementBlock, ElementMesh, Elements, MOST_GROUPS};
pub use orient::orient;
