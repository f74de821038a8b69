//! Flow.

pub mod config;
pub mod gas;
pub mod kernels;
