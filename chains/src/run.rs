//! Executes a chain, tile by tile.

use std::ops::Range;
use std::time::Duration;

use cfd_engine::plug::{
    AlignedBuffer, By, DatStorage, Elements, GlobalStore, HUGE, LINE, Local, OWNED, Placed, PrefetchQueue,
    Recorded, STEP, Stopwatch, not_cleared,
};

use super::analysis::{Step, Where};
use super::plan::ChainPlan;
use super::tile::{Span, Tile};

/// A worker's private storage, kept from chain to chain so that it stays in the worker's cache.
pub(crate) struct PrivateStorage {
    words: AlignedBuffer<u64>,
    /// Time spent on each loop of the chain.
    spent: Vec<Duration>,
    /// What is to be prefetched meanwhile.
    prefetch: PrefetchQueue,
}

impl Default for PrivateStorage {
    fn default() -> PrivateStorage {
        PrivateStorage {
            words: AlignedBuffer::new(0, |_| ()),
            spent: Vec::new(),
            prefetch: PrefetchQueue::default(),
        }
    }
}

impl PrivateStorage {
    /// Makes room for this many bytes, and for the times of this many loops.
    pub(crate) fn reserve(&mut self, bytes: usize, loops: usize) {
        self.spent.resize(self.spent.len().max(loops), Duration::ZERO);
        if bytes > self.bytes() {
            // With a large page in it, wherever that begins.
            self.words = AlignedBuffer::new(bytes.max(2 * HUGE) / 8, |_| ());
        }
    }

    /// The time spent on each loop since this was asked last.
    pub(crate) fn take_spent(&mut self) -> Vec<Duration> {
        std::mem::take(&mut self.spent)
    }

    /// Bytes there are.
    pub(crate) fn bytes(&self) -> usize {
        8 * self.words.len()
    }

    fn at(&self, offset: usize) -> *mut u8 {
        debug_assert!(offset.is_multiple_of(LINE), "slots begin with a line");
        self.words[offset / 8..].as_ptr() as *mut u8
    }
}

/// A chain at work on one rank.
pub(crate) struct Chained<'a> {
    pub(crate) plan: &'a ChainPlan,
    pub(crate) loops: &'a [&'a dyn Recorded],
    pub(crate) local: &'a Local,
    /// By dat: the storage that takes its new values, if not its present one.
    pub(crate) second: &'a [Option<&'a DatStorage>],
    /// By dat: its set, and bytes of a row.
    pub(crate) sets: &'a [usize],
    pub(crate) row_bytes: &'a [usize],
    /// By dat: its name.
    pub(crate) names: &'a [&'a str],
}

// SAFETY: storages are changed only through pointers into cells, by `run`, whose workers run different tiles: a tile
// changes the rows that it owns, and reads other rows only of storages that no tile changes.
unsafe impl Sync for Chained<'_> {}

