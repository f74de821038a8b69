//! What is known of maps and dats beside their values.

use super::halo::Traveller;
use super::layout::LocalSet;

/// A map.
pub(crate) struct MapInfo {
    pub(crate) name: String,
    pub(crate) from: usize,
    pub(crate) to: usize,
    pub(crate) arity: usize,
}

/// A dat.
pub(crate) struct DatInfo {
    pub(crate) name: String,
    pub(crate) set: usize,
    pub(crate) dim: usize,
    pub(crate) element_bytes: usize,
    /// The halo copies are older than their owners' values.
    pub(crate) stale: bool,
    /// The same of copies beyond the halo, which chains need.
    pub(crate) deep_stale: bool,
    /// Its values do not outlive a chain; see [`Domain::new_transient`](crate::domain::Domain::new_transient).
    pub(crate) transient: bool,
    /// What it holds before the first of the loops recorded with it since the last result.
    pub(crate) start: Option<Start>,
    /// It holds values of loops that have run since the last result.
    pub(crate) carried: bool,
}

impl DatInfo {
    /// Bytes of one element's values.
    pub(crate) fn row_bytes(&self) -> usize {
        self.dim * self.element_bytes
    }

    pub(crate) fn traveller(&self, dat: usize) -> Traveller {
        Traveller { dat, set: self.set, dim: self.dim, deep: false }
    }
}

/// What a transient holds before the first loop that uses it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Start {
    /// Nothing: the loop overwrites it.
    Written,
    /// Zeros, to which the loop adds.
    Zeros,
}

/// A rank's sets, maps and dats.
pub(crate) struct Geometry<'a> {
    pub(crate) sets: &'a [LocalSet],
    pub(crate) maps: &'a [MapInfo],
    pub(crate) indices: &'a [Vec<u32>],
    pub(crate) dats: &'a [DatInfo],
}
