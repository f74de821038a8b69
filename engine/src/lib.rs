//! The loop executor: sets, maps and dats, and `par_loop` over them.
//!
//! ```text
//! kernel, lane/      what a kernel is made of, one element or several at a time; #[kernel] itself is in the crate cfd-kernel
//! comm/              ranks and messages: one rank, simulated ranks, or another transport
//! mesh               the mesh as read: sets, maps, dats in blocks of global rows
//! layout             what one rank holds after partitioning: local rows, halos
//! domain             one rank's sets, maps and dats; handle: typed handles into it; erased: untyped ones
//! storage, lines     values of the dats on this rank; memory: huge pages, lines fetched ahead, stores past the cache
//! operand            operands of a loop, matched to the kernel's parameters
//! bound, running     operands bound to local storage (local); global results on their way through a loop
//! record             a recorded loop; check: what the compiler cannot see of a call
//! executor, visits   runs a kernel over elements, as many at a time as there are lanes; ahead: fetches what comes after them
//! strategy/          how loops that change values through maps are executed
//! plan, schedule     which rows a loop executes in which order, which halo copies it needs
//! par_loop           the driver: exchange, core, boundary
//! copies             copies that are made by exchanging columns
//! team, work, batch  the worker threads of a rank; a step on all of them, with or without reducers
//! chain/             loops that run tile by tile
//! halo               halo exchange
//! global             sums, minima, maxima over all ranks
//! reducer/           adding to one array from several threads, outside par_loop as well
//! sum/               sums with the same bits for every order: exact, binned
//! device/            loops on a GPU, or on the emulated one of the tests
//! timer, observe     one timer a loop; a look at what each loop changes
//! given              what users give: files that must be regular ones, texts that messages repeat
//! ```

extern crate self as cfd_engine;

mod ahead;
pub mod batch;
pub mod bound;
mod chain;
mod check;
pub mod comm;
mod copies;
pub mod device;
pub mod domain;
pub mod erased;
mod executor;
pub mod given;
pub mod global;
pub mod halo;
pub mod handle;
pub mod kernel;
pub mod lane;
pub mod layout;
pub mod lines;
pub mod local;
pub mod memory;
pub mod mesh;
pub mod observe;
pub mod operand;
mod par_loop;
mod plan;
mod record;
pub mod reducer;
pub mod running;
mod schedule;
mod storage;
pub mod strategy;
pub mod sum;
mod team;
pub mod timer;
pub mod visits;
mod work;

pub use storage::Stored;

/// What an application needs: `use cfd_engine::prelude::*;`
pub mod prelude {
    pub use crate::comm::Comm;
    pub use crate::domain::{Domain, DomainError, DomainOptions};
    pub use crate::erased::{AnyDat, AnyMap, ElementType};
    pub use crate::global::Extremum;
    pub use crate::handle::{Dat, Global, Map, Set};
    pub use crate::kernel::{Constants, Inc, Kernel, Max, Min, Read, Rw, Sum, Write};
    pub use cfd_kernel::{Constants, device, kernel};
}
