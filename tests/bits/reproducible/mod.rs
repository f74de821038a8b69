//! Bitwise-reproducible execution: the same bits on any ranks, by any partitioner, with any division into regions.
//!
//! ```text
//! cube       Airfoil at the points of a cube of ranks, partitioners, seeds, overlap, strategies and regions
//! smooth     a loop that reads and changes values through a map
//! colors     colorings on any ranks
//! coloring   colorings of a whole mesh, from their definitions
//! random     random numbers
//! source     what the sources must not contain
//! ```
//!
//! Traps and random programs need no solver: `engine/tests/integration/strategies`.

#[path = "../../../engine/tests/integration/strategies/coloring.rs"]
mod coloring;
mod colors;
mod cube;
// What else the random programs draw is not needed here.
#[allow(dead_code)]
#[path = "../../../engine/tests/integration/strategies/random.rs"]
mod random;
mod smooth;
mod source;
