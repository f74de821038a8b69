//! `map`: every worker keeps its sums in a hash table.

use std::hash::{BuildHasherDefault, Hasher};
use std::sync::RwLockWriteGuard;

use indexmap::IndexSet;

use super::slot::Slot;
use super::target::{Part, Target, no_such_row};
use super::{Addend, Adder, Options, Reducer, Shape};

/// Every worker keeps one sum for each row it has met, found through a hash table.
///
/// The sums are stored in the order in which their rows were met, and merged in that order, which does not depend on
/// hashes.
#[derive(Debug)]
pub struct Map<T> {
    shape: Shape,
    sums: Vec<Slot<Sums<T>>>,
}

/// One worker's sums.
#[derive(Debug)]
struct Sums<T> {
    /// The rows met, in order.
    rows: IndexSet<usize, BuildHasherDefault<RowHasher>>,
    /// `dim` numbers for each row.
    values: Vec<T>,
}

impl<T> Default for Sums<T> {
    fn default() -> Self {
        Sums { rows: IndexSet::default(), values: Vec::new() }
    }
}

/// A hash for row numbers: one multiplication by the golden ratio. Whoever chooses the rows chooses the loop too, so
/// protection against chosen keys gains nothing.
#[derive(Debug, Default)]
struct RowHasher(u64);

impl Hasher for RowHasher {
    fn finish(&self) -> u64 {
        // The table takes its index from the low bits, which a multiplication leaves poor if rows have a stride.
        self.0.rotate_left(26)
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_usize(byte.into());
        }
    }

    #[inline(always)]
    fn write_usize(&mut self, row: usize) {
        self.0 = (self.0 ^ row as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
}

/// An adder of [`Map`].
#[derive(Debug)]
pub struct MapAdder<'a, T, const D: usize> {
    rows: usize,
    sums: RwLockWriteGuard<'a, Sums<T>>,
}

impl<T: Addend> Reducer<T> for Map<T> {
    type Adder<'a, const D: usize> = MapAdder<'a, T, D>;

    fn new(workers: usize, _options: Options) -> Self {
        Map { shape: Shape::default(), sums: Slot::for_each(workers) }
    }

    fn workers(&self) -> usize {
        self.sums.len()
    }

    fn begin(&mut self, shape: Shape) {
        self.shape = shape;
        for sums in &mut self.sums {
            let sums = sums.get_mut();
            sums.rows.clear();
            sums.values.clear();
        }
    }

    fn adder<'a, const D: usize>(&'a self, _target: Target<'a, T>, worker: usize) -> MapAdder<'a, T, D> {
        MapAdder { rows: self.shape.rows, sums: self.sums[worker].hold(worker) }
    }

    fn merge(&self, mut part: Part<'_, T>) {
        for sums in &self.sums {
            let sums = sums.read();
            for (&row, values) in sums.rows.iter().zip(sums.values.chunks_exact(self.shape.dim)) {
                part.add_row(row, values);
            }
        }
    }

    /// An estimate: the table's storage layout is an implementation detail.
    fn bytes(&self) -> usize {
        // A row with its hash, and its place with a tag in a table filled to 7/8.
        let entry = size_of::<(u64, usize)>() + (size_of::<usize>() + 1) * 8 / 7;
        let of = |sums: &Sums<T>| sums.rows.capacity() * entry + sums.values.capacity() * size_of::<T>();
        self.sums.iter().map(|sums| of(&sums.read())).sum()
    }
}

impl<T: Addend, const D: usize> Adder<T, D> for MapAdder<'_, T, D> {
    #[inline(always)]
    fn add_row(&mut self, row: usize, values: [T; D]) {
        if row >= self.rows {
            no_such_row(row, self.rows);
        }
        let Sums { rows, values: sums } = &mut *self.sums;
        let (place, new) = rows.insert_full(row);
        if new {
            sums.extend(values);
        } else {
            for (sum, value) in sums[place * D..(place + 1) * D].iter_mut().zip(values) {
                *sum = sum.plus(value);
            }
        }
    }
}
