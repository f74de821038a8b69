//! The loops of LULESH, one function each. `docs/lulesh.md` has the equations; the order of evaluation is part of the
//! definition.
//!
//! ```text
//! geometry     what loops share: volumes, Jacobians, faces of a hexahedron
//! set_up       volumes, masses, initial state
//! force        loops 1 to 6: stress, hourglass
//! motion       loops 7 to 10: from forces to new places of the nodes
//! kinematics   loops 11 and 12: volumes, lengths, velocity gradients
//! viscosity    loops 13 to 15: artificial viscosity
//! material     loops 16 to 19: equation of state
//! limits       loops 20 and 21: the next step
//! output       what results are made of
//! ```

pub mod force;
pub mod geometry;
pub mod kinematics;
pub mod limits;
pub mod material;
pub mod motion;
pub mod output;
pub mod set_up;
pub mod viscosity;
