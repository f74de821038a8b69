//! Mesh files from outside.

// What is written is read; what is damaged is refused.
mod mesh_files;
// Meshes of Gmsh and SU2.
mod outside_meshes;
