//! Adaptation of triangles.

/// Requests and results: the properties of the adapted mesh.
mod adapted;
/// Metrics by name, and the published figures.
mod analytic;
/// Meshes that cannot be adapted.
mod bad_input;
/// One mesh on any number of ranks and threads, under any local numbering.
mod bits;
/// Collapses alone.
mod coarsen;
/// Curved boundaries.
mod curved;
/// The order of vertices and elements in the input.
mod numbering;
/// Corners, splines and known curves.
mod outline;
/// The end of the passes.
mod passes;
/// Periodic boundaries.
mod periodic;
/// Random tensors and vectors.
#[path = "../tensor/random.rs"]
#[expect(dead_code, reason = "a part is for tests of tensors")]
mod random;
/// Meshes of the unit square.
mod square;
/// Metrics whose sizes differ by orders of magnitude over one element of the first mesh.
mod steep;
/// Metrics that ask for long, thin elements where there are none.
mod stretched;
/// Quality, whichever corner comes first.
mod turned;
