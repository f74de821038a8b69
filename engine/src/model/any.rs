//! Handles whose dimension, element type and arity are known only at run time: for output, checkpoints, and anything
//! else that treats all dats or all maps alike. Loops take the typed handles of [`crate::model::handle`].

use std::fmt;

use super::handle::{Map, Set};

/// The type of a dat's values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ElementType {
    /// Double precision.
    F64,
    /// Single precision; loops compute with the f64 that equals it, and round what they store.
    F32,
    /// Integers.
    I32,
}

impl ElementType {
    /// Bytes of a value.
    pub const fn bytes(self) -> usize {
        match self {
            ElementType::F64 => 8,
            ElementType::F32 | ElementType::I32 => 4,
        }
    }

    /// Whether a value of this type equals a number; NaN is a value of both real types.
    pub fn holds(self, number: f64) -> bool {
        match self {
            ElementType::F64 => true,
            ElementType::F32 => f64::from(number as f32) == number || number.is_nan(),
            ElementType::I32 => f64::from(number as i32) == number,
        }
    }
}

impl fmt::Display for ElementType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ElementType::F64 => "f64",
            ElementType::F32 => "f32",
            ElementType::I32 => "i32",
        })
    }
}

/// A dat of any dimension and element type; made from a [`Dat`](super::handle::Dat), or by
/// [`Domain::any_dat`](crate::domain::Domain::any_dat).
///
/// ```
/// # use cfd_engine::prelude::*;
/// # use cfd_engine::mesh::Values;
/// fn save(domain: &mut Domain, fields: &[AnyDat]) -> Result<Vec<Values>, BackendError> {
///     fields.iter().map(|field| field.read(domain)).collect()
/// }
/// # fn both(domain: &mut Domain, q: Dat<4>, group: Dat<1, i32>) -> Result<Vec<Values>, BackendError> {
/// save(domain, &[q.into(), group.into()])
/// # }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct AnyDat {
    pub(crate) id: u32,
    pub(crate) set: Set,
    pub(crate) dim: usize,
    pub(crate) element: ElementType,
}

impl AnyDat {
    /// Values per element.
    pub fn dim(self) -> usize {
        self.dim
    }

    /// The set the values live on.
    pub fn set(self) -> Set {
        self.set
    }

    /// The type of the values.
    pub fn element_type(self) -> ElementType {
        self.element
    }
}

/// A map of any arity; made from a [`Map`], or by [`Domain::any_map`](crate::domain::Domain::any_map).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct AnyMap {
    pub(crate) id: u32,
    pub(crate) from: Set,
    pub(crate) to: Set,
    pub(crate) arity: usize,
}

impl<const N: usize> From<Map<N>> for AnyMap {
    fn from(map: Map<N>) -> AnyMap {
        AnyMap { id: map.id, from: map.from, to: map.to, arity: N }
    }
}

impl AnyMap {
    /// Targets per element.
    pub fn arity(self) -> usize {
        self.arity
    }

    /// The set from whose elements the map starts.
    pub fn from(self) -> Set {
        self.from
    }

    /// The set to which the map leads.
    pub fn to(self) -> Set {
        self.to
    }
}
