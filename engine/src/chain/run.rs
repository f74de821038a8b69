//! Executes a chain, tile by tile.

use std::cell::UnsafeCell;
use std::time::Duration;

use super::analysis::{Step, Where};
use super::life::not_cleared;
use super::plan::ChainPlan;
use super::tile::Tile;
use crate::bound::Placed;
use crate::global::GlobalStore;
use crate::local::Local;
use crate::record::{Elements, Recorded};
use crate::schedule::HOME;
use crate::storage::Column;
use crate::timer::Stopwatch;

/// Eight words that share a line of the cache.
#[repr(align(64))]
pub(crate) struct Line([UnsafeCell<u64>; 8]);

/// A worker's private storage, kept from chain to chain so that it stays in the worker's cache.
#[derive(Default)]
pub(crate) struct Storage {
    lines: Vec<Line>,
    /// Time spent on each loop of the chain.
    spent: Vec<Duration>,
}

impl Storage {
    /// Makes room for this many bytes, and for the times of this many loops.
    pub(crate) fn reserve(&mut self, bytes: usize, loops: usize) {
        self.spent.resize(self.spent.len().max(loops), Duration::ZERO);
        let lines = bytes.div_ceil(64);
        self.lines.resize_with(self.lines.len().max(lines), || Line(Default::default()));
    }

    /// The time spent on each loop since this was asked last.
    pub(crate) fn take_spent(&mut self) -> Vec<Duration> {
        std::mem::take(&mut self.spent)
    }

    /// Bytes there are.
    pub(crate) fn bytes(&self) -> usize {
        64 * self.lines.len()
    }

    fn at(&self, offset: usize) -> *mut u8 {
        let line = &self.lines[offset / 64];
        debug_assert!(offset.is_multiple_of(64), "slots begin with a line");
        line.0.as_ptr() as *mut u8
    }
}

/// A chain at work on one rank.
pub(crate) struct Chained<'a> {
    pub(crate) plan: &'a ChainPlan,
    pub(crate) loops: &'a [&'a dyn Recorded],
    pub(crate) local: &'a Local,
    /// By dat: the column that takes its new values, if not its present one.
    pub(crate) second: &'a [Option<&'a Column>],
    /// By dat: bytes of a row.
    pub(crate) row_bytes: &'a [usize],
    /// By dat: its name.
    pub(crate) names: &'a [&'a str],
}

// SAFETY: columns are changed only through pointers into cells, by `run`, whose workers run different tiles: a tile
// changes its own home rows, and reads other rows only of columns that no tile changes.
unsafe impl Sync for Chained<'_> {}

impl Chained<'_> {
    /// Runs a tile.
    ///
    /// # Safety
    /// The plan was made for these loops on this rank, whose other workers run other tiles of it, or nothing. The
    /// storage has room for the plan's slots and belongs to this worker.
    pub(crate) unsafe fn run(&self, tile: &Tile, storage: &mut Storage, globals: &mut [GlobalStore]) {
        for step in &self.plan.analysis.steps {
            match *step {
                Step::Loop(l) => {
                    let watch = Stopwatch::start();
                    // SAFETY: the caller's conditions.
                    unsafe { self.run_loop(l, tile, storage, globals) };
                    watch.add_to(&mut storage.spent[l]);
                }
                // SAFETY: the caller's conditions: the slot is this worker's, home rows are this tile's, and the present
                // column of a dat that is loaded from other rows does not change while tiles run.
                Step::Load(slot) => unsafe { self.copy(slot, tile, storage, true) },
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
        }
    }

    unsafe fn run_loop(&self, l: usize, tile: &Tile, storage: &Storage, globals: &mut [GlobalStore]) {
        let link = &self.plan.links[l];
        let placed = link.args.iter().zip(&link.places).map(|(arg, place)| match *place {
            Where::Global => Placed::nowhere(),
            Where::Private(slot) => {
                let s = self.plan.analysis.slots[slot];
                let rows = tile.sets[s.set].rows.len() + 1;
                let here = Placed::private(storage.at(self.plan.offsets[slot]), rows);
                arg.map().map_or(here, |map| here.through(&tile.private[map]))
            }
            Where::Column(dat) => {
                let column = self.column(dat, arg.access.modifies());
                let rows = column.len() * column.element_bytes() / self.row_bytes[dat];
                Placed::in_column(column.base(), rows)
            }
        });
        let placed: Vec<Placed> = placed.collect();
        let (set, executed) = (&tile.sets[link.set], tile.executed[l]);
        let rows = &set.rows[..executed];
        let mut run = |elements: Elements<'_>| {
            // SAFETY: the plan's lists lead to rows of the storage they are used with; home rows are this tile's alone.
            unsafe { self.loops[l].run_placed(self.local, &placed, elements, globals) };
        };
        if link.by_row {
            run(Elements::Rows(rows));
        } else if link.counts {
            // Only what is at home counts; it comes first.
            let home = set.home.min(executed);
            run(Elements::Positions { range: 0..home, rows, home: true });
            run(Elements::Positions { range: home..executed, rows, home: false });
        } else {
            run(Elements::Positions { range: 0..executed, rows, home: true });
        }
    }

    /// The column of a dat's present or new values.
    fn column(&self, dat: usize, new: bool) -> &Column {
        self.second[dat].filter(|_| new).unwrap_or(&self.local.columns[dat])
    }

    /// Fills a slot from its dat's present column, or its dat's new column's home rows from the slot.
    unsafe fn copy(&self, slot: usize, tile: &Tile, storage: &Storage, load: bool) {
        let s = self.plan.analysis.slots[slot];
        let private = storage.at(self.plan.offsets[slot]);
        let column = self.column(if load { s.from } else { s.dat }, !load).base();
        for run in tile.sets[s.set].runs.iter().filter(|run| load || run.home) {
            // SAFETY: runs lie within the column and the slot, which do not overlap; see `run`.
            unsafe {
                let private = private.add(run.position as usize * s.row_bytes);
                let column = column.add(run.row as usize * s.row_bytes);
                let (from, to) = if load { (column, private) } else { (private, column) };
                std::ptr::copy_nonoverlapping(from, to, run.len as usize * s.row_bytes);
            }
        }
    }

    fn check_zero(&self, slot: usize, tile: &Tile, storage: &Storage) {
        let s = self.plan.analysis.slots[slot];
        for (position, &row) in tile.sets[s.set].rows.iter().enumerate().filter(|(_, row)| *row & HOME != 0) {
            // SAFETY: the position is one of the slot's rows, and nobody else uses the slot.
            let bytes = unsafe {
                let first = storage.at(self.plan.offsets[slot]).add(position * s.row_bytes);
                std::slice::from_raw_parts(first, s.row_bytes)
            };
            let cleared = bytes.iter().all(|&byte| byte == 0);
            assert!(cleared, "{}", not_cleared(self.names[s.dat], (row & !HOME) as usize));
        }
    }
}
