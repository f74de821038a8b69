//! Dats reached through a map.

use std::ops::Range;

use cfd_lanes::{Vector, inlined};

use super::rows::{GroupedRows, Rows as _};
use super::{BoundArgument, DatParam, LoopContext, Placed, RowSources, start};
use crate::cpu::element_block::ElementBlock;
use crate::cpu::prefetch;
use crate::model::kernel::Access;
use crate::schedule::steps::{Buffered, Gather};
use crate::store::dat_storage::Stored;
use crate::store::local::Local;

/// A dat reached through a map of arity `N`.
#[derive(Clone, Copy, Debug)]
pub struct IndirectRows<const D: usize, T, const N: usize> {
    base: *mut T,
    rows: usize,
    /// Where values are read: the map's own targets, by row; in a chain also the tile's, by position.
    read: Indices<N>,
    read_by_position: bool,
    /// Where values are changed: the schedule's targets, by position.
    changed: Indices<N>,
    /// Increments are buffered: the slots of a position, and the slot of the operand's first argument among them.
    buffered: Option<(usize, usize)>,
    /// In debug builds, for a dat that is written: which rows have been written.
    written: Option<(*mut bool, usize)>,
}

/// A dat at target `I` of a map of arity `N`.
#[derive(Clone, Copy, Debug)]
pub struct OneTarget<const D: usize, T, const N: usize, const I: usize>(pub(crate) IndirectRows<D, T, N>);

/// A dat at all targets of a map of arity `N`: as many arguments, with consecutive slots in an increment buffer.
#[derive(Clone, Copy, Debug)]
pub struct AllTargets<const D: usize, T, const N: usize>(pub(crate) IndirectRows<D, T, N>);

impl<const D: usize, T: Stored, const N: usize> IndirectRows<D, T, N> {
    pub(crate) fn new(context: &LoopContext<'_>, dat: usize, map: usize, access: Access, arg: usize) -> Self {
        if let Some(placed) = context.placed.get(arg) {
            let Placed { base, rows, indices, count, .. } = *placed;
            let indices = Indices { first: indices, rows: count / N };
            return IndirectRows {
                base: base.cast(),
                rows,
                read: indices,
                read_by_position: true,
                changed: indices,
                buffered: None,
                written: None,
            };
        }
        let own = &context.local.maps[map][..];
        let changed =
            if access.modifies() { context.targets.and_then(|t| t.of(map)).unwrap_or(own) } else { own };
        let values = T::cells(&context.local.storages[dat]);
        let buffered = context.buffered.get(arg).copied().flatten();
        IndirectRows {
            base: buffered.map_or(values.as_ptr() as *mut T, |s| {
                // Positions count from the first one stored.
                (context.local.increment_buffers[s.buffer].as_ptr() as *mut T)
                    .wrapping_sub(s.first * s.slots * D)
            }),
            rows: values.len() / D,
            read: Indices::new(own),
            read_by_position: false,
            changed: Indices::new(changed),
            buffered: buffered.map(|s| (s.slots, s.slot)),
            written: context.local.written.get(&dat).map(|w| (w.as_ptr() as *mut bool, w.len())),
        }
    }

    /// In debug builds, panics if another element has written a different value to the target: the order would decide.
    ///
    /// # Safety
    /// As for `target`.
    #[inline(always)]
    unsafe fn check_write(&self, at: usize, index: usize, local: &[T; D]) {
        if !cfg!(debug_assertions) {
            return;
        }
        let Some((written, rows)) = self.written else { return };
        // SAFETY: `written` has a flag for each of its rows; the scratch row after them belongs to none.
        unsafe {
            let target = self.changed.target(at, index);
            if target < rows {
                let earlier = &*self.base.add(target * D).cast::<[T; D]>();
                let same = bytemuck::cast_slice::<T, u8>(earlier) == bytemuck::cast_slice::<T, u8>(local);
                assert!(
                    same || !*written.add(target),
                    "two elements write different values to local row {target}: {earlier:?} and {local:?}"
                );
                *written.add(target) = true;
            }
        }
    }

