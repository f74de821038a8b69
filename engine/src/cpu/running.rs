//! Global results as they run through a stretch of elements.

use std::cell::UnsafeCell;
use std::marker::PhantomData;

use cfd_lanes::Vector;
use exact_sum::{BinnedSum, LaneSum};

use crate::cpu::bound::{BoundArgument, LoopContext, RowSources};
use crate::cpu::element_block::ElementBlock;
use crate::model::kernel::{Max, Min, Sum};
use crate::schedule::steps::OWNED;
use crate::store::dat_storage::Stored;
use crate::store::global::{Aligned, GlobalStore, Ordered, Partial};

/// A global sum as it runs through a stretch of elements.
#[derive(Clone, Copy, Debug)]
pub struct RunningSum<const D: usize> {
    global: usize,
    value: [f64; D],
    adder: Adder,
}

/// Where a running sum adds its terms.
#[derive(Clone, Copy, Debug)]
enum Adder {
    /// To the running value.
    Plain,
    /// To the exact sums of the components.
    Exact(*const UnsafeCell<Aligned>),
    /// To the binned sums of the components.
    Binned(*const UnsafeCell<BinnedSum>),
}

impl<const D: usize> RunningSum<D> {
    pub(crate) fn new(context: &LoopContext<'_>, global: usize) -> Self {
        let store = &context.globals[global];
        let adder = match &store.sums {
            Partial::Plain => Adder::Plain,
            Partial::Exact(sums) => Adder::Exact(sums.as_ptr()),
            Partial::Binned(sums) => Adder::Binned(sums.as_ptr()),
        };
        RunningSum { global, value: std::array::from_fn(|m| store.values[m]), adder }
    }
}

// SAFETY: the adder points to D sums, to which only this operand of the loop adds while it runs.
unsafe impl<const D: usize> BoundArgument<Sum<D>> for RunningSum<D> {
    type Rows<const W: usize> = ();
    #[inline(always)]
    unsafe fn load<const W: usize, R: Vector<W>>(&self, _block: &impl ElementBlock<W>) -> [R; D] {
        [R::splat(f64::INC_START); D]
    }
    #[inline(always)]
    unsafe fn store<const W: usize, R: Vector<W>>(
        &mut self,
        block: &impl ElementBlock<W>,
        local: &[R; D],
        _sources: RowSources,
    ) {
        for m in 0..D {
            match self.adder {
                Adder::Plain => add_owned(block, local[m], |term| self.value[m] += term),
                // SAFETY: there is a sum for each component, and this operand alone adds to it.
                Adder::Exact(sums) => add_to(unsafe { &mut **(*sums.add(m)).get() }, block, local[m]),
                // SAFETY: there is a sum for each component, and this operand alone adds to it.
                Adder::Binned(sums) => add_to(unsafe { &mut *(*sums.add(m)).get() }, block, local[m]),
            }
        }
    }
    #[inline(always)]
    fn finish(&self, globals: &mut [GlobalStore]) {
        globals[self.global].values.copy_from_slice(&self.value);
    }
}

/// Lanes in the form in which a sum takes them.
#[derive(Clone, Copy)]
struct Terms<R>(R);

impl<const W: usize, R: Vector<W>> exact_sum::Vector<W> for Terms<R> {
    type Mask = R::Mask;
    #[inline(always)]
    fn splat(number: f64) -> Self {
        Terms(R::splat(number))
    }
    #[inline(always)]
    fn load(from: &[f64; W]) -> Self {
        // SAFETY: the array has a number for each lane.
        Terms(unsafe { R::load_single_block(from.as_ptr()) })
    }
    #[inline(always)]
    fn store(self, to: &mut [f64; W]) {
        // SAFETY: the array has a number for each lane.
        unsafe { self.0.store_single_block(to.as_mut_ptr()) }
    }
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Terms(self.0 + other.0)
    }
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Terms(self.0 - other.0)
    }
    #[inline(always)]
    fn abs(self) -> Self {
        Terms(self.0.abs())
    }
    #[inline(always)]
    fn at_most(self, other: Self) -> R::Mask {
        self.0.le(other.0)
    }
    #[inline(always)]
    fn equals(self, other: Self) -> R::Mask {
        self.0.eq(other.0)
    }
    #[inline(always)]
    fn all(mask: R::Mask) -> bool {
        !R::any(!mask)
    }
}

/// Adds the terms of the owned elements, all at once if all are owned.
#[inline(always)]
fn add_to<const W: usize, R: Vector<W>>(sum: &mut impl LaneSum, block: &impl ElementBlock<W>, terms: R) {
    if block.are_stored(false) {
        sum.add_lanes(Terms(terms));
    } else {
        add_owned(block, terms, |term| sum.add_term(term));
    }
}

/// Adds the terms of the owned elements, in their order.
#[inline(always)]
fn add_owned<const W: usize, R: Vector<W>>(block: &impl ElementBlock<W>, terms: R, mut add: impl FnMut(f64)) {
    let terms = terms.to_array();
    if block.are_stored(false) {
        terms.into_iter().for_each(add);
    } else {
        (0..W).filter(|&e| block.is_owned(e)).for_each(|e| add(terms[e]));
    }
}

