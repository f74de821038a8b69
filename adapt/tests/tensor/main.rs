//! Symmetric tensors against exact arithmetic.

/// Dyadic fractions of any length, and their logarithm.
mod dyadic;
/// Eigenvalues, determinants, inverses and functions of tensors.
mod eigen;
/// The log-Euclidean mean.
mod interpolate;
/// The smallest metric that two metrics fit under.
mod intersect;
/// Lengths of edges.
mod length;
/// Tensors and vectors at random.
mod random;
