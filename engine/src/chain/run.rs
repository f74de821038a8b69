//! Executes a chain, tile by tile.

use std::cell::UnsafeCell;
use std::time::Duration;

use super::ahead::Ahead;
use super::analysis::{Step, Where};
use super::life::not_cleared;
use super::plan::ChainPlan;
use super::tile::Tile;
use crate::bound::Placed;
use crate::global::GlobalStore;
use crate::local::Local;
use crate::record::{By, Elements, Recorded};
use crate::schedule::HOME;
use crate::storage::Column;
use crate::timer::Stopwatch;

/// Elements that are executed before the next tile is looked at again.
const PIECE: usize = 512;

/// Eight words that share a line of the cache.
#[repr(align(64))]
pub(crate) struct Line([UnsafeCell<u64>; 8]);

/// A worker's private storage, kept from chain to chain so that it stays in the worker's cache.
#[derive(Default)]
pub(crate) struct Storage {
    lines: Vec<Line>,
    /// Time spent on each loop of the chain.
    spent: Vec<Duration>,
    /// What the next tile will load.
    ahead: Ahead,
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
    /// Runs a tile; `next` is the one that this worker will run after it.
    ///
    /// # Safety
    /// The plan was made for these loops on this rank, whose other workers run other tiles of it, or nothing. The
    /// storage has room for the plan's slots and belongs to this worker.
    pub(crate) unsafe fn run(
        &self,
        tile: &Tile,
        next: Option<&Tile>,
        storage: &mut Storage,
        globals: &mut [GlobalStore],
    ) {
        self.look_ahead(tile, next, &mut storage.ahead);
        for (step, &account) in self.plan.analysis.steps.iter().zip(&self.plan.accounts) {
            let watch = Stopwatch::start();
            match *step {
                Step::Loop(l) => {
                    let mut ahead = std::mem::take(&mut storage.ahead);
                    // SAFETY: the caller's conditions.
                    unsafe { self.run_loop(l, tile, storage, globals, &mut ahead) };
                    storage.ahead = ahead;
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
            watch.add_to(&mut storage.spent[account]);
        }
    }

    /// Notes what the next tile will load, to be fetched piece by piece.
    fn look_ahead(&self, tile: &Tile, next: Option<&Tile>, ahead: &mut Ahead) {
        ahead.clear();
        let Some(next) = next else { return };
        let mut columns: Vec<usize> = Vec::new();
        let mut calls = 0;
        for step in &self.plan.analysis.steps {
            match *step {
                Step::Loop(l) => calls += tile.executed[l].div_ceil(PIECE),
                Step::Load(slot) => {
                    let s = self.plan.analysis.slots[slot];
                    if columns.contains(&s.from) {
                        continue;
                    }
                    columns.push(s.from);
                    let base = self.column(s.from, false).base();
                    for run in &next.sets[s.set].runs {
                        let first = base.wrapping_add(run.row as usize * s.row_bytes);
                        ahead.push(first, run.len as usize * s.row_bytes);
                    }
                }
                _ => {}
            }
        }
        ahead.divide(calls);
    }

    unsafe fn run_loop(
        &self,
        l: usize,
        tile: &Tile,
        storage: &Storage,
        globals: &mut [GlobalStore],
        ahead: &mut Ahead,
    ) {
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
        // Only what is at home counts; where that matters by position, it comes first.
        let home = if link.counts { set.home.min(executed) } else { executed };
        let mut start = 0;
        while start < executed {
            let end = if start < home { home.min(start + PIECE) } else { executed.min(start + PIECE) };
            let by = if link.by_row { By::Row } else { By::Position { home: start < home } };
            let elements = Elements { range: start..end, rows, by };
            // SAFETY: the plan's lists lead to rows of the storage they are used with; home rows are this tile's alone.
            unsafe { self.loops[l].run_placed(self.local, &placed, elements, globals) };
            ahead.fetch();
            start = end;
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
