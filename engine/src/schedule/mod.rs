//! Which rows a loop executes in which order, which halo copies it needs, how many bytes it moves.
//!
//! ```text
//! steps       a schedule: phases, steps, stretches of rows, where changes go
//! options     how loops run: mode, strategy, threads, lanes, ...
//! strategy/   how loops that change values through maps are executed
//! make        makes the schedule of a loop
//! plan        all of that for one kind of loop
//! ```

pub(crate) mod make;
pub mod options;
pub(crate) mod plan;
pub mod steps;
pub mod strategy;
