//! The loop executor: sets, maps and dats, and `par_loop` over them.
//!
//! Layers, the ground last; a layer uses those below it (docs/architecture.md):
//!
//! ```text
//! domain/     one rank's sets, maps and dats; the queue of recorded loops
//! device/     loops on a GPU, or on the emulated one of the tests          chain/   loops that run tile by tile
//! driver/     runs recorded loops: exchange, core, boundary; what a rank has worked out for its loops
//! cpu/        from a loop on a stretch of rows to the registers
//! schedule/   which rows a loop executes in which order, which halo copies it needs: strategies
//! store/      what a rank holds: mesh, layout, values, globals, halo exchange
//! model/      kernels, handles, what a loop is known by
//! comm/       ranks and messages: one rank, simulated ranks, or another transport
//! base/       memory, worker threads, timers
//! ```
//!
//! Below them are the crates `cfd-lanes` (arithmetic on several elements at a time), `cfd-kernel` (`#[kernel]` itself) and
//! `exact-sum`; above them `cfd-reducers`, strategies that plug in.

extern crate self as cfd_engine;

mod base;
mod chain;
pub mod comm;
mod cpu;
pub mod device;
pub mod domain;
mod driver;
mod model;
mod schedule;
mod store;

pub use base::{given, lines, memory, timer};
pub use cfd_lanes as lane;
pub use cpu::{bound, operand, running, visits};
pub use driver::{backend, observe};
pub use exact_sum as sum;
pub use model::{any, handle, kernel, source};
pub use schedule::strategy;
pub use store::storage::Stored;
pub use store::{global, halo, layout, local, mesh};

/// What an application needs: `use cfd_engine::prelude::*;`
pub mod prelude {
    pub use crate::comm::Comm;
    pub use crate::domain::{Domain, DomainError, DomainOptions};
    pub use crate::model::any::{AnyDat, AnyMap, ElementType};
    pub use crate::model::handle::{Dat, Global, Map, Set};
    pub use crate::model::kernel::{Constants, Inc, Kernel, Max, Min, Read, Rw, Sum, Write};
    pub use crate::store::global::Extremum;
    pub use cfd_kernel::{Constants, device, kernel};
}
