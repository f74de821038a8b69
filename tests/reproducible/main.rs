//! Bitwise-reproducible execution: the same bits on any ranks, by any partitioner, with any division into regions.
//!
//! ```text
//! cube           Airfoil at the points of a cube of ranks, partitioners, seeds, overlap, strategies and regions
//! traps          what could go wrong in a loop, one by one
//! random_loops   random programs on random meshes
//! smooth         a loop that reads and changes values through a map
//! colors         colorings on any ranks
//! source         what the sources must not contain
//! coloring       colorings of a whole mesh, from their definitions
//! kernels, world, execution   the loops of both, as a plain program and on the engine
//! ```

#[path = "../harness/mod.rs"]
mod harness;
#[path = "../oracle/mod.rs"]
mod oracle;

mod coloring;
mod colors;
mod cube;
mod execution;
mod kernels;
mod random_loops;
mod smooth;
mod source;
mod traps;
mod world;
