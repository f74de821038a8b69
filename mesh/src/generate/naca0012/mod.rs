//! Meshes around a NACA0012 airfoil.
//!
//! ```text
//! cells      cells with edges; the two sides of the cut line behind the airfoil keep their own nodes
//! elements   bilinear elements; the two sides of the cut line share their nodes
//! nodes      where the nodes are
//! ```

mod cells;
mod elements;
mod nodes;

pub use cells::cells;
pub use elements::elements;
pub use nodes::half_thickness;
