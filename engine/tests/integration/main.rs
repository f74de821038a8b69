//! The engine as its users see it.

// Loops that run tile by tile, as chains.
mod chains;
// Handles belong to the domain that gave them.
mod handles;
// `#[kernel]` by its effects.
mod kernel;
// Adding to one array from several threads.
mod reducers;
// Strategies against a plain program: traps, random programs.
mod strategies;
// Sums against exact arithmetic.
mod sum_properties;
