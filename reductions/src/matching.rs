//! Which tree produced a result: the one that gives its bits, in every data set.

use crate::placement::{Groups, Map, Placement};
use crate::tree::Tree;

/// A tree, and the nodes it knows, if any.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// The tree.
    pub tree: Tree,
    /// The placement, and the number of ranks per node.
    pub nodes: Option<(Map, u32)>,
}

impl Candidate {
    /// A tree on nodes, of which it is told only if it uses them.
    pub fn new(tree: Tree, map: Map, node_ranks: u32) -> Candidate {
        Candidate { tree, nodes: tree.knows_nodes().then_some((map, node_ranks)) }
    }

    /// Its nodes for this many ranks; a single one for all if it knows none.
    pub fn groups(&self, ranks: u32) -> Groups {
        match self.nodes {
            Some((map, node_ranks)) => Placement::new(map, ranks, node_ranks).groups(),
            None => Groups::one(ranks),
        }
    }

    /// In words.
    pub fn words(&self) -> String {
        match self.nodes {
            Some((map, node_ranks)) => format!("{} ({map} {node_ranks})", self.tree),
            None => self.tree.to_string(),
        }
    }
}

/// The trees that a library could have used on this many ranks: chains from both ends, binomial trees to every root,
/// recursive doubling, a ring, k-ary trees, nodes of the given numbers of ranks.
pub fn candidates(ranks: u32, node_ranks: &[u32]) -> Vec<Candidate> {
    let mut trees = vec![Tree::Linear, Tree::Reverse];
    trees.extend((0..ranks).map(|root| Tree::Binomial { root }));
    trees.extend([Tree::RecursiveDoubling, Tree::Ring { chunk: None }]);
    trees.extend((2..=8).flat_map(|children| [Tree::KAry { children }, Tree::Interleaved { children }]));
    let plain = trees.into_iter().map(|tree| Candidate { tree, nodes: None });
    let node_ranks = node_ranks.iter().copied().filter(|&k| k > 1 && k < ranks);
    let aware = node_ranks.flat_map(|k| {
        [Map::Block, Map::Cyclic].into_iter().flat_map(move |map| {
            [Tree::NodeAwareAllReduce, Tree::NodeAwareReduce].map(|tree| Candidate::new(tree, map, k))
        })
    });
    plain.chain(aware).collect()
}

/// Narrows candidates down to those that reproduce a library's results.
#[derive(Clone, Debug)]
pub struct Match {
    ranks: u32,
    left: Vec<(Candidate, crate::shape::Shape)>,
    scratch: Vec<f64>,
}

impl Match {
    /// All candidates remain.
    pub fn new(ranks: u32, candidates: Vec<Candidate>) -> Match {
        let shaped =
            |candidate: Candidate| (candidate, candidate.tree.shape(ranks, &candidate.groups(ranks), 0));
        Match {
            ranks,
            left: candidates.into_iter().map(shaped).collect(),
            scratch: vec![0.0; ranks as usize],
        }
    }

    /// Keeps those that make `result` from `numbers`, if it is in this chunk of a vector divided among the ranks.
    pub fn see(&mut self, numbers: &[f64], result: f64, chunk: u32) {
        let scratch = &mut self.scratch;
        self.left.retain(|(candidate, shape)| {
            scratch.copy_from_slice(numbers);
            let sum = match candidate.tree {
                Tree::Ring { .. } => {
                    scratch.rotate_left(chunk as usize);
                    scratch[1..].iter().fold(scratch[0], |sum, number| sum + number)
                }
                _ => shape.sum(scratch),
            };
            sum.to_bits() == result.to_bits()
        });
    }

    /// The remaining candidates, in words; the first stands for all with the same additions.
    pub fn words(&self) -> String {
        match self.left.first() {
            None => "none of these".into(),
            Some((candidate, _)) if self.ranks > 2 => candidate.words(),
            // With two ranks, there is only one addition.
            Some(_) => "any".into(),
        }
    }

    /// The remaining candidates.
    pub fn left(&self) -> Vec<Candidate> {
        self.left.iter().map(|(candidate, _)| *candidate).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Source, Synthetic};

    /// The candidates found from a tree's own results.
    fn found(tree: Tree, map: Map, node_ranks: u32, ranks: u32) -> Match {
        let mut found = Match::new(ranks, candidates(ranks, &[2, 4, 6, 8]));
        let shape = tree.shape(ranks, &Placement::new(map, ranks, node_ranks).groups(), 77);
        let mut numbers = vec![0.0; ranks as usize];
        for set in 0..100 {
            Source::Synthetic(Synthetic::Signed, 6).fill(set, 100, &mut numbers);
            let result = shape.sum(&mut numbers.clone());
            found.see(&numbers, result, 3 % ranks);
        }
        found
    }

    #[test]
    fn every_tree_is_found_by_its_bits_alone() {
        for (tree, map, node_ranks, expected) in [
            (Tree::Linear, Map::Block, 1, "linear"),
            (Tree::Reverse, Map::Block, 1, "reverse"),
            (Tree::RecursiveDoubling, Map::Block, 1, "binomial"),
            (Tree::Binomial { root: 5 }, Map::Block, 1, "binomial:5"),
            (Tree::Ring { chunk: Some(3) }, Map::Block, 1, "ring"),
            (Tree::KAry { children: 3 }, Map::Block, 1, "k-ary:3"),
            (Tree::NodeAwareAllReduce, Map::Block, 4, "binomial"),
            (Tree::NodeAwareAllReduce, Map::Block, 6, "node-aware-allreduce (block 6)"),
            (Tree::NodeAwareAllReduce, Map::Cyclic, 4, "node-aware-allreduce (cyclic 4)"),
            (Tree::NodeAwareReduce, Map::Block, 8, "node-aware-reduce (block 8)"),
            (Tree::Arrival, Map::Block, 1, "none of these"),
            (Tree::NodeAwareAllReduce, Map::Random(1), 4, "none of these"),
        ] {
            assert_eq!(found(tree, map, node_ranks, 32).words(), expected, "{tree}");
        }
        assert_eq!(found(Tree::RecursiveDoubling, Map::Block, 1, 13).words(), "recursive-doubling");
        assert_eq!(found(Tree::RecursiveDoubling, Map::Block, 1, 2).words(), "any");
        let doubling = found(Tree::RecursiveDoubling, Map::Block, 1, 16).left();
        assert!(doubling.iter().any(|one| one.tree == Tree::RecursiveDoubling));
    }
}
