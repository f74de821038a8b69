//! Operands bound to one rank's storage: how a kernel's local variables are loaded and stored.
//!
//! What a loop *reads* through a map it finds by the element's row in the map. What it *changes* through a map it
//! finds by the element's position in the schedule, so that a schedule can send changes elsewhere than the map says:
//! to a scratch row where another worker owns the target, or to a temporary array.

use std::ops::Range;

use crate::global::GlobalStore;
use crate::kernel::{Access, Inc, Param, Params, Read, Rw, Write};
use crate::local::Local;
use crate::schedule::{Gather, Staged, Targets};
use crate::storage::Stored;

/// What a stretch of a loop is bound to.
pub struct Site<'a> {
    pub(crate) local: &'a Local,
    /// The worker's part of the global results.
    pub(crate) globals: &'a [GlobalStore],
    /// The loop's set.
    pub(crate) set: usize,
    /// Where changes through maps go, if not where the maps say.
    pub(crate) targets: Option<&'a Targets>,
    /// For every argument, where its increments are stored until they are added; empty when they are added at once.
    pub(crate) staging: &'a [Option<Staged>],
}

/// An element on its way through a kernel.
#[derive(Clone, Copy, Debug)]
pub struct Visit {
    /// Its local row.
    pub(crate) row: usize,
    /// Its position in the schedule; the row, where the schedule has no targets of its own.
    pub(crate) position: usize,
    /// Here is where its direct results are stored; elsewhere it is executed redundantly.
    pub(crate) home: bool,
}

/// An operand bound to one rank's storage.
///
/// # Safety
///
/// `load` and `store` access the storage without synchronisation: the visit must be one of the schedule the operand
/// was bound for, the storage must outlive the call, and nobody else may access it meanwhile.
pub unsafe trait Bound<P: Param>: Copy {
    /// The kernel's local variable.
    ///
    /// # Safety
    /// See the trait.
    unsafe fn load(&self, visit: Visit) -> P::Local<f64>;
    /// Stores what the kernel left in its local variable.
    ///
    /// # Safety
    /// See the trait.
    unsafe fn store(&mut self, visit: Visit, local: &P::Local<f64>);
    /// Hands accumulated results over after a stretch of elements.
    #[inline(always)]
    fn finish(&self, _globals: &mut [GlobalStore]) {}
}

/// A parameter for `D` values of a dat: how they are loaded and stored.
#[diagnostic::on_unimplemented(
    message = "a dat of {D} {T} an element does not fit the kernel's parameter `{Self}`",
    label = "of another dimension, element type or kind than `{Self}`"
)]
pub trait DatParam<const D: usize, T>: Param<Local<f64> = [T; D]> {
    /// What the local variable starts from where it does not start from the dat's values.
    #[doc(hidden)]
    const START: [T; D];
    #[doc(hidden)]
    fn store(row: &mut [T; D], local: &[T; D]);
}

macro_rules! dat_param {
    ($param:ident, $start:expr, |$row:ident, $local:ident| $store:expr) => {
        impl<const D: usize, T: Stored> DatParam<D, T> for $param<D, T> {
            const START: [T; D] = [$start; D];
            #[inline(always)]
            fn store($row: &mut [T; D], $local: &[T; D]) {
                $store
            }
        }
    };
}

dat_param!(Read, T::ZERO, |_row, _local| {});
// The kernel sets every component before the store; the macro checks it.
dat_param!(Write, T::ZERO, |row, local| *row = *local);
dat_param!(Rw, T::ZERO, |row, local| *row = *local);
dat_param!(Inc, T::INC_START, |row, local| {
    for m in 0..D {
        row[m] = row[m].plus(local[m]);
    }
});

/// A dat on the loop's own set.
#[derive(Clone, Copy, Debug)]
pub struct DirectRows<const D: usize, T> {
    base: *mut T,
    rows: usize,
}

