//! Reading and writing dats whose dimension and element type are known only at run time.

use super::{Domain, DomainError, find};
use crate::driver::backend::BackendError;
use crate::model::any::{AnyDat, AnyMap, ElementType};
use crate::store::dat_storage::Stored;
use crate::store::halo::Copies;
use crate::store::mesh::{Blocks, Values, fetch_rows, rows_to_blocks};

impl AnyDat {
    /// As [`Domain::read`]; f32 as the f64 that equal them.
    ///
    /// # Errors
    /// As for [`Domain::read`].
    #[track_caller]
    pub fn read(self, domain: &mut Domain) -> Result<Values, BackendError> {
        Ok(match self.element {
            ElementType::F64 => Values::F64(domain.read_as(self)?),
            ElementType::F32 => Values::F64(widened(domain.read_as(self)?)),
            ElementType::I32 => Values::I32(domain.read_as(self)?),
        })
    }

    /// As [`Domain::write`].
    ///
    /// # Panics
    /// If the number of values is not that of the owned rows, or their type is not the dat's. A dat of f32 takes f64 that
    /// equal an f32, as [`AnyDat::read`] returns them.
    #[track_caller]
    pub fn write(self, domain: &mut Domain, values: &Values) {
        match values {
            Values::F64(values) if self.element == ElementType::F32 => self.write_f64(domain, values),
            Values::F64(values) => domain.write_as(self, values),
            Values::I32(values) => domain.write_as(self, values),
        }
    }

    /// As [`Domain::read_with_halo`].
    ///
    /// # Errors
    /// As for [`Domain::read_with_halo`].
    #[track_caller]
    pub fn read_with_halo(self, domain: &mut Domain) -> Result<Values, BackendError> {
        Ok(match self.element {
            ElementType::F64 => Values::F64(domain.read_with_halo_as(self)?),
            ElementType::F32 => Values::F64(widened(domain.read_with_halo_as(self)?)),
            ElementType::I32 => Values::I32(domain.read_with_halo_as(self)?),
        })
    }

    /// As [`AnyDat::read`], in double precision, which holds every f32 and i32 exactly.
    ///
    /// # Errors
    /// As for [`Domain::read`].
    #[track_caller]
    pub fn read_f64(self, domain: &mut Domain) -> Result<Vec<f64>, BackendError> {
        Ok(match self.read(domain)? {
            Values::F64(values) => values,
            Values::I32(values) => values.into_iter().map(f64::from).collect(),
        })
    }

    /// This rank's block of the values, by global row, whatever rows this rank owns: block r of p has the rows
    /// [`Blocks::range`]`(r)`. Collective.
    ///
    /// # Errors
    /// As for [`Domain::read`].
    #[track_caller]
    pub fn read_block(self, domain: &mut Domain) -> Result<Values, BackendError> {
        let values = self.read(domain)?;
        let (comm, name) = (domain.comm(), domain.name_of(self));
        let blocks = Blocks::new(domain.rows(self.set), comm.size());
        let ids = domain.global_ids(self.set);
        Ok(match values {
            Values::F64(values) => Values::F64(rows_to_blocks(comm, name, blocks, self.dim, ids, &values)),
            Values::I32(values) => Values::I32(rows_to_blocks(comm, name, blocks, self.dim, ids, &values)),
        })
    }

    /// Sets the values to those of blocks by global row ([`AnyDat::read_block`]), of which this rank has its own.
    /// Collective.
    ///
    /// # Panics
    /// As for [`AnyDat::write`].
    #[track_caller]
    pub fn write_block(self, domain: &mut Domain, values: &Values) {
        let comm = domain.comm();
        let blocks = Blocks::new(domain.rows(self.set), comm.size());
        let ids = domain.global_ids(self.set);
        let values = match values {
            Values::F64(values) => Values::F64(fetch_rows(comm, blocks, self.dim, values, ids)),
            Values::I32(values) => Values::I32(fetch_rows(comm, blocks, self.dim, values, ids)),
        };
        self.write(domain, &values);
    }

    /// The values of some owned rows, given by their places among [`Domain::global_ids`], row by row; integers as the
    /// double-precision numbers that equal them. Runs what was recorded. Collective.
    ///
    /// # Errors
    /// A device on some rank has failed; every rank gets the error.
    ///
    /// # Panics
    /// If a row is not owned.
    #[track_caller]
    pub fn rows_f64(self, domain: &mut Domain, rows: &[usize]) -> Result<Vec<f64>, BackendError> {
        Ok(match self.element {
            ElementType::F64 => domain.rows_as(self, rows)?,
            ElementType::F32 => widened(domain.rows_as(self, rows)?),
            ElementType::I32 => domain.rows_as::<i32>(self, rows)?.into_iter().map(f64::from).collect(),
        })
    }

    /// Writes values that [`AnyDat::read_f64`] has returned, converted back to the dat's type.
    ///
    /// # Panics
    /// As for [`AnyDat::write`]; also if the dat holds i32 or f32 and a value is not one.
    #[track_caller]
    pub fn write_f64(self, domain: &mut Domain, values: &[f64]) {
        match self.element {
            ElementType::F64 => domain.write_as(self, values),
            ElementType::I32 => self.write_as_type(domain, values, |value| value as i32),
            ElementType::F32 => self.write_as_type(domain, values, |value| value as f32),
        }
    }

    /// Writes numbers that values of the dat's type equal.
    #[track_caller]
    fn write_as_type<T: Stored>(self, domain: &mut Domain, values: &[f64], to: impl Fn(f64) -> T) {
        let name = &domain.state.dats[domain.state.dat_index(self)].name;
        // Not in a closure: the panic names the caller.
        for &value in values {
            assert!(self.element.holds(value), "\"{name}\" holds {}, and {value} is none", self.element);
        }
        let values: Vec<T> = values.iter().map(|&value| to(value)).collect();
        domain.write_as(self, &values);
    }
}

