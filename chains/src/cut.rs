//! Where a sequence of loops is cut into chains.

use std::ops::Range;

use cfd_engine::kernel::Access;
use cfd_engine::plug::{DatInfo, LoopInfo};

/// How many of these loops, from the first on, can be one chain.
pub(super) fn chainable(loops: &[&LoopInfo]) -> usize {
    let mut globals: Vec<usize> = Vec::new();
    for (at, info) in loops.iter().enumerate() {
        let reads_what_it_changes = info.args.iter().any(|a| a.access == Access::Rw && a.map().is_some());
        // A global holds the result of the last loop that produced it.
        if info.sweep.is_some() || reads_what_it_changes || info.globals().any(|g| globals.contains(&g)) {
            return at;
        }
        globals.extend(info.globals());
    }
    loops.len()
}

/// Cuts loops into pieces whose tiles grow at most `depth` times beyond the rows they own.
pub(super) fn pieces(
    all: &[&LoopInfo],
    range: Range<usize>,
    depth: usize,
    dats: &[DatInfo],
) -> Vec<Range<usize>> {
    let mut pieces: Vec<Range<usize>> = Vec::new();
    let mut start = range.start;
    for end in range.start + 1..=range.end {
        if growths(&all[start..end], dats) > depth {
            pieces.push(start..end - 1);
            start = end - 1;
        }
    }
    pieces.push(start..range.end);
    pieces
}

/// How often a tile of a chain grows: how many steps lie between a row and the farthest one it depends on.
fn growths(loops: &[&LoopInfo], dats: &[DatInfo]) -> usize {
    let mut changed = vec![false; dats.len()];
    let mut depth = vec![0usize; dats.len()];
    let mut deepest = 0;
    for info in loops {
        let reached = info.args.iter().filter(|a| a.access.reads()).filter_map(|a| {
            let dat = a.dat()?;
            changed[dat].then_some(depth[dat] + usize::from(a.map().is_some()))
        });
        let reached = reached.max().unwrap_or(0);
        for dat in info.args.iter().filter(|a| a.access.modifies()).filter_map(|a| a.dat()) {
            depth[dat] = if changed[dat] { depth[dat].max(reached) } else { reached };
            changed[dat] = true;
        }
        deepest = deepest.max(reached);
    }
    deepest
}
