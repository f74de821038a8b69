//! From the rows a tile must bring up to date, backwards through the chain: which rows each loop executes.

use super::analysis::{Analysis, Step, Where};
use super::space::{Inverse, Space};
use crate::operand::Place;
use crate::record::LoopInfo;

/// The row of nobody.
const NONE: u32 = u32::MAX;

/// What a chain's loops reach for, worked out once for all tiles.
pub(crate) struct Reach<'a> {
    pub(crate) space: &'a Space<'a>,
    /// The executed loops, in their order.
    steps: Vec<Hops>,
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

/// Where a loop leads.
#[derive(Default)]
pub(super) struct Hops {
    loop_: usize,
    pub(super) set: usize,
    /// Maps through which it changes values.
    pub(super) changes: Vec<usize>,
    /// Maps through which it reads private dats.
    pub(super) reads: Vec<usize>,
}

/// Where the executed loops of a chain lead, in their order.
pub(super) fn hops(loops: &[&LoopInfo], analysis: &Analysis) -> Vec<Hops> {
    let mut steps = Vec::new();
    for step in &analysis.steps {
        let &Step::Loop(loop_) = step else { continue };
        let info = loops[loop_];
        let mut hops = Hops { loop_, set: info.set.id as usize, ..Hops::default() };
        for (arg, place) in info.args.iter().zip(&analysis.places[loop_]) {
            let Place::Indirect { map, .. } = arg.place else { continue };
            if arg.access.modifies() {
                push_new(&mut hops.changes, map);
            } else if matches!(place, Where::Private(_)) {
                push_new(&mut hops.reads, map);
            }
        }
        steps.push(hops);
    }
    steps
}

/// The rows a tile works on.
pub(crate) struct Reached {
    /// For every set: the rows, in the tile's numbering.
    pub(crate) rows: Vec<Vec<u32>>,
    /// For every loop: how many rows of its set it executes.
    pub(crate) executed: Vec<usize>,
}

impl<'a> Reach<'a> {
    pub(crate) fn new(
        space: &'a Space<'a>,
        loops: &[&LoopInfo],
        analysis: &Analysis,
        place: Vec<Vec<u32>>,
    ) -> Reach<'a> {
        let mut inverses: Vec<Option<Inverse>> = space.maps.iter().map(|_| None).collect();
        let mut used = vec![false; space.sets.len()];
        let steps = hops(loops, analysis);
        for hops in &steps {
            used[hops.set] = true;
            for &map in &hops.changes {
                inverses[map].get_or_insert_with(|| Inverse::new(space, map));
            }
        }
        analysis.slots.iter().for_each(|slot| used[slot.set] = true);
        let mut source = vec![false; space.sets.len()];
        steps.iter().filter(|h| !h.changes.is_empty()).for_each(|h| source[h.set] = true);
        let position = space
            .rows
            .iter()
            .enumerate()
            .map(|(set, &rows)| if used[set] { vec![NONE; rows] } else { Vec::new() });
        Reach {
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

    /// The rows of a tile with these home rows, ascending for every set.
    pub(crate) fn of(&mut self, home: &[Vec<u32>], loops: usize) -> Reached {
        let count = self.space.sets.len();
        let mut reached = Reached { rows: vec![Vec::new(); count], executed: vec![0; loops] };
        for &set in &self.sets {
            for &row in &home[set] {
                self.position[set][row as usize] = 0;
            }
            reached.rows[set].extend(&home[set]);
        }
        // How many rows each map has been followed from, forwards and backwards.
        let mut followed = vec![[0, 0]; self.space.maps.len()];
        for hops in self.steps.iter().rev() {
            for &map in &hops.changes {
                let inverse = self.inverses[map].as_ref().expect("made for every such map");
                let targets = &reached.rows[self.space.maps[map].to];
                let mut new = Vec::new();
                for &target in &targets[std::mem::replace(&mut followed[map][1], targets.len())..] {
                    for &source in inverse.of(target as usize) {
                        if self.position[hops.set][source as usize] == NONE {
                            self.position[hops.set][source as usize] = 0;
                            new.push(source);
                        }
                    }
                }
                reached.add(hops.set, new);
            }
            reached.executed[hops.loop_] = reached.rows[hops.set].len();
            for &map in &hops.reads {
                let to = self.space.maps[map].to;
                let nobody = self.space.nobody(to);
                let rows = &reached.rows[hops.set];
                let mut new = Vec::new();
                for &row in &rows[std::mem::replace(&mut followed[map][0], rows.len())..] {
                    for &target in self.space.targets(map, row as usize) {
                        if target != nobody && self.position[to][target as usize] == NONE {
                            self.position[to][target as usize] = 0;
                            new.push(target);
                        }
                    }
                }
                reached.add(to, new);
            }
        }
        for &set in &self.sets {
            if self.source[set] {
                reached.rows[set].sort_unstable_by_key(|&row| self.place[set][row as usize]);
            }
            for (position, &row) in (0u32..).zip(&reached.rows[set]) {
                self.position[set][row as usize] = position;
            }
        }
        for hops in self.steps.iter().filter(|h| self.source[h.set]) {
            reached.executed[hops.loop_] = reached.rows[hops.set].len();
        }
        reached
    }

    /// The position of a row in the tile that was reached last; `None` outside it.
    pub(crate) fn position(&self, set: usize, row: u32) -> Option<u32> {
        let position = self.position[set][row as usize];
        (position != NONE).then_some(position)
    }

    /// Forgets the tile, before the next one.
    pub(crate) fn leave(&mut self, reached: &Reached) {
        for &set in &self.sets {
            for &row in &reached.rows[set] {
                self.position[set][row as usize] = NONE;
            }
        }
    }
}

impl Reached {
    fn add(&mut self, set: usize, mut rows: Vec<u32>) {
        rows.sort_unstable();
        self.rows[set].extend(rows);
    }
}

fn push_new(list: &mut Vec<usize>, value: usize) {
    if !list.contains(&value) {
        list.push(value);
    }
}
