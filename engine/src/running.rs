//! Global results on their way through a stretch of elements.

use std::marker::PhantomData;

use crate::bound::{Bound, Site, Visit};
use crate::global::{GlobalStore, Ordered, Partial};
use crate::kernel::{Param, Sum};
use crate::storage::Stored;
use crate::sum::{BinnedSum, ExactSum};

/// A global sum on its way through a stretch of elements.
#[derive(Clone, Copy, Debug)]
pub struct RunningSum<const D: usize> {
    global: usize,
    value: [f64; D],
    adder: Adder,
}

/// Where a running sum's terms go.
#[derive(Clone, Copy, Debug)]
enum Adder {
    /// Into the running value.
    Plain,
    /// Into the exact sums of the components.
    Exact(*mut ExactSum),
    /// Into the binned sums of the components.
    Binned(*mut BinnedSum),
}

impl<const D: usize> RunningSum<D> {
    pub(crate) fn new(site: &Site<'_>, global: usize) -> Self {
        let store = &site.globals[global];
        let adder = match &store.sums {
            Partial::Plain => Adder::Plain,
            Partial::Exact(sums) => Adder::Exact(sums.as_ptr() as *mut ExactSum),
            Partial::Binned(sums) => Adder::Binned(sums.as_ptr() as *mut BinnedSum),
        };
        RunningSum { global, value: std::array::from_fn(|m| store.values[m]), adder }
    }
}

// SAFETY: the adder points to D sums that only this operand of the loop accesses while it runs.
unsafe impl<const D: usize> Bound<Sum<D>> for RunningSum<D> {
    #[inline(always)]
    unsafe fn load(&self, _visit: Visit) -> [f64; D] {
        [f64::INC_START; D]
    }
    #[inline(always)]
    unsafe fn store(&mut self, visit: Visit, local: &[f64; D]) {
        if !visit.home {
            return;
        }
        for m in 0..D {
            match self.adder {
                Adder::Plain => self.value[m] += local[m],
                Adder::Exact(sums) => unsafe { (*sums.add(m)).add(local[m]) },
                Adder::Binned(sums) => unsafe { (*sums.add(m)).add(local[m]) },
            }
        }
    }
    #[inline(always)]
    fn finish(&self, globals: &mut [GlobalStore]) {
        globals[self.global].values.copy_from_slice(&self.value);
    }
}

/// A global minimum or maximum on its way through a stretch of elements.
#[derive(Clone, Copy, Debug)]
pub struct RunningExtremum<const D: usize, P> {
    global: usize,
    value: [f64; D],
    at: [u64; D],
    global_ids: *const u64,
    param: PhantomData<P>,
}

impl<const D: usize, P: Ordered> RunningExtremum<D, P> {
    pub(crate) fn new(site: &Site<'_>, global: usize) -> Self {
        let store = &site.globals[global];
        RunningExtremum {
            global,
            value: std::array::from_fn(|m| store.values[m]),
            at: std::array::from_fn(|m| store.at[m]),
            global_ids: site.local.global_ids[site.set].as_ptr(),
            param: PhantomData,
        }
    }
}

// SAFETY: reads the global id of the visited row, which exists for every executed row.
unsafe impl<const D: usize, P: Param<Local<f64> = [f64; D]> + Ordered + Copy> Bound<P>
    for RunningExtremum<D, P>
{
    #[inline(always)]
    unsafe fn load(&self, _visit: Visit) -> [f64; D] {
        [P::UNSET; D]
    }
    #[inline(always)]
    unsafe fn store(&mut self, visit: Visit, local: &[f64; D]) {
        for m in 0..D {
            // Most elements change nothing: one comparison. Ties, signed zeros and NaN are settled by the order.
            if visit.home && !P::surely_after(local[m], self.value[m]) {
                let candidate = (local[m], unsafe { *self.global_ids.add(visit.row) });
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
