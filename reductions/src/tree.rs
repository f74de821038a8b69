//! The trees by name.

use std::fmt;
use std::str::FromStr;

use crate::placement::Groups;
use crate::random::Sequence;
use crate::schedule::is_halved;
use crate::shape::{Shape, pieces};

/// A way to sum one number per rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Tree {
    /// One after the other, in the order of ranks.
    Linear,
    /// The same from the last rank to the first.
    Reverse,
    /// A binomial tree.
    Binomial {
        /// The rank that wants the sum.
        root: u32,
    },
    /// Recursive doubling: in each round, pairs exchange what they have and add it.
    RecursiveDoubling,
    /// Rabenseifner's all-reduce: each round halves the vector while summing it; then it is gathered on all ranks.
    Rabenseifner,
    /// The same, gathered on one rank.
    ReduceScatterGather,
    /// A ring: chunk c starts at rank c and goes around once.
    Ring {
        /// The chunk; half the number of ranks if not given.
        chunk: Option<u32>,
    },
    /// Each node by itself, then the nodes by recursive doubling, and back.
    NodeAwareAllReduce,
    /// Each node but the root's by itself, then the nodes' sums to the root's node by a binomial tree, then that node.
    NodeAwareReduce,
    /// Rank r adds what comes from ranks k r + 1 to k r + k, in this order.
    KAry {
        /// k.
        children: u32,
    },
    /// As k-ary, numbered differently: on level l, which has k^l ranks, rank r adds what comes from ranks r + k^l, r +
    /// 2 k^l, ..., r + k k^l (Open MPI's binary tree, for k = 2).
    Interleaved {
        /// k.
        children: u32,
    },
    /// One rank adds what it receives as it arrives: in a random order.
    Arrival,
    /// The accumulators of exact sums, as integers, by a fast tree: the all-reduce that knows nodes.
    Exact,
    /// What MPICH chooses by the length of the vector if one rank wants the sum, knowing no nodes.
    MpichReduce,
    /// The same if all ranks want it.
    MpichAllReduce,
}

impl Tree {
    /// The names as typed; a number may follow some of them.
    pub const NAMES: [&str; 15] = [
        "linear",
        "reverse",
        "binomial",
        "recursive-doubling",
        "rabenseifner",
        "reduce-scatter-gather",
        "ring",
        "node-aware-allreduce",
        "node-aware-reduce",
        "k-ary",
        "interleaved",
        "arrival",
        "exact",
        "mpich-reduce",
        "mpich-allreduce",
    ];

    /// Trees of every kind, with a second root for the binomial one; without those that stand for one of these.
    pub const ALL: [Tree; 14] = [
        Tree::Linear,
        Tree::Reverse,
        Tree::Binomial { root: 0 },
        Tree::Binomial { root: 1 },
        Tree::RecursiveDoubling,
        Tree::Rabenseifner,
        Tree::ReduceScatterGather,
        Tree::Ring { chunk: None },
        Tree::KAry { children: 4 },
        Tree::Interleaved { children: 2 },
        Tree::Arrival,
        Tree::NodeAwareAllReduce,
        Tree::NodeAwareReduce,
        Tree::Exact,
    ];

    /// Whether the bits depend on which rank is on which node.
    pub fn knows_nodes(self) -> bool {
        matches!(self, Tree::NodeAwareAllReduce | Tree::NodeAwareReduce)
    }

    /// Whether the messages of long vectors differ from those of short ones.
    pub fn depends_on_length(self) -> bool {
        self.knows_nodes() || matches!(self, Tree::Exact | Tree::MpichReduce | Tree::MpichAllReduce)
    }

    /// The tree that is used for vectors of this many numbers: another one for those that stand for several. MPICH halves
    /// vectors that are long enough, to be summed on one rank only if the number of ranks is a power of two. The bits are
    /// the same either way.
    pub fn at_length(self, ranks: u32, elements: u64) -> Tree {
        match (self, is_halved(elements, ranks)) {
            (Tree::MpichReduce, true) if ranks.is_power_of_two() => Tree::ReduceScatterGather,
            (Tree::MpichReduce, _) => Tree::Binomial { root: 0 },
            (Tree::MpichAllReduce, true) => Tree::Rabenseifner,
            (Tree::MpichAllReduce, false) => Tree::RecursiveDoubling,
            (tree, _) => tree,
        }
    }

