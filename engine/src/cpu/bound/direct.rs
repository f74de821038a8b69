//! Dats on the loop's own set.

use cfd_lanes::{Vector, inlined};

use super::rows::LaneRows;
use super::{BoundArgument, DatParam, LoopContext, Placed, RowSources, start};
use crate::base::memory::{finish_streaming_stores, streaming_store};
use crate::cpu::element_block::ElementBlock;
use crate::cpu::prefetch;
use crate::model::kernel::Access;
use crate::store::dat_storage::Stored;
use crate::store::global::GlobalStore;

/// A dat on the loop's own set.
#[derive(Clone, Copy, Debug)]
pub struct DirectRows<const D: usize, T> {
    base: *mut T,
    rows: usize,
    /// Rows are found by position and stored for every element: a tile's own.
    by_position: bool,
    /// Rows that are only written go to memory by streaming stores.
    streaming: bool,
}

impl<const D: usize, T: Stored> DirectRows<D, T> {
    pub(crate) fn new(context: &LoopContext<'_>, dat: usize, arg: usize) -> Self {
        if let Some(placed) = context.placed.get(arg) {
            let Placed { base, rows, private, .. } = *placed;
            return DirectRows { base: base.cast(), rows, by_position: private, streaming: false };
        }
        let values = T::cells(&context.local.storages[dat]);
        let (base, rows) = (values.as_ptr() as *mut T, values.len() / D);
        DirectRows { base, rows, by_position: false, streaming: context.streaming }
    }

    /// # Safety
    /// `row` is a row of the loop's set.
    #[inline(always)]
    unsafe fn row(&self, row: usize) -> *mut [T; D] {
        debug_assert!(row < self.rows, "row {row} of {}", self.rows);
        // SAFETY: `base` points to `rows` rows of D values and row < rows.
        unsafe { self.base.add(row * D).cast() }
    }

    /// # Safety
    /// The block consists of rows of the loop's set.
    #[inline(always)]
    unsafe fn load_lanes<const W: usize, R: Vector<W>>(
        &self,
        block: &impl ElementBlock<W>,
    ) -> [T::Lane<R>; D] {
        // SAFETY: the caller's condition; in a consecutive block, rows follow the first.
        unsafe {
            match block.consecutive(self.by_position) {
                Some(first) => {
                    debug_assert!(first + W <= self.rows, "{W} rows from {first} of {}", self.rows);
                    T::load_block::<W, D, R>(self.row(first).cast())
                }
                None => {
                    let row = |e| self.row(block.place(e, self.by_position)).cast_const().cast();
                    T::load_rows::<W, D, R>(inlined::from_fn(row))
                }
            }
        }
    }
}

// SAFETY: rows are reached through `row`, whose condition is this trait's. In a consecutive block, rows follow the
// first.
unsafe impl<const D: usize, T: Stored, P: DatParam<D, T>> BoundArgument<P> for DirectRows<D, T> {
    type Rows<const W: usize> = ();
    #[inline(always)]
    unsafe fn load<const W: usize, R: Vector<W>>(&self, block: &impl ElementBlock<W>) -> P::Local<R> {
        if P::ACCESS.reads() {
            // SAFETY: the caller's conditions.
            P::local::<R>(unsafe { self.load_lanes::<W, R>(block) })
        } else {
            start::<D, T, P, R>()
        }
    }
    #[inline(always)]
    unsafe fn store<const W: usize, R: Vector<W>>(
        &mut self,
        block: &impl ElementBlock<W>,
        local: &P::Local<R>,
        _sources: RowSources,
    ) {
        if !P::ACCESS.modifies() {
            return;
        }
        let lanes = P::lanes::<R>(local);
        // SAFETY: the caller's conditions; a consecutive block is W rows from the first on, and `LaneRows` has W rows.
        unsafe {
            let stored = block.are_stored(self.by_position) && !P::ACCESS.combines();
            if let Some(first) = block.consecutive(self.by_position).filter(|_| stored) {
                debug_assert!(first + W <= self.rows, "{W} rows from {first} of {}", self.rows);
                let to = self.row(first);
                if self.streaming && P::ACCESS == Access::Write {
                    let rows = LaneRows::<T, D, W>::new::<R>(lanes);
                    if streaming_store(rows.0.as_ptr().cast(), to.cast(), W * D * size_of::<T>()) {
                        return;
                    }
                }
                return T::store_block::<W, D, R>(lanes, to.cast());
            }
            let rows = LaneRows::<T, D, W>::new::<R>(lanes);
            for e in 0..W {
                if block.is_stored(e, self.by_position) {
                    P::store(&mut *self.row(block.place(e, self.by_position)), rows.row(e));
                }
            }
        }
    }
    #[inline(always)]
    unsafe fn prefetch<const W: usize>(&self, block: &impl ElementBlock<W>) {
        if self.streaming && P::ACCESS == Access::Write {
            return;
        }
        // SAFETY: the caller's condition; a list has rows of the loop's set.
        prefetch::rows(block, self.by_position, |at| unsafe { self.row(at).cast_const() });
    }
    #[inline(always)]
    fn finish(&self, _globals: &mut [GlobalStore]) {
        if self.streaming && P::ACCESS == Access::Write {
            finish_streaming_stores();
        }
    }
}