impl Chained<'_> {
    /// Runs a tile; `next` is the one that this worker will run after it.
    ///
    /// # Safety
    /// The plan was made for these loops on this rank, whose other workers run other tiles of it, or nothing. The
    /// storage has room for the plan's slots and belongs to this worker.
    pub(crate) unsafe fn run(
        &self,
        tile: &Tile,
        next: Option<&Tile>,
        storage: &mut PrivateStorage,
        globals: &mut [GlobalStore],
    ) {
        self.queue_prefetches(tile, next, &mut storage.prefetch);
        for (step, &account) in self.plan.analysis.steps.iter().zip(&self.plan.accounts) {
            let watch = Stopwatch::start();
            match *step {
                Step::Loop(l) => {
                    let mut prefetch = std::mem::take(&mut storage.prefetch);
                    // SAFETY: the caller's conditions.
                    unsafe { self.run_loop(l, tile, storage, globals, &mut prefetch) };
                    storage.prefetch = prefetch;
                }
                // SAFETY: the caller's conditions: the slot is this worker's, and the present storage of a dat that is
                // loaded from other rows than the tile owns does not change while tiles run.
                Step::Load(slot) => unsafe { self.copy(slot, tile, storage, true) },
                // SAFETY: the caller's conditions: the slot is this worker's, and owned rows are this tile's.
                Step::Store(slot) => unsafe { self.copy(slot, tile, storage, false) },
                Step::Zero(slot) => {
                    let s = self.plan.analysis.slots[slot];
                    let bytes = (tile.sets[s.set].rows.len() + 1) * s.row_bytes;
                    // SAFETY: the slot has room for the tile's rows and a scratch row, and is this worker's.
                    unsafe { storage.at(self.plan.offsets[slot]).write_bytes(0, bytes) };
                }
                Step::CheckZero(slot) => {
                    if cfg!(debug_assertions) {
                        self.check_zero(slot, tile, storage);
                    }
                }
            }
            watch.add_to(&mut storage.spent[account]);
        }
    }

    /// Notes what this tile will write in the end and the next one read, to be prefetched while this one is worked on.
    fn queue_prefetches(&self, tile: &Tile, next: Option<&Tile>, prefetch: &mut PrefetchQueue) {
        prefetch.clear();
        for &dat in self.plan.writes.iter().filter(|&&dat| self.second[dat].is_some()) {
            self.push_spans(prefetch, dat, true, &tile.sets[self.sets[dat]].owned_spans);
        }
        if let Some(next) = next {
            self.push_reads(prefetch, next);
        }
        prefetch.divide(tile.executed.iter().map(|elements| elements / STEP).sum());
    }

    /// Adds what a tile reads: rows of dats, and lists.
    fn push_reads(&self, prefetch: &mut PrefetchQueue, next: &Tile) {
        for &dat in &self.plan.reads {
            self.push_spans(prefetch, dat, false, &next.sets[self.sets[dat]].read);
        }
        prefetch.push_all(&self.plan.lists[next.lists.clone()]);
        for set in &next.sets {
            prefetch.push_all(&set.runs);
            prefetch.push_all(&set.strays);
        }
    }

    /// Adds rows of a dat's present or new storage.
    fn push_spans(&self, prefetch: &mut PrefetchQueue, dat: usize, new: bool, spans: &[Span]) {
        let (base, row_bytes) = (self.dat_storage(dat, new).base(), self.row_bytes[dat]);
        for span in spans {
            prefetch.push(base.wrapping_add(span.row as usize * row_bytes), span.len as usize * row_bytes);
        }
    }

    unsafe fn run_loop(
        &self,
        l: usize,
        tile: &Tile,
        storage: &PrivateStorage,
        globals: &mut [GlobalStore],
        prefetch: &mut PrefetchQueue,
    ) {
        let link = &self.plan.links[l];
        let list = |place: &Range<usize>| &self.plan.lists[place.clone()];
        let placed = link.args.iter().zip(&link.places).map(|(arg, place)| match *place {
            Where::Global => Placed::nowhere(),
            Where::Private(slot) => {
                let s = self.plan.analysis.slots[slot];
                let rows = tile.sets[s.set].rows.len() + 1;
                let here = Placed::private(storage.at(self.plan.offsets[slot]), rows);
                arg.map().map_or(here, |map| here.through(list(&tile.private[map])))
            }
            Where::DatStorage(dat) => {
                let dat_storage = self.dat_storage(dat, arg.access.modifies());
                let rows = dat_storage.len() * dat_storage.element_bytes() / self.row_bytes[dat];
                let here = Placed::in_dat_storage(dat_storage.base(), rows);
                arg.map().map_or(here, |map| here.through(list(&tile.private[map])))
            }
        });
        let placed: Vec<Placed> = placed.collect();
        let (set, executed) = (&tile.sets[link.set], tile.executed[l]);
        let rows = &list(&set.rows)[..executed];
        // Only what is owned counts; where that matters by position, it comes first.
        let owned = if link.counts { set.owned.min(executed) } else { executed };
        for range in [0..owned, owned..executed].into_iter().filter(|range| !range.is_empty()) {
            let by = if link.by_row { By::Row } else { By::Position { owned: range.start < owned } };
            let elements = Elements { range, rows, by };
            // SAFETY: the plan's lists lead to rows of the storage they are used with; owned rows are this tile's
            // alone.
            unsafe { self.loops[l].run_placed(self.local, &placed, elements, prefetch, globals) };
        }
    }

    /// The storage of a dat's present or new values.
    fn dat_storage(&self, dat: usize, new: bool) -> &DatStorage {
        self.second[dat].filter(|_| new).unwrap_or(&self.local.storages[dat])
    }

    /// Fills a slot from its dat's present storage, or the owned rows of its dat's new storage from the slot.
    unsafe fn copy(&self, slot: usize, tile: &Tile, storage: &PrivateStorage, load: bool) {
        let s = self.plan.analysis.slots[slot];
        let private = storage.at(self.plan.offsets[slot]);
        let dat_storage = self.dat_storage(if load { s.from } else { s.dat }, !load).base();
        let set = &tile.sets[s.set];
        let copy = |row: u32, position: u32, bytes: usize| {
            // SAFETY: rows lie within the storage and the slot, which do not overlap; see `run`.
            unsafe {
                let private = private.add(position as usize * s.row_bytes);
                let dat_storage = dat_storage.add(row as usize * s.row_bytes);
                let (from, to) = if load { (dat_storage, private) } else { (private, dat_storage) };
                std::ptr::copy_nonoverlapping(from, to, bytes);
            }
        };
        for run in set.runs.iter().filter(|run| load || run.owned) {
            copy(run.row, run.position, run.len as usize * s.row_bytes);
        }
        let strays = if load { &set.strays[..] } else { &set.strays[..set.owned_strays] };
        // What is known of its size needs no call of a function.
        match s.row_bytes {
            8 => strays.iter().for_each(|stray| copy(stray.row, stray.position, 8)),
            16 => strays.iter().for_each(|stray| copy(stray.row, stray.position, 16)),
            32 => strays.iter().for_each(|stray| copy(stray.row, stray.position, 32)),
            bytes => strays.iter().for_each(|stray| copy(stray.row, stray.position, bytes)),
        }
    }

    fn check_zero(&self, slot: usize, tile: &Tile, storage: &PrivateStorage) {
        let s = self.plan.analysis.slots[slot];
        let rows = &self.plan.lists[tile.sets[s.set].rows.clone()];
        for (position, &row) in rows.iter().enumerate().filter(|(_, row)| *row & OWNED != 0) {
            // SAFETY: the position is one of the slot's rows, and nobody else uses the slot.
            let bytes = unsafe {
                let first = storage.at(self.plan.offsets[slot]).add(position * s.row_bytes);
                std::slice::from_raw_parts(first, s.row_bytes)
            };
            let cleared = bytes.iter().all(|&byte| byte == 0);
            assert!(cleared, "{}", not_cleared(self.names[s.dat], (row & !OWNED) as usize));
        }
    }
}
