//! Colored blocks: consecutive elements form a block, and blocks of one color change no common target.
//!
//! Blocks of one color run at the same time; colors run one after the other, as do the elements of a block. A target
//! receives its increments by color, then by row, so the bits depend on the size of the blocks and on the rank's local
//! rows, not on the number of threads.
//!
//! The plan of Mudalige et al., "Design and initial performance of a high-level unstructured mesh framework on
//! heterogeneous parallel systems", Parallel Computing 39 (2013), section 3, DOI 10.1016/j.parco.2013.09.004.

use std::ops::Range;

use super::changes::Changes;
use super::request::Request;
use crate::base::share::share;
use crate::schedule::steps::{AvailableWorkers, Phase, Schedule, Step, Stretch};

/// Blocks of at most `block_rows` elements.
pub(super) fn schedule(request: &Request<'_>) -> Schedule {
    let Request { ref changes, available, block_rows, .. } = *request;
    let rows = block_rows;
    let (core, owned) = (changes.set.core, changes.set.owned);
    let mut rest = vec![(core..owned, true)];
    rest.extend(changes.exec_ranges().into_iter().map(|range| (range, false)));
    let phase = Phase {
        core: steps(changes, &[(0..core, true)], rows, available),
        rest: steps(changes, &rest, rows, available),
    };
    Schedule { phases: vec![phase], ..Schedule::default() }
}

/// Consecutive rows, and whether they are owned.
type Block = (Range<usize>, bool);

/// A step for each color.
fn steps(changes: &Changes<'_>, ranges: &[Block], rows: usize, available: AvailableWorkers) -> Vec<Step> {
    let rows = rows.max(1);
    let blocks = ranges.iter().flat_map(|(range, owned)| {
        range.clone().step_by(rows).map(move |first| (first..(first + rows).min(range.end), *owned))
    });
    let mut left: Vec<Block> = blocks.collect();
    let mut by_color: Vec<Vec<Block>> = Vec::new();
    // Colors come in batches of 64, the bits of a word; blocks that find none free wait for the next batch.
    while !left.is_empty() {
        let (mut coloring, first) = (Coloring::new(changes), by_color.len());
        left.retain(|block| {
            let Some(color) = coloring.color(changes, &block.0) else { return true };
            by_color.resize_with(by_color.len().max(first + color + 1), Vec::new);
            by_color[first + color].push(block.clone());
            false
        });
    }
    by_color.into_iter().map(|blocks| step(&blocks, available)).collect()
}

/// Blocks that may run at the same time, divided among the workers.
fn step(blocks: &[Block], available: AvailableWorkers) -> Step {
    let elements = blocks.iter().map(|(rows, _)| rows.len()).sum();
    let workers = available.workers_for(elements).min(blocks.len());
    let stretches = |worker| {
        let own = &blocks[share(blocks.len(), worker, workers)];
        own.iter().map(|(rows, owned)| Stretch::range(rows.clone(), *owned)).collect()
    };
    Step { shares: (0..workers).map(stretches).collect() }
}

/// The colors that earlier blocks have given to their targets.
struct Coloring {
    /// For every set and local row, a bit for each color of the blocks that change it.
    taken: Vec<Vec<u64>>,
}

impl Coloring {
    fn new(changes: &Changes<'_>) -> Coloring {
        let mut taken = vec![Vec::new(); changes.sets.len()];
        for map in &changes.maps {
            taken[map.to] = vec![0; changes.sets[map.to].total()];
        }
        Coloring { taken }
    }

    /// The first color that none of the block's targets has, if there is one; they have it from then on.
    fn color(&mut self, changes: &Changes<'_>, block: &Range<usize>) -> Option<usize> {
        let targets = || {
            let rows = block.clone();
            rows.flat_map(|row| changes.maps.iter().map(move |map| (map.to, map.targets(row))))
        };
        let of = |taken: &Vec<Vec<u64>>, set: usize, rows: &[u32]| {
            rows.iter().fold(0, |bits, &row| bits | taken[set][row as usize])
        };
        let used = targets().fold(0, |bits, (set, rows)| bits | of(&self.taken, set, rows));
        let color = used.trailing_ones() as usize;
        if color == 64 {
            return None;
        }
        for (set, rows) in targets() {
            rows.iter().for_each(|&row| self.taken[set][row as usize] |= 1 << color);
        }
        Some(color)
    }
}
