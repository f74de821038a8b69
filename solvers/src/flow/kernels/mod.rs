//! The loops, one function each, for two and three dimensions.
//!
//! ```text
//! edges      fluxes through the faces between dual cells
//! elements   viscous fluxes, by elements
//! open       boundaries that something flows through
//! walls      walls and planes of symmetry
//! steps      time steps, stages, norms
//! aerodynamics   forces, mass flow, values along walls
//! fields     what files and pictures show
//! ```

pub mod aerodynamics;
pub mod edges;
pub mod elements;
pub mod fields;
pub mod open;
pub mod steps;
pub mod walls;
