//! Operands bound to one rank's storage: how a kernel's local variables are loaded and stored, for as many elements at
//! a time as there are lanes.
//!
//! What a loop *reads* through a map it finds by the element's row in the map. What it *changes* through a map it
//! finds by the element's position in the schedule, so that a schedule can send changes elsewhere than the map says:
//! to a scratch row where another worker owns the target, or to a temporary array.

use std::mem::MaybeUninit;
use std::ops::Range;

use crate::ahead::follow;
use crate::global::GlobalStore;
use crate::kernel::{Access, Element, Inc, Param, Params, Read, Rw, Write};
use crate::lane::{Real, Vector};
use crate::local::Local;
use crate::memory::{finish_stores, store_past_cache};
use crate::schedule::{Gather, Staged, Targets};
use crate::storage::Stored;
use crate::visits::Visits;

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
    /// For every argument, where a tile of a chain finds it; empty outside chains.
    pub(crate) placed: &'a [Placed],
    /// The loop goes through more than the cache holds.
    pub(crate) past_cache: bool,
    /// The rows at a tile's positions, where elements are visited by position; empty elsewhere.
    pub(crate) ids_of: &'a [u32],
}

/// Where a tile of a chain finds an argument.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Placed {
    base: *mut u8,
    /// Rows at `base`.
    rows: usize,
    /// A tile's rows, found by position, and on the loop's own set stored for every element, not only for those at home.
    private: bool,
    indices: *const u32,
    /// Number of indices.
    count: usize,
}

impl Placed {
    /// `rows` rows of the rank at `base`, found by row.
    pub(crate) fn in_column(base: *mut u8, rows: usize) -> Placed {
        Placed { base, rows, private: false, indices: std::ptr::null(), count: 0 }
    }

    /// `rows` rows of a tile at `base`, found by position.
    pub(crate) fn private(base: *mut u8, rows: usize) -> Placed {
        Placed { private: true, ..Placed::in_column(base, rows) }
    }

    /// An argument without storage of its own.
    pub(crate) fn nowhere() -> Placed {
        Placed::in_column(std::ptr::null_mut(), 0)
    }

    /// Found through these indices, which are listed by position.
    pub(crate) fn through(self, indices: &[u32]) -> Placed {
        Placed { indices: indices.as_ptr(), count: indices.len(), ..self }
    }
}

/// An operand bound to one rank's storage.
///
/// # Safety
///
/// `load`, `store` and `store_row` access the storage without synchronisation: the visits must be of the schedule the
/// operand was bound for, the storage must outlive the call, and nobody else may access it meanwhile.
pub unsafe trait Bound<P: Param>: Copy {
    /// What changes through a map, row by row, until it is stored.
    type Rows<const W: usize>: Copy;
    /// Something does change through a map.
    const STORES_ROW_BY_ROW: bool = false;
    /// Single values are read through a map.
    const READS_SINGLES_THROUGH_MAPS: bool = false;
    /// The kernel's local variable.
    ///
    /// # Safety
    /// See the trait.
    unsafe fn load<const W: usize, R: Vector<W>>(&self, visits: &Visits<W>) -> P::Local<R>;
    /// Stores what the kernel left in its local variable where no two elements meet, and global results; gives the rows
    /// that must wait for their turn.
    ///
    /// # Safety
    /// See the trait.
    unsafe fn store<const W: usize, R: Vector<W>>(
        &mut self,
        visits: &Visits<W>,
        local: &P::Local<R>,
    ) -> Self::Rows<W>;
    /// Stores the row of element number `e` of the visits.
    ///
    /// # Safety
    /// See the trait.
    #[inline(always)]
    unsafe fn store_row<const W: usize>(&self, _visits: &Visits<W>, _e: usize, _rows: &Self::Rows<W>) {}
    /// Keeps the row of element number `e` of the visits in the temporary array, if its increments are staged; stores
    /// it otherwise.
    ///
    /// # Safety
    /// See the trait.
    #[inline(always)]
    unsafe fn stage_row<const W: usize>(&self, _visits: &Visits<W>, _e: usize, _rows: &Self::Rows<W>) {}
    /// True when its increments are staged.
    #[inline(always)]
    fn is_staged(&self) -> bool {
        false
    }
    /// Asks for what elements a way after these will need, where these are consecutive.
    ///
    /// # Safety
    /// See the trait.
    #[inline(always)]
    unsafe fn look_ahead<const W: usize>(&self, _visits: &Visits<W>) {}
    /// Hands accumulated results over after a stretch of elements.
    #[inline(always)]
    fn finish(&self, _globals: &mut [GlobalStore]) {}
}

