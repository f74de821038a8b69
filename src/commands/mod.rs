//! The commands other than a run.

pub mod compare;
pub mod info;
pub mod manual;
pub mod mesh;
pub mod partition;
pub mod plot;
pub mod reductions;
pub mod reference;
pub mod repro;
pub mod scaling;
