//! Symmetric tensors against exact arithmetic.

/// Dyadic fractions of any length, and their logarithm.
mod dyadic;
/// Eigenvalues, determinants, inverses and functions of tensors.
mod eigen;
/// The log-Euclidean mean.
mod interpolate;
/// The smallest metric that is nowhere smaller than either of two.
mod intersect;
/// Lengths of edges.
mod length;
/// Random tensors and vectors.
mod random;
