//! Runs recorded loops.
//!
//! ```text
//! state        what a rank holds and has worked out for its loops
//! options      how loops run
//! backend      what runs loops: processor, chains, devices
//! run          begin exchange → core → end exchange → rest, whatever runs it; loops: a loop on the processor
//! costs        what loops have cost; copies: copies made by swapping storages
//! freshness    which halo copies are as new as their owners' values
//! transients   dats whose values do not outlive the loops up to the next result
//! check        what the compiler cannot check in a call; observe: shows what each loop changes
//! ```

pub mod backend;
pub mod check;
pub mod copies;
pub mod costs;
mod freshness;
pub mod loops;
pub mod observe;
pub mod options;
pub mod processor;
pub mod run;
pub mod state;
pub mod transients;
