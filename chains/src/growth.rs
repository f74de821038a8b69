//! Tile growth: from the rows that a tile owns, backwards through the chain, which rows each loop executes.

use cfd_engine::plug::{LoopInfo, Place};

use super::analysis::{Analysis, Step};
use super::space::{Inverse, Space};

/// The row of nobody.
const NONE: u32 = u32::MAX;

/// The growth of tiles: what a chain's loops add to the rows of a tile, worked out once for all tiles.
pub(crate) struct TileGrowth<'a> {
    pub(crate) space: &'a Space<'a>,
    /// The executed loops, in their order.
    steps: Vec<Projection>,
    /// For every map through which values are changed.
    inverses: Vec<Option<Inverse>>,
    /// For every set, the tile's position of each row.
    position: Vec<Vec<u32>>,
    /// For every set: its elements change values through maps.
    source: Vec<bool>,
    /// For every set with elements that change values: the place of each row in the canonical order.
    place: Vec<Vec<u32>>,
    sets: Vec<usize>,
}

/// The projection of a loop's rows: the maps through which they lead to other rows.
#[derive(Default)]
pub(super) struct Projection {
    loop_: usize,
    pub(super) set: usize,
    /// Maps through which it changes values.
    pub(super) changes: Vec<usize>,
    /// Maps through which it reads dats that the chain has changed before.
    pub(super) reads: Vec<usize>,
    /// Maps through which it reads dats as they were before the chain.
    pub(super) loads: Vec<usize>,
}

/// The projections of a chain's executed loops, in their order.
pub(super) fn projections(loops: &[&LoopInfo], analysis: &Analysis) -> Vec<Projection> {
    let mut changed: Vec<usize> = Vec::new();
    let mut steps = Vec::new();
    for step in &analysis.steps {
        let &Step::Loop(loop_) = step else { continue };
        let info = loops[loop_];
        let mut projection = Projection { loop_, set: info.set(), ..Projection::default() };
        for arg in &info.args {
            let Place::Indirect { dat, map, .. } = arg.place else { continue };
            if arg.access.modifies() {
                push_new(&mut projection.changes, map);
            } else if changed.contains(&dat) {
                push_new(&mut projection.reads, map);
            } else {
                push_new(&mut projection.loads, map);
            }
        }
        let changes = info.args.iter().filter(|a| a.access.modifies());
        changes.filter_map(|a| a.dat()).for_each(|dat| push_new(&mut changed, dat));
        steps.push(projection);
    }
    steps
}

/// A tile that has grown: the rows it works on.
pub(crate) struct GrownTile {
    /// For every set: the rows, in the tile's numbering.
    pub(crate) rows: Vec<Vec<u32>>,
    /// For every loop: how many rows of its set it executes.
    pub(crate) executed: Vec<usize>,
}

