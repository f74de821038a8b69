//! Executes schedules.

use super::Round;

/// The vectors of all ranks.
#[derive(Clone, Debug, PartialEq)]
pub struct Vectors {
    /// One per rank, all of the same length.
    pub of_rank: Vec<Vec<f64>>,
}

impl Vectors {
    /// Executes a round, as often as it takes place. The number of chunks divides the length of the vectors.
    ///
    /// # Panics
    /// If it does not.
    pub fn execute(&mut self, round: &Round<'_>) {
        for repetition in 0..round.repeats {
            let sent: Vec<Vec<f64>> = round
                .messages
                .iter()
                .map(|message| {
                    self.range(round, message, repetition).map(|(from, at)| self.of_rank[from][at]).collect()
                })
                .collect();
            for (message, values) in round.messages.iter().zip(sent) {
                let places: Vec<usize> = self.range(round, message, repetition).map(|(_, at)| at).collect();
                let vector = &mut self.of_rank[message.to as usize];
                for (at, value) in places.into_iter().zip(values) {
                    vector[at] = if round.adds { vector[at] + value } else { value };
                }
            }
        }
    }

    /// The sender, and the range of its vector that a message has.
    fn range(
        &self,
        round: &Round<'_>,
        message: &super::Message,
        repetition: u32,
    ) -> impl Iterator<Item = (usize, usize)> + use<> {
        let length = self.of_rank[0].len();
        let chunks = round.chunks as usize;
        assert_eq!(length % chunks, 0, "{chunks} chunks of {length} numbers");
        let chunk = length / chunks;
        let first = (message.first as usize + chunks - repetition as usize % chunks) % chunks;
        let from = message.from as usize;
        (first * chunk..(first + message.count as usize) * chunk).map(move |at| (from, at))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::placement::{Groups, Map, Placement};
    use crate::schedule::rounds;
    use crate::tree::Tree;

    /// Numbers whose sum depends on every change of order, one column per element.
    fn numbers(ranks: u32, elements: usize) -> Vectors {
        let number = |rank: u32, element: usize| {
            crate::data::Synthetic::Signed.number(11, element as u64, u64::from(rank))
        };
        Vectors { of_rank: (0..ranks).map(|rank| (0..elements).map(|e| number(rank, e)).collect()).collect() }
    }

    /// Whether all ranks have the sum at the end.
    fn is_for_all(tree: Tree) -> bool {
        use Tree::*;
        matches!(tree, RecursiveDoubling | Rabenseifner | Ring { .. } | NodeAwareAllReduce | Exact)
    }

    /// The sums of a schedule have the bits of the tree's shape: the timed messages make the same additions.
    fn check(tree: Tree, ranks: u32, nodes: &Groups, elements: usize) {
        let before = numbers(ranks, elements);
        let mut after = before.clone();
        rounds(tree, ranks, nodes, elements as u64, &mut |round| after.execute(round));
        for element in 0..elements {
            // The first element belongs to chunk 0, and so on.
            let tree_here = match tree {
                Tree::Ring { .. } => Tree::Ring { chunk: Some((element * ranks as usize / elements) as u32) },
                other => other,
            };
            let mut column: Vec<f64> = before.of_rank.iter().map(|vector| vector[element]).collect();
            let expected = tree_here.shape(ranks, nodes, 0).sum(&mut column);
            let root = match tree {
                Tree::Binomial { root } => root,
                Tree::Reverse => ranks - 1,
                _ => 0,
            };
            let receivers = if is_for_all(tree) { 0..ranks } else { root..root + 1 };
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
                        // Short vectors and, for the trees that know nodes, also those that are halved.
                        let chunks = if matches!(tree, Tree::Ring { .. }) { ranks as usize } else { 64 };
                        check(tree, ranks, &nodes, chunks);
                        if !plain {
                            check(tree, ranks, &nodes, 2048);
                        }
                    }
                }
            }
        }
    }
}
