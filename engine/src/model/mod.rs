//! What users write, and how loops describe themselves.
//!
//! ```text
//! kernel      what a kernel is; source: its CUDA C
//! handle      typed handles of sets, maps, dats, globals; any: untyped ones
//! loop_info   a recorded loop without its kernel's type
//! ```

pub mod any;
pub mod handle;
pub mod kernel;
pub mod loop_info;
pub mod source;
