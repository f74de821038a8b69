//! The messages of reduce-scatters: a vector has one part per rank.

use crate::placement::Groups;
use crate::schedule::{Rounds, whole};
use crate::shape::pieces::survivors;

/// Every rank sends every other one its part.
pub(super) fn pairwise(rounds: &mut Rounds<'_>, ranks: u32) {
    for step in 1..ranks {
        for rank in 0..ranks {
            let to = (rank + step) % ranks;
            rounds.send(rank, to, to, 1);
        }
        rounds.end(ranks, true, 1);
    }
}

/// Each part goes around, and ends at its rank.
pub(super) fn ring(rounds: &mut Rounds<'_>, ranks: u32) {
    for rank in 0..ranks {
        rounds.send(rank, (rank + 1) % ranks, (rank + ranks - 1) % ranks, 1);
    }
    rounds.end(ranks, true, ranks - 1);
}

/// Halves of halves, by partners closer and closer.
pub(super) fn halving(rounds: &mut Rounds<'_>, ranks: u32) {
    let all = Groups::one(ranks);
    whole::before(rounds, &all);
    let left = survivors(all.iter().next().expect("there are ranks"));
    // The first survivors stand for two ranks each, and have their parts.
    let pairs = ranks as usize - left.len();
    let first = |position: usize| (position + position.min(pairs)) as u32;
    let mut mask = left.len() / 2;
    while mask > 0 {
        for (position, &rank) in left.iter().enumerate() {
            let partner = position ^ mask;
            let kept = partner & !(mask - 1);
            rounds.send(rank, left[partner], first(kept), first(kept + mask) - first(kept));
        }
        rounds.end(ranks, true, 1);
        mask /= 2;
    }
    for pair in 0..pairs as u32 {
        rounds.send(2 * pair + 1, 2 * pair, 2 * pair, 1);
    }
    rounds.end(ranks, false, 1);
}
