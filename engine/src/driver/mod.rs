//! Runs recorded loops.
//!
//! ```text
//! state        what a rank holds and has worked out for its loops
//! backend      what runs loops: processor, chains, devices
//! run          begin exchange → core → end exchange → rest, whatever runs it; loops: a loop on the processor
//! copies       copies that are made by exchanging columns
//! transients   dats whose values do not outlive the loops up to the next result
//! check        what the compiler cannot see of a call; observe: a look at what each loop changes
//! ```

pub mod backend;
pub(crate) mod check;
pub(crate) mod copies;
pub(crate) mod loops;
pub mod observe;
pub(crate) mod processor;
pub(crate) mod run;
pub(crate) mod state;
pub(crate) mod transients;
