//! The messages behind a tree, round by round.
//!
//! ```text
//! whole     pieces in which every message is the whole vector: binomial trees, recursive doubling
//! halves    pieces in which vectors are halved: reduce-scatter, gather, all-gather, scatter
//! execute   executes a schedule, including the vectors
//! own       one rank's part of a schedule, for real messages
//! ```
//!
//! All messages of a round are under way at the same time, and a round begins when the previous one has ended. A vector
//! is divided into chunks: of n numbers, chunk c of C begins at number floor(c n / C). A message holds consecutive
//! chunks.

pub mod execute;
pub(crate) mod halves;
pub mod own;
pub(crate) mod whole;

use std::ops::Range;

use crate::placement::Groups;
use crate::tree::Tree;

/// Bytes of a number.
pub const NUMBER_BYTES: u64 = 8;
/// Up to this many bytes, a reduction sends whole vectors; beyond, it halves them: MPICH's default.
pub const SHORT_REDUCTION: u64 = 2048;
/// The same for a broadcast.
pub const SHORT_BROADCAST: u64 = 12288;

/// One message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Message {
    /// Its sender.
    pub from: u32,
    /// Its receiver.
    pub to: u32,
    /// Its first chunk.
    pub first: u32,
    /// The number of chunks.
    pub count: u32,
}

/// Messages sent at the same time.
#[derive(Clone, Copy, Debug)]
pub struct Round<'a> {
    /// The messages.
    pub messages: &'a [Message],
    /// The number of chunks into which the vector is divided.
    pub chunks: u32,
    /// Whether arriving values are added to those present, instead of replacing them.
    pub adds: bool,
    /// How often the round takes place; each time, every message has the chunk before that of the previous time.
    pub repeats: u32,
}

impl Round<'_> {
    /// The part of a vector of `length` numbers that a message has when the round takes place for the
    /// `repetition`th time, from 0.
    pub fn range(&self, message: &Message, repetition: u32, length: usize) -> Range<usize> {
        let chunks = self.chunks as usize;
        let first = (message.first as usize + chunks - repetition as usize % chunks) % chunks;
        let border = |chunk: usize| (chunk as u128 * length as u128 / chunks as u128) as usize;
        border(first)..border(first + message.count as usize)
    }
}

/// The chunk of a number in a vector of `length` numbers that is divided into `chunks`.
pub fn chunk_of(element: usize, length: usize, chunks: u32) -> u32 {
    (((element as u128 + 1) * u128::from(chunks) - 1) / length as u128) as u32
}

/// The receiver of rounds.
pub(crate) struct Rounds<'a> {
    messages: Vec<Message>,
    see: &'a mut dyn FnMut(&Round<'_>),
}

impl<'a> Rounds<'a> {
    pub(crate) fn new(see: &'a mut dyn FnMut(&Round<'_>)) -> Rounds<'a> {
        Rounds { messages: Vec::new(), see }
    }

    /// Adds a message to the round being made.
    pub(crate) fn send(&mut self, from: u32, to: u32, first: u32, count: u32) {
        self.messages.push(Message { from, to, first, count });
    }

    /// Ends the round; a round without messages does not count.
    pub(crate) fn end(&mut self, chunks: u32, adds: bool, repeats: u32) {
        if !self.messages.is_empty() && repeats > 0 {
            (self.see)(&Round { messages: &self.messages, chunks, adds, repeats });
        }
        self.messages.clear();
    }
}

/// Passes the rounds of a tree for vectors of `elements` numbers to `see`. Trees that know nodes do what the plain ones
/// would do with such vectors, within each node and between nodes; all others do as their names say.
pub fn rounds(tree: Tree, ranks: u32, nodes: &Groups, elements: u64, see: &mut dyn FnMut(&Round<'_>)) {
    let mut rounds = Rounds::new(see);
    let all = || Groups::one(ranks);
    match tree {
        Tree::Linear => whole::one_by_one(&mut rounds, 0, 1..ranks),
        Tree::Reverse => whole::one_by_one(&mut rounds, ranks - 1, (0..ranks - 1).rev()),
        Tree::Arrival => {
            let order = crate::random::Sequence::new(0).permutation(ranks - 1);
            whole::one_by_one(&mut rounds, 0, order.into_iter().map(|other| other + 1));
        }
        Tree::KAry { children } => whole::k_ary(&mut rounds, ranks, children),
        Tree::Interleaved { children } => whole::interleaved(&mut rounds, ranks, children),
        Tree::Binomial { root } => whole::reduce(&mut rounds, &all(), root as usize),
        Tree::RecursiveDoubling => whole::all_reduce(&mut rounds, &all()),
        Tree::Rabenseifner => halves::all_reduce(&mut rounds, &all()),
        Tree::ReduceScatterGather => halves::reduce(&mut rounds, &all()),
        Tree::Ring { .. } => halves::ring(&mut rounds, ranks),
        Tree::NodeAwareAllReduce | Tree::Exact => {
            let leaders = Groups::single(nodes.leaders());
            reduce(&mut rounds, nodes, elements);
            if is_halved(elements, leaders.largest()) {
                halves::all_reduce(&mut rounds, &leaders);
            } else {
                whole::all_reduce(&mut rounds, &leaders);
            }
            if NUMBER_BYTES * elements >= SHORT_BROADCAST && nodes.are_powers_of_two() {
                halves::broadcast(&mut rounds, nodes);
            } else {
                whole::broadcast(&mut rounds, nodes);
            }
        }
        Tree::NodeAwareReduce => {
            let (others, first) = nodes.others_and_first();
            reduce(&mut rounds, &others, elements);
            reduce(&mut rounds, &Groups::single(nodes.leaders()), elements);
            reduce(&mut rounds, &first, elements);
        }
        Tree::MpichReduce | Tree::MpichAllReduce => {
            self::rounds(tree.at_length(ranks, elements), ranks, nodes, elements, rounds.see);
        }
    }
}

fn reduce(rounds: &mut Rounds<'_>, groups: &Groups, elements: u64) {
    if is_halved(elements, groups.largest()) && groups.are_powers_of_two() {
        halves::reduce(rounds, groups);
    } else {
        whole::reduce(rounds, groups, 0);
    }
}

/// Whether vectors are halved (MPICH's rule): if they are long, and have at least one number per rank.
pub(crate) fn is_halved(elements: u64, ranks: u32) -> bool {
    NUMBER_BYTES * elements > SHORT_REDUCTION && elements >= u64::from(ranks)
}
