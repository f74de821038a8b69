//! Handles whose dimension, element type and arity are known at run time only: for output, checkpoints, and whatever
//! else treats all dats or all maps alike. Loops take the typed ones of [`crate::handle`].

use std::fmt;

use crate::domain::{Domain, DomainError, find};
use crate::handle::{Dat, Map, Set};
use crate::mesh::Values;
use crate::storage::Stored;

/// The type of a dat's values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ElementType {
    /// Double precision.
    F64,
    /// Integers.
    I32,
}

impl fmt::Display for ElementType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ElementType::F64 => "f64",
            ElementType::I32 => "i32",
        })
    }
}

/// A dat of any dimension and element type; made of a [`Dat`], or by [`Domain::any_dat`].
///
/// ```
/// # use cfd_engine::prelude::*;
/// # use cfd_engine::mesh::Values;
/// fn save(domain: &mut Domain, fields: &[AnyDat]) -> Vec<Values> {
///     fields.iter().map(|field| field.read(domain)).collect()
/// }
/// # fn both(domain: &mut Domain, q: Dat<4>, group: Dat<1, i32>) -> Vec<Values> {
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

impl<const D: usize, T: Stored> From<Dat<D, T>> for AnyDat {
    fn from(dat: Dat<D, T>) -> AnyDat {
        AnyDat { id: dat.id, set: dat.set, dim: D, element: T::TYPE }
    }
}

impl AnyDat {
    /// Values of an element.
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

    /// [`Domain::read`].
    #[track_caller]
    pub fn read(self, domain: &mut Domain) -> Values {
        match self.element {
            ElementType::F64 => Values::F64(domain.read_as(self)),
            ElementType::I32 => Values::I32(domain.read_as(self)),
        }
    }

    /// [`Domain::write`].
    ///
    /// # Panics
    /// If there are not as many values as owned rows have, or values of another type than the dat's.
    #[track_caller]
    pub fn write(self, domain: &mut Domain, values: &Values) {
        match values {
            Values::F64(values) => domain.write_as(self, values),
            Values::I32(values) => domain.write_as(self, values),
        }
    }

    /// [`AnyDat::read`] as double precision, in which every i32 stands exactly.
    #[track_caller]
    pub fn read_f64(self, domain: &mut Domain) -> Vec<f64> {
        match self.read(domain) {
            Values::F64(values) => values,
            Values::I32(values) => values.into_iter().map(f64::from).collect(),
        }
    }

    /// Writes what [`AnyDat::read_f64`] has given, back into the same type.
    ///
    /// # Panics
    /// As [`AnyDat::write`]; also if the dat holds i32 and one of the values is none.
    #[track_caller]
    pub fn write_f64(self, domain: &mut Domain, values: &[f64]) {
        match self.element {
            ElementType::F64 => domain.write_as(self, values),
            ElementType::I32 => {
                let name = &domain.dats[domain.dat_index(self)].name;
                let values: Vec<i32> = values
                    .iter()
                    .map(|&value| {
                        let whole = value as i32;
                        assert!(f64::from(whole) == value, "\"{name}\" holds i32, and {value} is none");
                        whole
                    })
                    .collect();
                domain.write_as(self, &values);
            }
        }
    }
}

/// A map of any arity; made of a [`Map`], or by [`Domain::any_map`].
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
    /// Targets of an element.
    pub fn arity(self) -> usize {
        self.arity
    }

    /// The set whose elements the map starts from.
    pub fn from(self) -> Set {
        self.from
    }

    /// The set the map points into.
    pub fn to(self) -> Set {
        self.to
    }
}

impl Domain {
    /// The dat of that name, whatever its dimension and element type.
    pub fn any_dat(&self, name: &str) -> Result<AnyDat, DomainError> {
        let id = find("dat", name, self.dats.iter().map(|d| d.name.clone()))?;
        let (dat, column) = (&self.dats[id as usize], &self.local.columns[id as usize]);
        Ok(AnyDat { id, set: self.set_handle(dat.set), dim: dat.dim, element: column.element_type() })
    }

    /// The map of that name, whatever its arity.
    pub fn any_map(&self, name: &str) -> Result<AnyMap, DomainError> {
        let id = find("map", name, self.maps.iter().map(|m| m.name.clone()))?;
        let map = &self.maps[id as usize];
        let (from, to) = (self.set_handle(map.from), self.set_handle(map.to));
        Ok(AnyMap { id, from, to, arity: map.arity })
    }

    /// [`Domain::target_ids`], row by row.
    #[track_caller]
    pub fn any_target_ids(&self, map: AnyMap) -> Vec<u64> {
        let (targets, ids) = self.owned_targets(map);
        targets.iter().map(|&target| ids[target as usize]).collect()
    }

    /// Local targets of the owned rows of a map's source set, and the global ids of all local targets.
    #[track_caller]
    pub(crate) fn owned_targets(&self, map: AnyMap) -> (&[u32], &[u64]) {
        let index = self.map_index(map);
        let (from, to) = (self.set_index(map.from), self.set_index(map.to));
        (&self.local.maps[index][..self.sets[from].owned * map.arity], &self.sets[to].global_ids)
    }

    /// [`Domain::read`], of a dat whose values are `T`.
    #[track_caller]
    pub(crate) fn read_as<T: Stored>(&mut self, dat: AnyDat) -> Vec<T> {
        let (index, set) = (self.dat_index(dat), self.set_index(dat.set));
        self.flush();
        self.refuse_transient(index);
        self.bring_home(index);
        let cells = &T::cells(&self.local.columns[index])[..self.sets[set].owned * dat.dim];
        // SAFETY: nothing runs; the cells are only read while `self` is borrowed.
        cells.iter().map(|cell| unsafe { *cell.get() }).collect()
    }

    /// [`Domain::write`], of a dat whose values may be others than `T`.
    #[track_caller]
    pub(crate) fn write_as<T: Stored>(&mut self, dat: AnyDat, values: &[T]) {
        let (index, set) = (self.dat_index(dat), self.set_index(dat.set));
        let (owned, name) = (self.sets[set].owned, &self.dats[index].name);
        assert!(dat.element == T::TYPE, "\"{name}\" holds {}, not {}", dat.element, T::TYPE);
        assert_eq!(values.len(), owned * dat.dim, "values for the owned rows of \"{name}\"");
        self.flush();
        self.bring_home(index);
        self.changed_by_host(index);
        for (cell, &value) in T::cells(&self.local.columns[index]).iter().zip(values) {
            // SAFETY: nothing runs, and `self` is borrowed mutably.
            unsafe { *cell.get() = value };
        }
        (self.dats[index].stale, self.dats[index].deep_stale) = (self.comm.size() > 1, true);
    }
}
