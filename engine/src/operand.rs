//! What a loop is called with: operands, matched to the kernel's parameters by the compiler.
//!
//! ```text
//! parameter        operand
//! Read<D, T>       Dat<D, T> (direct) or dat.at(map.target::<I>()) (indirect)      same for Write, Rw, Inc
//! Sum<D> Min Max   Global<Sum<D>> ...
//! ```
//!
//! A dat of another dimension or type does not compile, nor does a wrong number of operands:
//!
//! ```compile_fail
//! # use cfd_engine::prelude::*;
//! # #[kernel]
//! # pub fn double(a: Rw<1>) { a[0] = a[0] + a[0]; }
//! fn run(domain: &mut Domain, cells: Set, q: Dat<4>) {
//!     domain.par_loop(double, cells, (q,), &());
//! }
//! # fn main() { let _: fn(&mut Domain, Set, Dat<4>) = run; }
//! ```
//!
//! [`Operand::bind`] turns an operand into a [`Bound`]: raw pointers with which the executor loads the kernel's
//! local variable for an element and stores it back.

use std::marker::PhantomData;

use crate::global::{GlobalStore, Ordered};
use crate::handle::{At, Dat, Global};
use crate::kernel::{Access, Inc, Max, Min, Param, Params, Read, Rw, Sum, Write};
use crate::storage::{Column, Stored};

/// Where an argument's values are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// On the loop's own set.
    Direct { dat: usize },
    /// At a target of a map.
    Indirect { dat: usize, map: usize },
    /// A global result.
    Global { global: usize },
}

/// One argument of a recorded loop.
#[derive(Clone, Copy, Debug)]
pub struct ArgInfo {
    pub(crate) place: Place,
    pub(crate) access: Access,
}

/// One rank's storage, as loops see it.
pub struct Local {
    pub(crate) columns: Vec<Column>,
    /// Indices of every map, `arity` a row, for the executed rows of its source set.
    pub(crate) maps: Vec<Vec<u32>>,
    pub(crate) globals: Vec<GlobalStore>,
    /// Global ids of every set's local rows.
    pub(crate) global_ids: Vec<Vec<u64>>,
}

/// An operand that can be given for parameter `P`.
#[diagnostic::on_unimplemented(
    message = "this operand does not fit the kernel's parameter `{P}`",
    label = "of another dimension, element type or kind than `{P}`"
)]
pub trait Operand<P: Param>: Copy + 'static {
    /// The operand bound to storage.
    type Bound: Bound<P>;
    #[doc(hidden)]
    fn info(&self) -> ArgInfo;
    #[doc(hidden)]
    fn bind(&self, local: &Local, set: usize) -> Self::Bound;
}

/// An operand bound to one rank's storage.
///
/// # Safety
///
/// `load` and `store` access the storage for element `e` without synchronisation: `e` must be an executed row of
/// the loop's set, the storage must outlive the call, and nobody else may access it meanwhile.
pub unsafe trait Bound<P: Param>: Copy {
    /// The kernel's local variable for element `e`.
    ///
    /// # Safety
    /// See the trait.
    unsafe fn load(&self, e: usize) -> P::Local<f64>;
    /// Stores what the kernel left in its local variable.
    ///
    /// # Safety
    /// See the trait.
    unsafe fn store(&mut self, e: usize, local: &P::Local<f64>);
    /// Hands accumulated results over after a range of elements.
    #[inline(always)]
    fn finish(&self, _globals: &mut [GlobalStore]) {}
}

/// A parameter for `D` values of a dat: how they are loaded and stored.
pub trait DatParam<const D: usize, T>: Param<Local<f64> = [T; D]> {
    #[doc(hidden)]
    fn load(row: &[T; D]) -> [T; D];
    #[doc(hidden)]
    fn store(row: &mut [T; D], local: &[T; D]);
}

impl<const D: usize, T: Stored> DatParam<D, T> for Read<D, T> {
    #[inline(always)]
    fn load(row: &[T; D]) -> [T; D] {
        *row
    }
    #[inline(always)]
    fn store(_row: &mut [T; D], _local: &[T; D]) {}
}

impl<const D: usize, T: Stored> DatParam<D, T> for Write<D, T> {
    #[inline(always)]
    fn load(_row: &[T; D]) -> [T; D] {
        // The kernel sets every component before the store; the macro checks it.
        [T::default(); D]
    }
    #[inline(always)]
    fn store(row: &mut [T; D], local: &[T; D]) {
        *row = *local;
    }
}

