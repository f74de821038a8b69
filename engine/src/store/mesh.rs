//! The mesh as it comes from a file: sets, maps and dats in global numbering, with one block of every set on each rank.
//!
//! Row `i` of a set is the element with global id `i`. Rank `r` of `p` holds the rows
//! `floor(r n / p) .. floor((r + 1) n / p)` of a set of `n` elements ([`Blocks`]); no rank ever needs to hold
//! a whole set.

use std::ops::Range;

use bytemuck::Pod;

use crate::base::memory;
use crate::comm::Comm;

/// The block distribution of `rows` rows over `parts` ranks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Blocks {
    /// Number of rows over all ranks.
    pub rows: u64,
    /// Number of ranks.
    pub parts: usize,
}

impl Blocks {
    /// Distributes `rows` rows over `parts` ranks.
    pub fn new(rows: u64, parts: usize) -> Blocks {
        Blocks { rows, parts }
    }

    /// The rows of one rank.
    pub fn range(self, rank: usize) -> Range<u64> {
        let bound = |r: usize| (self.rows as u128 * r as u128 / self.parts as u128) as u64;
        bound(rank)..bound(rank + 1)
    }

    /// The rank that holds a row.
    pub fn owner(self, row: u64) -> usize {
        debug_assert!(row < self.rows, "row {row} of {}", self.rows);
        // The largest r with floor(r n / p) <= row. 64 bits are enough for most meshes, and far faster to divide.
        match (row + 1).checked_mul(self.parts as u64) {
            Some(product) => ((product - 1) / self.rows) as usize,
            None => (((row as u128 + 1) * self.parts as u128 - 1) / self.rows as u128) as usize,
        }
    }
}

/// A set: a number of elements with a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MeshSet {
    /// Name, unique among sets.
    pub name: String,
    /// Number of elements over all ranks.
    pub rows: u64,
}

/// A map: for every element of one set, `arity` elements of another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MeshMap {
    /// Name, unique among maps.
    pub name: String,
    /// Index of the source set.
    pub from: usize,
    /// Index of the target set.
    pub to: usize,
    /// Targets per source element.
    pub arity: usize,
    /// Global ids of the targets, for the source rows of this rank's block, row by row.
    pub rows: Vec<u64>,
}

/// Values of a dat.
#[derive(Clone, Debug, PartialEq)]
pub enum Values {
    /// Double precision.
    F64(Vec<f64>),
    /// Integers (flags, groups).
    I32(Vec<i32>),
}

impl Values {
    /// Number of values.
    pub fn len(&self) -> usize {
        match self {
            Values::F64(v) => v.len(),
            Values::I32(v) => v.len(),
        }
    }

    /// True when there are no values.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// A dat: `dim` values on every element of a set.
#[derive(Clone, Debug, PartialEq)]
pub struct MeshDat {
    /// Name, unique among dats.
    pub name: String,
    /// Index of the set.
    pub set: usize,
    /// Values per element.
    pub dim: usize,
    /// Values of this rank's block, row by row.
    pub values: Values,
}

/// One rank's blocks of a mesh.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mesh {
    /// The sets.
    pub sets: Vec<MeshSet>,
    /// The maps between them.
    pub maps: Vec<MeshMap>,
    /// The data on them.
    pub dats: Vec<MeshDat>,
}

impl Mesh {
    /// Adds a set and returns its index.
    ///
    /// # Panics
    /// If a set has this name; likewise for the other kinds.
    #[track_caller]
    pub fn add_set(&mut self, name: &str, rows: u64) -> usize {
        only_name("set", name, self.sets.iter().map(|s| &s.name));
        self.sets.push(MeshSet { name: name.into(), rows });
        self.sets.len() - 1
    }

    /// Adds a map from this rank's block of rows and returns its index.
    #[track_caller]
    pub fn add_map(&mut self, name: &str, from: usize, to: usize, arity: usize, rows: Vec<u64>) -> usize {
        only_name("map", name, self.maps.iter().map(|m| &m.name));
        self.maps.push(MeshMap { name: name.into(), from, to, arity, rows });
        self.maps.len() - 1
    }

    /// Adds a dat from this rank's block of rows and returns its index.
    #[track_caller]
    pub fn add_dat(&mut self, name: &str, set: usize, dim: usize, values: Values) -> usize {
        only_name("dat", name, self.dats.iter().map(|d| &d.name));
        self.dats.push(MeshDat { name: name.into(), set, dim, values });
        self.dats.len() - 1
    }