impl<'a> TileGrowth<'a> {
    pub(crate) fn new(
        space: &'a Space<'a>,
        loops: &[&LoopInfo],
        analysis: &Analysis,
        place: Vec<Vec<u32>>,
    ) -> TileGrowth<'a> {
        let mut inverses: Vec<Option<Inverse>> = space.maps.iter().map(|_| None).collect();
        let mut used = vec![false; space.sets.len()];
        let mut steps = projections(loops, analysis);
        for projection in &steps {
            used[projection.set] = true;
            for &map in &projection.changes {
                inverses[map].get_or_insert_with(|| Inverse::new(space, map));
            }
        }
        analysis.slots.iter().for_each(|slot| used[slot.set] = true);
        for projection in &mut steps {
            projection.loads.retain(|&map| used[space.maps[map].to]);
        }
        let mut source = vec![false; space.sets.len()];
        steps.iter().filter(|p| !p.changes.is_empty()).for_each(|p| source[p.set] = true);
        let position = space
            .rows
            .iter()
            .enumerate()
            .map(|(set, &rows)| if used[set] { vec![NONE; rows] } else { Vec::new() });
        TileGrowth {
            position: position.collect(),
            space,
            steps,
            inverses,
            source,
            place,
            sets: (0..used.len()).filter(|&set| used[set]).collect(),
        }
    }

    /// The sets with rows of their own in tiles.
    pub(crate) fn sets(&self) -> &[usize] {
        &self.sets
    }

    /// The set has rows of its own in tiles.
    pub(crate) fn numbers(&self, set: usize) -> bool {
        !self.position[set].is_empty()
    }

    /// The rows of a tile that owns these, ascending for every set.
    pub(crate) fn of(&mut self, owned: &[Vec<u32>], loops: usize) -> GrownTile {
        let count = self.space.sets.len();
        let mut grown = GrownTile { rows: vec![Vec::new(); count], executed: vec![0; loops] };
        for at in 0..self.sets.len() {
            let set = self.sets[at];
            self.take(&mut grown, set, owned[set].clone());
        }
        // How many rows each map has been followed from, forwards and backwards.
        let mut followed = vec![[0, 0]; self.space.maps.len()];
        for at in (0..self.steps.len()).rev() {
            let (set, loop_) = (self.steps[at].set, self.steps[at].loop_);
            for map in self.steps[at].changes.clone() {
                let inverse = self.inverses[map].as_ref().expect("made for every such map");
                let targets = &grown.rows[self.space.maps[map].to];
                let from = std::mem::replace(&mut followed[map][1], targets.len());
                let sources = targets[from..].iter().flat_map(|&t| inverse.of(t as usize)).copied().collect();
                self.take(&mut grown, set, sources);
            }
            grown.executed[loop_] = grown.rows[set].len();
            for map in self.steps[at].reads.clone() {
                let from = std::mem::replace(&mut followed[map][0], grown.rows[set].len());
                let targets = self.targets(map, &grown.rows[set][from..]);
                self.take(&mut grown, self.space.maps[map].to, targets);
            }
        }
        for projection in self.steps.iter().filter(|p| self.source[p.set]) {
            grown.executed[projection.loop_] = grown.rows[projection.set].len();
        }
        for &set in self.sets.iter().filter(|&&set| self.source[set]) {
            grown.rows[set].sort_unstable_by_key(|&row| self.place[set][row as usize]);
        }
        // What is only looked at comes behind what is brought up to date.
        for at in 0..self.steps.len() {
            for map in self.steps[at].loads.clone() {
                let executed = grown.executed[self.steps[at].loop_];
                let targets = self.targets(map, &grown.rows[self.steps[at].set][..executed]);
                self.take(&mut grown, self.space.maps[map].to, targets);
            }
        }
        for &set in &self.sets {
            for (position, &row) in (0u32..).zip(&grown.rows[set]) {
                self.position[set][row as usize] = position;
            }
        }
        grown
    }

    /// The known targets of these rows.
    fn targets(&self, map: usize, rows: &[u32]) -> Vec<u32> {
        let nobody = self.space.nobody(self.space.maps[map].to);
        let targets = rows.iter().flat_map(|&row| self.space.targets(map, row as usize));
        targets.copied().filter(|&target| target != nobody).collect()
    }

    /// Adds the rows that the tile does not have yet, ascending.
    fn take(&mut self, grown: &mut GrownTile, set: usize, mut rows: Vec<u32>) {
        let position = &mut self.position[set];
        rows.retain(|&row| std::mem::replace(&mut position[row as usize], 0) == NONE);
        rows.sort_unstable();
        grown.rows[set].extend(rows);
    }

    /// The position of a row in the tile that has grown last; `None` outside it.
    pub(crate) fn position(&self, set: usize, row: u32) -> Option<u32> {
        let position = self.position[set][row as usize];
        (position != NONE).then_some(position)
    }

    /// Forgets the tile, before the next one.
    pub(crate) fn leave(&mut self, grown: &GrownTile) {
        for &set in &self.sets {
            for &row in &grown.rows[set] {
                self.position[set][row as usize] = NONE;
            }
        }
    }
}

fn push_new(list: &mut Vec<usize>, value: usize) {
    if !list.contains(&value) {
        list.push(value);
    }
}
