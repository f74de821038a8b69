//! Sparse reductions of arrays: several threads add values at indices of one array.
//!
//! ```text
//! target[row][m] += values[m]      from any thread, for any row, in any order
//! ```
//!
//! The seven ways are those of J. Hückelheim and J. Doerfert, SPRAY: Sparse Reductions of Arrays in OpenMP, IPDPS 2021,
//! section V. They differ in what the threads share and in what each keeps for itself:
//!
//! ```text
//! atomic   every addition is one atomic step on the target
//! dense    a private copy of the array for every thread but the first
//! map      private sums in a hash table
//! block    private copies of blocks (block-private); or the target's own block for the thread that claims it first,
//!          by a lock (block-lock) or a compare-and-swap (block-cas; claim has both), and copies for the others
//! keeper   every thread keeps a part of the array; others send it their additions
//! any      one of them, chosen at run time; list says which there are
//!
//! addend   the operation: plus; Least, Greatest, Product around a number
//! number   f32, f64, and integers of 32 and 64 bits      target   the array, its division into parts
//! cell     a number of the target            slot     what a worker keeps for itself
//! reduction   one use: adders, then the merge         team     threads that work together
//! strategies  each as a strategy of loops
//! ```
//!
//! A reduction has two phases, and none begins its second before all have ended their first: workers add; then each
//! worker combines one part of the target with what all have kept for it. The borrow checker is the barrier:
//! [`Reduction::into_parts`] consumes the reduction, which every adder borrows.
//!
//! ```
//! use cfd_reducers::{Adder, Kind, Options, Scoped, reduce, share};
//!
//! // Back-propagation through a three-point stencil: out[i - 1], out[i], out[i + 1] += weights times input[i].
//! let input = vec![1.0; 1000];
//! let mut out = vec![0.0; 1000];
//! let team = Scoped(2.try_into().unwrap());
//! reduce(Options::new(Kind::BlockCas), &mut out, &team, |worker, adder| {
//!     for i in share(998, 2, worker) {
//!         adder.add(i, 0.25 * input[i + 1]);
//!         adder.add(i + 1, 0.5 * input[i + 1]);
//!         adder.add(i + 2, 0.25 * input[i + 1]);
//!     }
//! });
//! assert_eq!((out[0], out[1], out[500]), (0.25, 0.75, 1.0));
//! ```

mod addend;
mod any;
mod atomic;
mod block;
mod cell;
mod claim;
mod dense;
mod keeper;
mod kind;
mod list;
#[cfg(all(loom, test))]
mod loom;
mod map;
mod number;
mod reduction;
mod slot;
#[cfg(feature = "strategies")]
pub mod strategies;
mod target;
mod team;

pub use addend::{Addend, Greatest, Least, Product};
pub use any::{AnyAdder, AnyReducer};
pub use atomic::{Atomic, AtomicAdder};
pub use block::{BlockAdder, BlockCas, BlockLock, BlockPrivate, Blocks};
pub use claim::{Claim, Locks, Never, Owners};
pub use dense::{Dense, DenseAdder};
pub use keeper::{Keeper, KeeperAdder};
pub use kind::{Kind, Options};
pub use map::{Map, MapAdder};
pub use number::Number;
pub use reduction::{PartOfReduction, Reduction};
#[cfg(not(all(loom, test)))]
pub use reduction::{Work, reduce, reduce_by};
pub use target::{Part, Shape, Target, share};
pub use team::{Scoped, Team};

/// Where a worker adds: rows of `D` numbers.
pub trait Adder<T, const D: usize> {
    /// `target[row][m] += values[m]`.
    ///
    /// # Panics
    /// If the target has no such row.
    fn add_row(&mut self, row: usize, values: [T; D]);

    /// `target[index] += value`, of an array of rows of one number.
    ///
    /// # Panics
    /// If the target has no such index.
    #[inline(always)]
    fn add(&mut self, index: usize, value: T)
    where
        Self: Adder<T, 1>,
    {
        Adder::<T, 1>::add_row(self, index, [value]);
    }
}

/// A way to add to one array from several workers. It keeps its memory from one reduction to the next.
///
/// Reductions call `begin`, then `adder` for the workers, and, once the adders are gone, `merge` for each part.
pub trait Reducer<T: Addend>: Send + Sync + Sized {
    /// Where one worker adds.
    type Adder<'a, const D: usize>: Adder<T, D>
    where
        Self: 'a;
    /// A reducer for this many workers.
    fn new(workers: usize, options: Options) -> Self;
    /// Number of workers.
    fn workers(&self) -> usize;
    /// Discards the last reduction and prepares for an array of this shape.
    fn begin(&mut self, shape: Shape);
    /// A worker's adder; what it adds belongs to the reduction that has begun.
    fn adder<'a, const D: usize>(&'a self, target: Target<'a, T>, worker: usize) -> Self::Adder<'a, D>;
    /// Adds what all workers have kept for a part of the target.
    fn merge(&self, part: Part<'_, T>);
    /// Bytes that it holds in addition to the target. It frees none between reductions, so after several this is the
    /// most that any of them needed.
    fn bytes(&self) -> usize;
}
