//! The lists of one tile.

use std::ops::Range;

use cfd_engine::plug::HOME;

use super::division::Division;
use super::reach::{Reach, Reached};
use super::space::Space;

/// Consecutive rows at consecutive positions, alike at home or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Run {
    pub(crate) row: u32,
    pub(crate) position: u32,
    pub(crate) len: u32,
    pub(crate) home: bool,
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
    /// In the plan's lists: by position, marked [`HOME`] where they are at home in the tile; none of a set that tiles do not
    /// number.
    pub(crate) rows: Range<usize>,
    /// How many rows are at home; the first ones, unless the set's elements change values through maps.
    pub(crate) home: usize,
    /// The same in runs, for sets whose rows are copied from columns or to them, and what is in no run; the first
    /// `home_strays` are at home.
    pub(crate) runs: Vec<Run>,
    pub(crate) strays: Vec<Stray>,
    pub(crate) home_strays: usize,
    /// Rows whose columns are read, and those at home, for sets whose columns are used.
    pub(crate) read: Vec<Span>,
    pub(crate) at_home: Vec<Span>,
    /// How many rows of columns are read.
    pub(crate) held: usize,
}

impl TileSet {
    fn new(rows: &[u32], place: Range<usize>, uses: Uses) -> TileSet {
        let home = rows.iter().filter(|&&row| row & HOME != 0).count();
        let mut set = TileSet { rows: place, home, held: rows.len(), ..TileSet::default() };
        if uses.copied {
            let (runs, short): (Vec<Run>, Vec<Run>) = runs(rows).partition(|run| run.len as usize >= LONG);
            let strays = |home: bool| {
                let alike = short.iter().filter(move |run| run.home == home);
                alike.flat_map(|run| {
                    (0..run.len).map(|i| Stray { row: run.row + i, position: run.position + i })
                })
            };
            set.runs = runs;
            set.strays = strays(true).collect();
            set.home_strays = set.strays.len();
            set.strays.extend(strays(false));
        }
        if uses.columns {
            set.read = spans(rows.iter().map(|row| row & !HOME));
            set.at_home = spans(rows.iter().filter(|&row| row & HOME != 0).map(|row| row & !HOME));
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

/// What a chain does with the columns of a set.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Uses {
    /// Rows are copied from columns or to them.
    pub(crate) copied: bool,
    /// Columns are read or written, by copying or in place.
    pub(crate) columns: bool,
}

/// A region of every set that runs a whole chain.
#[derive(Debug)]
pub(crate) struct Tile {
    /// By set; empty for sets that the chain does not number.
    pub(crate) sets: Vec<TileSet>,
    /// In the plan's lists, by map: targets in the tile's numbering, by position; the rank's rows, where tiles have no numbers.
    /// Targets that the tile does not hold have the number of its rows, a scratch row.
    pub(crate) private: Vec<Range<usize>>,
    /// All of these lists.
    pub(crate) lists: Range<usize>,
    /// By loop: positions it executes.
    pub(crate) executed: Vec<usize>,
    /// The tile reads no row of another rank.
    pub(crate) interior: bool,
}

impl Tile {
    /// The lists of tile `number`: of the targets of these maps; `uses[set]`: of these rows. Appends to the plan's lists.
    pub(crate) fn new(
        number: u32,
        reach: &Reach<'_>,
        reached: &Reached,
        division: &Division,
        maps: &[bool],
        uses: &[Uses],
        lists: &mut Vec<u32>,
    ) -> Tile {
        let (space, start) = (reach.space, lists.len());
        let mut sets: Vec<TileSet> = space.sets.iter().map(|_| TileSet::default()).collect();
        for &set in reach.sets() {
            let mark = |&row: &u32| {
                let home = division.home[set].get(row as usize) == Some(&number);
                if home { row | HOME } else { row }
            };
            let place = append(lists, reached.rows[set].iter().map(mark));
            sets[set] = TileSet::new(&lists[place.clone()], place, uses[set]);
        }
        let targets_of = |(map, &wanted): (usize, &bool)| {
            if !wanted {
                return 0..0;
            }
            let (from, to) = (space.maps[map].from, space.maps[map].to);
            let targets = targets(space, map, &reached.rows[from]).into_iter();
            if !reach.numbers(to) {
                return append(lists, targets);
            }
            let scratch = reached.rows[to].len() as u32;
            append(lists, targets.map(|target| reach.position(to, target).unwrap_or(scratch)))
        };
        let private: Vec<Range<usize>> = maps.iter().enumerate().map(targets_of).collect();
        for set in (0..sets.len()).filter(|&set| !reach.numbers(set) && uses[set].columns) {
            let leading = (0..private.len()).filter(|&map| space.maps[map].to == set);
            sets[set] =
                TileSet::read_only(leading.flat_map(|map| lists[private[map].clone()].iter().copied()));
        }
        let owned = |(set, rows): (usize, &TileSet)| {
            let owned = space.sets[set].owned;
            let within = lists[rows.rows.clone()].iter().all(|&row| ((row & !HOME) as usize) < owned);
            within && rows.read.last().is_none_or(|last| (last.row + last.len) as usize <= owned)
        };
        let interior = sets.iter().enumerate().all(owned);
        Tile { private, sets, lists: start..lists.len(), executed: reached.executed.clone(), interior }
    }

    /// How many of the elements that a loop over a set executes are at home.
    pub(crate) fn at_home(&self, lists: &[u32], set: usize, executed: usize) -> u64 {
        let rows = &lists[self.sets[set].rows.clone()][..executed];
        rows.iter().filter(|&&row| row & HOME != 0).count() as u64
    }

    /// Bytes of what is not in the plan's lists.
    pub(crate) fn bytes(&self) -> usize {
        let of_set = |set: &TileSet| {
            let spans = size_of_val(&set.read[..]) + size_of_val(&set.at_home[..]);
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
        let run = Run { row: rows[0] & !HOME, position, len: rows.len() as u32, home: rows[0] & HOME != 0 };
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