/// The f64 that equal these values.
fn widened(values: Vec<f32>) -> Vec<f64> {
    values.into_iter().map(f64::from).collect()
}

impl Domain {
    /// The dat with this name, whatever its dimension and element type.
    pub fn any_dat(&self, name: &str) -> Result<AnyDat, DomainError> {
        let id = find("dat", name, self.state.dats.iter().map(|d| d.name.clone()))?;
        let (dat, storage) = (&self.state.dats[id as usize], &self.state.local.storages[id as usize]);
        Ok(AnyDat { id, set: self.set_handle(dat.set), dim: dat.dim, element: storage.element_type() })
    }

    /// The map with this name, whatever its arity.
    pub fn any_map(&self, name: &str) -> Result<AnyMap, DomainError> {
        let id = find("map", name, self.state.maps.iter().map(|m| m.name.clone()))?;
        let map = &self.state.maps[id as usize];
        let (from, to) = (self.set_handle(map.from), self.set_handle(map.to));
        Ok(AnyMap { id, from, to, arity: map.arity })
    }

    /// As [`Domain::target_ids`], row by row.
    #[track_caller]
    pub fn any_target_ids(&self, map: AnyMap) -> Vec<u64> {
        let (targets, ids) = self.owned_targets(map);
        targets.iter().map(|&target| ids[target as usize]).collect()
    }

    /// As [`Domain::targets`], row by row.
    #[track_caller]
    pub fn any_targets(&self, map: AnyMap) -> Vec<u32> {
        self.owned_targets(map).0.to_vec()
    }

    /// The name of a dat.
    #[track_caller]
    pub fn name_of(&self, dat: AnyDat) -> &str {
        &self.state.dats[self.state.dat_index(dat)].name
    }

    /// Local targets of the owned rows of a map's source set, and the global ids of all local targets.
    #[track_caller]
    pub(crate) fn owned_targets(&self, map: AnyMap) -> (&[u32], &[u64]) {
        let index = self.state.map_index(map);
        let (from, to) = (self.state.set_index(map.from), self.state.set_index(map.to));
        (
            &self.state.local.maps[index][..self.state.sets[from].owned * map.arity],
            &self.state.sets[to].global_ids,
        )
    }

    /// As [`Domain::read`], for a dat whose values are `T`.
    #[track_caller]
    pub(crate) fn read_as<T: Stored>(&mut self, dat: AnyDat) -> Result<Vec<T>, BackendError> {
        let (index, set) = (self.state.dat_index(dat), self.state.set_index(dat.set));
        self.fetch(index)?;
        let cells = &T::cells(&self.state.local.storages[index])[..self.state.sets[set].owned * dat.dim];
        // SAFETY: nothing runs; the cells are only read while `self` is borrowed.
        Ok(cells.iter().map(|cell| unsafe { *cell.get() }).collect())
    }

    /// As [`AnyDat::rows_f64`], for a dat whose values are `T`.
    #[track_caller]
    fn rows_as<T: Stored>(&mut self, dat: AnyDat, rows: &[usize]) -> Result<Vec<T>, BackendError> {
        let (index, set) = (self.state.dat_index(dat), self.state.set_index(dat.set));
        self.fetch(index)?;
        let cells = &T::cells(&self.state.local.storages[index])[..self.state.sets[set].owned * dat.dim];
        let row = |&row: &usize| &cells[row * dat.dim..(row + 1) * dat.dim];
        // SAFETY: nothing runs; the cells are only read while `self` is borrowed.
        Ok(rows.iter().flat_map(row).map(|cell| unsafe { *cell.get() }).collect())
    }

    /// As [`Domain::read_with_halo`], for a dat whose values are `T`.
    #[track_caller]
    pub(crate) fn read_with_halo_as<T: Stored>(&mut self, dat: AnyDat) -> Result<Vec<T>, BackendError> {
        let (index, set) = (self.state.dat_index(dat), self.state.set_index(dat.set));
        self.fetch(index)?;
        // A device may have newer copies than the state: always fetch them, and leave their staleness as it was.
        let exchanged = self.state.dats[index].exchanged(index, Copies::Halo);
        self.state.exchange(vec![exchanged]);
        let cells = &T::cells(&self.state.local.storages[index])[..self.state.sets[set].total() * dat.dim];
        // SAFETY: nothing runs; the cells are only read while `self` is borrowed.
        Ok(cells.iter().map(|cell| unsafe { *cell.get() }).collect())
    }

    /// As [`Domain::write`], for a dat whose values may not be `T`.
    #[track_caller]
    pub(crate) fn write_as<T: Stored>(&mut self, dat: AnyDat, values: &[T]) {
        let (index, set) = (self.state.dat_index(dat), self.state.set_index(dat.set));
        let (owned, name) = (self.state.sets[set].owned, &self.state.dats[index].name);
        assert!(dat.element == T::TYPE, "\"{name}\" holds {}, not {}", dat.element, T::TYPE);
        assert_eq!(values.len(), owned * dat.dim, "values for the owned rows of \"{name}\"");
        self.run_queue(true);
        let fetched = self.backend.fetch(&mut self.state, index);
        self.note(fetched);
        self.backend.changed_by_host(index);
        for (cell, &value) in T::cells(&self.state.local.storages[index]).iter().zip(values) {
            // SAFETY: nothing runs, and `self` is borrowed mutably.
            unsafe { *cell.get() = value };
        }
        self.state.mark_stale(index);
        self.state.dats[index].deep_stale = true;
    }
}
