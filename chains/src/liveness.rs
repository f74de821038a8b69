//! Liveness: which dats hold values that something reads after some loops, and what transients hold before them.

use std::ops::Range;

use cfd_engine::plug::{DatInfo, LoopInfo, Start, State};

/// The liveness of a dat before and after a chain.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Liveness {
    /// A later loop, or the user, may read what the chain leaves.
    pub(crate) live_after: bool,
    /// A transient that starts as zeros, and ends so.
    pub(crate) zeros: bool,
}

/// The liveness of every dat before and after some loops of a sequence; a result is asked for after the `last`.
pub(super) fn liveness(state: &State, all: &[&LoopInfo], range: &Range<usize>, last: bool) -> Vec<Liveness> {
    let first = |loops: &[&LoopInfo], dat: usize| {
        loops.iter().flat_map(|l| &l.args).find(|a| a.dat() == Some(dat)).copied()
    };
    let of_dat = |(dat, info): (usize, &DatInfo)| {
        let here = first(&all[range.clone()], dat);
        let later = first(&all[range.end..], dat);
        let fresh = first(&all[..range.start], dat).is_none() && !info.live;
        // What is first incremented starts as zeros. Once it has been stored, its storage must get zeros back.
        let summed = info.start == Some(Start::Zeros);
        let live_after = !info.transient || (summed && !fresh) || later.map_or(!last, |a| !a.overwrites());
        let zeros = info.transient && summed && fresh && here.is_some();
        Liveness { live_after, zeros }
    };
    state.dats.iter().enumerate().map(of_dat).collect()
}