    /// # Safety
    /// `at` is a row of these indices, and `index` < N.
    #[inline(always)]
    unsafe fn target(&self, indices: &Indices<N>, at: usize, index: usize) -> *mut [T; D] {
        // SAFETY: every index is below `rows`, the number of rows of D values at `base`: Domain::new checks maps,
        // Targets::new its own indices.
        unsafe {
            let target = indices.target(at, index);
            debug_assert!(target < self.rows, "target {target} of {}", self.rows);
            self.base.add(target * D).cast()
        }
    }

    /// The values at a target.
    ///
    /// # Safety
    /// As for [`BoundArgument`]; `index` < N.
    #[inline(always)]
    unsafe fn load<const W: usize, P: DatParam<D, T>, R: Vector<W>>(
        &self,
        block: &impl ElementBlock<W>,
        index: usize,
    ) -> P::Local<R> {
        if !P::ACCESS.reads() {
            return start::<D, T, P, R>();
        }
        let at = |e| block.place(e, self.read_by_position);
        // SAFETY: the caller's conditions: an element of the block has a row of indices.
        let target = |e| unsafe { self.target(&self.read, at(e), index).cast_const().cast() };
        // SAFETY: every target is a row of D values.
        P::local::<R>(unsafe { T::load_rows::<W, D, R>(inlined::from_fn(target)) })
    }

    /// Stores a row at a target.
    ///
    /// # Safety
    /// As for [`BoundArgument`]; `index` < N.
    #[inline(always)]
    unsafe fn store_row<P: DatParam<D, T>>(&self, position: usize, index: usize, row: &[T; D]) {
        // SAFETY: the caller's conditions.
        unsafe {
            if P::ACCESS == Access::Write {
                self.check_write(position, index, row);
            }
            P::store(&mut *self.target(&self.changed, position, index), row);
        }
    }

    /// Puts a row into the increment buffer, or stores it at a target if increments are not buffered.
    ///
    /// # Safety
    /// As for [`BoundArgument`]; `index` < N, and `place` is the argument's place among those of the operand.
    #[inline(always)]
    unsafe fn buffer_row<P: DatParam<D, T>>(&self, position: usize, index: usize, place: usize, row: [T; D]) {
        // SAFETY: the caller's conditions; `make_room` has provided a slot for each argument at every buffered
        // position.
        unsafe {
            match self.buffered {
                None => self.store_row::<P>(position, index, &row),
                Some((slots, slot)) => {
                    let at = (position * slots + slot + place) * D;
                    *self.base.wrapping_add(at).cast() = row;
                }
            }
        }
    }

    /// The targets themselves are not prefetched: most are near what the cache already holds.
    ///
    /// # Safety
    /// As for [`BoundArgument`].
    #[inline(always)]
    unsafe fn prefetch<const W: usize>(&self, block: &impl ElementBlock<W>) {
        // SAFETY: the caller's condition; a list has rows of the loop's set.
        prefetch::rows(block, self.read_by_position, |at| unsafe { self.read.row(at) });
    }
}

/// Rows of `N` indices.
#[derive(Clone, Copy, Debug)]
struct Indices<const N: usize> {
    first: *const u32,
    rows: usize,
}

impl<const N: usize> Indices<N> {
    fn new(indices: &[u32]) -> Self {
        Indices { first: indices.as_ptr(), rows: indices.len() / N }
    }

    /// # Safety
    /// `at` is a row.
    #[inline(always)]
    unsafe fn row(&self, at: usize) -> *const [u32; N] {
        debug_assert!(at < self.rows, "index row {at} of {}", self.rows);
        // SAFETY: `first` points to `rows` rows of N indices.
        unsafe { self.first.add(at * N).cast() }
    }

    /// # Safety
    /// `at` is a row, `index` < N, and the indices are still there.
    #[inline(always)]
    unsafe fn target(&self, at: usize, index: usize) -> usize {
        debug_assert!(index < N);
        // SAFETY: the caller's conditions.
        unsafe { *self.row(at).cast::<u32>().add(index) as usize }
    }
}

