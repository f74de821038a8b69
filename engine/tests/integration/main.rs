//! The engine as its users see it.

// Loops that run tile by tile, as chains.
mod chains;
// Handles belong to the domain that gave them.
mod handles;
// Imports point down.
mod layers;
// `#[kernel]` by its effects.
mod kernel;
// Strategies against a plain program: traps, random programs.
mod strategies;
