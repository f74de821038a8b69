//! Rows of several elements on their way from registers to storage.

use std::mem::MaybeUninit;

use cfd_lanes::Vector;

use crate::store::dat_storage::Stored;

/// What changes through a map, on its way to storage.
pub trait Rows: Copy + 'static {
    /// No rows, for what is not stored.
    fn none() -> Self;
}

impl Rows for () {
    #[inline(always)]
    fn none() -> Self {}
}

impl<T: Rows, const N: usize> Rows for [T; N] {
    #[inline(always)]
    fn none() -> Self {
        [T::none(); N]
    }
}

/// Rows of `W` elements, each whole.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(super) struct LaneRows<T: Stored, const D: usize, const W: usize>(pub(super) MaybeUninit<[[T; D]; W]>);

impl<T: Stored, const D: usize, const W: usize> LaneRows<T, D, W> {
    #[inline(always)]
    pub(super) fn new<R: Vector<W>>(lanes: &[T::Lane<R>; D]) -> Self {
        let mut rows = MaybeUninit::<[[T; D]; W]>::uninit();
        // SAFETY: there is room for W rows of D values.
        unsafe { T::store_block::<W, D, R>(lanes, rows.as_mut_ptr().cast()) }
        LaneRows(rows)
    }

    /// # Safety
    /// `e` < W.
    #[inline(always)]
    pub(super) unsafe fn row(&self, e: usize) -> &[T; D] {
        // SAFETY: the caller's condition.
        unsafe { &*self.0.as_ptr().cast::<[T; D]>().add(e) }
    }
}

/// Rows of `W` elements, each in the parts that transposing registers yields; all registers are stored whole.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub struct GroupedRows<T: Stored, const D: usize, const W: usize>(MaybeUninit<[[T; D]; W]>);

impl<T: Stored, const D: usize, const W: usize> GroupedRows<T, D, W> {
    #[inline(always)]
    pub(super) fn new<R: Vector<W>>(lanes: &[T::Lane<R>; D]) -> Self {
        let mut rows = MaybeUninit::<[[T; D]; W]>::uninit();
        // SAFETY: there is room for W rows of D values.
        unsafe { T::store_grouped::<W, D, R>(lanes, rows.as_mut_ptr().cast()) }
        GroupedRows(rows)
    }

    /// # Safety
    /// There are rows, and `e` < W.
    #[inline(always)]
    pub(super) unsafe fn row(&self, e: usize) -> [T; D] {
        // SAFETY: the caller's condition.
        unsafe { T::grouped_row::<W, D>(self.0.as_ptr().cast(), e) }
    }
}

impl<T: Stored, const D: usize, const W: usize> Rows for GroupedRows<T, D, W> {
    #[inline(always)]
    fn none() -> Self {
        GroupedRows(MaybeUninit::uninit())
    }
}
