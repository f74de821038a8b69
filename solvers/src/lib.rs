//! The cases: each has its kernels, its state, its time loop and what the program needs to know about it in one folder.
//!
//! ```text
//! case          how a case says what it needs; AnyCase, of which CASES is the list
//! solver        what the program needs of a running case: step, check, fields
//! output        what a run shows beside its fields: more fields, numbers, pictures
//! stopped       why a step could not be completed
//! adaptation/   meshes adapted to a metric
//! airfoil/      2D Euler, cell-centered finite volumes
//! aero/         2D potential flow, finite elements, Newton's method
//! mgcfd/        3D Euler, node-centered finite volumes, multigrid
//! lulesh/       3D Lagrangian hydrodynamics of a point blast, hexahedra
//! heat/         2D steady heat conduction, cell-centered finite volumes: the case to read first
//! flow/         compressible flow in two and three dimensions, node-centered finite volumes, elements of any kind
//! gas/          states, fluxes, limiters of a perfect gas, which several cases use
//! naca0012      meshes around a NACA0012 airfoil, which several cases use
//! shapes        meshes of elements that belong to no case
//! ```
//!
//! A new case is a folder here and its line in [`CASES`] (docs/extending.md).

pub mod adaptation;
pub mod aero;
pub mod airfoil;
pub mod case;
pub mod flow;
pub mod gas;
pub mod heat;
pub mod lulesh;
pub mod mgcfd;
pub mod naca0012;
pub mod output;
pub mod shapes;
mod solver;
mod stopped;

pub use solver::{Field, NewMesh, Solver, Step, Work};
pub use stopped::Stopped;

case::cases! {
    airfoil::Airfoil,
    aero::Aero,
    mgcfd::Mgcfd,
    heat::Heat,
    lulesh::Lulesh,
    adaptation::Adaptation,
    flow::plane::Flow,
}
