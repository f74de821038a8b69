//! Pieces of schedules in which every message is the whole vector.

use super::Rounds;
use crate::placement::Groups;
use crate::shape::pieces::{self, survivors};

/// Ends a round of whole vectors.
fn end(rounds: &mut Rounds<'_>, adds: bool) {
    rounds.end(1, adds, 1);
}

fn send(rounds: &mut Rounds<'_>, from: u32, to: u32) {
    rounds.send(from, to, 0, 1);
}

/// One rank receives the vectors of the others, one after the other.
pub fn one_by_one(rounds: &mut Rounds<'_>, root: u32, others: impl Iterator<Item = u32>) {
    for other in others {
        send(rounds, other, root);
        end(rounds, true);
    }
}

/// From the lowest level of the tree to the highest, one child of every parent after the other.
pub fn k_ary(rounds: &mut Rounds<'_>, ranks: u32, children: u32) {
    let children = u64::from(children);
    let ranks = u64::from(ranks);
    // The levels begin at 0, 1, 1 + k, 1 + k + k^2, ...
    let mut levels = vec![0u64];
    while let Some(next) = levels.last().map(|first| first * children + 1).filter(|&next| next < ranks) {
        levels.push(next);
    }
    let ends = levels.iter().skip(1).chain([&ranks]).copied().collect::<Vec<_>>();
    for (&first, &end_of_level) in levels.iter().zip(&ends).skip(1).rev() {
        for child in 0..children.min(end_of_level - first) {
            for rank in (first + child..end_of_level).step_by(children as usize) {
                send(rounds, rank as u32, ((rank - 1) / children) as u32);
            }
            end(rounds, true);
        }
    }
}

/// The same for the ranks of an interleaved tree.
pub fn interleaved(rounds: &mut Rounds<'_>, ranks: u32, children: u32) {
    pieces::interleaved(ranks, children, |adds| {
        adds.for_each(|[parent, child]| send(rounds, child, parent));
        end(rounds, true);
    });
}

/// A binomial tree in each group, to its member number `root`.
pub fn reduce(rounds: &mut Rounds<'_>, groups: &Groups, root: usize) {
    let mut mask = 1;
    while mask < groups.largest() as usize {
        for group in groups.iter().filter(|group| mask < group.len()) {
            let member = |position: usize| group[(position + root) % group.len()];
            for position in (0..group.len() - mask).step_by(2 * mask) {
                send(rounds, member(position + mask), member(position));
            }
        }
        end(rounds, true);
        mask *= 2;
    }
}

/// A binomial tree in each group, from its first member.
pub fn broadcast(rounds: &mut Rounds<'_>, groups: &Groups) {
    let largest = groups.largest() as usize;
    let mut mask = largest.next_power_of_two() / 2;
    while mask > 0 {
        for group in groups.iter().filter(|group| mask < group.len()) {
            for position in (0..group.len() - mask).step_by(2 * mask) {
                send(rounds, group[position], group[position + mask]);
            }
        }
        end(rounds, false);
        mask /= 2;
    }
}

/// Recursive doubling in each group.
pub fn all_reduce(rounds: &mut Rounds<'_>, groups: &Groups) {
    before(rounds, groups);
    let left: Vec<Vec<u32>> = groups.iter().map(survivors).collect();
    let mut mask = 1;
    while left.iter().any(|group| mask < group.len()) {
        for group in left.iter().filter(|group| mask < group.len()) {
            for (position, &rank) in group.iter().enumerate() {
                send(rounds, rank, group[position ^ mask]);
            }
        }
        end(rounds, true);
        mask *= 2;
    }
    after(rounds, groups);
}

/// The step before doubling or halving: the first pairs are added, which leaves a power of two.
pub fn before(rounds: &mut Rounds<'_>, groups: &Groups) {
    pairs(groups).for_each(|pair| send(rounds, pair[0], pair[1]));
    end(rounds, true);
}

/// The step after it: the ranks that were left out receive the sum.
pub fn after(rounds: &mut Rounds<'_>, groups: &Groups) {
    pairs(groups).for_each(|pair| send(rounds, pair[1], pair[0]));
    end(rounds, false);
}

fn pairs(groups: &Groups) -> impl Iterator<Item = &[u32]> {
    groups.iter().flat_map(|group| group[..2 * (group.len() - survivors(group).len())].chunks_exact(2))
}
