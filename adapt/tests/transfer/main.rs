//! Fields that are carried along while the mesh is adapted.

/// The same bits on any number of ranks and threads, for any partition.
mod bits;
/// Constant fields are preserved.
mod constants;
/// Curved boundaries, at which areas change.
mod curved;
/// Random unstructured meshes.
mod delaunay;
/// From the domain of a mesh to that of the next.
mod domains;
/// Fields are added and read, and what can be wrong with them.
mod fields;
/// Linear fields are preserved.
mod linear;
/// Lines inside regions, and vertices that stay.
mod lines;
/// No mass is lost.
mod mass;
/// Meshes, and adaptations there and back.
mod mesh;
/// Fields that are conserved at nodes.
mod nodal;
/// Several regions, and the lines between them.
mod regions;
/// States of several components together.
mod states;
/// How a step spreads.
mod step;
/// Random unstructured meshes: values stay finite and within bounds.
mod unstructured;
