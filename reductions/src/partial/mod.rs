//! Calls whose result differs from rank to rank: prefix sums (`MPI_Scan`, `MPI_Exscan`), and sums of which every
//! rank has a part (`MPI_Reduce_scatter`, or `MPI_Reduce_scatter_block`, which is the same for parts of one size).
//!
//! ```text
//! chain       rank r adds its number to what rank r - 1 sends, and sends that on: the order of ranks
//! doubling    in round m = 1, 2, 4, ..., ranks r and r xor m exchange the sums of their groups of m; a rank adds
//! those from
//!             lower ranks to its result, too (MPICH)
//! pairwise    in round i, rank r sends its numbers of part r + i to rank r + i, which adds them (MPICH, long vectors)
//! halving     partners at half the number of ranks, a quarter, ... exchange halves of what they still have; on
//! other numbers
//!             of ranks than powers of two, the first pairs add up beforehand (MPICH, short vectors)
//! ring        part p starts at rank p + 1 and goes around the ring to rank p (Open MPI)
//! exact       accumulators of exact sums, by doubling or halving
//! ```
//!
//! `messages` has those of the reduce-scatters, `bits` compares the sums with others.

mod bits;
mod messages;

use std::fmt;
use std::str::FromStr;

use exact_sum::{ExactSum, WORDS};

pub use self::bits::{PartialBits, bits, work};
use crate::schedule::{Round, Rounds};

/// What the ranks get.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Call {
    /// Each rank the sum of the ranks up to itself.
    Scan,
    /// Each rank but the first the sum of the ranks before it.
    Exscan,
    /// Each rank one part of the vector of sums.
    ReduceScatter,
}

/// How they get it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// One rank after another.
    Chain,
    /// Partners at twice the distance in every round.
    Doubling,
    /// Every rank from every other.
    Pairwise,
    /// Partners at half the distance in every round.
    Halving,
    /// Around the ring.
    Ring,
    /// As integers.
    Exact,
}

/// A call, and how it is carried out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Partial {
    /// What the ranks get.
    pub call: Call,
    /// How.
    pub way: Way,
}

impl Partial {
    /// Every way of every call.
    pub const ALL: [Partial; 10] = [
        Partial { call: Call::Scan, way: Way::Chain },
        Partial { call: Call::Scan, way: Way::Doubling },
        Partial { call: Call::Scan, way: Way::Exact },
        Partial { call: Call::Exscan, way: Way::Chain },
        Partial { call: Call::Exscan, way: Way::Doubling },
        Partial { call: Call::Exscan, way: Way::Exact },
        Partial { call: Call::ReduceScatter, way: Way::Pairwise },
        Partial { call: Call::ReduceScatter, way: Way::Halving },
        Partial { call: Call::ReduceScatter, way: Way::Ring },
        Partial { call: Call::ReduceScatter, way: Way::Exact },
    ];

    /// Words sent for a number.
    pub fn words(self) -> u64 {
        if self.way == Way::Exact { WORDS as u64 } else { 1 }
    }

    /// The ranks that get a sum.
    pub fn receivers(self, ranks: u32) -> std::ops::Range<u32> {
        u32::from(self.call == Call::Exscan)..ranks
    }

    /// The sum of every rank that gets one, of a number from each rank. In a reduce-scatter, these are the sums of
    /// vectors of equal numbers.
    pub fn sums(self, numbers: &[f64]) -> Vec<f64> {
        let ranks = numbers.len();
        match (self.call, self.way) {
            (Call::Scan, Way::Chain) => running(numbers),
            (Call::Exscan, Way::Chain) => running(&numbers[..ranks - 1]),
            (Call::Scan | Call::Exscan, Way::Exact) => {
                let mut sum = ExactSum::new();
                let each = |number: &f64| {
                    sum.add(*number);
                    sum.value()
                };
                numbers[..ranks - usize::from(self.call == Call::Exscan)].iter().map(each).collect()
            }
            (Call::Scan | Call::Exscan, _) => {
                let mut prefixes = Prefixes::new(self.call, numbers);
                self.rounds(ranks as u32, &mut |round| prefixes.execute(round));
                prefixes.sums[self.receivers(ranks as u32).start as usize..].to_vec()
            }
            (Call::ReduceScatter, Way::Exact) => {
                let mut sum = ExactSum::new();
                sum.add_slice(numbers);
                vec![sum.value(); ranks]
            }
            (Call::ReduceScatter, Way::Halving) => vec![by_halving(numbers); ranks],
            (Call::ReduceScatter, way) => {
                let of = |part: usize| match way {
                    Way::Ring => chain((1..=ranks).map(|step| numbers[(part + step) % ranks])),
                    _ => chain((0..ranks).map(|step| numbers[(part + ranks - step) % ranks])),
                };
                (0..ranks).map(of).collect()
            }
        }
    }

