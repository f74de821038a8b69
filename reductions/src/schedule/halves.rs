//! Pieces of schedules in which vectors are halved.
//!
//! With p ranks, a power of two, and v a position: in round j of a reduce-scatter, v and v xor 2^j have the same p /
//! 2^j chunks; bit j of v says which half it keeps, and it sends the other one. Neighbours come first, with the most
//! bytes.

use super::Rounds;
use super::whole::{after, before};
use crate::placement::Groups;
use crate::shape::pieces::survivors;

/// The ranks of each group that take part, and the number of chunks: one for each rank of the largest group.
struct Halved {
    groups: Vec<Vec<u32>>,
    chunks: u32,
}

impl Halved {
    fn of(groups: &Groups) -> Halved {
        let groups: Vec<Vec<u32>> = groups.iter().map(survivors).collect();
        let chunks = groups.iter().map(|group| group.len() as u32).max().unwrap_or(1);
        Halved { groups, chunks }
    }

    /// The powers of two below the number of chunks, ascending.
    fn masks(&self) -> impl DoubleEndedIterator<Item = usize> + use<> {
        (0..self.chunks.ilog2()).map(|bit| 1 << bit)
    }

    /// The first chunk of the half that a position keeps in the round of `mask`, and the number of chunks.
    fn kept(&self, position: usize, mask: usize) -> (u32, u32) {
        let half = self.chunks >> (mask.ilog2() + 1);
        // Bit 0 of the position says which half of the whole it keeps, bit 1 which half of that: the bits in reverse.
        let reversed = (position as u32).reverse_bits() >> (u32::BITS - self.chunks.ilog2());
        (reversed & !(half - 1), half)
    }

    /// Every position of every group that has a partner in the round of `mask`: its rank, and its partner's.
    fn each(&self, mask: usize, mut see: impl FnMut(usize, u32, u32)) {
        for group in self.groups.iter().filter(|group| mask < group.len()) {
            for (position, &rank) in group.iter().enumerate() {
                see(position, rank, group[position ^ mask]);
            }
        }
    }

    fn reduce_scatter(&self, rounds: &mut Rounds<'_>) {
        for mask in self.masks() {
            self.each(mask, |position, rank, partner| {
                let (first, count) = self.kept(position ^ mask, mask);
                rounds.send(rank, partner, first, count);
            });
            rounds.end(self.chunks, true, 1);
        }
    }
}

/// Rabenseifner's all-reduce in each group: a reduce-scatter, then an all-gather (Thakur, Rabenseifner, Gropp 2005,
/// doi:10.1177/1094342005051521).
pub fn all_reduce(rounds: &mut Rounds<'_>, groups: &Groups) {
    before(rounds, groups);
    let halved = Halved::of(groups);
    halved.reduce_scatter(rounds);
    for mask in halved.masks().rev() {
        halved.each(mask, |position, rank, partner| {
            let (first, count) = halved.kept(position, mask);
            rounds.send(rank, partner, first, count);
        });
        rounds.end(halved.chunks, false, 1);
    }
    after(rounds, groups);
}

/// A reduce-scatter in each group; then each rank sends what it has to the first member.
pub fn reduce(rounds: &mut Rounds<'_>, groups: &Groups) {
    before(rounds, groups);
    let halved = Halved::of(groups);
    halved.reduce_scatter(rounds);
    for mask in halved.masks().rev() {
        halved.each(mask, |position, rank, partner| {
            // Positions beyond have already sent what they had.
            if (mask..2 * mask).contains(&position) {
                let (first, count) = halved.kept(position, mask);
                rounds.send(rank, partner, first, count);
            }
        });
        rounds.end(halved.chunks, false, 1);
    }
    // If pairs were added first, the first member is not the one with the sum.
    for (group, left) in groups.iter().zip(&halved.groups).filter(|(group, left)| group[0] != left[0]) {
        rounds.send(left[0], group[0], 0, 1);
    }
    rounds.end(1, false, 1);
}

/// A broadcast from the first member of each group: halves are scattered, then gathered on all. Group sizes are powers
/// of two.
pub fn broadcast(rounds: &mut Rounds<'_>, groups: &Groups) {
    let halved = Halved::of(groups);
    // Here, position v ends with chunk v, or with its share of the chunks if its group is not the largest.
    let share = |group: &[u32]| halved.chunks / group.len() as u32;
    for mask in halved.masks().rev() {
        for group in halved.groups.iter().filter(|group| mask < group.len()) {
            for position in (0..group.len()).step_by(2 * mask) {
                let (first, count) = ((position + mask) as u32, mask as u32);
                let share = share(group);
                rounds.send(group[position], group[position + mask], first * share, count * share);
            }
        }
        rounds.end(halved.chunks, false, 1);
    }
    for mask in halved.masks() {
        for group in halved.groups.iter().filter(|group| mask < group.len()) {
            for (position, &rank) in group.iter().enumerate() {
                let share = share(group);
                let first = (position & !(mask - 1)) as u32;
                rounds.send(rank, group[position ^ mask], first * share, mask as u32 * share);
            }
        }
        rounds.end(halved.chunks, false, 1);
    }
}

/// A ring: one chunk per rank goes around once to be summed, and once more to be distributed.
pub fn ring(rounds: &mut Rounds<'_>, ranks: u32) {
    for (ahead, adds) in [(0, true), (1, false)] {
        for rank in 0..ranks {
            rounds.send(rank, (rank + 1) % ranks, (rank + ahead) % ranks, 1);
        }
        rounds.end(ranks, adds, ranks - 1);
    }
}