// SAFETY: rows are reached through `target`; an increment buffer has room for every position.
unsafe impl<const D: usize, T: Stored, const N: usize, const I: usize, P: DatParam<D, T>> BoundArgument<P>
    for OneTarget<D, T, N, I>
{
    type Rows<const W: usize> = GroupedRows<T, D, W>;
    const STORES_ROW_BY_ROW: bool = P::ACCESS.modifies();
    const VALUE_BYTES: usize = size_of::<T>();
    const READS_SINGLES_THROUGH_MAPS: bool = P::ACCESS.reads() && D == 1;
    #[inline(always)]
    unsafe fn load<const W: usize, R: Vector<W>>(&self, block: &impl ElementBlock<W>) -> P::Local<R> {
        let rows = &self.0;
        if P::ACCESS.reads()
            && D == 1
            && let Some(first) = block.surely_consecutive(rows.read_by_position)
        {
            // SAFETY: the caller's condition; every index leads to a row.
            let lane = unsafe {
                if cfg!(debug_assertions) {
                    (first..first + W).for_each(|at| _ = rows.target(&rows.read, at, I));
                }
                T::load_targets::<W, N, I, R>(rows.base, rows.read.row(first))
            };
            return P::local::<R>([lane; D]);
        }
        // SAFETY: the caller's conditions; `Map::target` has checked `I`.
        unsafe { rows.load::<W, P, R>(block, I) }
    }
    #[inline(always)]
    unsafe fn store<const W: usize, R: Vector<W>>(
        &mut self,
        _block: &impl ElementBlock<W>,
        local: &P::Local<R>,
        _sources: RowSources,
    ) -> GroupedRows<T, D, W> {
        if P::ACCESS.modifies() { GroupedRows::new::<R>(P::lanes::<R>(local)) } else { GroupedRows::none() }
    }
    #[inline(always)]
    unsafe fn store_row<const W: usize>(
        &self,
        block: &impl ElementBlock<W>,
        e: usize,
        rows: &GroupedRows<T, D, W>,
        sources: RowSources,
    ) {
        if P::ACCESS.modifies() {
            // SAFETY: the caller's conditions; `BoundArguments::store` passes rows that operands have returned, and an
            // `e` below W.
            unsafe { self.0.store_row::<P>(block.position(e), I, &signed(rows.row(e), sources.negative)) }
        }
    }
    #[inline(always)]
    unsafe fn buffer_row<const W: usize>(
        &self,
        block: &impl ElementBlock<W>,
        e: usize,
        rows: &GroupedRows<T, D, W>,
        sources: RowSources,
    ) {
        if P::ACCESS.modifies() {
            // SAFETY: as for `store_row`.
            unsafe {
                self.0.buffer_row::<P>(block.position(e), I, 0, signed(rows.row(e), sources.negative));
            }
        }
    }
    #[inline(always)]
    unsafe fn prefetch<const W: usize>(&self, block: &impl ElementBlock<W>) {
        // One operand at the targets of a map is enough.
        if const { I == 0 } {
            // SAFETY: the caller's condition.
            unsafe { self.0.prefetch(block) }
        }
    }
    #[inline(always)]
    fn is_buffered(&self) -> bool {
        P::ACCESS.modifies() && self.0.buffered.is_some()
    }
}