    /// Adds another mesh's sets, maps and dats; sets and dats whose names are here already are the same ones.
    ///
    /// # Panics
    /// If a set of the same name has another number of rows, or there is a map of the same name.
    #[track_caller]
    pub fn absorb(&mut self, other: Mesh) {
        let set = |mesh: &mut Mesh, MeshSet { name, rows }: MeshSet| match mesh.set(&name) {
            None => mesh.add_set(&name, rows),
            Some(known) => {
                assert!(mesh.sets[known].rows == rows, "two sets \"{name}\" of different sizes");
                known
            }
        };
        let sets: Vec<usize> = other.sets.into_iter().map(|other| set(self, other)).collect();
        for MeshMap { name, from, to, arity, rows } in other.maps {
            self.add_map(&name, sets[from], sets[to], arity, rows);
        }
        for MeshDat { name, set, dim, values } in other.dats {
            if self.dat(&name).is_none() {
                self.add_dat(&name, sets[set], dim, values);
            }
        }
    }

    /// Index of a set.
    pub fn set(&self, name: &str) -> Option<usize> {
        self.sets.iter().position(|s| s.name == name)
    }

    /// Index of a map.
    pub fn map(&self, name: &str) -> Option<usize> {
        self.maps.iter().position(|m| m.name == name)
    }

    /// Index of a dat.
    pub fn dat(&self, name: &str) -> Option<usize> {
        self.dats.iter().position(|d| d.name == name)
    }

    /// The number of elements of a set, over all ranks.
    ///
    /// # Panics
    /// If there is no such set; likewise for the other kinds, and for another type.
    #[track_caller]
    pub fn count(&self, set: &str) -> u64 {
        self.sets[self.set(set).unwrap_or_else(|| panic!("the mesh has a set \"{set}\""))].rows
    }

    /// This rank's rows of a map.
    #[track_caller]
    pub fn targets(&self, map: &str) -> &[u64] {
        &self.maps[self.map(map).unwrap_or_else(|| panic!("the mesh has a map \"{map}\""))].rows
    }

    /// This rank's values of a dat of numbers.
    #[track_caller]
    pub fn numbers(&self, dat: &str) -> &[f64] {
        match &self.dats[self.dat(dat).unwrap_or_else(|| panic!("the mesh has a dat \"{dat}\""))].values {
            Values::F64(values) => values,
            Values::I32(_) => panic!("the dat \"{dat}\" has numbers in double precision"),
        }
    }

    /// This rank's values of a dat of integers.
    #[track_caller]
    pub fn integers(&self, dat: &str) -> &[i32] {
        match &self.dats[self.dat(dat).unwrap_or_else(|| panic!("the mesh has a dat \"{dat}\""))].values {
            Values::I32(values) => values,
            Values::F64(_) => panic!("the dat \"{dat}\" has integers"),
        }
    }

    /// Values of a dat at any rows, in the order of `rows`, with repetitions: what a new mesh takes over from this one,
    /// given the row here from which each of its rows comes. Collective.
    ///
    /// Use [`fetch_rows`] for maps' rows and other ids.
    pub fn fetch(&self, comm: &Comm, dat: usize, rows: &[u64]) -> Values {
        let MeshDat { set, dim, ref values, .. } = self.dats[dat];
        let blocks = self.blocks(set, comm);
        match values {
            Values::F64(block) => Values::F64(fetch_rows(comm, blocks, dim, block, rows)),
            Values::I32(block) => Values::I32(fetch_rows(comm, blocks, dim, block, rows)),
        }
    }

    /// The distribution of a set over the ranks of `comm`.
    pub fn blocks(&self, set: usize, comm: &Comm) -> Blocks {
        Blocks::new(self.sets[set].rows, comm.size())
    }
}

/// Checks that a name is new: of two things with the same name, only the first would ever be found.
///
/// # Panics
/// If it is not.
#[track_caller]
pub fn only_name<'a>(kind: &str, name: &str, known: impl IntoIterator<Item = &'a String>) {
    assert!(known.into_iter().all(|k| k != name), "there is already a {kind} \"{name}\"");
}

