//! Meshes generated from formulas; every rank generates only its rows.
//!
//! ```text
//! naca0012/   around the NACA0012 airfoil: cells with edges, or bilinear elements
//! plane/      grids of quadrilaterals with named boundaries: cases of validation
//! element_box a box filled with elements of one kind or of all
//! block       a rectangle of cells with edges without a body, for free-stream tests
//! square      the unit square in bilinear elements, for known solutions
//! cube        a cube in hexahedra with neighbors
//! triangles   the unit square in triangles
//! hexahedra/  hexahedra as dual edges with levels: around a wing, over a bump, in a box
//! tetrahedra  a mesh in space cut into tetrahedra
//! grid        rows and columns of cells: numbering of cells, edges and boundary edges
//! bilinear    rows and columns of bilinear elements: numbering of nodes, cells and boundary nodes
//! spline      not-a-knot cubic interpolation
//! ```

mod bilinear;
mod block;
mod cube;
pub mod element_box;
mod grid;
pub mod hexahedra;
pub mod naca0012;
pub mod plane;
mod spline;
mod square;
mod tetrahedra;
mod triangles;

pub use block::block;
pub use cube::cube;
pub use square::square;
pub use tetrahedra::cut_into_tetrahedra;
pub use triangles::triangles;