impl<const D: usize, T: Stored> DatParam<D, T> for Rw<D, T> {
    #[inline(always)]
    fn load(row: &[T; D]) -> [T; D] {
        *row
    }
    #[inline(always)]
    fn store(row: &mut [T; D], local: &[T; D]) {
        *row = *local;
    }
}

impl<const D: usize, T: Stored> DatParam<D, T> for Inc<D, T> {
    #[inline(always)]
    fn load(_row: &[T; D]) -> [T; D] {
        [T::INC_START; D]
    }
    #[inline(always)]
    fn store(row: &mut [T; D], local: &[T; D]) {
        for m in 0..D {
            row[m] = row[m].plus(local[m]);
        }
    }
}

/// A dat on the loop's own set.
#[derive(Clone, Copy, Debug)]
pub struct DirectRows<const D: usize, T> {
    base: *mut T,
    rows: usize,
}

/// A dat at target `I` of a map of arity `N`.
#[derive(Clone, Copy, Debug)]
pub struct IndirectRows<const D: usize, T, const N: usize, const I: usize> {
    base: *mut T,
    rows: usize,
    indices: *const u32,
    source_rows: usize,
}

impl<const D: usize, T> DirectRows<D, T> {
    /// # Safety
    /// `e` is an executed row of the loop's set.
    #[inline(always)]
    unsafe fn row(&self, e: usize) -> *mut [T; D] {
        debug_assert!(e < self.rows, "row {e} of {}", self.rows);
        // SAFETY: `base` points to `rows` rows of D values and e < rows.
        unsafe { self.base.add(e * D).cast() }
    }
}

impl<const D: usize, T, const N: usize, const I: usize> IndirectRows<D, T, N, I> {
    /// # Safety
    /// `e` is an executed row of the loop's set.
    #[inline(always)]
    unsafe fn row(&self, e: usize) -> *mut [T; D] {
        debug_assert!(e < self.source_rows, "map row {e} of {}", self.source_rows);
        // SAFETY: `indices` points to `source_rows` rows of N indices, each below `rows`, the number of rows of D
        // values at `base` (Domain::new checks the indices).
        unsafe {
            let target = *self.indices.add(e * N + I) as usize;
            debug_assert!(target < self.rows, "target {target} of {}", self.rows);
            self.base.add(target * D).cast()
        }
    }
}

// SAFETY: rows are reached through `row`, whose condition is this trait's.
unsafe impl<const D: usize, T: Stored, P: DatParam<D, T>> Bound<P> for DirectRows<D, T> {
    #[inline(always)]
    unsafe fn load(&self, e: usize) -> [T; D] {
        unsafe { P::load(&*self.row(e)) }
    }
    #[inline(always)]
    unsafe fn store(&mut self, e: usize, local: &[T; D]) {
        unsafe { P::store(&mut *self.row(e), local) }
    }
}

// SAFETY: as above.
unsafe impl<const D: usize, T: Stored, const N: usize, const I: usize, P: DatParam<D, T>> Bound<P>
    for IndirectRows<D, T, N, I>
{
    #[inline(always)]
    unsafe fn load(&self, e: usize) -> [T; D] {
        unsafe { P::load(&*self.row(e)) }
    }
    #[inline(always)]
    unsafe fn store(&mut self, e: usize, local: &[T; D]) {
        unsafe { P::store(&mut *self.row(e), local) }
    }
}

impl<const D: usize, T: Stored, P: DatParam<D, T>> Operand<P> for Dat<D, T> {
    type Bound = DirectRows<D, T>;
    fn info(&self) -> ArgInfo {
        ArgInfo { place: Place::Direct { dat: self.id as usize }, access: P::ACCESS }
    }
    fn bind(&self, local: &Local, _set: usize) -> DirectRows<D, T> {
        let values = T::cells(&local.columns[self.id as usize]);
        DirectRows { base: values.as_ptr() as *mut T, rows: values.len() / D }
    }
}

impl<const D: usize, T: Stored, const N: usize, const I: usize, P: DatParam<D, T>> Operand<P>
    for At<D, T, N, I>
{
    type Bound = IndirectRows<D, T, N, I>;
    fn info(&self) -> ArgInfo {
        let place = Place::Indirect { dat: self.dat.id as usize, map: self.map.id as usize };
        ArgInfo { place, access: P::ACCESS }
    }
    fn bind(&self, local: &Local, _set: usize) -> IndirectRows<D, T, N, I> {
        let values = T::cells(&local.columns[self.dat.id as usize]);
        let indices = &local.maps[self.map.id as usize];
        IndirectRows {
            base: values.as_ptr() as *mut T,
            rows: values.len() / D,
            indices: indices.as_ptr(),
            source_rows: indices.len() / N,
        }
    }
}