    /// Whether the bits differ between two calls with the same numbers on the same nodes.
    pub fn is_drawn(self) -> bool {
        self == Tree::Arrival
    }

    /// The rank that has the sum at the end; none if all have it.
    pub fn receiver(self, ranks: u32) -> Option<u32> {
        match self {
            Tree::RecursiveDoubling
            | Tree::Rabenseifner
            | Tree::Ring { .. }
            | Tree::NodeAwareAllReduce
            | Tree::Exact
            | Tree::MpichAllReduce => None,
            Tree::Binomial { root } => Some(root),
            Tree::Reverse => Some(ranks - 1),
            Tree::Linear
            | Tree::ReduceScatterGather
            | Tree::NodeAwareReduce
            | Tree::KAry { .. }
            | Tree::Interleaved { .. }
            | Tree::Arrival
            | Tree::MpichReduce => Some(0),
        }
    }

    /// The number after the name, if it must be below the number of ranks.
    pub fn rank(self) -> Option<u32> {
        match self {
            Tree::Binomial { root } => Some(root),
            Tree::Ring { chunk } => chunk,
            _ => None,
        }
    }

    /// The additions for `ranks` ranks, at least one, on these nodes; `draw` determines the order of arrival.
    pub fn shape(self, ranks: u32, nodes: &Groups, draw: u64) -> Shape {
        let all = || (0..ranks).collect::<Vec<u32>>();
        match self {
            Tree::Linear => Shape::in_order(ranks, 0, 1..ranks),
            Tree::Reverse => Shape::in_order(ranks, ranks - 1, (0..ranks - 1).rev()),
            Tree::Ring { chunk } => {
                let chunk = chunk.unwrap_or(ranks / 2);
                Shape::in_order(ranks, chunk, (1..ranks).map(|step| (chunk + step) % ranks))
            }
            Tree::Arrival => {
                let order = Sequence::new(draw).permutation(ranks - 1);
                Shape::in_order(ranks, 0, order.into_iter().map(|other| other + 1))
            }
            Tree::Binomial { root } => {
                let mut shape = Shape::new(ranks, root);
                pieces::binomial(&mut shape, &all(), root as usize);
                shape
            }
            Tree::RecursiveDoubling | Tree::Rabenseifner | Tree::ReduceScatterGather => {
                doubling(Shape::new(ranks, 0), &all())
            }
            Tree::KAry { children } => {
                let mut shape = Shape::new(ranks, 0);
                for parent in (0..ranks.saturating_sub(1).div_ceil(children)).rev() {
                    let first = parent * children + 1;
                    (first..ranks.min(first.saturating_add(children)))
                        .for_each(|child| shape.add(parent, child));
                }
                shape
            }
            Tree::Interleaved { children } => {
                let mut shape = Shape::new(ranks, 0);
                pieces::interleaved(ranks, children, |adds| {
                    adds.for_each(|[parent, child]| shape.add(parent, child));
                });
                shape
            }
            Tree::NodeAwareAllReduce | Tree::Exact => {
                let mut shape = Shape::new(ranks, 0);
                nodes.iter().for_each(|node| pieces::binomial(&mut shape, node, 0));
                doubling(shape, &nodes.leaders())
            }
            Tree::NodeAwareReduce => {
                let mut shape = Shape::new(ranks, 0);
                nodes.iter().skip(1).for_each(|node| pieces::binomial(&mut shape, node, 0));
                pieces::binomial(&mut shape, &nodes.leaders(), 0);
                pieces::binomial(&mut shape, nodes.iter().next().expect("there are ranks"), 0);
                shape
            }
            Tree::MpichReduce | Tree::MpichAllReduce => self.at_length(ranks, 1).shape(ranks, nodes, draw),
        }
    }
}

fn doubling(mut shape: Shape, members: &[u32]) -> Shape {
    let root = pieces::doubling(&mut shape, members);
    shape.at(root)
}

