//! One rank's part of a schedule: what it sends and receives, step by step, for a transport of real messages.

use std::ops::Range;

use super::rounds;
use crate::placement::Groups;
use crate::tree::Tree;

/// A part of a rank's vector, and the other rank that sends or receives it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// The other rank.
    pub rank: u32,
    /// The numbers.
    pub range: Range<usize>,
}

/// What a rank does in one round: it sends what it had before the round, and then takes what arrives, in this order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// At most one message to each rank.
    pub sends: Vec<Part>,
    /// At most one message from each rank.
    pub receives: Vec<Part>,
    /// Whether arriving numbers are added to those present, instead of replacing them.
    pub adds: bool,
}

/// The steps of `rank` in a tree for vectors of `length` numbers: its messages of [`rounds`], without the empty ones.
pub fn steps(tree: Tree, ranks: u32, nodes: &Groups, length: usize, rank: u32) -> Vec<Step> {
    let mut steps = Vec::new();
    rounds(tree, ranks, nodes, length as u64, &mut |round| {
        let own: Vec<_> = round.messages.iter().filter(|m| m.from == rank || m.to == rank).collect();
        for repetition in 0..round.repeats {
            let mut step = Step { sends: Vec::new(), receives: Vec::new(), adds: round.adds };
            for message in &own {
                let range = round.range(message, repetition, length);
                if range.is_empty() {
                    continue;
                }
                match message.from == rank {
                    true => step.sends.push(Part { rank: message.to, range }),
                    false => step.receives.push(Part { rank: message.from, range }),
                }
            }
            if !(step.sends.is_empty() && step.receives.is_empty()) {
                steps.push(step);
            }
        }
    });
    steps
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::placement::{Map, Placement};

    /// Every message that one rank sends is the one that the other receives, in the same order, and no rank has two for
    /// one partner in a step.
    #[test]
    fn what_one_rank_sends_another_one_receives() {
        for ranks in [1, 2, 3, 5, 8, 21] {
            let nodes = Placement::new(Map::Cyclic, ranks, 4).groups();
            for tree in Tree::ALL.into_iter().filter(|tree| tree.rank().is_none_or(|rank| rank < ranks)) {
                for length in [1, 10, 3000] {
                    let of: Vec<Vec<Step>> =
                        (0..ranks).map(|rank| steps(tree, ranks, &nodes, length, rank)).collect();
                    let between = |from: u32, to: u32| {
                        let sent = of[from as usize].iter().flat_map(|step| &step.sends);
                        let received = of[to as usize].iter().flat_map(|step| &step.receives);
                        let sent: Vec<_> = sent.filter(|part| part.rank == to).map(|p| &p.range).collect();
                        let received: Vec<_> =
                            received.filter(|part| part.rank == from).map(|p| &p.range).collect();
                        (sent.len(), sent == received)
                    };
                    let mut messages = 0;
                    for (from, to) in (0..ranks).flat_map(|from| (0..ranks).map(move |to| (from, to))) {
                        let (count, same) = between(from, to);
                        assert!(same, "{tree}, {length} numbers, from {from} to {to} of {ranks}");
                        messages += count;
                    }
                    assert!(messages as u32 >= (ranks - 1) * u32::from(length > 1), "{tree}");
                    for step in of.iter().flatten() {
                        for parts in [&step.sends, &step.receives] {
                            let mut others: Vec<u32> = parts.iter().map(|part| part.rank).collect();
                            others.dedup();
                            assert_eq!(others.len(), parts.len(), "{tree}");
                        }
                    }
                }
            }
        }
    }
}
