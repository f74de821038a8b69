//! Dat storage: the values of a dat on one rank.

use std::cell::UnsafeCell;

use bytemuck::Pod;
use cfd_lanes::{Element as _, LaneStored};

use crate::base::aligned_buffer::AlignedBuffer;
use crate::base::thread_pool::ThreadPool;
use crate::model::any::{AnyDat, ElementType};
use crate::model::handle::Dat;
use crate::store::mesh::Values;

/// The values of one dat on one rank.
///
/// Loops reach the values through raw pointers, several of which may point into one storage (an edge's two cells), so
/// the values are `UnsafeCell`s: creating one pointer never invalidates another.
pub enum DatStorage {
    /// Double-precision numbers.
    F64(AlignedBuffer<f64>),
    /// Single-precision numbers.
    F32(AlignedBuffer<f32>),
    /// Integers.
    I32(AlignedBuffer<i32>),
}

impl DatStorage {
    /// The values of rows of `dim`, followed by scratch rows for changes that belong elsewhere.
    pub fn new(values: Values, dim: usize, pool: &ThreadPool) -> DatStorage {
        let scratch = scratch_rows(pool) * dim;
        match values {
            Values::F64(v) => DatStorage::F64(placed(&v, scratch, pool)),
            Values::I32(v) => DatStorage::I32(placed(&v, scratch, pool)),
        }
    }

    /// `rows` rows of `dim` zeros, followed by scratch rows.
    pub fn zeros<T: Stored>(rows: usize, dim: usize, pool: &ThreadPool) -> DatStorage {
        T::storage(placed(&[], (rows + scratch_rows(pool)) * dim, pool))
    }

    /// Bytes of all values.
    pub fn bytes(&self) -> usize {
        match self {
            DatStorage::F64(v) => size_of_val(&v[..]),
            DatStorage::F32(v) => size_of_val(&v[..]),
            DatStorage::I32(v) => size_of_val(&v[..]),
        }
    }

    /// The type of its values.
    pub fn element_type(&self) -> ElementType {
        match self {
            DatStorage::F64(_) => ElementType::F64,
            DatStorage::F32(_) => ElementType::F32,
            DatStorage::I32(_) => ElementType::I32,
        }
    }

    /// Bytes of a value.
    pub fn element_bytes(&self) -> usize {
        self.element_type().bytes()
    }

    /// Number of values, including scratch rows.
    #[allow(clippy::len_without_is_empty, reason = "scratch rows are always there")]
    pub fn len(&self) -> usize {
        match self {
            DatStorage::F64(v) => v.len(),
            DatStorage::F32(v) => v.len(),
            DatStorage::I32(v) => v.len(),
        }
    }

    /// The address of the first value.
    pub fn base(&self) -> *mut u8 {
        match self {
            DatStorage::F64(v) => v.as_ptr() as *mut u8,
            DatStorage::F32(v) => v.as_ptr() as *mut u8,
            DatStorage::I32(v) => v.as_ptr() as *mut u8,
        }
    }

    /// A storage of the same length and type, zero everywhere.
    pub fn another(&self, pool: &ThreadPool) -> DatStorage {
        match self {
            DatStorage::F64(v) => DatStorage::F64(placed(&[], v.len(), pool)),
            DatStorage::F32(v) => DatStorage::F32(placed(&[], v.len(), pool)),
            DatStorage::I32(v) => DatStorage::I32(placed(&[], v.len(), pool)),
        }
    }

    /// Grows to `len` values if there are fewer.
    pub fn grow(&mut self, len: usize) {
        fn grow<T: Pod>(cells: &mut AlignedBuffer<T>, len: usize) {
            if cells.len() < len {
                let old: Vec<T> = cells.iter_mut().map(|cell| *cell.get_mut()).collect();
                *cells = AlignedBuffer::new(len, |values| values[..old.len()].copy_from_slice(&old));
            }
        }
        match self {
            DatStorage::F64(v) => grow(v, len),
            DatStorage::F32(v) => grow(v, len),
            DatStorage::I32(v) => grow(v, len),
        }
    }

    /// Appends rows of `dim` values as 8-byte words: the bits of an f64, or of the f64 that equals an f32, or an i32.
    pub fn pack(&mut self, rows: &[u32], dim: usize, words: &mut Vec<u64>) {
        match self {
            DatStorage::F64(v) => pack(v, rows, dim, words, f64::to_bits),
            DatStorage::F32(v) => pack(v, rows, dim, words, |x| f64::from(x).to_bits()),
            DatStorage::I32(v) => pack(v, rows, dim, words, |x| x as u32 as u64),
        }
    }

