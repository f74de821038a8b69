//! Small typed handles into a [`Domain`](crate::domain::Domain).
//!
//! A handle knows its arity, dimension and element type at compile time; its domain and set are known at run time.

use std::marker::PhantomData;
use std::sync::atomic::{AtomicU32, Ordering};

use cfd_lanes::Element;

/// Tells a process's domains apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct DomainId(u32);

impl DomainId {
    /// An id that no domain has had.
    pub(crate) fn new() -> DomainId {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        DomainId(NEXT.fetch_add(1, Ordering::Relaxed))
    }
}

/// A set of elements: nodes, edges, cells, ...
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Set {
    pub(crate) domain: DomainId,
    pub(crate) id: u32,
}

/// A map: `N` targets for every element of a source set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Map<const N: usize> {
    pub(crate) id: u32,
    pub(crate) from: Set,
    pub(crate) to: Set,
}

impl<const N: usize> Map<N> {
    /// The set from whose elements the map starts.
    pub fn from(self) -> Set {
        self.from
    }

    /// The set to which the map leads.
    pub fn to(self) -> Set {
        self.to
    }

    /// The `I`-th target of each source element, to place a dat at: `q.at(edge_cells.target::<0>())`.
    ///
    /// `I` is checked by the compiler:
    ///
    /// ```compile_fail
    /// # use cfd_engine::handle::Map;
    /// fn third(edge_cells: Map<2>) {
    ///     let _ = edge_cells.target::<2>();
    /// }
    /// # fn main() { let _: fn(Map<2>) = third; }
    /// ```
    pub fn target<const I: usize>(self) -> Target<N, I> {
        const { assert!(I < N, "the map has fewer targets than this index needs") };
        Target { map: self }
    }
}

/// One target of a map; see [`Map::target`].
#[derive(Clone, Copy, Debug)]
pub struct Target<const N: usize, const I: usize> {
    pub(crate) map: Map<N>,
}

/// `D` values on every element of a set.
#[derive(Debug, PartialEq, Eq)]
pub struct Dat<const D: usize, T = f64> {
    pub(crate) id: u32,
    pub(crate) set: Set,
    pub(crate) element: PhantomData<T>,
}

impl<const D: usize, T> Clone for Dat<D, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<const D: usize, T> Copy for Dat<D, T> {}

impl<const D: usize, T: Element> Dat<D, T> {
    /// The set the values live on.
    pub fn set(self) -> Set {
        self.set
    }

    /// The dat at a map's target: an indirect operand of a loop over the map's source set.
    pub fn at<const N: usize, const I: usize>(self, target: Target<N, I>) -> At<D, T, N, I> {
        At { dat: self, map: target.map }
    }

    /// The dat at all targets of a map: an operand for a parameter `[Read<D>; N]`, `[Inc<D>; N]`,
    /// `[Min<D>; N]` or `[Max<D>; N]`.
    pub fn all<const N: usize>(self, map: Map<N>) -> All<D, T, N> {
        All { dat: self, map }
    }
}

/// A dat at all targets of a map; see [`Dat::all`].
#[derive(Debug)]
pub struct All<const D: usize, T, const N: usize> {
    pub(crate) dat: Dat<D, T>,
    pub(crate) map: Map<N>,
}

impl<const D: usize, T, const N: usize> Clone for All<D, T, N> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<const D: usize, T, const N: usize> Copy for All<D, T, N> {}

/// A dat reached through target `I` of a map; see [`Dat::at`].
#[derive(Debug)]
pub struct At<const D: usize, T, const N: usize, const I: usize> {
    pub(crate) dat: Dat<D, T>,
    pub(crate) map: Map<N>,
}

impl<const D: usize, T, const N: usize, const I: usize> Clone for At<D, T, N, I> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<const D: usize, T, const N: usize, const I: usize> Copy for At<D, T, N, I> {}

/// A global result of loops; `P` is [`Sum`](crate::model::kernel::Sum), [`Min`](crate::model::kernel::Min) or
/// [`Max`](crate::model::kernel::Max).
#[derive(Debug, PartialEq, Eq)]
pub struct Global<P> {
    pub(crate) domain: DomainId,
    pub(crate) id: u32,
    pub(crate) param: PhantomData<P>,
}

impl<P> Clone for Global<P> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<P> Copy for Global<P> {}
