//! Coarse levels of an edge-based mesh, made by putting nodes together.
//!
//! ```text
//! coarsen   the coarse level of a given map from fine to coarse nodes
//! ```

mod coarsen;

pub(crate) use coarsen::coarsen;
