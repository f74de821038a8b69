//! Meshes made from formulas; every rank makes only its rows.
//!
//! ```text
//! grid      rows and columns of quadrilaterals: numbering of cells, edges and boundary edges
//! airfoil   the NACA0012 mesh of the published Airfoil program
//! block     a rectangle without a body, for free-stream tests
//! spline    not-a-knot cubic interpolation
//! ```

mod airfoil;
mod block;
mod grid;
mod spline;

pub use airfoil::airfoil;
pub use block::block;
pub(crate) use grid::{FAR_FIELD, WALL};
