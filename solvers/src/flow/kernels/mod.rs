//! The loops, one function each, for two and three dimensions.
//!
//! ```text
//! edges      fluxes through the faces between dual cells
//! elements   viscous fluxes, by elements
//! simplex    the same, and diffusion, in triangles and tetrahedra
//! areas      parts of dual faces within elements
//! open       boundaries that something flows through
//! walls      walls and planes of symmetry
//! steps      explicit time steps, stages, norms
//! jacobian   blocks of dR/dw
//! newton     steps of Newton's method
//! products   products of its matrix with directions
//! turbulence   advection and steps of what turbulence models transport
//! spalart_allmaras   the model of one equation
//! sst        the model of two
//! means      gradients at nodes, by elements, for them
//! mixing     their diffusion, by elements
//! aerodynamics   forces, mass flow, values along walls
//! fields     what files and pictures show
//! ```

pub mod aerodynamics;
pub mod areas;
pub mod edges;
pub mod elements;
pub mod fields;
pub mod jacobian;
pub mod levels;
pub mod means;
pub mod mixing;
pub mod newton;
pub mod open;
pub mod products;
pub mod simplex;
pub mod spalart_allmaras;
pub mod sst;
pub mod steps;
pub mod turbulence;
pub mod walls;
pub mod waves;
