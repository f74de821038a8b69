//! Mesh files from outside.

// Sets, maps and dats of any kind in HDF5.
mod any_mesh;
// Damaged files of every format in text or binary.
mod damaged;
// Meshes of mixed elements, from memory, Gmsh, SU2 and HDF5, and to VTU.
mod element_meshes;
// A folder for the files of a test.
mod folder;
// What is written is read; what is damaged is refused.
mod mesh_files;
// What Medit marks as staying.
mod marks;
// Meshes of Gmsh and SU2.
mod outside_meshes;
// Meshes of public test suites are read, or refused for a reason.
mod real_meshes;
// A mesh of elements in every format and back.
mod round_trips;
// Steps of a file for ParaView.
mod vtkhdf;