/// A parameter for `D` values of a dat: how they are loaded and stored.
#[diagnostic::on_unimplemented(
    message = "a dat of {D} {T} an element does not fit the kernel's parameter `{Self}`",
    label = "of another dimension, element type or kind than `{Self}`"
)]
pub trait DatParam<const D: usize, T: Element>: Param<Local<f64> = [T; D]> {
    /// What the components of the local variable start from where they do not start from the dat's values.
    #[doc(hidden)]
    const START: T;
    /// The local variable of these lanes.
    #[doc(hidden)]
    fn local<R: Real>(lanes: [T::Lane<R>; D]) -> Self::Local<R>;
    /// The lanes of a local variable.
    #[doc(hidden)]
    fn lanes<R: Real>(local: &Self::Local<R>) -> &[T::Lane<R>; D];
    #[doc(hidden)]
    fn store(row: &mut [T; D], local: &[T; D]);
}

macro_rules! dat_param {
    ($param:ident, $start:expr, |$row:ident, $local:ident| $store:expr) => {
        impl<const D: usize, T: Stored> DatParam<D, T> for $param<D, T> {
            const START: T = $start;
            #[inline(always)]
            fn local<R: Real>(lanes: [T::Lane<R>; D]) -> [T::Lane<R>; D] {
                lanes
            }
            #[inline(always)]
            fn lanes<R: Real>(local: &[T::Lane<R>; D]) -> &[T::Lane<R>; D] {
                local
            }
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

/// The local variable of a parameter that does not start from the dat's values.
#[inline(always)]
fn start<const D: usize, T: Stored, P: DatParam<D, T>, R: Real>() -> P::Local<R> {
    P::local::<R>([P::START.splat::<R>(); D])
}

/// Rows of `W` elements, each whole.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
struct LaneRows<T: Stored, const D: usize, const W: usize>(MaybeUninit<[[T; D]; W]>);

impl<T: Stored, const D: usize, const W: usize> LaneRows<T, D, W> {
    #[inline(always)]
    fn new<R: Vector<W>>(lanes: &[T::Lane<R>; D]) -> Self {
        let mut rows = MaybeUninit::<[[T; D]; W]>::uninit();
        // SAFETY: there is room for W rows of D values.
        unsafe { T::store_block::<W, D, R>(lanes, rows.as_mut_ptr().cast()) }
        LaneRows(rows)
    }

    /// # Safety
    /// `e` < W.
    #[inline(always)]
    unsafe fn row(&self, e: usize) -> &[T; D] {
        // SAFETY: the caller's condition.
        unsafe { &*self.0.as_ptr().cast::<[T; D]>().add(e) }
    }
}

/// Rows of `W` elements, each in the parts that registers are turned into: all registers are stored whole.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub struct GroupedRows<T: Stored, const D: usize, const W: usize>(MaybeUninit<[[T; D]; W]>);

impl<T: Stored, const D: usize, const W: usize> GroupedRows<T, D, W> {
    /// No rows, for what is not stored.
    #[inline(always)]
    fn none() -> Self {
        GroupedRows(MaybeUninit::uninit())
    }

    #[inline(always)]
    fn new<R: Vector<W>>(lanes: &[T::Lane<R>; D]) -> Self {
        let mut rows = MaybeUninit::<[[T; D]; W]>::uninit();
        // SAFETY: there is room for W rows of D values.
        unsafe { T::store_grouped::<W, D, R>(lanes, rows.as_mut_ptr().cast()) }
        GroupedRows(rows)
    }

    /// # Safety
    /// There are rows, and `e` < W.
    #[inline(always)]
    unsafe fn row(&self, e: usize) -> [T; D] {
        // SAFETY: the caller's condition.
        unsafe { T::grouped_row::<W, D>(self.0.as_ptr().cast(), e) }
    }
}

/// A dat on the loop's own set.
#[derive(Clone, Copy, Debug)]
pub struct DirectRows<const D: usize, T> {
    base: *mut T,
    rows: usize,
    /// Found by position, and stored for every element: a tile's own rows.
    by_position: bool,
    /// What is only written is stored past the cache.
    past_cache: bool,
}

impl<const D: usize, T: Stored> DirectRows<D, T> {
    pub(crate) fn new(site: &Site<'_>, dat: usize, arg: usize) -> Self {
        if let Some(placed) = site.placed.get(arg) {
            let Placed { base, rows, private, .. } = *placed;
            return DirectRows { base: base.cast(), rows, by_position: private, past_cache: false };
        }
        let values = T::cells(&site.local.columns[dat]);
        let (base, rows) = (values.as_ptr() as *mut T, values.len() / D);
        DirectRows { base, rows, by_position: false, past_cache: site.past_cache }
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
    /// The visits are of rows of the loop's set.
    #[inline(always)]
    unsafe fn load_lanes<const W: usize, R: Vector<W>>(&self, visits: &Visits<W>) -> [T::Lane<R>; D] {
        // SAFETY: the caller's condition; a block is consecutive rows.
        unsafe {
            match visits.block(self.by_position) {
                Some(first) => {
                    debug_assert!(first + W <= self.rows, "{W} rows from {first} of {}", self.rows);
                    T::load_block::<W, D, R>(self.row(first).cast())
                }
                None => {
                    let row = |e| self.row(visits.place(e, self.by_position)).cast_const().cast();
                    T::load_rows::<W, D, R>(std::array::from_fn(row))
                }
            }
        }
    }
}

// SAFETY: rows are reached through `row`, whose condition is this trait's. A block is consecutive rows of the set.
unsafe impl<const D: usize, T: Stored, P: DatParam<D, T>> Bound<P> for DirectRows<D, T> {
    type Rows<const W: usize> = ();
    #[inline(always)]
    unsafe fn load<const W: usize, R: Vector<W>>(&self, visits: &Visits<W>) -> P::Local<R> {
        if P::ACCESS.reads() {
            P::local::<R>(unsafe { self.load_lanes::<W, R>(visits) })
        } else {
            start::<D, T, P, R>()
        }
    }
    #[inline(always)]
    unsafe fn store<const W: usize, R: Vector<W>>(&mut self, visits: &Visits<W>, local: &P::Local<R>) {
        if !P::ACCESS.modifies() {
            return;
        }
        let lanes = P::lanes::<R>(local);
        unsafe {
            let stored = visits.are_stored(self.by_position) && P::ACCESS != Access::Inc;
            if let Some(first) = visits.block(self.by_position).filter(|_| stored) {
                debug_assert!(first + W <= self.rows, "{W} rows from {first} of {}", self.rows);
                let to = self.row(first);
                if self.past_cache && P::ACCESS == Access::Write {
                    let rows = LaneRows::<T, D, W>::new::<R>(lanes);
                    if store_past_cache(rows.0.as_ptr().cast(), to.cast(), W * D * size_of::<T>()) {
                        return;
                    }
                }
                return T::store_block::<W, D, R>(lanes, to.cast());
            }
            let rows = LaneRows::<T, D, W>::new::<R>(lanes);
            for e in 0..W {
                if visits.is_stored(e, self.by_position) {
                    P::store(&mut *self.row(visits.place(e, self.by_position)), rows.row(e));
                }
            }
        }
    }
    #[inline(always)]
    unsafe fn look_ahead<const W: usize>(&self, visits: &Visits<W>) {
        if let Some(first) = visits.block(self.by_position)
            && !(self.past_cache && P::ACCESS == Access::Write)
        {
            // SAFETY: the caller's condition.
            follow(unsafe { self.row(first) });
        }
    }
    #[inline(always)]
    fn finish(&self, _globals: &mut [GlobalStore]) {
        if self.past_cache && P::ACCESS == Access::Write {
            finish_stores();
        }
    }
}

/// A dat at target `I` of a map of arity `N`.
#[derive(Clone, Copy, Debug)]
pub struct IndirectRows<const D: usize, T, const N: usize, const I: usize> {
    base: *mut T,
    rows: usize,
    /// Where values are read: the map's own targets, by row; in a chain also the tile's, by position.
    read: Indices<N>,
    read_by_position: bool,
    /// Where values are changed: the schedule's targets, by position.
    changed: Indices<N>,
    /// Increments are kept apart: this many to a position, this operand's at this place among them.
    staged: Option<(usize, usize)>,
    /// In debug builds, for a dat that is written: which rows have been.
    written: Option<(*mut bool, usize)>,
}

impl<const D: usize, T: Stored, const N: usize, const I: usize> IndirectRows<D, T, N, I> {
    pub(crate) fn new(site: &Site<'_>, dat: usize, map: usize, access: Access, arg: usize) -> Self {
        if let Some(placed) = site.placed.get(arg) {
            let Placed { base, rows, indices, count, .. } = *placed;
            let indices = Indices { first: indices, rows: count / N };
            return IndirectRows {
                base: base.cast(),
                rows,
                read: indices,
                read_by_position: true,
                changed: indices,
                staged: None,
                written: None,
            };
        }
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
            read_by_position: false,
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
    /// `at` is a row.
    #[inline(always)]
    unsafe fn row(&self, at: usize) -> *const [u32; N] {
        debug_assert!(at < self.rows, "index row {at} of {}", self.rows);
        // SAFETY: `first` points to `rows` rows of N indices.
        unsafe { self.first.add(at * N).cast() }
    }

    /// # Safety
    /// `at` is a row, and the indices are still there.
    #[inline(always)]
    unsafe fn target<const I: usize>(&self, at: usize) -> usize {
        // SAFETY: the caller's conditions.
        unsafe { *self.row(at).cast::<u32>().add(I) as usize }
    }
}

// SAFETY: rows are reached through `target`; a temporary array has room for every position.
unsafe impl<const D: usize, T: Stored, const N: usize, const I: usize, P: DatParam<D, T>> Bound<P>
    for IndirectRows<D, T, N, I>
{
    type Rows<const W: usize> = GroupedRows<T, D, W>;
    const STORES_ROW_BY_ROW: bool = P::ACCESS.modifies();
    const READS_SINGLES_THROUGH_MAPS: bool = P::ACCESS.reads() && D == 1;
    #[inline(always)]
    unsafe fn load<const W: usize, R: Vector<W>>(&self, visits: &Visits<W>) -> P::Local<R> {
        if !P::ACCESS.reads() {
            return start::<D, T, P, R>();
        }
        if D == 1
            && let Some(first) = visits.sure_block(self.read_by_position)
        {
            let lane = unsafe { T::load_targets::<W, N, I, R>(self.base, self.read.row(first)) };
            return P::local::<R>([lane; D]);
        }
        let at = |e| visits.place(e, self.read_by_position);
        let target = |e| unsafe { self.target(&self.read, at(e)).cast_const().cast() };
        P::local::<R>(unsafe { T::load_rows::<W, D, R>(std::array::from_fn(target)) })
    }
    #[inline(always)]
    unsafe fn store<const W: usize, R: Vector<W>>(
        &mut self,
        _visits: &Visits<W>,
        local: &P::Local<R>,
    ) -> GroupedRows<T, D, W> {
        if P::ACCESS.modifies() { GroupedRows::new::<R>(P::lanes::<R>(local)) } else { GroupedRows::none() }
    }
    #[inline(always)]
    unsafe fn store_row<const W: usize>(&self, visits: &Visits<W>, e: usize, rows: &GroupedRows<T, D, W>) {
        if !P::ACCESS.modifies() {
            return;
        }
        let position = visits.position(e);
        unsafe {
            let row = rows.row(e);
            if P::ACCESS == Access::Write {
                self.check_write(position, &row);
            }
            P::store(&mut *self.target(&self.changed, position), &row);
        }
    }
    #[inline(always)]
    unsafe fn stage_row<const W: usize>(&self, visits: &Visits<W>, e: usize, rows: &GroupedRows<T, D, W>) {
        unsafe {
            match self.staged {
                None => Bound::<P>::store_row(self, visits, e, rows),
                Some((slots, slot)) => {
                    let at = (visits.position(e) * slots + slot) * D;
                    *self.base.wrapping_add(at).cast() = rows.row(e)
                }
            }
        }
    }
    /// Where the map leads is not looked up: it is mostly near what the cache holds already.
    #[inline(always)]
    unsafe fn look_ahead<const W: usize>(&self, visits: &Visits<W>) {
        if const { I == 0 }
            && let Some(first) = visits.block(self.read_by_position)
        {
            // SAFETY: the caller's condition.
            follow(unsafe { self.read.row(first) });
        }
    }
    #[inline(always)]
    fn is_staged(&self) -> bool {
        P::ACCESS.modifies() && self.staged.is_some()
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
    /// Something changes through a map.
    const STORES_ROW_BY_ROW: bool;
    /// Single values are read through a map.
    const READS_SINGLES_THROUGH_MAPS: bool;
    /// Loads all local variables.
    ///
    /// # Safety
    /// See [`Bound`].
    unsafe fn load<const W: usize, R: Vector<W>>(&self, visits: &Visits<W>) -> P::Locals<R>;
    /// Stores all local variables; what changes through maps element by element, in argument order.
    ///
    /// # Safety
    /// See [`Bound`].
    unsafe fn store<const W: usize, R: Vector<W>>(&mut self, visits: &Visits<W>, locals: &P::Locals<R>);
    /// Asks for what elements a way after these will need, where these are consecutive.
    ///
    /// # Safety
    /// See [`Bound`].
    unsafe fn look_ahead<const W: usize>(&self, visits: &Visits<W>);
    /// Hands accumulated results over.
    fn finish(&self, globals: &mut [GlobalStore]);
}

macro_rules! bounds_tuple {
    ($($p:ident $a:ident $i:tt),*) => {
        // SAFETY: passes the conditions on.
        unsafe impl<$($p: Param, $a: Bound<$p>),*> Bounds<($($p,)*)> for ($($a,)*) {
            const STORES_ROW_BY_ROW: bool = false $(|| $a::STORES_ROW_BY_ROW)*;
            const READS_SINGLES_THROUGH_MAPS: bool = false $(|| $a::READS_SINGLES_THROUGH_MAPS)*;
            #[inline(always)]
            unsafe fn load<const W: usize, R: Vector<W>>(
                &self,
                visits: &Visits<W>,
            ) -> <($($p,)*) as Params>::Locals<R> {
                unsafe { ($(self.$i.load::<W, R>(visits),)*) }
            }
            #[inline(always)]
            unsafe fn store<const W: usize, R: Vector<W>>(
                &mut self,
                visits: &Visits<W>,
                locals: &<($($p,)*) as Params>::Locals<R>,
            ) {
                unsafe {
                    let rows = ($(self.$i.store::<W, R>(visits, &locals.$i),)*);
                    if false $(|| self.$i.is_staged())* {
                        for e in 0..W {
                            $(<$a as Bound<$p>>::stage_row(&self.$i, visits, e, &rows.$i);)*
                        }
                    } else {
                        for e in 0..W {
                            $(<$a as Bound<$p>>::store_row(&self.$i, visits, e, &rows.$i);)*
                        }
                    }
                }
            }
            #[inline(always)]
            unsafe fn look_ahead<const W: usize>(&self, visits: &Visits<W>) {
                unsafe { $(<$a as Bound<$p>>::look_ahead(&self.$i, visits);)* }
            }
            #[inline(always)]
            fn finish(&self, globals: &mut [GlobalStore]) {
                $(self.$i.finish(globals);)*
            }
        }
    };
}

crate::kernel::for_each_tuple!(bounds_tuple);
