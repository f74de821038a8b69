//! Trees over real messages: the schedules that are simulated, executed by ranks.

use cfd_engine::comm::{Comm, Message};
use cfd_reductions::placement::Groups;
use cfd_reductions::schedule::own::{Part, Step, steps};
use cfd_reductions::tree::Tree;
use exact_sum::{DigitRange, ExactSum, WORDS, round};

/// Exact sums made and sent at once: they take half a megabyte.
const BLOCK: usize = 1024;

/// One rank's part of a tree for vectors of one length.
pub struct Executed<'a> {
    comm: &'a Comm,
    steps: Vec<Step>,
    /// Buffers of earlier messages.
    spare: Vec<Vec<u64>>,
}

impl<'a> Executed<'a> {
    /// A tree on the first `ranks` ranks, one of which this is, for vectors of `length` words.
    pub fn new(comm: &'a Comm, tree: Tree, ranks: u32, nodes: &Groups, length: usize) -> Executed<'a> {
        let steps = steps(tree, ranks, nodes, length, comm.rank() as u32);
        Executed { comm, steps, spare: Vec::new() }
    }

    /// Executes it on the words of this rank. Collective over the tree's ranks.
    pub fn run(&mut self, words: &mut [u64], add: impl Fn(u64, u64) -> u64) {
        for step in &self.steps {
            let spare = &mut self.spare;
            let mut message = |part: &Part, own: Option<&[u64]>| {
                let mut buffer: Vec<u64> = spare.pop().unwrap_or_default();
                buffer.clear();
                match own {
                    Some(own) => buffer.extend_from_slice(own),
                    None => buffer.resize(part.range.len(), 0),
                }
                Message { rank: part.rank as usize, words: buffer }
            };
            let sends =
                step.sends.iter().map(|part| message(part, Some(&words[part.range.clone()]))).collect();
            let receives = step.receives.iter().map(|part| message(part, None)).collect();
            let (sent, received) = self.comm.start(sends, receives).finish();
            for (part, message) in step.receives.iter().zip(&received) {
                let own = &mut words[part.range.clone()];
                match step.adds {
                    true => {
                        own.iter_mut().zip(&message.words).for_each(|(own, &word)| *own = add(*own, word))
                    }
                    false => own.copy_from_slice(&message.words),
                }
            }
            self.spare.extend(sent.into_iter().chain(received).map(|message| message.words));
        }
    }
}

/// The sum of two numbers, as bits.
pub fn add_numbers(a: u64, b: u64) -> u64 {
    (f64::from_bits(a) + f64::from_bits(b)).to_bits()
}

/// Adds the vectors of the first `ranks` ranks on rank 0, in the order in which they arrive, which rank 0 gets.
/// Collective over these ranks.
pub fn add_as_they_arrive(comm: &Comm, ranks: u32, words: &mut [u64]) -> Vec<u32> {
    if comm.rank() > 0 {
        comm.start(vec![Message { rank: 0, words: words.to_vec() }], Vec::new()).finish();
        return Vec::new();
    }
    let begin = |rank: u32| {
        let receive = Message { rank: rank as usize, words: vec![0; words.len()] };
        (rank, comm.start(Vec::new(), vec![receive]))
    };
    let mut awaited: Vec<_> = (1..ranks).map(begin).collect();
    let mut order = Vec::new();
    while !awaited.is_empty() {
        let Some(at) = awaited.iter_mut().position(|(_, message)| message.test()) else {
            std::thread::yield_now();
            continue;
        };
        let (rank, message) = awaited.remove(at);
        let (_, received) = message.finish();
        let others = received.iter().flat_map(|message| &message.words);
        words.iter_mut().zip(others).for_each(|(own, &other)| *own = add_numbers(*own, other));
        order.push(rank);
    }
    order
}

/// Exact sums of vectors: accumulators made, added along a tree and rounded, some at a time.
pub struct Exact<'a> {
    /// For blocks of sums, and for those that are left.
    parts: [(usize, Executed<'a>); 2],
    words: Vec<u64>,
}

impl<'a> Exact<'a> {
    /// For vectors of `length` numbers.
    pub fn new(comm: &'a Comm, ranks: u32, nodes: &Groups, length: usize) -> Exact<'a> {
        let part =
            |sums: usize| (sums, Executed::new(comm, Tree::Exact, ranks, nodes, (WORDS * sums).max(1)));
        Exact { parts: [part(BLOCK.min(length)), part(length % BLOCK)], words: Vec::new() }
    }

    /// The sums, in place of the numbers. Collective over the tree's ranks.
    pub fn run(&mut self, numbers: &mut [u64]) {
        let mut sum = ExactSum::new();
        for block in numbers.chunks_mut(BLOCK) {
            self.words.resize(WORDS * block.len(), 0);
            for (number, words) in block.iter().zip(self.words.chunks_exact_mut(WORDS)) {
                sum.add(f64::from_bits(*number));
                sum.drain_words(words);
            }
            let (_, executed) =
                self.parts.iter_mut().find(|(sums, _)| *sums == block.len()).expect("two sizes");
            executed.run(&mut self.words, u64::wrapping_add);
            for (number, words) in block.iter_mut().zip(self.words.chunks_exact(WORDS)) {
                *number = round(words).to_bits();
            }
        }
    }
}

/// The same with the digits in use, by recursive doubling, as in the runs of this program.
pub struct ExactDigits<'a> {
    comm: &'a Comm,
    ranks: u32,
    nodes: Groups,
    ranges: Vec<DigitRange>,
    /// Messages of one block, for the last length.
    executed: Option<(usize, Executed<'a>)>,
}

impl<'a> ExactDigits<'a> {
    /// For vectors of `length` numbers.
    pub fn new(comm: &'a Comm, ranks: u32, length: usize) -> ExactDigits<'a> {
        let ranges = vec![DigitRange::WHOLE; length];
        ExactDigits { comm, ranks, nodes: Groups::one(ranks), ranges, executed: None }
    }

    /// The sums, in place of the numbers. Collective over the tree's ranks.
    pub fn run(&mut self, numbers: &mut [u64]) {
        let mut ranges = std::mem::take(&mut self.ranges);
        for (numbers, ranges) in numbers.chunks_mut(BLOCK).zip(ranges.chunks_mut(BLOCK)) {
            self.run_block(numbers, ranges);
        }
        self.ranges = ranges;
    }

    /// The first word counts the ranks whose sums have digits outside their ranges.
    fn run_block(&mut self, numbers: &mut [u64], ranges: &mut [DigitRange]) {
        let own = |numbers: &[u64], of: &dyn Fn(usize) -> DigitRange| {
            let mut words = vec![0];
            let mut sum = ExactSum::new();
            for (at, number) in numbers.iter().enumerate() {
                let range = of(at);
                sum.add(f64::from_bits(*number));
                let begin = words.len();
                words.resize(begin + range.len(), 0);
                words[0] |= u64::from(!sum.write_digits(&range, &mut words[begin..]));
                sum.clear();
            }
            words
        };
        let mut words = own(numbers, &|at| ranges[at].clone());
        self.all_reduce(&mut words);
        if words[0] > 0 {
            let mut whole = own(numbers, &|_| DigitRange::WHOLE);
            self.all_reduce(&mut whole);
            for ((number, range), words) in numbers.iter_mut().zip(ranges).zip(whole[1..].chunks_exact(WORDS))
            {
                *number = round(words).to_bits();
                range.miss(words);
            }
            return;
        }
        let mut rest = &words[1..];
        for (number, range) in numbers.iter_mut().zip(ranges) {
            let digits = rest.split_off(..range.len()).expect("made above");
            *number = range.round(digits).to_bits();
            range.follow(digits);
        }
    }

    fn all_reduce(&mut self, words: &mut [u64]) {
        if self.executed.as_ref().is_none_or(|(length, _)| *length != words.len()) {
            let doubling =
                Executed::new(self.comm, Tree::RecursiveDoubling, self.ranks, &self.nodes, words.len());
            self.executed = Some((words.len(), doubling));
        }
        let (_, executed) = self.executed.as_mut().expect("just made");
        executed.run(words, u64::wrapping_add);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cfd_reductions::data::Synthetic;
    use cfd_reductions::placement::{Map, Placement};
    use cfd_reductions::schedule::execute::Vectors;
    use cfd_reductions::schedule::rounds;
    use cfd_reductions::shape::Shape;

    fn vector(rank: u32, length: usize) -> Vec<f64> {
        (0..length as u64).map(|element| Synthetic::Signed.number(17, element, rank.into())).collect()
    }

    fn bits(numbers: &[f64]) -> Vec<u64> {
        numbers.iter().map(|number| number.to_bits()).collect()
    }

    /// Short vectors, some of whose chunks are empty; and one that trees halve.
    const LENGTHS: [usize; 4] = [1, 7, 64, 1031];

    #[test]
    fn every_tree_over_messages_has_the_bits_of_the_simulation() {
        for ranks in [2u32, 3, 5, 8] {
            for node_ranks in [2, 3] {
                let nodes = Placement::new(Map::Cyclic, ranks, node_ranks).groups();
                let trees = Tree::ALL.into_iter().chain([Tree::MpichReduce, Tree::MpichAllReduce]);
                for tree in trees.filter(|tree| tree.rank().is_none_or(|rank| rank < ranks)) {
                    for length in LENGTHS {
                        let of_rank: Vec<Vec<f64>> = (0..ranks).map(|rank| vector(rank, length)).collect();
                        let mut simulated = Vectors { of_rank };
                        rounds(tree, ranks, &nodes, length as u64, &mut |round| simulated.execute(round));
                        let found = Comm::simulate(ranks as usize, |comm| {
                            let mut words = bits(&vector(comm.rank() as u32, length));
                            Executed::new(&comm, tree, ranks, &nodes, length).run(&mut words, add_numbers);
                            words
                        });
                        let expected: Vec<Vec<u64>> =
                            simulated.of_rank.iter().map(|numbers| bits(numbers)).collect();
                        assert_eq!(found, expected, "{tree} on {ranks} ranks, {length} numbers");
                    }
                }
            }
        }
    }

    /// Only the first ranks take part.
    #[test]
    fn other_ranks_may_do_something_else() {
        let sums = Comm::simulate(5, |comm| {
            let mut words = bits(&[f64::from(comm.rank() as u32)]);
            if comm.rank() < 3 {
                let whole = Groups::one(3);
                Executed::new(&comm, Tree::RecursiveDoubling, 3, &whole, 1).run(&mut words, add_numbers);
            }
            comm.barrier();
            f64::from_bits(words[0])
        });
        assert_eq!(sums, [3.0, 3.0, 3.0, 3.0, 4.0]);
    }

    #[test]
    fn what_arrives_is_added_in_its_order() {
        for ranks in [2u32, 3, 5, 8] {
            let found = Comm::simulate(ranks as usize, |comm| {
                let mut words = bits(&vector(comm.rank() as u32, 9));
                let order = add_as_they_arrive(&comm, ranks, &mut words);
                (order, words)
            });
            let (order, sums) = &found[0];
            let mut sorted = order.clone();
            sorted.sort_unstable();
            assert_eq!(sorted, (1..ranks).collect::<Vec<u32>>());
            for (element, sum) in sums.iter().enumerate() {
                let mut numbers: Vec<f64> = (0..ranks).map(|rank| vector(rank, 9)[element]).collect();
                let expected = Shape::in_order(ranks, 0, order.iter().copied()).sum(&mut numbers);
                assert_eq!(*sum, expected.to_bits());
            }
        }
    }

    /// More sums than a block, and several calls, in which the digits in use are agreed upon and then change.
    #[test]
    fn exact_sums_over_messages_are_exact() {
        for (ranks, length) in [(2u32, 1), (3, 2100), (5, 1024)] {
            let nodes = Placement::new(Map::Block, ranks, 2).groups();
            let of = |rank: u32, call: u64| -> Vec<f64> {
                let scale = if call == 2 { 1e100 } else { 1.0 };
                vector(rank, length).iter().map(|number| scale * number).collect()
            };
            let found = Comm::simulate(ranks as usize, |comm| {
                let (mut whole, mut digits) =
                    (Exact::new(&comm, ranks, &nodes, length), ExactDigits::new(&comm, ranks, length));
                let each = |call| {
                    let numbers = bits(&of(comm.rank() as u32, call));
                    let (mut a, mut b) = (numbers.clone(), numbers);
                    whole.run(&mut a);
                    digits.run(&mut b);
                    [a, b]
                };
                (0..4).map(each).collect::<Vec<_>>()
            });
            for call in 0..4 {
                let columns: Vec<Vec<f64>> = (0..ranks).map(|rank| of(rank, call)).collect();
                let exact = |element: usize| {
                    let mut sum = ExactSum::new();
                    columns.iter().for_each(|column| sum.add(column[element]));
                    sum.value().to_bits()
                };
                let expected: Vec<u64> = (0..length).map(exact).collect();
                for of_rank in &found {
                    assert_eq!(of_rank[call as usize][0], expected, "whole sums, {ranks} ranks");
                    assert_eq!(of_rank[call as usize][1], expected, "digits in use, {ranks} ranks");
                }
            }
        }
    }
}
