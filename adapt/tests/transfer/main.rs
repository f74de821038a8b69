//! Fields that the mesh carries along while it is adapted.

/// The same bits on any number of ranks and threads, for any partition.
mod bits;
/// Constant fields stay what they are.
mod constants;
/// Boundaries that are not straight, at which areas change.
mod curved;
/// Fields are added and read, and what can be wrong with them.
mod fields;
/// Linear fields stay what they are.
mod linear;
/// No mass is lost.
mod mass;
/// Meshes, and adaptations there and back.
mod mesh;
/// How a step spreads.
mod step;
