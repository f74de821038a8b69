//! Bitwise-reproducible execution: the same bits on any ranks, by any partitioner, with any division into regions.
//!
//! ```text
//! cube      Airfoil at the points of a cube of ranks, partitioners, seeds, overlap, strategies and regions
//! ```

#[path = "../harness/mod.rs"]
mod harness;
#[path = "../oracle/mod.rs"]
mod oracle;

mod cube;
