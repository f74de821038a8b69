//! The lists of one tile.

use super::division::Division;
use super::reach::{Reach, Reached};
use super::space::Space;
use crate::schedule::HOME;

/// Consecutive rows at consecutive positions, alike at home or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Run {
    pub(crate) row: u32,
    pub(crate) position: u32,
    pub(crate) len: u32,
    pub(crate) home: bool,
}

/// A tile's rows of one set.
#[derive(Debug, Default)]
pub(crate) struct TileSet {
    /// By position, marked [`HOME`] where they are at home in the tile.
    pub(crate) rows: Vec<u32>,
    /// How many rows are at home; the first ones, unless the set's elements change values through maps.
    pub(crate) home: usize,
    /// The same in runs, for sets whose rows are copied from columns or to them.
    pub(crate) runs: Vec<Run>,
}

/// A region of every set that runs a whole chain.
#[derive(Debug)]
pub(crate) struct Tile {
    /// By set; empty for sets that the chain does not number.
    pub(crate) sets: Vec<TileSet>,
    /// By map: targets in the tile's numbering, by position. Targets that the tile does not hold have the number of
    /// its rows, a scratch row.
    pub(crate) private: Vec<Vec<u32>>,
    /// By loop: positions it executes.
    pub(crate) executed: Vec<usize>,
    /// The tile reads no row of another rank.
    pub(crate) interior: bool,
}

impl Tile {
    /// The lists of tile `number`: of the targets of these maps, and of runs of these sets.
    pub(crate) fn new(
        number: u32,
        reach: &Reach<'_>,
        reached: &Reached,
        division: &Division,
        maps: &[bool],
        copied: &[bool],
    ) -> Tile {
        let space = reach.space;
        let mut sets: Vec<TileSet> = space.sets.iter().map(|_| TileSet::default()).collect();
        for &set in reach.sets() {
            let mark = |&row: &u32| {
                let home = division.home[set].get(row as usize) == Some(&number);
                if home { row | HOME } else { row }
            };
            let rows: Vec<u32> = reached.rows[set].iter().map(mark).collect();
            let home = rows.iter().filter(|&&row| row & HOME != 0).count();
            let runs = if copied[set] { runs(&rows) } else { Vec::new() };
            sets[set] = TileSet { rows, home, runs };
        }
        let private = maps.iter().enumerate().map(|(map, &wanted)| {
            if !wanted {
                return Vec::new();
            }
            let (from, to) = (space.maps[map].from, space.maps[map].to);
            let scratch = reached.rows[to].len() as u32;
            let position = |&target: &u32| reach.position(to, target).unwrap_or(scratch);
            targets(space, map, &reached.rows[from]).iter().map(position).collect()
        });
        let owned = |set: usize| {
            let owned = space.sets[set].owned;
            reached.rows[set].iter().all(|&row| (row as usize) < owned)
        };
        let interior = reach.sets().iter().all(|&set| owned(set));
        Tile { private: private.collect(), sets, executed: reached.executed.clone(), interior }
    }

    /// How many of the elements that a loop over a set executes are at home.
    pub(crate) fn at_home(&self, set: usize, executed: usize) -> u64 {
        self.sets[set].rows[..executed].iter().filter(|&&row| row & HOME != 0).count() as u64
    }

    /// Bytes of the lists.
    pub(crate) fn bytes(&self) -> usize {
        let of_set = |set: &TileSet| 4 * set.rows.len() + size_of::<Run>() * set.runs.len();
        let rows: usize = self.sets.iter().map(of_set).sum();
        let indices: usize = self.private.iter().map(|list| 4 * list.len()).sum();
        rows + indices
    }
}

/// The runs of these marked rows.
fn runs(rows: &[u32]) -> Vec<Run> {
    let mut position = 0;
    let run = |rows: &[u32]| {
        let run = Run { row: rows[0] & !HOME, position, len: rows.len() as u32, home: rows[0] & HOME != 0 };
        position += run.len;
        run
    };
    // The mark is a bit of its own, so that marked and other rows never follow each other.
    rows.chunk_by(|&a, &b| b == a.wrapping_add(1)).map(run).collect()
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