/// A global minimum or maximum as it runs through a stretch of elements.
#[derive(Clone, Copy, Debug)]
pub struct RunningExtremum<const D: usize, P> {
    global: usize,
    value: [f64; D],
    at: [u64; D],
    global_ids: *const u64,
    /// The rows that have global ids, where elements are found by position.
    rows: Option<*const u32>,
    param: PhantomData<P>,
}

impl<const D: usize, P: Ordered> RunningExtremum<D, P> {
    pub(crate) fn new(context: &LoopContext<'_>, global: usize) -> Self {
        let store = &context.globals[global];
        RunningExtremum {
            global,
            value: std::array::from_fn(|m| store.values[m]),
            at: std::array::from_fn(|m| store.at[m]),
            global_ids: context.local.global_ids[context.set].as_ptr(),
            rows: (!context.ids_of.is_empty()).then_some(context.ids_of.as_ptr()),
            param: PhantomData,
        }
    }
}

impl<const D: usize, P: Ordered> RunningExtremum<D, P> {
    /// The global id of an element.
    ///
    /// # Safety
    /// An owned element is at this row, or at this position where elements are found by position.
    #[inline(always)]
    unsafe fn id(&self, at: usize) -> u64 {
        // SAFETY: every executed row has a global id; `rows` has a row for every position.
        unsafe {
            let row = match self.rows {
                None => at,
                Some(rows) => (*rows.add(at) & !OWNED) as usize,
            };
            *self.global_ids.add(row)
        }
    }

    /// True if all candidates that do not surely come after the extremum equal it and all elements have higher global
    /// ids. A flow at rest has the same value everywhere: most candidates tie and come too late. False also where only
    /// a closer look could tell.
    ///
    /// # Safety
    /// As for [`BoundArgument`].
    #[inline(always)]
    unsafe fn only_ties<const W: usize, R: Vector<W>>(
        &self,
        block: &impl ElementBlock<W>,
        candidates: R,
        after: R::Mask,
        m: usize,
    ) -> bool {
        let Some(first) = block.consecutive(false) else { return false };
        if !block.are_owned() {
            return false;
        }
        let same = candidates.eq(R::splat(self.value[m]));
        if R::any(!(after | same)) {
            return false;
        }
        // Zeros of both signs compare equal, but the order tells them apart.
        let other_zero = |&c: &f64| c == 0.0 && c.to_bits() != self.value[m].to_bits();
        if self.value[m] == 0.0 && candidates.to_array().iter().any(other_zero) {
            return false;
        }
        let mut ids = [0; W];
        for e in 0..W {
            // SAFETY: the block is consecutive, and all of it owned.
            ids[e] = unsafe { self.id(first + e) };
        }
        ids.iter().all(|&id| id > self.at[m])
    }

    /// Takes candidates, some of which may come before the current extremum.
    ///
    /// # Safety
    /// As for [`BoundArgument`].
    #[cold]
    #[inline(never)]
    unsafe fn take<const W: usize>(
        mut self,
        block: impl ElementBlock<W>,
        candidates: [f64; W],
        m: usize,
    ) -> Self {
        for e in (0..W).filter(|&e| block.is_owned(e)) {
            // SAFETY: the element belongs to the block.
            let id = unsafe { self.id(block.row(e)) };
            if candidates[e].to_bits() == self.value[m].to_bits() && id > self.at[m] {
                continue;
            }
            let candidate = (candidates[e], id);
            (self.value[m], self.at[m]) = P::first(candidate, (self.value[m], self.at[m]));
        }
        self
    }
}

macro_rules! bound_extremum {
    ($param:ident) => {
        // SAFETY: reads the global ids of the block's rows, which exist for every executed row.
        unsafe impl<const D: usize> BoundArgument<$param<D>> for RunningExtremum<D, $param<D>> {
            type Rows<const W: usize> = ();
            #[inline(always)]
            unsafe fn load<const W: usize, R: Vector<W>>(&self, _block: &impl ElementBlock<W>) -> [R; D] {
                [R::splat($param::<D>::UNSET); D]
            }
            #[inline(always)]
            unsafe fn store<const W: usize, R: Vector<W>>(
                &mut self,
                block: &impl ElementBlock<W>,
                local: &[R; D],
                _sources: RowSources,
            ) {
                for m in 0..D {
                    // Most elements change nothing: one comparison for all lanes. The order settles ties, signed zeros
                    // and NaN.
                    let after = $param::<D>::surely_after(local[m], R::splat(self.value[m]));
                    // SAFETY: the caller's conditions.
                    if R::any(!after) && !unsafe { self.only_ties(block, local[m], after, m) } {
                        // SAFETY: the caller's conditions.
                        *self = unsafe { self.take(*block, local[m].to_array(), m) };
                    }
                }
            }
            #[inline(always)]
            fn finish(&self, globals: &mut [GlobalStore]) {
                globals[self.global].values.copy_from_slice(&self.value);
                globals[self.global].at.copy_from_slice(&self.at);
            }
        }
    };
}

bound_extremum!(Min);
bound_extremum!(Max);
