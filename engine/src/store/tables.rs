//! What is known of maps and dats in addition to their values.

use super::halo::{Copies, ExchangedField};
use super::layout::LocalSet;
use crate::model::any::ElementType;

/// A map.
pub struct MapInfo {
    /// Its name.
    pub name: String,
    /// The number of the set from which it starts.
    pub from: usize,
    /// The number of the set to which it leads.
    pub to: usize,
    /// Targets per element.
    pub arity: usize,
    /// Whether no element leads to another rank's, on any rank.
    pub stays_home: bool,
}

/// A dat.
pub struct DatInfo {
    /// Its name.
    pub name: String,
    /// The number of its set.
    pub set: usize,
    /// Values per element.
    pub dim: usize,
    /// The type of its values.
    pub element: ElementType,
    /// Which halo copies are as new as their owners' values.
    pub(crate) fresh: Fresh,
    /// Whether its halo copies would be older than their owners' values if loops exchanged whole halos: for their count.
    pub(crate) whole_stale: bool,
    /// Whether copies beyond the halo, which chains need, are older than their owners' values.
    pub(crate) deep_stale: bool,
    /// Whether its values do not outlive a chain; see [`Domain::new_transient`](crate::domain::Domain::new_transient).
    pub transient: bool,
    /// What it holds before its first use by a loop recorded since the last result.
    pub start: Option<Start>,
    /// Whether it is live from earlier loops: holds values of loops that have run since the last result.
    pub live: bool,
}

impl DatInfo {
    /// Bytes of one element's values.
    pub fn row_bytes(&self) -> usize {
        self.dim * self.element.bytes()
    }

    /// The dat, whose number this is, in an exchange of halo copies.
    pub fn exchanged(&self, dat: usize, copies: Copies) -> ExchangedField {
        ExchangedField { dat, set: self.set, dim: self.dim, copies }
    }
}

/// Which of a dat's halo copies are as new as their owners' values: the same on every rank.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Fresh {
    /// All.
    All,
    /// Those of partial halos that have been exchanged since the values changed; of none: all copies are stale.
    Partial(Vec<Fetched>),
}

/// A partial halo that a loop has exchanged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Fetched {
    /// Its number.
    pub halo: usize,
    /// The number of the loop's plan.
    pub plan: usize,
    /// The number of the dat, which may since have swapped its buffer with another.
    pub dat: usize,
}

impl Fresh {
    /// No copy is as new as its owner's values.
    pub const STALE: Fresh = Fresh::Partial(Vec::new());

    /// Takes note that all copies are fresh; whether they were not.
    pub fn take_stale(&mut self) -> bool {
        std::mem::replace(self, Fresh::All) != Fresh::All
    }
}

/// What a transient holds before the first loop that uses it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// Nothing: the loop overwrites it.
    Written,
    /// Zeros, to which the loop adds.
    Zeros,
}

/// A rank's sets, maps and dats.
pub struct Geometry<'a> {
    /// The sets.
    pub sets: &'a [LocalSet],
    /// The maps.
    pub maps: &'a [MapInfo],
    /// Their indices, `arity` a row, for the executed rows of their source sets.
    pub indices: &'a [Vec<u32>],
    /// The dats.
    pub dats: &'a [DatInfo],
}
