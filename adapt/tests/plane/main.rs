//! Adaptation of triangles.

/// What is asked for and what comes out: the adapted mesh's properties.
mod adapted;
/// Metrics by name, and the published figures.
mod analytic;
/// What cannot be adapted.
mod bad_input;
/// One mesh on any number of ranks and threads, under any local numbering.
mod bits;
/// Collapses alone.
mod coarsen;
/// Boundaries that are not straight.
mod curved;
/// The end of the passes.
mod passes;
/// Tensors and vectors at random.
#[path = "../tensor/random.rs"]
#[expect(dead_code, reason = "a part is for tests of tensors")]
mod random;
/// Meshes of the unit square.
mod square;
/// Quality, whatever corner comes first.
mod turned;
