//! Mesh files from outside.

// Sets, maps and dats of any kind in HDF5.
mod any_mesh;
// What is written is read; what is damaged is refused.
mod mesh_files;
// Meshes of Gmsh and SU2.
mod outside_meshes;
