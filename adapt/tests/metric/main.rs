//! Metrics from fields, formulas and lists.

/// Metrics by name, against their published complexities.
mod analytic;
/// The same bits on any number of ranks, for any local numbering.
mod bits;
/// The integral of sqrt(det M) on coarse meshes.
mod complexity;
/// The L^p metric and the form with eta.
mod curvature;
/// Sizes grow by at most a factor per edge.
mod gradation;
/// Second derivatives from values.
mod hessian;
/// The metric of a mesh as it is.
mod implied;
/// Bounds on sizes.
mod limits;
/// Metrics from a file, and what can be wrong with them.
mod list;
/// Meshes, and what one rank has of them.
mod mesh;
/// Integrals over the unit square.
mod quadrature;
/// A wanted complexity.
mod reach;
/// The field of the published benchmark.
mod waves;