impl fmt::Display for Tree {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, number) = match *self {
            Tree::Linear => ("linear", None),
            Tree::Reverse => ("reverse", None),
            Tree::Binomial { root } => ("binomial", (root > 0).then_some(root)),
            Tree::RecursiveDoubling => ("recursive-doubling", None),
            Tree::Rabenseifner => ("rabenseifner", None),
            Tree::ReduceScatterGather => ("reduce-scatter-gather", None),
            Tree::Ring { chunk } => ("ring", chunk),
            Tree::NodeAwareAllReduce => ("node-aware-allreduce", None),
            Tree::NodeAwareReduce => ("node-aware-reduce", None),
            Tree::KAry { children } => ("k-ary", Some(children)),
            Tree::Interleaved { children } => ("interleaved", Some(children)),
            Tree::Arrival => ("arrival", None),
            Tree::Exact => ("exact", None),
            Tree::MpichReduce => ("mpich-reduce", None),
            Tree::MpichAllReduce => ("mpich-allreduce", None),
        };
        match number {
            Some(number) => f.pad(&format!("{name}:{number}")),
            None => f.pad(name),
        }
    }
}

/// What is wrong with the name of a tree, and what would be right.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WrongTree {
    /// No tree has this name.
    Name,
    /// The number is invalid, or too small.
    Number(&'static str),
}

impl FromStr for Tree {
    type Err = WrongTree;

