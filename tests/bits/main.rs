//! Solvers and engine on simulated ranks: the bits, the numbers, what is conserved.
//!
//! A test takes a few points of its matrix that include every value of every axis; with the variable
//! `CFD_TEST_MATRIX=all` it takes all (`run-scripts/nightly matrices`).

#[path = "../harness/mod.rs"]
mod harness;
#[path = "../oracle/mod.rs"]
mod oracle;

// Aero's bits, against the reference program.
mod aero_bits;
// Airfoil's bits on one rank, against the reference program.
mod airfoil_bits;
// What Airfoil's equations conserve.
mod airfoil_free_stream;
// Airfoil's kernels in each lane.
mod airfoil_lanes;
// Airfoil in fast mode on any ranks: equal to rounding.
mod airfoil_matrix;
// A mesh retrieved from a domain.
mod changing_mesh;
// Whole cases on the emulated device.
mod device_bits;
// What a device refuses.
mod device_errors;
// Loops by concept on the emulated device.
mod device_loops;
// exp, ln, sin and the like in kernels.
mod elementary;
// Minima and maxima into dats through maps.
mod extrema;
// Every point of the cube: a stage of run-scripts/nightly.
mod full_cube;
// Global ids beyond 2^32.
mod large_ids;
// Loops by concept on the processor.
mod loops;
// LULESH's bits, against the reference program.
mod lulesh_bits;
// Flow's bits, in each dimension, set of equations and scheme.
mod flow_bits;
// MG-CFD's bits, of both schemes.
mod mgcfd_bits;
// An unphysical state ends an MG-CFD run.
mod mgcfd_divergence;
// What MG-CFD's equations conserve on every level.
mod mgcfd_free_stream;
// How MG-CFD's levels are distributed.
mod mgcfd_levels;
// The order of accuracy of the Euler scheme.
mod mgcfd_order;
// A solver that changes its mesh within a run.
mod new_mesh;
// Airfoil and Aero on meshes of Gmsh and SU2.
mod outside_meshes;
// Dats in single precision.
mod single_precision;
// Every case and every strategy once: the points of ./test quick.
mod points;
// A domain whose mesh is adapted, by a user's loop.
mod remesh;
// The same bits: the cube, traps, random programs, colors, the sources.
mod reproducible;
// The bits of every class of strategies.
mod strategies;
// Loops that run along lines.
mod sweeps;
// Loops over a part of a set.
mod subsets;
// Several threads of a rank.
mod threads;
// A dat at all targets of a map.
mod whole_maps;
