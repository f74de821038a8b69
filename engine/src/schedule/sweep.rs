//! The schedule of a sweep along lines: place by place, all lines of a tile at a time.
//!
//! The rows at one place of a tile's lines do not depend on each other, so they fill the lanes in any order. Workers share
//! the tiles. A row depends on rows of its own line alone: nothing else can change a bit.

use super::steps::{AvailableWorkers, OWNED, Phase, Schedule, Step, Stretch, Targets};
use crate::store::lines::LineLists;

/// The schedule of a sweep.
pub(crate) fn sweep(lines: &LineLists, backward: bool, available: AvailableWorkers) -> Schedule {
    let workers = available.workers_for(lines.rows.len());
    let mut shares: Vec<Vec<Stretch>> = (0..workers).map(|_| Vec::new()).collect();
    let mut targets = Targets::new(std::iter::empty());
    for tile in lines.tiles(backward) {
        // The worker whose share of the rows begins last before this tile.
        let worker = (targets.positions() * workers / lines.rows.len().max(1)).min(workers - 1);
        for rows in tile {
            let mut positions = targets.positions()..targets.positions();
            rows.iter()
                .for_each(|row| targets.push(row | OWNED, std::iter::empty::<std::iter::Empty<u32>>()));
            positions.end = targets.positions();
            shares[worker].extend(Stretch::listed(&mut positions));
        }
    }
    let phase = Phase { core: Vec::new(), rest: vec![Step { shares }] };
    Schedule { phases: vec![phase], targets, ..Schedule::default() }
}
