//! The loop executor: sets, maps and dats, and `par_loop` over them.
//!
//! Layers, the lowest last; a layer uses only those below it (docs/architecture.md):
//!
//! ```text
//! domain/     one rank's sets, maps and dats; the queue of recorded loops
//! driver/     runs recorded loops: exchange, core, boundary; what a rank has worked out for its loops
//! cpu/        from a loop on a stretch of rows to the registers
//! schedule/   which rows a loop executes in which order, which halo copies it needs: strategies
//! store/      what a rank holds: mesh, layout, values, globals, halo exchange
//! model/      kernels, handles, what a loop is known by
//! comm/       ranks and messages: one rank, simulated ranks, or another transport
//! base/       memory, worker threads, timers
//! ```
//!
//! Below them are the crates `cfd-lanes` (arithmetic on several elements at once), `cfd-kernel` (`#[kernel]` itself)
//! and `exact-sum`. Plug-ins lie above: the backends `cfd-chains` and `cfd-device`, the strategies of `cfd-reducers`.

extern crate self as cfd_engine;

mod base;
pub mod comm;
mod cpu;
pub mod domain;
mod driver;
mod model;
mod schedule;
mod store;

pub use cfd_lanes as lane;
pub use exact_sum as sum;

pub use base::{aligned_buffer, given, memory, timer};
pub use cpu::{bound, element_block, operand, running};
pub use driver::{backend, observe};
pub use model::{any, handle, kernel, source};
pub use schedule::strategy;
pub use store::dat_storage::Stored;
pub use store::{global, halo, layout, local, mesh};

/// What plug-in crates need, that is, other backends and strategies. Applications do not need it.
pub mod plug {
    pub use crate::base::aligned_buffer::AlignedBuffer;
    pub use crate::base::memory::{HUGE, LINE, zeroed};
    pub use crate::base::share::share;
    pub use crate::base::thread_pool::{ThreadPool, UNBROKEN};
    pub use crate::base::timer::Stopwatch;
    pub use crate::cpu::bound::Placed;
    pub use crate::cpu::prefetch::{PrefetchQueue, STEP};
    pub use crate::cpu::record::{By, Elements, Recorded};
    pub use crate::driver::backend::{Backend, BackendError};
    pub use crate::driver::copies::run_each;
    pub use crate::driver::costs::Work;
    pub use crate::driver::loops::run_loop;
    pub use crate::driver::run::{Unfinished, Unit, run, send_only};
    pub use crate::driver::state::State;
    pub use crate::driver::transients::not_cleared;
    pub use crate::model::loop_info::{ArgInfo, LoopInfo, Place};
    pub use crate::schedule::steps::OWNED;
    pub use crate::schedule::strategy::changes::Changes;
    pub use crate::store::dat_storage::{DatStorage, scratch_row};
    pub use crate::store::global::{GlobalStore, NOWHERE, Ordered, Partial};
    pub use crate::store::halo::{Buffers, Exchange, ExchangeCount, ExchangedField, HaloLists};
    pub use crate::store::layout::{DeepSet, LocalSet, NeighbourRows};
    pub use crate::store::lines::LineLists;
    pub use crate::store::local::Local;
    pub use crate::store::tables::{DatInfo, Geometry, MapInfo, Start};
}

/// What an application needs: `use cfd_engine::prelude::*;`
pub mod prelude {
    pub use cfd_kernel::{Constants, device, kernel};

    pub use crate::comm::Comm;
    pub use crate::domain::lines::{Direction, Lines};
    pub use crate::domain::{Domain, DomainError, DomainOptions};
    pub use crate::driver::backend::BackendError;
    pub use crate::model::any::{AnyDat, AnyMap, ElementType};
    pub use crate::model::handle::{Dat, Global, Map, Set};
    pub use crate::model::kernel::{Constants, Inc, Kernel, Max, Min, Read, Rw, Sum, Write};
    pub use crate::schedule::strategy::class::Mode;
    pub use crate::schedule::strategy::list::Strategy;
    pub use crate::store::global::Extremum;
    pub use crate::store::mesh::{Mesh, Values};
}
