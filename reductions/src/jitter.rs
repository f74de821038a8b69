//! Jitter: every message is late by a random delay, the same for the same seed.
//!
//! A round ends when the last of its messages has arrived, so delays add up over rounds. One rank that adds what it
//! receives as it arrives adds in another order.

use std::fmt;
use std::str::FromStr;

use crate::cost::{Machine, Network, Parameters, Schedule};
use crate::data::Source;
use crate::placement::Groups;
use crate::random::draw;
use crate::schedule::{Round, rounds};
use crate::study::Summed;
use crate::topology::Topology;
use crate::tree::Tree;

/// How late a message is, in seconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Delay {
    /// Anything up to this, equally likely.
    Uniform(f64),
    /// This on average, with an exponential distribution.
    Exponential(f64),
    /// A share of the messages by this, the others not at all: interruptions by the operating system.
    Rare(f64, f64),
}

impl Delay {
    /// A delay; `bits` are random ones.
    pub fn of(self, bits: u64) -> f64 {
        // In (0, 1].
        let uniform = ((bits >> 11) + 1) as f64 * 2f64.powi(-53);
        match self {
            Delay::Uniform(most) => most * uniform,
            Delay::Exponential(mean) => -mean * same_math::ln(uniform),
            Delay::Rare(share, late) => {
                if uniform <= share {
                    late
                } else {
                    0.0
                }
            }
        }
    }

    /// How it is typed.
    pub const FORMS: &str =
        "uniform:MOST, exponential:MEAN or rare:SHARE:DELAY, in seconds, such as exponential:2e-6";
}

/// The longest delay that can be asked for.
const MOST: f64 = 1e6;

impl FromStr for Delay {
    type Err = String;

    fn from_str(text: &str) -> Result<Delay, String> {
        let mut parts = text.split(':');
        let name = parts.next().unwrap_or_default();
        let numbers: Option<Vec<f64>> = parts.map(|part| part.parse().ok()).collect();
        let numbers = numbers.ok_or_else(|| format!("expected {}", Delay::FORMS))?;
        let delay = match (name, &numbers[..]) {
            ("uniform", &[most]) => Delay::Uniform(most),
            ("exponential", &[mean]) => Delay::Exponential(mean),
            ("rare", &[share, late]) => {
                if !(0.0..=1.0).contains(&share) {
                    return Err("expected a share of messages from 0 to 1: rare:0.01:1e-4".into());
                }
                Delay::Rare(share, late)
            }
            _ => return Err(format!("expected {}", Delay::FORMS)),
        };
        let (Delay::Uniform(seconds) | Delay::Exponential(seconds) | Delay::Rare(_, seconds)) = delay;
        match (0.0..=MOST).contains(&seconds) {
            true => Ok(delay),
            false => Err(format!("expected a delay that is not negative and at most {MOST:e} s")),
        }
    }
}

impl fmt::Display for Delay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Delay::Uniform(most) => write!(f, "uniform:{most:e}"),
            Delay::Exponential(mean) => write!(f, "exponential:{mean:e}"),
            Delay::Rare(share, late) => write!(f, "rare:{share}:{late:e}"),
        }
    }
}

/// Delays of messages.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Jitter {
    /// Their distribution.
    pub delay: Delay,
    /// Determines all of them.
    pub seed: u64,
}

impl Jitter {
    /// The delay of a message in one of many calls.
    fn of(&self, call: u64, message: u64) -> f64 {
        self.delay.of(draw(self.seed, call, message))
    }

    /// The times of `calls` calls with a vector of `length` numbers, ascending.
    pub fn times(
        &self,
        schedule: &Schedule<'_>,
        length: u64,
        node: &[u32],
        topology: Topology,
        parameters: &Parameters,
        calls: u64,
    ) -> Vec<f64> {
        let mut network = Network::new(node, &[topology], parameters);
        let mut times = vec![0.0; calls as usize];
        let mut longest = times.clone();
        let mut message_number = 0;
        schedule(&mut |round| {
            for _ in 0..round.repeats {
                longest.fill(0.0f64);
                network.each(round, |message| {
                    let time = message.of_topology[0].1 + message.byte * length as f64;
                    for (call, longest) in (0..).zip(&mut longest) {
                        *longest = longest.max(time + self.of(call, message_number));
                    }
                    message_number += 1;
                });
                times.iter_mut().zip(&longest).for_each(|(time, longest)| *time += longest);
            }
        });
        times.sort_by(f64::total_cmp);
        times
    }