/// Fetches rows of a block-distributed array from any ranks.
///
/// `block` holds this rank's rows, `dim` values each; `wanted` lists global rows in any order, with
/// repetitions. Returns their values in the order of `wanted`. Collective: every rank calls it.
pub fn fetch_rows<T: Pod>(comm: &Comm, blocks: Blocks, dim: usize, block: &[T], wanted: &[u64]) -> Vec<T> {
    let own = blocks.range(comm.rank());
    let row_of = |row: u64| &block[(row - own.start) as usize * dim..][..dim];
    let mut requests: Vec<Vec<u64>> = vec![Vec::new(); comm.size()];
    let mut slots: Vec<(u32, u32)> = Vec::new();
    for &row in wanted.iter().filter(|row| !own.contains(row)) {
        let owner = blocks.owner(row);
        let position = u32::try_from(requests[owner].len()).expect("fewer than 2^32 rows from one rank");
        slots.push((owner as u32, position));
        requests[owner].push(row);
    }
    let answer = |rows: Vec<u64>| {
        let mut values = memory::with_capacity(rows.len() * dim);
        rows.into_iter().for_each(|row| append(&mut values, row_of(row)));
        values
    };
    let answers = comm.all_to_all(comm.all_to_all(requests).into_iter().map(answer).collect());
    let mut slots = slots.into_iter();
    let mut values = memory::with_capacity(wanted.len() * dim);
    for &row in wanted {
        append(
            &mut values,
            if own.contains(&row) {
                row_of(row)
            } else {
                let (owner, position) = slots.next().expect("a slot for every row from elsewhere");
                &answers[owner as usize][position as usize * dim..][..dim]
            },
        );
    }
    values
}

/// Appends a row. Most are short; this avoids calling a copying function for them.
#[inline(always)]
fn append<T: Copy>(values: &mut Vec<T>, row: &[T]) {
    match *row {
        [a] => values.push(a),
        [a, b] => values.extend_from_slice(&[a, b]),
        [a, b, c] => values.extend_from_slice(&[a, b, c]),
        [a, b, c, d] => values.extend_from_slice(&[a, b, c, d]),
        _ => values.extend_from_slice(row),
    }
}

/// This rank's block of an array in global order, from rows anywhere: the inverse of [`fetch_rows`].
///
/// `values` has `dim` values for each of `global_ids`; `what` names the array in messages. Collective.
///
/// # Panics
/// If the ranks together do not have every row exactly once.
pub fn rows_to_blocks<T: Pod>(
    comm: &Comm,
    what: &str,
    blocks: Blocks,
    dim: usize,
    global_ids: &[u64],
    values: &[T],
) -> Vec<T> {
    assert_eq!(values.len(), global_ids.len() * dim, "{what}: {dim} values a row");
    let mut ids: Vec<Vec<u64>> = vec![Vec::new(); comm.size()];
    let mut rows_out: Vec<Vec<T>> = vec![Vec::new(); comm.size()];
    for (k, &id) in global_ids.iter().enumerate() {
        assert!(id < blocks.rows, "{what}: row {id} of {}", blocks.rows);
        let owner = blocks.owner(id);
        ids[owner].push(id);
        rows_out[owner].extend_from_slice(&values[k * dim..(k + 1) * dim]);
    }
    let ids = comm.all_to_all(ids);
    let received = comm.all_to_all(rows_out);

    let own = blocks.range(comm.rank());
    let count = (own.end - own.start) as usize;
    let mut block = vec![T::zeroed(); count * dim];
    let mut filled = vec![false; count];
    for (ids, values) in ids.iter().zip(&received) {
        for (k, &id) in ids.iter().enumerate() {
            let at = (id - own.start) as usize;
            assert!(!filled[at], "{what}: row {id} has two owners");
            filled[at] = true;
            block[at * dim..(at + 1) * dim].copy_from_slice(&values[k * dim..(k + 1) * dim]);
        }
    }
    if let Some(missing) = filled.iter().position(|f| !f) {
        panic!("{what}: row {} has no owner", own.start + missing as u64);
    }
    block
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_has_exactly_the_owner_whose_range_holds_it() {
        for rows in [1, 2, 7, 100, 1023] {
            for parts in [1, 2, 3, 7, 16, 200] {
                let blocks = Blocks::new(rows, parts);
                for row in 0..rows {
                    assert!(blocks.range(blocks.owner(row)).contains(&row), "{row} of {rows} on {parts}");
                }
            }
        }
    }

    #[test]
    fn rows_are_fetched_from_any_rank_in_the_order_asked() {
        let results = Comm::simulate(5, |comm| {
            let blocks = Blocks::new(13, comm.size());
            let own: Vec<f64> =
                blocks.range(comm.rank()).flat_map(|r| [r as f64, 100.0 + r as f64]).collect();
            let wanted = [12, 0, 7, 7, comm.rank() as u64];
            fetch_rows(&comm, blocks, 2, &own, &wanted)
        });
        for (rank, values) in results.iter().enumerate() {
            let r = rank as f64;
            assert_eq!(values[..], [12., 112., 0., 100., 7., 107., 7., 107., r, 100. + r]);
        }
    }
}
