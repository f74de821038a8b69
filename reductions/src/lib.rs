//! Sums over ranks, as trees of additions: bits, distances, costs.
//!
//! A message-passing library sums one number, or one vector, per rank by a tree of its choice. The tree determines
//! which roundings take place, and thus the bits of the sum. Here the trees are built and their additions carried out,
//! for up to a million ranks on one core; the messages behind them are listed round by round, with their lengths, for a
//! model of their time.
//!
//! ```text
//! random       SplitMix64
//! data         what is added: synthetic numbers, or partial sums of given terms
//! placement    which rank is on which node
//! topology     hops between nodes
//! shape        additions in their order: the bits
//! tree         the trees by name
//! schedule/    the messages of a tree, round by round
//! partial      sums that differ from rank to rank: scans, reduce-scatters
//! cost         the time of messages
//! jitter       delays of messages: their cost, and the order of arrival
//! study        how often trees differ, by how much; how many results there are
//! matching     which tree produced a result
//! ```
//!
//! ```
//! use cfd_reductions::placement::{Map, Placement};
//! use cfd_reductions::tree::Tree;
//!
//! let nodes = Placement::new(Map::Block, 4, 2).groups();
//! let sum = |tree: Tree| tree.shape(4, &nodes, 0).sum(&mut [1e16, 1.0, 1.0, -1e16]);
//! assert_eq!(sum(Tree::Linear), 0.0);
//! assert_eq!(sum(Tree::Binomial { root: 0 }), 0.0);
//! assert_eq!(sum(Tree::Ring { chunk: Some(1) }), 2.0);
//! ```

pub mod cost;
pub mod data;
pub mod jitter;
pub mod matching;
pub mod partial;
pub mod placement;
pub mod random;
pub mod schedule;
pub mod shape;
pub mod study;
pub mod topology;
pub mod tree;
