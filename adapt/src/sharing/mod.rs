//! Ways to share the items of a loop among threads, as a study: they affect time but no bit.
//!
//! | way | a worker's items | what is waited for |
//! | --- | --- | --- |
//! | static | an equal share, fixed in advance | the worker whose items take longest |
//! | cyclic | every W-th item of W workers | the same |
//! | dynamic | chunks from a common counter | the counter's cache line, which passes from worker to worker |
//! | guided | the same, in shrinking chunks | the first chunks, if they hold most of the work |
//! | work sharing | an equal share, then half of another's longest remainder | only the last items |
//!
//! ```text
//! way       the ways by name: any Fn(usize) is a loop's body
//! deal      one loop: what each worker takes next
//! counter   one counter for all: dynamic, guided
//! ranges    a range for each worker: work sharing
//! load      synthetic loops
//! workers   one task for all workers of a thread pool
//! random    numbers that look random
//! ```
//!
//! ```
//! use std::sync::atomic::{AtomicUsize, Ordering};
//!
//! use cfd_adapt::sharing::Way;
//! use cfd_engine::plug::ThreadPool;
//!
//! let (pool, sum) = (ThreadPool::new(2), AtomicUsize::new(0));
//! let way: Way = "work-sharing:8".parse()?;
//! way.for_each(&pool, 100, |item| _ = sum.fetch_add(item, Ordering::Relaxed));
//! assert_eq!(sum.into_inner(), 4950);
//! # Ok::<(), cfd_adapt::sharing::UnknownWay>(())
//! ```

mod counter;
mod deal;
mod load;
pub(crate) mod random;
mod ranges;
mod way;
pub(crate) mod workers;

pub use deal::{Deal, Hand};
pub use load::{Load, work};
pub use way::{UnknownWay, Way};
