//! Flow: compressible flow in two and three dimensions, Euler, laminar or turbulent, on meshes of elements of any kind.
//!
//! Node-centred finite volumes on the median dual: for the cell of each node V dq/dt + R(q) = 0, q = (rho, rho u, rho E),
//! R being the sum of the fluxes out of the cell. Convective fluxes are those of an approximate Riemann solver between
//! states that are reconstructed linearly, viscous fluxes are those of the gradients in elements.
//!
//! ```text
//! case         what the program needs to know of it
//! check        configurations that make no sense
//! mesh         keys of [mesh.generate]
//! config       keys of [flow], conditions on boundaries
//! conditions   kinds of boundaries, what a condition gives to its faces
//! gas          constants of the equations, the free stream
//! start        states to start from, exact solutions
//! kernels/     one function a loop, for two and three dimensions
//! plane        two dimensions: constants, kernels, elements
//! space        three dimensions
//! host/        state, time steps, output, compiled for each dimension
//! adaptive/    flow that adapts its mesh
//! ```

pub mod adaptive;
mod case;
pub mod check;
pub mod conditions;
pub mod config;
pub mod gas;
pub mod kernels;
mod mesh;
pub mod plane;
pub mod space;
pub mod start;

pub use self::config::{Condition, Config};
