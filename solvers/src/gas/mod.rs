//! Compressible flow of a perfect gas, in two and three dimensions: what its schemes share.
//!
//! ```text
//! state      conserved and primitive variables
//! limiters   slopes of a reconstruction
//! gradients  least squares at nodes, over edges
//! roe        Roe's flux, with the fix for flow at low Mach numbers
//! hllc       the flux of Harten, Lax, van Leer with a contact wave
//! viscous    stresses and heat flux
//! copies     sums over copies of nodes on periodic boundaries
//! transfer   between levels of multigrid
//! waves      a time step for each wave
//! ```
//!
//! A state has N = D + 2 components in D dimensions: conserved q = (rho, rho u, rho E), primitive w = (rho, u, p). Names
//! end in the number of dimensions. The order of evaluation is part of each definition.

pub mod copies;
pub mod gradients;
pub mod hllc;
pub mod limiters;
pub mod roe;
pub mod state;
pub mod transfer;
pub mod viscous;
pub mod waves;