// SAFETY: as for one target.
unsafe impl<const D: usize, T: Stored, const N: usize, P: DatParam<D, T>> BoundArgument<[P; N]>
    for AllTargets<D, T, N>
{
    type Rows<const W: usize> = [GroupedRows<T, D, W>; N];
    const STORES_ROW_BY_ROW: bool = P::ACCESS.modifies();
    const VALUE_BYTES: usize = size_of::<T>();
    #[inline(always)]
    unsafe fn load<const W: usize, R: Vector<W>>(&self, block: &impl ElementBlock<W>) -> [P::Local<R>; N] {
        // No closure: one this long would not be inlined, hence not compiled for the width's instructions.
        let mut all = [start::<D, T, P, R>(); N];
        for index in 0..N {
            // SAFETY: the caller's conditions; `index` < N.
            all[index] = unsafe { self.0.load::<W, P, R>(block, index) };
        }
        all
    }
    #[inline(always)]
    unsafe fn store<const W: usize, R: Vector<W>>(
        &mut self,
        _block: &impl ElementBlock<W>,
        local: &[P::Local<R>; N],
        sources: RowSources,
    ) -> [GroupedRows<T, D, W>; N] {
        // No closure, for the same reason.
        let mut all = [GroupedRows::none(); N];
        for index in 0..N {
            if P::ACCESS.modifies() && sources.among::<N>(index) == index {
                all[index] = GroupedRows::new::<R>(P::lanes::<R>(&local[index]));
            }
        }
        all
    }
    #[inline(always)]
    unsafe fn store_row<const W: usize>(
        &self,
        block: &impl ElementBlock<W>,
        e: usize,
        rows: &[GroupedRows<T, D, W>; N],
        sources: RowSources,
    ) {
        if P::ACCESS.modifies() {
            for index in 0..N {
                // SAFETY: the caller's conditions; every argument that is its own source has returned rows.
                unsafe {
                    let row = sources.row::<N, _, D, W>(rows, index, e);
                    self.0.store_row::<P>(block.position(e), index, &row);
                }
            }
        }
    }
    #[inline(always)]
    unsafe fn buffer_row<const W: usize>(
        &self,
        block: &impl ElementBlock<W>,
        e: usize,
        rows: &[GroupedRows<T, D, W>; N],
        sources: RowSources,
    ) {
        if P::ACCESS.modifies() {
            for index in 0..N {
                // SAFETY: as for `store_row`.
                unsafe {
                    let row = sources.row::<N, _, D, W>(rows, index, e);
                    self.0.buffer_row::<P>(block.position(e), index, index, row);
                }
            }
        }
    }
    #[inline(always)]
    unsafe fn prefetch<const W: usize>(&self, block: &impl ElementBlock<W>) {
        // SAFETY: the caller's condition.
        unsafe { self.0.prefetch(block) }
    }
    #[inline(always)]
    fn is_buffered(&self) -> bool {
        P::ACCESS.modifies() && self.0.buffered.is_some()
    }
}

impl RowSources {
    /// The row of element `e` for argument `index` among the `N` of an operand.
    ///
    /// # Safety
    /// Arguments that are their own source have returned rows; `e` < W.
    #[inline(always)]
    unsafe fn row<const N: usize, T: Stored, const D: usize, const W: usize>(
        self,
        rows: &[GroupedRows<T, D, W>; N],
        index: usize,
        e: usize,
    ) -> [T; D] {
        let source = self.among::<N>(index);
        // SAFETY: the caller's conditions; `among` gives an argument that is its own source.
        signed(unsafe { rows[source].row(e) }, self.negative != (source != index))
    }
}

/// A row, or its negative.
#[inline(always)]
fn signed<T: Stored, const D: usize>(row: [T; D], negative: bool) -> [T; D] {
    if negative { inlined::map(row, T::negative) } else { row }
}

/// Combines each of these owned targets with what has been buffered for it, in the order of `gather`.
///
/// # Safety
/// The schedule to which `gather` and `buffered` belong has just run, and nothing else accesses these targets.
pub(crate) unsafe fn gather_rows<const D: usize, T: Stored, P: DatParam<D, T>>(
    local: &Local,
    gather: &Gather,
    buffered: Buffered,
    dat: usize,
    targets: Range<usize>,
) {
    let base = T::cells(&local.storages[dat]).as_ptr() as *mut [T; D];
    let stored = local.increment_buffers[buffered.buffer].as_ptr() as *const [T; D];
    let starts = &gather.starts[targets.start..targets.end + 1];
    for (target, bounds) in targets.zip(starts.windows(2)) {
        // SAFETY: `starts` has one entry more than there are owned rows; places lie within the buffered positions.
        unsafe {
            let mut row = *base.add(target);
            for &place in &gather.places[bounds[0] as usize..bounds[1] as usize] {
                P::store(&mut row, &*stored.add(place as usize));
            }
            *base.add(target) = row;
        }
    }
}