impl<const D: usize, T: Stored> DirectRows<D, T> {
    pub(crate) fn new(site: &Site<'_>, dat: usize) -> Self {
        let values = T::cells(&site.local.columns[dat]);
        DirectRows { base: values.as_ptr() as *mut T, rows: values.len() / D }
    }

    /// # Safety
    /// `row` is a row of the loop's set.
    #[inline(always)]
    unsafe fn row(&self, row: usize) -> *mut [T; D] {
        debug_assert!(row < self.rows, "row {row} of {}", self.rows);
        // SAFETY: `base` points to `rows` rows of D values and row < rows.
        unsafe { self.base.add(row * D).cast() }
    }
}

// SAFETY: rows are reached through `row`, whose condition is this trait's.
unsafe impl<const D: usize, T: Stored, P: DatParam<D, T>> Bound<P> for DirectRows<D, T> {
    #[inline(always)]
    unsafe fn load(&self, visit: Visit) -> [T; D] {
        if P::ACCESS.reads() { unsafe { *self.row(visit.row) } } else { P::START }
    }
    #[inline(always)]
    unsafe fn store(&mut self, visit: Visit, local: &[T; D]) {
        if P::ACCESS.modifies() && visit.home {
            unsafe { P::store(&mut *self.row(visit.row), local) }
        }
    }
}

/// A dat at target `I` of a map of arity `N`.
#[derive(Clone, Copy, Debug)]
pub struct IndirectRows<const D: usize, T, const N: usize, const I: usize> {
    base: *mut T,
    rows: usize,
    /// Where values are read: the map's own targets, by row.
    read: Indices<N>,
    /// Where values are changed: the schedule's targets, by position.
    changed: Indices<N>,
    /// Increments are kept apart: this many to a position, this operand's at this place among them.
    staged: Option<(usize, usize)>,
    /// In debug builds, for a dat that is written: which rows have been.
    written: Option<(*mut bool, usize)>,
}

impl<const D: usize, T: Stored, const N: usize, const I: usize> IndirectRows<D, T, N, I> {
    pub(crate) fn new(site: &Site<'_>, dat: usize, map: usize, access: Access, arg: usize) -> Self {
        let own = &site.local.maps[map][..];
        let changed =
            if access.modifies() { site.targets.and_then(|t| t.of(map)).unwrap_or(own) } else { own };
        let values = T::cells(&site.local.columns[dat]);
        let staged = site.staging.get(arg).copied().flatten();
        IndirectRows {
            base: staged.map_or(values.as_ptr() as *mut T, |s| {
                // Positions count from the first that is stored.
                (site.local.staging[s.buffer].as_ptr() as *mut T).wrapping_sub(s.first * s.slots * D)
            }),
            rows: values.len() / D,
            read: Indices::new(own),
            changed: Indices::new(changed),
            staged: staged.map(|s| (s.slots, s.slot)),
            written: site.local.written.get(&dat).map(|w| (w.as_ptr() as *mut bool, w.len())),
        }
    }

