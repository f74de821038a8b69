//! The applications as plain sequential programs: loops in file order over plain arrays, and nothing else.
//!
//! The oracle for tests and the yardstick for benchmarks. It shares no line with the engine and depends on none of its
//! crates, so a fault in one cannot hide in the other.
//!
//! ```text
//! airfoil   Euler equations, finite volumes: its names are those of the crate
//! aero      potential flow, finite elements, Newton's method, conjugate gradients
//! lulesh    a point blast: Lagrangian hydrodynamics on hexahedra
//! mgcfd     Euler equations in three dimensions on several levels, the published performance proxy
//! sum       plain sums, and sums without rounding but the last
//! input     numbers of a mesh file, refusals
//! ```

pub mod aero;
mod airfoil;
mod input;
pub mod lulesh;
pub mod mgcfd;
pub mod sum;

pub use airfoil::{Airfoil, Constants, LOOPS, Mesh, WALL};
pub use input::MeshError;
