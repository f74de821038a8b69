//! Meshes made from formulas; every rank makes only its rows.
//!
//! ```text
//! airfoil   the NACA0012 mesh of the published Airfoil program, cells and edges
//! aero      the NACA0012 mesh of the published Aero program, bilinear elements
//! block     a rectangle of cells and edges without a body, for free-stream tests
//! square    the unit square in bilinear elements, for known solutions
//! grid      rows and columns of cells: numbering of cells, edges and boundary edges
//! elements  rows and columns of bilinear elements: numbering of nodes, cells and boundary nodes
//! mgcfd/    meshes of hexahedra with levels, as edges between nodes
//! naca      where the nodes around a NACA0012 are
//! spline    not-a-knot cubic interpolation
//! ```

mod aero;
mod airfoil;
mod block;
mod elements;
mod grid;
pub mod mgcfd;
mod naca;
mod spline;
mod square;

pub use aero::aero;
pub use airfoil::airfoil;
pub use block::block;
pub(crate) use grid::{FAR_FIELD, WALL};
pub use square::square;
