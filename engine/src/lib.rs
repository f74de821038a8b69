//! The loop executor: sets, maps and dats, and `par_loop` over them.
//!
//! ```text
//! lane, kernel       what a kernel is made of; #[kernel] is in the crate cfd-kernel
//! comm/              ranks and messages: one rank, simulated ranks, MPI
//! mesh               the mesh as read: sets, maps, dats in blocks of global rows
//! layout             what one rank holds after partitioning: local rows, halos
//! ```

extern crate self as cfd_engine;

pub mod comm;
pub mod kernel;
pub mod lane;
pub mod layout;
pub mod mesh;

/// What an application needs: `use cfd_engine::prelude::*;`
pub mod prelude {
    pub use crate::comm::Comm;
    pub use crate::kernel::{Constants, Inc, Kernel, Max, Min, Read, Rw, Sum, Write};
    pub use cfd_kernel::{Constants, device, kernel};
}
