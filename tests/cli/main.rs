//! The program from outside: what users type, what they get.
//!
//! ```text
//! launch       starting the program with a time limit
//! bad_input    everything that can be wrong: exit code, one message, on one rank and on several
//! mesh_levels  meshes with levels
//! outside_meshes  meshes of Gmsh and SU2
//! compare      two results, bit by bit
//! device       whole cases on the emulated device; what is said where there is no GPU
//! reproducible strategies, guarantee, kept colorings, traces
//! repro        many runs and their comparison
//! results      files, output, configuration, verification
//! restart      checkpoints: continuing on other ranks, damaged files, signals, killed runs
//! directories  several runs in one directory: locks, lineages of checkpoints
//! signals      being asked to stop, at any moment
//! memory       what does not fit into it
//! disk         disks that are full or read-only, and files cut off while they are written
//! files        what is no regular file, read and written
//! failures     ends that are no mistake of the user's: divergence, a killed rank, a wrong launcher
//! ```

mod bad_input;
mod compare;
mod device;
mod directories;
mod disk;
mod failures;
mod files;
mod launch;
mod memory;
mod mesh_levels;
mod outside_meshes;
mod repro;
mod reproducible;
mod restart;
mod results;
mod signals;
