//! The time of messages.
//!
//! A message of n bytes over h hops, while F messages at once leave or enter one of its two nodes, takes
//!
//! ```text
//! between nodes    a + h a_h + (F - 1) o + F (1 + c (F - 1)) b n      (+ g n where it is added up)
//! in a node        a_s + b_s n                                        (+ g n)
//! ```
//!
//! With one message per node (F = 1), this is T = a + h a_h + b n + g n. A node's ranks share its network interface:
//! their messages start one after the other, o apart (the gap of LogP: Culler et al. 1993, doi:10.1145/155332.155333),
//! and share its bandwidth (Gropp, Olson, Samfass 2016, doi:10.1145/2966884.2966919); c says how much of it sharing
//! loses, 0 for none. A round takes as long as its longest message, and rounds follow one another.

mod formula;
mod parameters;

use crate::placement::Groups;
use crate::schedule::{NUMBER_BYTES, Round, rounds};
use crate::topology::{Distances, Topology};
use crate::tree::Tree;

pub use self::formula::closed_form;
pub use self::parameters::{Named, Parameters};

/// The locations of ranks, and what connects them.
#[derive(Clone, Copy, Debug)]
pub struct Machine<'a> {
    /// The node of each rank.
    pub node: &'a [u32],
    /// Hops between nodes.
    pub topology: Topology,
    /// Times.
    pub parameters: Parameters,
}

/// What a schedule costs.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Cost {
    /// Time of all rounds.
    pub time_s: f64,
    /// Messages, of all ranks.
    pub messages: u64,
    /// Messages between nodes.
    pub between_nodes: u64,
    /// Hops of all messages.
    pub hops: u64,
    /// Hops of the longest path.
    pub most_hops: u32,
}

impl Cost {
    /// Hops of a message between nodes, on average; 0 without any.
    pub fn mean_hops(&self) -> f64 {
        self.hops as f64 / self.between_nodes.max(1) as f64
    }
}

/// The cost of a tree for vectors of `elements` numbers of `words` words each: 1 for numbers, more for accumulators.
/// `nodes` is what the tree knows of the nodes.
pub fn cost(tree: Tree, nodes: &Groups, elements: u64, words: u64, machine: &Machine<'_>) -> Cost {
    costs(tree, nodes, &[elements * words], machine.node, &[machine.topology], &machine.parameters)[0]
}

/// The costs of a tree for vectors of several lengths, in doubles, on several networks; takes little longer than a
/// single one. They are grouped by network, one for each length.
pub fn costs(
    tree: Tree,
    nodes: &Groups,
    lengths: &[u64],
    node: &[u32],
    topologies: &[Topology],
    parameters: &Parameters,
) -> Vec<Cost> {
    if tree.depends_on_length() && lengths.len() > 1 {
        let each: Vec<Vec<Cost>> = lengths
            .iter()
            .map(|&length| costs(tree, nodes, &[length], node, topologies, parameters))
            .collect();
        return (0..topologies.len())
            .flat_map(|network| each.iter().map(move |costs| costs[network]))
            .collect();
    }
    let ranks = node.len() as u32;
    let schedule: &Schedule<'_> = &|see| rounds(tree, ranks, nodes, lengths[0], see);
    costs_of(schedule, lengths, node, topologies, parameters)
}

/// Passes the messages of a call, round by round, to a function.
pub type Schedule<'a> = dyn Fn(&mut dyn FnMut(&Round<'_>)) + 'a;

/// The costs of any schedule, which is the same for all these lengths.
pub fn costs_of(
    schedule: &Schedule<'_>,
    lengths: &[u64],
    node: &[u32],
    topologies: &[Topology],
    parameters: &Parameters,
) -> Vec<Cost> {
    let mut found = vec![Cost::default(); topologies.len() * lengths.len()];
    let mut longest = vec![0.0f64; found.len()];
    let mut hops_of_all = vec![(0u64, 0u32); topologies.len()];
    let mut between_nodes = 0;
    let mut network = Network::new(node, topologies, parameters);
    schedule(&mut |round| {
        hops_of_all.fill((0, 0));
        between_nodes = 0;
        longest.fill(0.0);
        network.each(round, |message| {
            between_nodes += u64::from(message.is_between_nodes);
            for (at, &(hops, start)) in message.of_topology.iter().enumerate() {
                let (all, most) = &mut hops_of_all[at];
                *all += u64::from(hops);
                *most = hops.max(*most);
                for (longest, &length) in longest[at * lengths.len()..].iter_mut().zip(lengths) {
                    *longest = longest.max(start + message.byte * length as f64);
                }
            }
        });
        let repeats = u64::from(round.repeats);
        for (place, (cost, longest)) in found.iter_mut().zip(&longest).enumerate() {
            let (hops, most) = hops_of_all[place / lengths.len()];
            cost.hops += hops * repeats;
            cost.most_hops = cost.most_hops.max(most);
            cost.between_nodes += between_nodes * repeats;
            cost.messages += round.messages.len() as u64 * repeats;
            cost.time_s += longest * repeats as f64;
        }
    });
    found
}

/// The times of messages between ranks on nodes.
pub(crate) struct Network<'a> {
    node: &'a [u32],
    parameters: &'a Parameters,
    distances: Vec<Distances>,
    traffic: Traffic,
}

/// The time of one message.
pub(crate) struct Timed<'a> {
    pub(crate) is_between_nodes: bool,
    /// Seconds per number of the whole vector.
    pub(crate) byte: f64,
    /// For each topology: hops, and the seconds that do not depend on the length.
    pub(crate) of_topology: &'a [(u32, f64)],
}