/// A global sum on its way through a range of elements.
#[derive(Clone, Copy, Debug)]
pub struct RunningSum<const D: usize> {
    global: usize,
    value: [f64; D],
}

// SAFETY: accesses no storage.
unsafe impl<const D: usize> Bound<Sum<D>> for RunningSum<D> {
    #[inline(always)]
    unsafe fn load(&self, _e: usize) -> [f64; D] {
        [f64::INC_START; D]
    }
    #[inline(always)]
    unsafe fn store(&mut self, _e: usize, local: &[f64; D]) {
        for m in 0..D {
            self.value[m] += local[m];
        }
    }
    #[inline(always)]
    fn finish(&self, globals: &mut [GlobalStore]) {
        globals[self.global].values.copy_from_slice(&self.value);
    }
}

impl<const D: usize> Operand<Sum<D>> for Global<Sum<D>> {
    type Bound = RunningSum<D>;
    fn info(&self) -> ArgInfo {
        ArgInfo { place: Place::Global { global: self.id as usize }, access: Access::Sum }
    }
    fn bind(&self, local: &Local, _set: usize) -> RunningSum<D> {
        let global = self.id as usize;
        let value = std::array::from_fn(|m| local.globals[global].values[m]);
        RunningSum { global, value }
    }
}

/// A global minimum or maximum on its way through a range of elements.
#[derive(Clone, Copy, Debug)]
pub struct RunningExtremum<const D: usize, P> {
    global: usize,
    value: [f64; D],
    at: [u64; D],
    global_ids: *const u64,
    param: PhantomData<P>,
}

impl<const D: usize, P: Ordered> RunningExtremum<D, P> {
    fn start(global: usize, local: &Local, set: usize) -> Self {
        let store = &local.globals[global];
        RunningExtremum {
            global,
            value: std::array::from_fn(|m| store.values[m]),
            at: std::array::from_fn(|m| store.at[m]),
            global_ids: local.global_ids[set].as_ptr(),
            param: PhantomData,
        }
    }
}

// SAFETY: reads the global id of row `e`, which exists for every executed row.
unsafe impl<const D: usize, P: Param<Local<f64> = [f64; D]> + Ordered + Copy> Bound<P>
    for RunningExtremum<D, P>
{
    #[inline(always)]
    unsafe fn load(&self, _e: usize) -> [f64; D] {
        [P::UNSET; D]
    }
    #[inline(always)]
    unsafe fn store(&mut self, e: usize, local: &[f64; D]) {
        for m in 0..D {
            // Most elements change nothing: one comparison. Ties, signed zeros and NaN are settled by the order.
            if !P::surely_after(local[m], self.value[m]) {
                let candidate = (local[m], unsafe { *self.global_ids.add(e) });
                (self.value[m], self.at[m]) = P::first(candidate, (self.value[m], self.at[m]));
            }
        }
    }
    #[inline(always)]
    fn finish(&self, globals: &mut [GlobalStore]) {
        globals[self.global].values.copy_from_slice(&self.value);
        globals[self.global].at.copy_from_slice(&self.at);
    }
}

macro_rules! extremum_operand {
    ($param:ident) => {
        impl<const D: usize> Operand<$param<D>> for Global<$param<D>> {
            type Bound = RunningExtremum<D, $param<D>>;
            fn info(&self) -> ArgInfo {
                ArgInfo { place: Place::Global { global: self.id as usize }, access: Access::$param }
            }
            fn bind(&self, local: &Local, set: usize) -> Self::Bound {
                RunningExtremum::start(self.id as usize, local, set)
            }
        }
    };
}

extremum_operand!(Min);
extremum_operand!(Max);

/// The operands of a loop: a tuple, matched one by one to the kernel's parameters.
#[diagnostic::on_unimplemented(
    message = "these operands do not fit the kernel's parameters",
    note = "the number of operands, or an operand's dimension, element type or kind, differs from the kernel's signature"
)]
pub trait Operands<P: Params>: Copy + 'static {
    /// The operands bound to storage.
    type Bounds: Bounds<P>;
    #[doc(hidden)]
    fn infos(&self) -> Vec<ArgInfo>;
    #[doc(hidden)]
    fn bind(&self, local: &Local, set: usize) -> Self::Bounds;
}

/// Bound operands; the tuple form of [`Bound`].
///
/// # Safety
/// As [`Bound`].
pub unsafe trait Bounds<P: Params>: Copy {
    /// Loads all local variables of element `e`.
    ///
    /// # Safety
    /// See [`Bound`].
    unsafe fn load(&self, e: usize) -> P::Locals<f64>;
    /// Stores all local variables, in argument order.
    ///
    /// # Safety
    /// See [`Bound`].
    unsafe fn store(&mut self, e: usize, locals: &P::Locals<f64>);
    /// Hands accumulated results over.
    fn finish(&self, globals: &mut [GlobalStore]);
}

