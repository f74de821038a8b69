//! The engine as its users see it.

// Operation counts; handles belong to the domain that gave them.
mod elementary;
mod handles;
// Imports point down.
mod layers;
// `#[kernel]` by its effects.
mod kernel;
// Exchanges of the rows that loops reach.
mod partial_halos;
// Strategies against a plain program: traps, random programs.
mod strategies;