    /// Sets rows of `dim` values from words that [`pack`](DatStorage::pack) has made; returns the remaining words.
    pub fn unpack_rows<'a>(&mut self, rows: &[u32], dim: usize, words: &'a [u64]) -> &'a [u64] {
        let (here, left) = words.split_at(rows.len() * dim);
        for (&row, words) in rows.iter().zip(here.chunks_exact(dim)) {
            self.unpack(row as usize * dim, words);
        }
        left
    }

    /// Sets consecutive values from words, starting at value `start`.
    pub fn unpack(&mut self, start: usize, words: &[u64]) {
        match self {
            DatStorage::F64(v) => unpack(v, start, words, f64::from_bits),
            DatStorage::F32(v) => unpack(v, start, words, |w| f64::from_bits(w) as f32),
            DatStorage::I32(v) => unpack(v, start, words, |w| w as u32 as i32),
        }
    }

    /// The first of `rows` rows of `dim` values that are not all zero, bit by bit.
    pub fn first_other_than_zero(&mut self, rows: usize, dim: usize) -> Option<usize> {
        let at = match self {
            DatStorage::F64(v) => v[..rows * dim].iter_mut().position(|x| x.get_mut().to_bits() != 0),
            DatStorage::F32(v) => v[..rows * dim].iter_mut().position(|x| x.get_mut().to_bits() != 0),
            DatStorage::I32(v) => v[..rows * dim].iter_mut().position(|x| *x.get_mut() != 0),
        };
        at.map(|at| at / dim)
    }

    /// All values, including those of the scratch rows.
    pub fn values<T: Stored>(&self) -> Vec<T> {
        // SAFETY: a loop that might change a value borrows the storage mutably.
        T::cells(self).iter().map(|cell| unsafe { *cell.get() }).collect()
    }

    /// Sets the first values.
    pub fn set_values<T: Stored>(&mut self, values: &[T]) {
        for (cell, &value) in T::cells(self).iter().zip(values) {
            // SAFETY: `self` is borrowed mutably.
            unsafe { *cell.get() = value };
        }
    }

    /// Fills the values from `start` on with one that shows when it is used.
    pub fn poison_from(&mut self, start: usize) {
        match self {
            DatStorage::F64(v) => v[start..].iter_mut().for_each(|x| *x.get_mut() = f64::POISON),
            DatStorage::F32(v) => v[start..].iter_mut().for_each(|x| *x.get_mut() = f32::POISON),
            DatStorage::I32(v) => v[start..].iter_mut().for_each(|x| *x.get_mut() = i32::POISON),
        }
    }
}

/// Rows between the scratch rows of two workers: two cache lines for one f64 per row, so that no worker's stores
/// disturb another's.
const SCRATCH_SPACING: usize = 16;

/// A worker's scratch row after `rows` rows.
pub fn scratch_row(rows: usize, worker: usize) -> usize {
    rows + worker * SCRATCH_SPACING
}

/// Rows from the first to the last scratch row of the workers.
fn scratch_rows(pool: &ThreadPool) -> usize {
    scratch_row(0, pool.workers() - 1) + 1
}

/// The values, followed by `behind` zeros.
fn placed<T: Pod + Send + Sync>(values: &[T], behind: usize, pool: &ThreadPool) -> AlignedBuffer<T> {
    AlignedBuffer::new(values.len() + behind, |placed| pool.copy(values, placed))
}

fn pack<T: Copy>(
    values: &mut [UnsafeCell<T>],
    rows: &[u32],
    dim: usize,
    words: &mut Vec<u64>,
    word: impl Fn(T) -> u64,
) {
    words.reserve(rows.len() * dim);
    for &row in rows {
        let at = row as usize * dim;
        words.extend(values[at..at + dim].iter_mut().map(|x| word(*x.get_mut())));
    }
}

fn unpack<T>(values: &mut [UnsafeCell<T>], start: usize, words: &[u64], value: impl Fn(u64) -> T) {
    for (x, &word) in values[start..start + words.len()].iter_mut().zip(words) {
        *x.get_mut() = value(word);
    }
}

/// A type that a dat's values can have.
pub trait Stored: LaneStored {
    /// Zero.
    const ZERO: Self;
    /// What increments start from: the exact identity of addition.
    const INC_START: Self;
    /// The type as a value.
    const TYPE: ElementType;
    #[doc(hidden)]
    fn storage(values: AlignedBuffer<Self>) -> DatStorage;
    #[doc(hidden)]
    fn plus(self, other: Self) -> Self;
    #[doc(hidden)]
    fn negative(self) -> Self;
    #[doc(hidden)]
    fn cells(storage: &DatStorage) -> &[UnsafeCell<Self>];
}

impl<const D: usize, T: Stored> From<Dat<D, T>> for AnyDat {
    fn from(dat: Dat<D, T>) -> AnyDat {
        AnyDat { id: dat.id, set: dat.set, dim: D, element: T::TYPE }
    }
}

macro_rules! stored {
    ($type:ty, $element:ident, $zero:expr, $inc_start:expr, $plus:expr, $negative:expr) => {
        impl Stored for $type {
            const TYPE: ElementType = ElementType::$element;
            const ZERO: $type = $zero;
            const INC_START: $type = $inc_start;
            #[inline(always)]
            fn plus(self, other: $type) -> $type {
                $plus(self, other)
            }
            #[inline(always)]
            fn negative(self) -> $type {
                $negative(self)
            }
            fn storage(values: AlignedBuffer<$type>) -> DatStorage {
                DatStorage::$element(values)
            }
            fn cells(storage: &DatStorage) -> &[UnsafeCell<$type>] {
                match storage {
                    DatStorage::$element(v) => v,
                    other => panic!("the dat holds {}; its handle says {}", other.element_type(), Self::TYPE),
                }
            }
        }
    };
}

stored!(f64, F64, 0.0, -0.0, std::ops::Add::add, std::ops::Neg::neg);
stored!(f32, F32, 0.0, -0.0, std::ops::Add::add, std::ops::Neg::neg);
stored!(i32, I32, 0, 0, i32::wrapping_add, i32::wrapping_neg);