    /// In debug builds, panics when another element has written another value to the target: the order would decide.
    ///
    /// # Safety
    /// As for `target`.
    #[inline(always)]
    unsafe fn check_write(&self, at: usize, local: &[T; D]) {
        if !cfg!(debug_assertions) {
            return;
        }
        let Some((written, rows)) = self.written else { return };
        // SAFETY: `written` has a flag for each of its rows; the scratch row behind them is nobody's.
        unsafe {
            let target = self.changed.target::<I>(at);
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
    /// `at` is a row of these indices.
    #[inline(always)]
    unsafe fn target(&self, indices: &Indices<N>, at: usize) -> *mut [T; D] {
        // SAFETY: every index is below `rows`, the number of rows of D values at `base`: Domain::new checks maps,
        // Targets::new its own indices.
        unsafe {
            let target = indices.target::<I>(at);
            debug_assert!(target < self.rows, "target {target} of {}", self.rows);
            self.base.add(target * D).cast()
        }
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
    /// `at` is a row, and the indices are still there.
    #[inline(always)]
    unsafe fn target<const I: usize>(&self, at: usize) -> usize {
        debug_assert!(at < self.rows, "index row {at} of {}", self.rows);
        // SAFETY: `first` points to `rows` rows of N indices.
        unsafe { *self.first.add(at * N + I) as usize }
    }
}

// SAFETY: rows are reached through `target`; a temporary array has room for every position.
unsafe impl<const D: usize, T: Stored, const N: usize, const I: usize, P: DatParam<D, T>> Bound<P>
    for IndirectRows<D, T, N, I>
{
    #[inline(always)]
    unsafe fn load(&self, visit: Visit) -> [T; D] {
        if P::ACCESS.reads() { unsafe { *self.target(&self.read, visit.row) } } else { P::START }
    }
    #[inline(always)]
    unsafe fn store(&mut self, visit: Visit, local: &[T; D]) {
        if !P::ACCESS.modifies() {
            return;
        }
        unsafe {
            if P::ACCESS == Access::Write {
                self.check_write(visit.position, local);
            }
            match self.staged {
                None => P::store(&mut *self.target(&self.changed, visit.position), local),
                Some((slots, slot)) => {
                    *self.base.wrapping_add((visit.position * slots + slot) * D).cast() = *local
                }
            }
        }
    }
}

/// Adds the stored increments of each of these owned targets, in the order of `gather`.
///
/// # Safety
/// The schedule that `gather` and `staged` belong to has just run, and nobody else accesses these targets.
pub(crate) unsafe fn gather_rows<const D: usize, T: Stored>(
    local: &Local,
    gather: &Gather,
    staged: Staged,
    dat: usize,
    targets: Range<usize>,
) {
    let base = T::cells(&local.columns[dat]).as_ptr() as *mut [T; D];
    let stored = local.staging[staged.buffer].as_ptr() as *const [T; D];
    let starts = &gather.starts[targets.start..targets.end + 1];
    for (target, bounds) in targets.zip(starts.windows(2)) {
        // SAFETY: starts has one entry more than owned rows; places lie within the staged positions.
        unsafe {
            let mut row = *base.add(target);
            for &place in &gather.places[bounds[0] as usize..bounds[1] as usize] {
                let increment = &*stored.add(place as usize);
                for m in 0..D {
                    row[m] = row[m].plus(increment[m]);
                }
            }
            *base.add(target) = row;
        }
    }
}

/// Bound operands; the tuple form of [`Bound`].
///
/// # Safety
/// As [`Bound`].
pub unsafe trait Bounds<P: Params>: Copy {
    /// Loads all local variables.
    ///
    /// # Safety
    /// See [`Bound`].
    unsafe fn load(&self, visit: Visit) -> P::Locals<f64>;
    /// Stores all local variables, in argument order.
    ///
    /// # Safety
    /// See [`Bound`].
    unsafe fn store(&mut self, visit: Visit, locals: &P::Locals<f64>);
    /// Hands accumulated results over.
    fn finish(&self, globals: &mut [GlobalStore]);
}

macro_rules! bounds_tuple {
    ($($p:ident $a:ident $i:tt),*) => {
        // SAFETY: passes the conditions on.
        unsafe impl<$($p: Param, $a: Bound<$p>),*> Bounds<($($p,)*)> for ($($a,)*) {
            #[inline(always)]
            unsafe fn load(&self, visit: Visit) -> <($($p,)*) as Params>::Locals<f64> {
                unsafe { ($(self.$i.load(visit),)*) }
            }
            #[inline(always)]
            unsafe fn store(&mut self, visit: Visit, locals: &<($($p,)*) as Params>::Locals<f64>) {
                unsafe { $(self.$i.store(visit, &locals.$i);)* }
            }
            #[inline(always)]
            fn finish(&self, globals: &mut [GlobalStore]) {
                $(self.$i.finish(globals);)*
            }
        }
    };
}

crate::kernel::for_each_tuple!(bounds_tuple);
