//! Executes schedules.

use super::Round;

/// The vectors of all ranks.
#[derive(Clone, Debug, PartialEq)]
pub struct Vectors {
    /// One per rank, all of the same length.
    pub of_rank: Vec<Vec<f64>>,
}

impl Vectors {
    /// Executes a round, as often as it takes place.
    pub fn execute(&mut self, round: &Round<'_>) {
        let length = self.of_rank[0].len();
        for repetition in 0..round.repeats {
            let sent: Vec<Vec<f64>> = round
                .messages
                .iter()
                .map(|message| {
                    let range = round.range(message, repetition, length);
                    self.of_rank[message.from as usize][range].to_vec()
                })
                .collect();
            for (message, values) in round.messages.iter().zip(sent) {
                let range = round.range(message, repetition, length);
                for (own, value) in self.of_rank[message.to as usize][range].iter_mut().zip(values) {
                    *own = if round.adds { *own + value } else { value };
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::placement::{Groups, Map, Placement};
    use crate::schedule::{chunk_of, rounds};
    use crate::tree::Tree;

    /// Numbers whose sum depends on every change of order, one column per element.
    fn numbers(ranks: u32, elements: usize) -> Vectors {
        let number = |rank: u32, element: usize| {
            crate::data::Synthetic::Signed.number(11, element as u64, u64::from(rank))
        };
        Vectors { of_rank: (0..ranks).map(|rank| (0..elements).map(|e| number(rank, e)).collect()).collect() }
    }

    /// The sums of a schedule have the bits of the tree's shape: the timed messages make the same additions.
    fn check(tree: Tree, ranks: u32, nodes: &Groups, elements: usize) {
        let before = numbers(ranks, elements);
        let mut after = before.clone();
        rounds(tree, ranks, nodes, elements as u64, &mut |round| after.execute(round));
        for element in 0..elements {
            let tree_here = match tree {
                Tree::Ring { .. } => Tree::Ring { chunk: Some(chunk_of(element, elements, ranks)) },
                other => other,
            };
            let mut column: Vec<f64> = before.of_rank.iter().map(|vector| vector[element]).collect();
            let expected = tree_here.shape(ranks, nodes, 0).sum(&mut column);
            let receivers = match tree.receiver(ranks) {
                Some(root) => root..root + 1,
                None => 0..ranks,
            };
            for rank in receivers {
                let found = after.of_rank[rank as usize][element];
                assert_eq!(
                    found.to_bits(),
                    expected.to_bits(),
                    "{tree}, rank {rank} of {ranks}, element {element} of {elements}"
                );
            }
        }
    }

    #[test]
    fn every_schedule_gives_the_bits_of_its_shape() {
        for ranks in [1, 2, 3, 4, 5, 6, 7, 8, 11, 16, 21, 32, 64] {
            for map in [Map::Block, Map::Cyclic, Map::Random(2)] {
                for node_ranks in [1, 3, 4, 8] {
                    let nodes = Placement::new(map, ranks, node_ranks).groups();
                    for tree in Tree::ALL.into_iter().filter(|tree| tree.rank().is_none_or(|r| r < ranks)) {
                        let plain = !tree.knows_nodes();
                        if plain && (map, node_ranks) != (Map::Block, 1) {
                            continue;
                        }
                        // Short vectors, some of them with empty chunks, and, for the trees that know nodes, also those
                        // that are halved.
                        for elements in [1, 37, 64] {
                            check(tree, ranks, &nodes, elements);
                        }
                        if !plain {
                            check(tree, ranks, &nodes, 2049);
                        }
                    }
                }
            }
        }
    }
}
