//! Loops that change values through maps, in every strategy that promises its bits, against a plain sequential program.
//!
//! ```text
//! traps          what could go wrong in a loop, one by one
//! random_loops   random programs on random meshes
//! coloring       colorings of a whole mesh, from their definitions
//! kernels, world, execution   the loops of both, as a plain program and on the engine
//! random, sum    random numbers; correctly rounded sums
//! ```

mod coloring;
mod execution;
mod kernels;
pub mod random;
mod random_loops;
#[path = "../../../../tests/oracle/sum.rs"]
mod sum;
mod traps;
mod world;

use cfd_engine::lane::Width;
use cfd_engine::strategy::Strategy;
use cfd_reducers::strategies;

/// The strategies that guarantee their bits.
fn reproducible() -> Vec<Strategy> {
    strategies::all().filter(|strategy| strategy.is_reproducible()).collect()
}

/// This many lanes, or as many as there are.
fn width(lanes: usize) -> Width {
    Width::new(lanes).unwrap_or(Width::widest())
}