    /// Passes the messages to `see`, round by round. In a scan, whatever a rank receives from a lower one is added
    /// to its result, too.
    pub fn rounds(self, ranks: u32, see: &mut dyn FnMut(&Round<'_>)) {
        let mut rounds = Rounds::new(see);
        match (self.call, self.way) {
            (Call::ReduceScatter, Way::Pairwise) => messages::pairwise(&mut rounds, ranks),
            (Call::ReduceScatter, Way::Ring) => messages::ring(&mut rounds, ranks),
            (Call::ReduceScatter, _) => messages::halving(&mut rounds, ranks),
            (_, Way::Chain) => {
                for rank in 1..ranks {
                    rounds.send(rank - 1, rank, 0, 1);
                    rounds.end(1, true, 1);
                }
            }
            _ => {
                let masks = (0..u32::BITS).map(|bit| 1u32 << bit).take_while(|&mask| mask < ranks);
                for mask in masks {
                    for rank in (0..ranks).filter(|rank| rank ^ mask < ranks) {
                        rounds.send(rank, rank ^ mask, 0, 1);
                    }
                    rounds.end(1, true, 1);
                }
            }
        }
    }
}

/// The sums of the first, the first two, the first three, ... numbers.
fn running(numbers: &[f64]) -> Vec<f64> {
    let mut sum = None;
    let each = |&number: &f64| {
        let next = sum.map_or(number, |sum| sum + number);
        sum = Some(next);
        next
    };
    numbers.iter().map(each).collect()
}

fn chain(numbers: impl Iterator<Item = f64>) -> f64 {
    numbers.reduce(|sum, number| sum + number).expect("a number from each rank")
}

/// The sum by halving, which is the same for every part.
fn by_halving(numbers: &[f64]) -> f64 {
    let left = numbers.len() - (1 << numbers.len().ilog2());
    let (pairs, others) = numbers.split_at(2 * left);
    let pairs = pairs.chunks_exact(2).map(|pair| pair[0] + pair[1]);
    let mut sums: Vec<f64> = pairs.chain(others.iter().copied()).collect();
    while sums.len() > 1 {
        let half = sums.len() / 2;
        sums = (0..half).map(|at| sums[at] + sums[at + half]).collect();
    }
    sums[0]
}

/// Scans round by round.
struct Prefixes {
    /// What each rank sends: the sum of its group.
    groups: Vec<f64>,
    /// The result of each rank; zero if there is none yet.
    sums: Vec<f64>,
    is_begun: Vec<bool>,
}

impl Prefixes {
    fn new(call: Call, numbers: &[f64]) -> Prefixes {
        let is_begun = vec![call == Call::Scan; numbers.len()];
        let sums = numbers.iter().map(|&number| if call == Call::Scan { number } else { 0.0 }).collect();
        Prefixes { groups: numbers.to_vec(), sums, is_begun }
    }

    fn execute(&mut self, round: &Round<'_>) {
        let sent: Vec<f64> =
            round.messages.iter().map(|message| self.groups[message.from as usize]).collect();
        for (message, value) in round.messages.iter().zip(sent) {
            let to = message.to as usize;
            self.groups[to] += value;
            if message.from < message.to {
                self.sums[to] = if self.is_begun[to] { self.sums[to] + value } else { value };
                self.is_begun[to] = true;
            }
        }
    }
}

impl fmt::Display for Partial {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let call = match self.call {
            Call::Scan => "scan",
            Call::Exscan => "exscan",
            Call::ReduceScatter => "reduce-scatter",
        };
        let way = match self.way {
            Way::Chain => "chain",
            Way::Doubling => "doubling",
            Way::Pairwise => "pairwise",
            Way::Halving => "halving",
            Way::Ring => "ring",
            Way::Exact => "exact",
        };
        f.pad(&format!("{call}-{way}"))
    }
}