    /// The order in which messages of one number from all other ranks, sent at once, arrive at rank 0 in a call;
    /// without a call, undisturbed. Messages that arrive together come in the order of ranks.
    fn order(&self, flights: &[f64], call: Option<u64>) -> Vec<u32> {
        let late = |rank: u32| call.map_or(0.0, |call| self.of(call, rank.into()));
        let mut arrivals: Vec<(f64, u32)> =
            (1..).zip(flights).map(|(rank, flight)| (flight + late(rank), rank)).collect();
        arrivals.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        arrivals.into_iter().map(|(_, rank)| rank).collect()
    }

    /// What the order of arrival does to the bits of the sums of `sets` data sets, with other delays in each, and
    /// to those of the first data set in `calls` calls.
    pub fn arrivals(
        &self,
        source: &Source,
        machine: &Machine<'_>,
        sets: u64,
        calls: u64,
        summed: &Summed,
    ) -> Arrivals {
        let ranks = machine.node.len();
        let flights = flights(machine);
        let undisturbed = self.order(&flights, None);
        let sum = |numbers: &[f64], order: &[u32]| {
            summed.add(4 * ranks as u64);
            order.iter().fold(numbers[0], |sum, &rank| sum + numbers[rank as usize]).to_bits()
        };
        let mut found = Arrivals { sets, differ: 0, reordered: 0, calls, results: 0 };
        let mut numbers = vec![0.0; ranks];
        for set in 0..sets {
            source.fill(set, sets, &mut numbers);
            let order = self.order(&flights, Some(set));
            found.reordered += u64::from(order != undisturbed);
            found.differ += u64::from(sum(&numbers, &order) != sum(&numbers, &undisturbed));
        }
        source.fill(0, sets, &mut numbers);
        let mut results: Vec<u64> =
            (0..calls).map(|call| sum(&numbers, &self.order(&flights, Some(call)))).collect();
        results.sort_unstable();
        results.dedup();
        found.results = results.len() as u64;
        found
    }
}

/// The undisturbed times of messages of one number from all other ranks to rank 0.
fn flights(machine: &Machine<'_>) -> Vec<f64> {
    let mut network = Network::new(machine.node, &[machine.topology], &machine.parameters);
    let ranks = machine.node.len() as u32;
    let mut flights = vec![0.0; machine.node.len() - 1];
    // One message in each round, so that they do not share an interface.
    let mut see = |round: &Round<'_>| {
        let from = round.messages[0].from as usize;
        network.each(round, |message| flights[from - 1] = message.of_topology[0].1 + message.byte);
    };
    rounds(Tree::Linear, ranks, &Groups::one(ranks), 1, &mut see);
    flights
}

