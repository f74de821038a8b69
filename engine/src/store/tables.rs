//! What is known of maps and dats in addition to their values.

use super::halo::ExchangedField;
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
    /// Whether the halo copies are older than their owners' values.
    pub(crate) stale: bool,
    /// The same for copies beyond the halo, which chains need.
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
    pub fn exchanged(&self, dat: usize) -> ExchangedField {
        ExchangedField { dat, set: self.set, dim: self.dim, deep: false }
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
