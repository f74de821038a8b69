//! The lists of one tile.

use std::ops::Range;

use cfd_engine::plug::OWNED;

use super::growth::{GrownTile, TileGrowth};
use super::space::Space;
use super::tiling::Tiling;

/// Consecutive rows at consecutive positions, alike owned by the tile or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Run {
    pub(crate) row: u32,
    pub(crate) position: u32,
    pub(crate) len: u32,
    pub(crate) owned: bool,
}

/// Rows from which on a run is one.
const LONG: usize = 8;

/// A row that is in no run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stray {
    pub(crate) row: u32,
    pub(crate) position: u32,
}

/// Rows that are near one another: a few between them may belong to others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Span {
    pub(crate) row: u32,
    pub(crate) len: u32,
}

/// Rows between two of a span that are not its own, at most.
const GAP: u32 = 4;

/// A tile's rows of one set.
#[derive(Debug, Default)]
pub(crate) struct TileSet {
    /// In the plan's lists: by position, marked [`OWNED`] where the tile owns them; none of a set that tiles do not
    /// number.
    pub(crate) rows: Range<usize>,
    /// How many rows the tile owns; the first ones, unless the set's elements change values through maps.
    pub(crate) owned: usize,
    /// The same in runs, for sets whose rows are copied from storages or to them, and what is in no run; the tile owns
    /// the first `owned_strays`.
    pub(crate) runs: Vec<Run>,
    pub(crate) strays: Vec<Stray>,
    pub(crate) owned_strays: usize,
    /// Rows that are read from storages, and those that the tile owns, for sets whose storages are used.
    pub(crate) read: Vec<Span>,
    pub(crate) owned_spans: Vec<Span>,
    /// How many rows of a storage are read.
    pub(crate) held: usize,
}

impl TileSet {
    fn new(rows: &[u32], place: Range<usize>, uses: Uses) -> TileSet {
        let owned = rows.iter().filter(|&&row| row & OWNED != 0).count();
        let mut set = TileSet { rows: place, owned, held: rows.len(), ..TileSet::default() };
        if uses.copied {
            let (runs, short): (Vec<Run>, Vec<Run>) = runs(rows).partition(|run| run.len as usize >= LONG);
            let strays = |owned: bool| {
                let alike = short.iter().filter(move |run| run.owned == owned);
                alike.flat_map(|run| {
                    (0..run.len).map(|i| Stray { row: run.row + i, position: run.position + i })
                })
            };
            set.runs = runs;
            set.strays = strays(true).collect();
            set.owned_strays = set.strays.len();
            set.strays.extend(strays(false));
        }
        if uses.storages {
            set.read = spans(rows.iter().map(|row| row & !OWNED));
            set.owned_spans = spans(rows.iter().filter(|&row| row & OWNED != 0).map(|row| row & !OWNED));
        }
        set
    }

    /// Of a set that tiles do not number: these rows are read.
    fn read_only(rows: impl Iterator<Item = u32>) -> TileSet {
        let mut rows: Vec<u32> = rows.collect();
        rows.sort_unstable();
        rows.dedup();
        TileSet { held: rows.len(), read: spans(rows.into_iter()), ..TileSet::default() }
    }
}

/// What a chain does with the storages of a set's dats.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Uses {
    /// Rows are copied from storages or to them.
    pub(crate) copied: bool,
    /// Storages are read or written, by copying or in place.
    pub(crate) storages: bool,
}

/// A region of every set that runs a whole chain.
#[derive(Debug)]
pub(crate) struct Tile {
    /// By set; empty for sets that the chain does not number.
    pub(crate) sets: Vec<TileSet>,
    /// In the plan's lists, by map: targets in the tile's numbering, by position; the rank's rows, where tiles have no
    /// numbers. Targets that the tile does not hold have the number of its rows, a scratch row.
    pub(crate) private: Vec<Range<usize>>,
    /// All of these lists.
    pub(crate) lists: Range<usize>,
    /// By loop: positions it executes.
    pub(crate) executed: Vec<usize>,
    /// The tile reads no row of another rank.
    pub(crate) interior: bool,
}