/// What the order of arrival does to sums.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arrivals {
    /// Data sets.
    pub sets: u64,
    /// Those whose sum has other bits than in the undisturbed order.
    pub differ: u64,
    /// Those in which the order is another one.
    pub reordered: u64,
    /// Calls with the first data set.
    pub calls: u64,
    /// Their different results.
    pub results: u64,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cost::cost;
    use crate::data::Synthetic;
    use crate::placement::{Map, Placement};

    fn with(delay: Delay, test: impl Fn(&Jitter, &Machine<'_>)) {
        let placement = Placement::new(Map::Block, 64, 8);
        let topology = Topology::named("fat-tree", placement.nodes()).unwrap();
        let machine = Machine { node: placement.node(), topology, parameters: Parameters::CLUSTER };
        test(&Jitter { delay, seed: 3 }, &machine);
    }

    fn times(jitter: &Jitter, machine: &Machine<'_>, tree: Tree) -> Vec<f64> {
        let whole = Groups::one(64);
        let schedule: &Schedule<'_> = &|see| rounds(tree, 64, &whole, 100, see);
        jitter.times(schedule, 100, machine.node, machine.topology, &machine.parameters, 200)
    }

    #[test]
    fn without_delays_a_call_takes_what_it_costs() {
        with(Delay::Uniform(0.0), |jitter, machine| {
            for tree in [Tree::Linear, Tree::Binomial { root: 0 }, Tree::Ring { chunk: None }] {
                let expected = cost(tree, &Groups::one(64), 100, 1, machine).time_s;
                for time in times(jitter, machine, tree) {
                    assert!((time - expected).abs() < 1e-12 * expected, "{tree}: {time}, {expected}");
                }
            }
            let source = Source::Synthetic(Synthetic::Signed, 1);
            let found = jitter.arrivals(&source, machine, 50, 40, &Summed::default());
            assert_eq!(found, Arrivals { sets: 50, differ: 0, reordered: 0, calls: 40, results: 1 });
        });
    }

    /// A chain of 63 messages is late by 63 means, a round of 32 messages by more than one.
    #[test]
    fn delays_add_up_over_rounds() {
        let mean = 1e-3;
        with(Delay::Exponential(mean), |jitter, machine| {
            let late = |tree: Tree| {
                let times = times(jitter, machine, tree);
                assert!(times.is_sorted());
                let undisturbed = cost(tree, &Groups::one(64), 100, 1, machine).time_s;
                times.iter().sum::<f64>() / times.len() as f64 - undisturbed
            };
            let chain = late(Tree::Linear) / mean;
            assert!((61.0..65.0).contains(&chain), "{chain}");
            // The largest of n exponential delays is 1 + 1/2 + ... + 1/n on average: 4.06 for 32, 3.38, 2.72, 2.08,
            // 1.5, 1.
            let binomial = late(Tree::Binomial { root: 0 }) / mean;
            assert!((14.0..15.5).contains(&binomial), "{binomial}");
        });
    }

    #[test]
    fn delays_change_the_order_of_arrival_and_the_bits() {
        let source = Source::Synthetic(Synthetic::Signed, 1);
        for mean in [1e-9, 1e-7, 1e-5] {
            with(Delay::Exponential(mean), |jitter, machine| {
                let found = jitter.arrivals(&source, machine, 200, 100, &Summed::default());
                assert_eq!(found, jitter.arrivals(&source, machine, 200, 100, &Summed::default()));
                assert!(found.reordered >= found.differ && found.differ > 20, "{found:?}");
                assert!(found.results > 1, "{found:?}");
                assert_ne!(jitter.of(0, 1), Jitter { seed: 4, ..*jitter }.of(0, 1));
            });
        }
    }

    #[test]
    fn delays_have_their_distributions() {
        let mean_of = |delay: Delay| {
            let jitter = Jitter { delay, seed: 9 };
            (0..20_000).map(|message| jitter.of(1, message)).sum::<f64>() / 20_000.0
        };
        assert!((mean_of(Delay::Uniform(2.0)) - 1.0).abs() < 0.02);
        assert!((mean_of(Delay::Exponential(2.0)) - 2.0).abs() < 0.06);
        assert!((mean_of(Delay::Rare(0.1, 5.0)) - 0.5).abs() < 0.04);
        assert!(
            (0..=u64::MAX).step_by(usize::MAX / 3).all(|bits| Delay::Exponential(1.0).of(bits).is_finite())
        );
    }

    #[test]
    fn delays_are_read_as_they_are_written() {
        for text in ["uniform:1e-6", "exponential:2e-6", "rare:0.01:1e-4"] {
            assert_eq!(text.parse::<Delay>().unwrap().to_string(), text);
        }
        for (text, word) in [
            ("normal:1", "exponential:MEAN"),
            ("uniform", "uniform:MOST"),
            ("uniform:x", "uniform:MOST"),
            ("uniform:-1", "not negative"),
            ("exponential:nan", "not negative"),
            ("rare:2:1", "from 0 to 1"),
            ("rare:0.5", "rare:SHARE:DELAY"),
        ] {
            let error = text.parse::<Delay>().unwrap_err();
            assert!(error.contains(word), "{text}: {error}");
        }
    }
}
