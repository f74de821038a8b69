//! What transients hold before and after loops.

use std::ops::Range;

use cfd_engine::plug::{DatInfo, LoopInfo, Start, State};

/// What is known of a dat before and after a chain, beyond its shape.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Life {
    /// A later loop, or the user, may read what the chain leaves.
    pub(crate) live_after: bool,
    /// A transient that starts as zeros, and ends so.
    pub(crate) zeros: bool,
}

/// What is known of every dat before and after some loops of a sequence; a result is asked for after the `last`.
pub(super) fn lives(state: &State, all: &[&LoopInfo], range: &Range<usize>, last: bool) -> Vec<Life> {
    let first = |loops: &[&LoopInfo], dat: usize| {
        loops.iter().flat_map(|l| &l.args).find(|a| a.dat() == Some(dat)).copied()
    };
    let life = |(dat, info): (usize, &DatInfo)| {
        let here = first(&all[range.clone()], dat);
        let later = first(&all[range.end..], dat);
        let fresh = first(&all[..range.start], dat).is_none() && !info.carried;
        // What is first incremented starts as zeros. Once it has been stored, its column must get zeros back.
        let summed = info.start == Some(Start::Zeros);
        let live_after = !info.transient || (summed && !fresh) || later.map_or(!last, |a| !a.overwrites());
        let zeros = info.transient && summed && fresh && here.is_some();
        Life { live_after, zeros }
    };
    state.dats.iter().enumerate().map(life).collect()
}