impl Tile {
    /// The lists of tile `number`: of the targets of these maps; `uses[set]`: of these rows. Appends to the plan's
    /// lists.
    pub(crate) fn new(
        number: u32,
        growth: &TileGrowth<'_>,
        grown: &GrownTile,
        tiling: &Tiling,
        maps: &[bool],
        uses: &[Uses],
        lists: &mut Vec<u32>,
    ) -> Tile {
        let (space, start) = (growth.space, lists.len());
        let mut sets: Vec<TileSet> = space.sets.iter().map(|_| TileSet::default()).collect();
        for &set in growth.sets() {
            let mark = |&row: &u32| {
                let owned = tiling.owner[set].get(row as usize) == Some(&number);
                if owned { row | OWNED } else { row }
            };
            let place = append(lists, grown.rows[set].iter().map(mark));
            sets[set] = TileSet::new(&lists[place.clone()], place, uses[set]);
        }
        let targets_of = |(map, &wanted): (usize, &bool)| {
            if !wanted {
                return 0..0;
            }
            let (from, to) = (space.maps[map].from, space.maps[map].to);
            let targets = targets(space, map, &grown.rows[from]).into_iter();
            if !growth.numbers(to) {
                return append(lists, targets);
            }
            let scratch = grown.rows[to].len() as u32;
            append(lists, targets.map(|target| growth.position(to, target).unwrap_or(scratch)))
        };
        let private: Vec<Range<usize>> = maps.iter().enumerate().map(targets_of).collect();
        for set in (0..sets.len()).filter(|&set| !growth.numbers(set) && uses[set].storages) {
            let leading = (0..private.len()).filter(|&map| space.maps[map].to == set);
            sets[set] =
                TileSet::read_only(leading.flat_map(|map| lists[private[map].clone()].iter().copied()));
        }
        let on_rank = |(set, rows): (usize, &TileSet)| {
            let owned = space.sets[set].owned;
            let within = lists[rows.rows.clone()].iter().all(|&row| ((row & !OWNED) as usize) < owned);
            within && rows.read.last().is_none_or(|last| (last.row + last.len) as usize <= owned)
        };
        let interior = sets.iter().enumerate().all(on_rank);
        Tile { private, sets, lists: start..lists.len(), executed: grown.executed.clone(), interior }
    }

    /// How many of the elements that a loop over a set executes the tile owns.
    pub(crate) fn count_owned(&self, lists: &[u32], set: usize, executed: usize) -> u64 {
        let rows = &lists[self.sets[set].rows.clone()][..executed];
        rows.iter().filter(|&&row| row & OWNED != 0).count() as u64
    }

    /// Bytes of what is not in the plan's lists.
    pub(crate) fn bytes(&self) -> usize {
        let of_set = |set: &TileSet| {
            let spans = size_of_val(&set.read[..]) + size_of_val(&set.owned_spans[..]);
            size_of_val(&set.runs[..]) + size_of_val(&set.strays[..]) + spans
        };
        self.sets.iter().map(of_set).sum()
    }
}

/// Appends a list; where it is.
fn append(lists: &mut Vec<u32>, list: impl Iterator<Item = u32>) -> Range<usize> {
    let start = lists.len();
    lists.extend(list);
    start..lists.len()
}

/// The runs of these marked rows.
fn runs(rows: &[u32]) -> impl Iterator<Item = Run> {
    let mut position = 0;
    let run = move |rows: &[u32]| {
        let run =
            Run { row: rows[0] & !OWNED, position, len: rows.len() as u32, owned: rows[0] & OWNED != 0 };
        position += run.len;
        run
    };
    // The mark is a bit of its own, so that marked and other rows never follow each other.
    rows.chunk_by(|&a, &b| b == a.wrapping_add(1)).map(run)
}

/// The spans of these rows.
fn spans(rows: impl Iterator<Item = u32>) -> Vec<Span> {
    let mut rows: Vec<u32> = rows.collect();
    rows.sort_unstable();
    let span = |rows: &[u32]| Span { row: rows[0], len: rows[rows.len() - 1] - rows[0] + 1 };
    rows.chunk_by(|&a, &b| b - a <= GAP + 1).map(span).collect()
}

/// The targets of these rows; where they are not known here, nobody.
fn targets(space: &Space<'_>, map: usize, rows: &[u32]) -> Vec<u32> {
    let (arity, nobody) = (space.maps[map].arity, space.nobody(space.maps[map].to));
    let mut targets = Vec::with_capacity(rows.len() * arity);
    for &row in rows {
        match space.targets(map, row as usize) {
            [] => targets.extend(std::iter::repeat_n(nobody, arity)),
            known => targets.extend(known),
        }
    }
    targets
}