impl FromStr for Call {
    type Err = ();

    fn from_str(text: &str) -> Result<Call, ()> {
        match text {
            "scan" => Ok(Call::Scan),
            "exscan" => Ok(Call::Exscan),
            "reduce-scatter" => Ok(Call::ReduceScatter),
            _ => Err(()),
        }
    }
}

impl Call {
    /// The names as typed.
    pub const NAMES: [&str; 3] = ["scan", "exscan", "reduce-scatter"];
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Synthetic;
    use crate::schedule::execute::Vectors;

    fn numbers(ranks: u32, set: u64) -> Vec<f64> {
        (0..ranks).map(|rank| Synthetic::Signed.number(5, set, rank.into())).collect()
    }

    /// The reduce-scatters' messages leave in part r of rank r what `sums` says.
    #[test]
    fn messages_of_reduce_scatters_leave_their_sums() {
        for ranks in [1, 2, 3, 4, 5, 6, 7, 8, 13, 16, 24] {
            for partial in Partial::ALL {
                if partial.call != Call::ReduceScatter || partial.way == Way::Exact {
                    continue;
                }
                let numbers = numbers(ranks, 1);
                let parts = 3 * ranks as usize;
                let mut vectors =
                    Vectors { of_rank: numbers.iter().map(|&number| vec![number; parts]).collect() };
                partial.rounds(ranks, &mut |round| vectors.execute(round));
                for (rank, expected) in partial.sums(&numbers).iter().enumerate() {
                    for number in &vectors.of_rank[rank][3 * rank..3 * rank + 3] {
                        assert_eq!(number.to_bits(), expected.to_bits(), "{partial}, rank {rank} of {ranks}");
                    }
                }
            }
        }
    }

    /// Integers, whose sums do not depend on the order: all ways give every rank the sum that it asked for.
    #[test]
    fn every_rank_gets_its_sum() {
        for ranks in 1..40u32 {
            let numbers: Vec<f64> = (0..ranks).map(|rank| f64::from(3 * rank + 1)).collect();
            let up_to = |count: usize| numbers[..count].iter().sum::<f64>();
            for partial in Partial::ALL {
                let expected: Vec<f64> = match partial.call {
                    Call::Scan => (1..=numbers.len()).map(up_to).collect(),
                    Call::Exscan => (1..numbers.len()).map(up_to).collect(),
                    Call::ReduceScatter => vec![up_to(numbers.len()); numbers.len()],
                };
                assert_eq!(partial.sums(&numbers), expected, "{partial} on {ranks} ranks");
                assert_eq!(partial.receivers(ranks).len(), expected.len());
            }
        }
    }

    #[test]
    fn sums_have_the_bits_of_their_orders() {
        let numbers = numbers(8, 2);
        let [a, b, c, d, e, f, g, h] = numbers[..] else { panic!("eight numbers") };
        let scan = Partial { call: Call::Scan, way: Way::Doubling }.sums(&numbers);
        assert_eq!(scan[6], (g + (e + f)) + ((a + b) + (c + d)));
        let exscan = Partial { call: Call::Exscan, way: Way::Doubling }.sums(&numbers);
        assert_eq!(exscan[6], (g + (e + f)) + ((a + b) + (c + d)));
        assert_eq!(exscan[2], c + (a + b));
        let halving = Partial { call: Call::ReduceScatter, way: Way::Halving }.sums(&numbers);
        assert_eq!(halving[5], ((a + e) + (c + g)) + ((b + f) + (d + h)));
        let of = |way| Partial { call: Call::ReduceScatter, way }.sums(&numbers)[1];
        assert_eq!(of(Way::Pairwise), ((((((b + a) + h) + g) + f) + e) + d) + c);
        assert_eq!(of(Way::Ring), ((((((c + d) + e) + f) + g) + h) + a) + b);
    }

    #[test]
    fn names_are_those_of_calls_and_ways() {
        for partial in Partial::ALL {
            let text = partial.to_string();
            assert_eq!(Call::NAMES.iter().filter(|name| text.starts_with(&format!("{name}-"))).count(), 1);
        }
        for name in Call::NAMES {
            assert!(name.parse::<Call>().is_ok());
        }
        assert!("gather".parse::<Call>().is_err());
    }
}