    fn from_str(text: &str) -> Result<Tree, WrongTree> {
        let (name, number) = match text.split_once(':') {
            Some((name, number)) => (name, Some(number)),
            None => (text, None),
        };
        let parsed =
            |what| number.map(|text| text.parse::<u32>().map_err(|_| WrongTree::Number(what))).transpose();
        let tree = match name {
            "binomial" => {
                let root = parsed("the root, a rank: binomial:1")?;
                return Ok(Tree::Binomial { root: root.unwrap_or(0) });
            }
            "ring" => return Ok(Tree::Ring { chunk: parsed("the chunk of the vector: ring:0")? }),
            "k-ary" | "interleaved" => {
                let what = "the children of a rank, at least 1: k-ary:4, interleaved:2";
                return match (name, parsed(what)?) {
                    (_, Some(0)) => Err(WrongTree::Number(what)),
                    ("k-ary", children) => Ok(Tree::KAry { children: children.unwrap_or(4) }),
                    (_, children) => Ok(Tree::Interleaved { children: children.unwrap_or(2) }),
                };
            }
            "linear" => Tree::Linear,
            "reverse" => Tree::Reverse,
            "recursive-doubling" => Tree::RecursiveDoubling,
            "rabenseifner" => Tree::Rabenseifner,
            "reduce-scatter-gather" => Tree::ReduceScatterGather,
            "node-aware-allreduce" => Tree::NodeAwareAllReduce,
            "node-aware-reduce" => Tree::NodeAwareReduce,
            "arrival" => Tree::Arrival,
            "exact" => Tree::Exact,
            "mpich-reduce" => Tree::MpichReduce,
            "mpich-allreduce" => Tree::MpichAllReduce,
            _ => return Err(WrongTree::Name),
        };
        match number {
            None => Ok(tree),
            Some(_) => {
                Err(WrongTree::Number("no number: only binomial, ring, k-ary and interleaved have one"))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::placement::{Map, Placement};

    /// The additions as text; the smaller operand of each first.
    fn text(tree: Tree, ranks: u32, nodes: &Groups) -> String {
        let mut values: Vec<String> = (0..ranks).map(|rank| rank.to_string()).collect();
        let shape = tree.shape(ranks, nodes, 5);
        assert_eq!(shape.additions() as u32, ranks - 1, "{tree}");
        shape.fold(&mut values, |a, b| *a = format!("({a} {b})")).clone()
    }

    #[test]
    fn trees_have_their_shapes() {
        let nodes = Placement::new(Map::Block, 6, 3).groups();
        for (tree, expected) in [
            (Tree::Linear, "(((((0 1) 2) 3) 4) 5)"),
            (Tree::Reverse, "(((((5 4) 3) 2) 1) 0)"),
            (Tree::Binomial { root: 0 }, "(((0 1) (2 3)) (4 5))"),
            (Tree::Binomial { root: 4 }, "(((4 5) (0 1)) (2 3))"),
            (Tree::RecursiveDoubling, "(((1 0) (3 2)) (4 5))"),
            (Tree::Ring { chunk: Some(4) }, "(((((4 5) 0) 1) 2) 3)"),
            (Tree::Ring { chunk: None }, "(((((3 4) 5) 0) 1) 2)"),
            (Tree::KAry { children: 2 }, "((0 ((1 3) 4)) (2 5))"),
            (Tree::Interleaved { children: 2 }, "((0 ((1 3) 5)) (2 4))"),
            (Tree::NodeAwareAllReduce, "(((0 1) 2) ((3 4) 5))"),
            (Tree::NodeAwareReduce, "(((0 ((3 4) 5)) 1) 2)"),
        ] {
            assert_eq!(text(tree, 6, &nodes), expected, "{tree}");
        }
        assert_eq!(
            text(Tree::NodeAwareReduce, 4, &Groups::one(4)),
            text(Tree::Binomial { root: 0 }, 4, &nodes)
        );
    }

    #[test]
    fn every_tree_adds_every_number_once_on_any_number_of_ranks() {
        for ranks in 1..70 {
            for map in [Map::Block, Map::Cyclic, Map::Random(3)] {
                let nodes = Placement::new(map, ranks, 5).groups();
                for tree in Tree::ALL.into_iter().filter(|tree| tree.rank().is_none_or(|rank| rank < ranks)) {
                    let mut once: Vec<u128> = (0..ranks).map(|rank| 1 << rank).collect();
                    let all = *tree.shape(ranks, &nodes, 9).fold(&mut once, |a, b| {
                        assert_eq!(*a & *b, 0, "{tree}");
                        *a |= *b;
                    });
                    assert_eq!(all, (1 << ranks) - 1, "{tree} on {ranks} ranks");
                }
            }
        }
    }

    #[test]
    fn what_mpich_chooses_has_the_same_bits_for_every_length() {
        let nodes = Groups::one(1);
        let text = |tree: Tree, ranks| text(tree, ranks, &nodes);
        for ranks in 1..70 {
            for (tree, short, long) in [
                (Tree::MpichReduce, Tree::Binomial { root: 0 }, Tree::ReduceScatterGather),
                (Tree::MpichAllReduce, Tree::RecursiveDoubling, Tree::Rabenseifner),
            ] {
                assert_eq!(tree.at_length(ranks, 256), short);
                let is_halved = tree == Tree::MpichAllReduce || ranks.is_power_of_two();
                let chosen = tree.at_length(ranks, 257);
                assert_eq!(chosen, if is_halved { long } else { short }, "{tree} on {ranks} ranks");
                let mut values = [tree, short, chosen].map(|tree| text(tree, ranks));
                // Recursive doubling adds the same pairs with the operands exchanged.
                values.iter_mut().for_each(|text| text.retain(|c| c == '(' || c == ')'));
                assert!(
                    values.iter().all(|value| *value == values[0]),
                    "{tree} on {ranks} ranks: {values:?}"
                );
            }
        }
        assert_eq!(Tree::Linear.at_length(8, 1 << 20), Tree::Linear);
    }

    #[test]
    fn depths_are_those_of_the_trees() {
        let nodes = Placement::new(Map::Block, 64, 8).groups();
        let depth = |tree: Tree| tree.shape(64, &nodes, 1).depth(64);
        assert_eq!(depth(Tree::Linear), 63);
        assert_eq!(depth(Tree::Ring { chunk: None }), 63);
        assert_eq!(depth(Tree::Binomial { root: 0 }), 6);
        assert_eq!(depth(Tree::Binomial { root: 9 }), 6);
        assert_eq!(depth(Tree::NodeAwareAllReduce), 6);
        assert_eq!(depth(Tree::NodeAwareReduce), 9);
    }

    #[test]
    fn names_are_read_as_they_are_written() {
        for tree in Tree::ALL.into_iter().chain([
            Tree::Ring { chunk: Some(0) },
            Tree::KAry { children: 7 },
            Tree::Interleaved { children: 1 },
            Tree::MpichReduce,
            Tree::MpichAllReduce,
        ]) {
            assert_eq!(tree.to_string().parse(), Ok(tree));
        }
        for name in Tree::NAMES {
            assert!(name.parse::<Tree>().unwrap().to_string().starts_with(name));
        }
        assert_eq!("bionmial".parse::<Tree>(), Err(WrongTree::Name));
        for wrong in ["binomial:x", "ring:-1", "k-ary:0", "linear:3", "binomial:"] {
            assert!(matches!(wrong.parse::<Tree>(), Err(WrongTree::Number(_))), "{wrong}");
        }
    }
}