impl<'a> Network<'a> {
    pub(crate) fn new(node: &'a [u32], topologies: &[Topology], parameters: &'a Parameters) -> Network<'a> {
        let count = node.iter().max().map_or(0, |&last| last + 1);
        let distances = topologies.iter().map(|topology| Distances::new(*topology, count)).collect();
        let traffic = Traffic { out: vec![0; count as usize], into: vec![0; count as usize] };
        Network { node, parameters, distances, traffic }
    }

    /// Passes the time of each message of a round to `see`.
    pub(crate) fn each(&mut self, round: &Round<'_>, mut see: impl FnMut(&Timed<'_>)) {
        self.traffic.change(self.node, round, |counter| *counter += 1);
        let p = self.parameters;
        let add = if round.adds { p.add } else { 0.0 };
        let mut of_topology = vec![(0, 0.0); self.distances.len()];
        for message in round.messages {
            let [from, to] = [message.from, message.to].map(|rank| self.node[rank as usize]);
            let part = f64::from(message.count) / f64::from(round.chunks) * NUMBER_BYTES as f64;
            let is_between_nodes = from != to;
            let (fixed, byte) = if is_between_nodes {
                let at_once = f64::from(self.traffic.out[from as usize].max(self.traffic.into[to as usize]));
                let share = at_once * (1.0 + p.sharing * (at_once - 1.0));
                (p.latency + (at_once - 1.0) * p.gap, share * p.byte + add)
            } else {
                (p.node_latency, p.node_byte + add)
            };
            for (own, distances) in of_topology.iter_mut().zip(&self.distances) {
                let hops = if is_between_nodes { distances.hops(from, to) } else { 0 };
                *own = (hops, fixed + f64::from(hops) * p.hop);
            }
            see(&Timed { is_between_nodes, byte: byte * part, of_topology: &of_topology });
        }
        self.traffic.change(self.node, round, |counter| *counter = 0);
    }
}

/// A round's messages that leave and enter each node.
struct Traffic {
    out: Vec<u32>,
    into: Vec<u32>,
}

impl Traffic {
    fn change(&mut self, node: &[u32], round: &Round<'_>, change: impl Fn(&mut u32)) {
        for message in round.messages {
            let [from, to] = [message.from, message.to].map(|rank| node[rank as usize] as usize);
            if from != to {
                change(&mut self.out[from]);
                change(&mut self.into[to]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::placement::{Map, Placement};

    #[test]
    fn messages_of_one_node_wait_for_each_other() {
        let parameters = Parameters {
            latency: 100.0,
            hop: 10.0,
            byte: 1.0,
            gap: 7.0,
            sharing: 0.5,
            node_latency: 3.0,
            node_byte: 0.25,
            add: 0.125,
        };
        let cost_on = |node: &[u32], tree: Tree| {
            let machine = Machine { node, topology: Topology::named("fat-tree", 2).unwrap(), parameters };
            cost(tree, &Groups::one(node.len() as u32), 1, 1, &machine)
        };
        // Within the node 3 + 8 / 4 + 1, between nodes 100 + 2 * 10 + 8 + 1 for one alone, and for two at once 7 + 1.5
        // * 16 - 8 more.
        let alone = cost_on(&[0, 1], Tree::RecursiveDoubling);
        assert_eq!(alone, Cost { time_s: 129.0, messages: 2, between_nodes: 2, hops: 4, most_hops: 2 });
        let together = cost_on(&[0, 0, 1, 1], Tree::RecursiveDoubling);
        assert_eq!(
            together,
            Cost { time_s: 6.0 + 152.0, messages: 8, between_nodes: 4, hops: 8, most_hops: 2 }
        );
        assert_eq!(cost_on(&[0, 0, 1, 1], Tree::Binomial { root: 0 }).time_s, 6.0 + 129.0);
        assert_eq!(cost_on(&[0, 1, 0, 1], Tree::RecursiveDoubling).time_s, 6.0 + 152.0);
        // Traffic in both directions at once is not sharing; neither is what stays in the node.
        assert_eq!(cost_on(&[0; 4], Tree::RecursiveDoubling).time_s, 12.0);
    }

    #[test]
    fn an_exact_sum_by_the_nodes_tree_takes_no_longer_than_a_plain_one_that_knows_none() {
        let placement = Placement::new(Map::Block, 1024, 8);
        let topology = Topology::named("fat-tree", placement.nodes()).unwrap();
        let machine = Machine { node: placement.node(), topology, parameters: Parameters::CLUSTER };
        let of = |tree, words| cost(tree, &placement.groups(), 1, words, &machine);
        let (plain, aware) = (of(Tree::RecursiveDoubling, 1), of(Tree::NodeAwareAllReduce, 1));
        let exact = of(Tree::Exact, 69);
        assert_eq!(aware.messages, exact.messages);
        assert!(aware.time_s < exact.time_s && exact.time_s < plain.time_s, "{exact:?}, {plain:?}");
    }

    #[test]
    fn several_lengths_and_networks_at_once_cost_what_they_cost_alone() {
        let placement = Placement::new(Map::Random(3), 48, 8);
        let networks = ["torus", "fat-tree"].map(|name| Topology::named(name, placement.nodes()).unwrap());
        let lengths = [1, 5000];
        let parameters = Parameters::CLUSTER;
        for tree in Tree::ALL {
            let mut alone = Vec::new();
            for topology in networks {
                let machine = Machine { node: placement.node(), topology, parameters };
                alone.extend(lengths.map(|length| cost(tree, &placement.groups(), length, 1, &machine)));
            }
            assert_eq!(
                costs(tree, &placement.groups(), &lengths, placement.node(), &networks, &parameters),
                alone
            );
        }
    }
}
