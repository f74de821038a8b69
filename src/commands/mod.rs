//! The commands beside a run.

pub mod info;
pub mod mesh;
pub mod partition;
