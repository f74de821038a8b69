//! Loop chains: the bits of loops that run one by one, on any ranks, threads, lanes and tiles; what transients may hold.
//!
//! ```text
//! programs     random programs on random meshes, with and without chains
//! transients   what is refused, and what is checked
//! counts       what a chain exchanges, moves and executes
//! kernels, world   the loops, and the mesh they run on
//! ```

mod counts;
mod kernels;
mod programs;
mod transients;
mod world;
