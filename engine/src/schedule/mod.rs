//! Which rows a loop executes in which order, which halo copies it needs, and how many bytes it moves.
//!
//! ```text
//! steps       a schedule: phases, steps, stretches of rows, where changes go
//! strategy/   how loops that change values through maps are executed
//! sweep       loops that run along lines
//! make        makes the schedule of a loop
//! reach       which rows of a halo a loop reads
//! plan        all of that for one kind of loop
//! ```

pub mod make;
pub mod plan;
pub(crate) mod reach;
pub mod steps;
pub mod strategy;
pub(crate) mod sweep;