macro_rules! operands_tuple {
    ($($p:ident $a:ident $i:tt),*) => {
        impl<$($p: Param, $a: Operand<$p>),*> Operands<($($p,)*)> for ($($a,)*) {
            type Bounds = ($($a::Bound,)*);
            fn infos(&self) -> Vec<ArgInfo> {
                vec![$(self.$i.info()),*]
            }
            fn bind(&self, local: &Local, set: usize) -> Self::Bounds {
                ($(self.$i.bind(local, set),)*)
            }
        }

        // SAFETY: passes the conditions on.
        unsafe impl<$($p: Param, $a: Bound<$p>),*> Bounds<($($p,)*)> for ($($a,)*) {
            #[inline(always)]
            unsafe fn load(&self, e: usize) -> <($($p,)*) as Params>::Locals<f64> {
                unsafe { ($(self.$i.load(e),)*) }
            }
            #[inline(always)]
            unsafe fn store(&mut self, e: usize, locals: &<($($p,)*) as Params>::Locals<f64>) {
                unsafe { $(self.$i.store(e, &locals.$i);)* }
            }
            #[inline(always)]
            fn finish(&self, globals: &mut [GlobalStore]) {
                $(self.$i.finish(globals);)*
            }
        }
    };
}

operands_tuple!(P0 A0 0);
operands_tuple!(P0 A0 0, P1 A1 1);
operands_tuple!(P0 A0 0, P1 A1 1, P2 A2 2);
operands_tuple!(P0 A0 0, P1 A1 1, P2 A2 2, P3 A3 3);
operands_tuple!(P0 A0 0, P1 A1 1, P2 A2 2, P3 A3 3, P4 A4 4);
operands_tuple!(P0 A0 0, P1 A1 1, P2 A2 2, P3 A3 3, P4 A4 4, P5 A5 5);
operands_tuple!(P0 A0 0, P1 A1 1, P2 A2 2, P3 A3 3, P4 A4 4, P5 A5 5, P6 A6 6);
operands_tuple!(P0 A0 0, P1 A1 1, P2 A2 2, P3 A3 3, P4 A4 4, P5 A5 5, P6 A6 6, P7 A7 7);
operands_tuple!(P0 A0 0, P1 A1 1, P2 A2 2, P3 A3 3, P4 A4 4, P5 A5 5, P6 A6 6, P7 A7 7, P8 A8 8);
operands_tuple!(P0 A0 0, P1 A1 1, P2 A2 2, P3 A3 3, P4 A4 4, P5 A5 5, P6 A6 6, P7 A7 7, P8 A8 8, P9 A9 9);
operands_tuple!(P0 A0 0, P1 A1 1, P2 A2 2, P3 A3 3, P4 A4 4, P5 A5 5, P6 A6 6, P7 A7 7, P8 A8 8, P9 A9 9, P10 A10 10);
operands_tuple!(P0 A0 0, P1 A1 1, P2 A2 2, P3 A3 3, P4 A4 4, P5 A5 5, P6 A6 6, P7 A7 7, P8 A8 8, P9 A9 9, P10 A10 10, P11 A11 11);
operands_tuple!(P0 A0 0, P1 A1 1, P2 A2 2, P3 A3 3, P4 A4 4, P5 A5 5, P6 A6 6, P7 A7 7, P8 A8 8, P9 A9 9, P10 A10 10, P11 A11 11, P12 A12 12);
operands_tuple!(P0 A0 0, P1 A1 1, P2 A2 2, P3 A3 3, P4 A4 4, P5 A5 5, P6 A6 6, P7 A7 7, P8 A8 8, P9 A9 9, P10 A10 10, P11 A11 11, P12 A12 12, P13 A13 13);
operands_tuple!(P0 A0 0, P1 A1 1, P2 A2 2, P3 A3 3, P4 A4 4, P5 A5 5, P6 A6 6, P7 A7 7, P8 A8 8, P9 A9 9, P10 A10 10, P11 A11 11, P12 A12 12, P13 A13 13, P14 A14 14);
operands_tuple!(P0 A0 0, P1 A1 1, P2 A2 2, P3 A3 3, P4 A4 4, P5 A5 5, P6 A6 6, P7 A7 7, P8 A8 8, P9 A9 9, P10 A10 10, P11 A11 11, P12 A12 12, P13 A13 13, P14 A14 14, P15 A15 15);
