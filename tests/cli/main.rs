//! The program from outside: what users type and what they get.

// Starting the program with a time limit.
mod launch;
#[allow(dead_code)]
#[path = "../harness/matrix.rs"]
mod matrix;
mod watch;

// Adapted meshes.
mod adaptation;
// What an adaptation keeps: names of boundaries, regions, curves.
mod adaptation_boundaries;
// Curves by name, and sizes of boundaries.
mod adaptation_curves;
// Fields that are carried, and metrics of the first mesh.
mod adaptation_fields;
// What Medit's files mark, and names of lines between regions.
mod adaptation_marks;
// Periodic boundaries of a mesh that is adapted.
mod adaptation_periodic;
// Everything that can be wrong: exit code and one message, on one rank and on several.
mod bad_input;
// Checkpoints and solutions with damaged bytes.
mod checkpoint_damage;
// Runs with known results.
mod benchmarks;
// Two results, bit by bit.
mod compare;
// The configuration as a whole: files, options, defaults, messages, the reference page.
mod config;
// Whole cases on the emulated device; the message without a GPU.
mod device;
// Several runs in one directory: locks, lineages of checkpoints.
mod directories;
// Disks that are full or read-only, and files cut off while they are written.
mod disk;
// Pages, links and pictures of the documents.
mod documents;
// Files that grow during a run, and its time limit.
mod during;
// The page about extending is true.
mod extending;
// Ends that are not the user's mistake: divergence, a killed rank, a wrong launcher.
mod failures;
// What is not a regular file, read and written.
mod files;
// Flow that adapts its mesh.
mod flow_adaptive;
// Flow on broken and odd meshes, with conditions that make no sense.
mod flow_hostile;
mod flow_levels;
// Differences between two runs over iterations.
mod growth;
// Grids of validation.
mod grids;
// What does not fit into memory.
mod memory;
// Meshes with levels.
mod mesh_levels;
// Meshes of Gmsh and SU2.
mod outside_meshes;
// Airfoil's published residuals on 45,000 cells.
mod published;
// The study of reduction trees.
mod reductions;
// Hashes that a case states.
mod reference;
// Many runs and their comparison.
mod repro;
// Strategies, guarantee, kept colorings, traces.
mod reproducible;
// Checkpoints: continuing on other ranks, damaged files, signals, killed runs.
mod restart;
// Files, output, configuration, verification.
mod results;
// A sector of a ring, turned into itself.
mod sector;
// Starting from the solution of another run.
mod start_from;
// Requests to stop, at any moment.
mod signals;
// Files for ParaView and Python, the page of a run.
mod viewers;
// Weights of the partitioner.
#[cfg(feature = "mpi")]
mod weights;
