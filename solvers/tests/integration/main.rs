//! The solvers as their users see them.

// Aero: published values, equal bits, convergence order, dense references, conjugate gradients.
mod aero;
