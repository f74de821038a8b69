//! The time of messages.
//!
//! A message of n bytes that crosses h hops while F messages at once leave or enter one of its two nodes takes
//!
//! ```text
//! between nodes    a + h a_h + (F - 1) o + F (1 + c (F - 1)) b n      (+ g n where it is added up)
//! in a node        a_s + b_s n                                        (+ g n)
//! ```
//!
//! With one message a node (F = 1) this is T = a + h a_h + b n + g n. The network interface of a node is shared by its ranks:
//! their messages start one after the other, o apart (the gap of LogP: Culler et al. 1993, doi:10.1145/155332.155333), and share
//! its bandwidth (Gropp, Olson, Samfass 2016, doi:10.1145/2966884.2966919); c says how much of it they lose in doing so, 0 for
//! nothing. A round takes as long as its longest message, and rounds follow one another.

use crate::placement::Groups;
use crate::schedule::{NUMBER_BYTES, Round, rounds};
use crate::topology::Topology;
use crate::tree::Tree;

/// Parameters of the time of a message, in seconds, and seconds a byte.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parameters {
    /// a: latency of a message between nodes.
    pub latency: f64,
    /// a_h: of each hop.
    pub hop: f64,
    /// b: of each byte between nodes.
    pub byte: f64,
    /// o: between the starts of two messages of one node.
    pub gap: f64,
    /// c: what sharing costs.
    pub sharing: f64,
    /// a_s: latency of a message in a node.
    pub node_latency: f64,
    /// b_s: of each byte in a node.
    pub node_byte: f64,
    /// g: to add a byte.
    pub add: f64,
}

/// A parameter's name, what it is, and its place.
pub type Named = (&'static str, &'static str, fn(&mut Parameters) -> &mut f64);

impl Parameters {
    /// The parameters by name.
    pub const NAMED: [Named; 8] = [
        ("latency", "a message between nodes, s", |p| &mut p.latency),
        ("hop", "each hop, s", |p| &mut p.hop),
        ("byte", "each byte between nodes, s", |p| &mut p.byte),
        ("gap", "from a message of a node to its next one, s", |p| &mut p.gap),
        ("sharing", "bandwidth lost with each further message of a node, as a share", |p| &mut p.sharing),
        ("node-latency", "a message in a node, s", |p| &mut p.node_latency),
        ("node-byte", "each byte in a node, s", |p| &mut p.node_byte),
        ("add", "adding a byte, s", |p| &mut p.add),
    ];

    /// A cluster of 2010: nodes of eight cores (two Intel Xeon X5550) on InfiniBand QDR.
    ///
    /// * `latency`, `gap` and `byte` are measured: LogGP's parameters of MVAPICH on a cluster with InfiniBand at Argonne National
    ///   Laboratory, by Netgauge (Hoefler et al. 2007, doi:10.1007/978-3-540-75444-2_62). Half the round trip of 8 bytes, 11.4 us;
    ///   g = 0.94 us; G = 0.497 ns. The table is a part of CODES, the simulator of networks (`tests/conf/ng-mpi-tukey.dat` of
    ///   github.com/codes-org/codes).
    /// * `hop` is the 100 ns that a switch for QDR takes.
    /// * `node_latency`, `node_byte`, `add` and `sharing` are fitted: of a grid, those with which the model is nearest to what
    ///   Balaji and Kimpe measured on such nodes ("On the Reproducibility of MPI Reduction Operations", HPCC 2013,
    ///   doi:10.1109/HPCC.and.EUC.2013.65). `tests/measured.rs` compares the two.
    pub const CLUSTER: Parameters = Parameters {
        latency: 5.7e-6,
        hop: 0.1e-6,
        byte: 0.497e-9,
        gap: 0.94e-6,
        sharing: 0.6,
        node_latency: 0.7e-6,
        node_byte: 0.25e-9,
        add: 0.05e-9,
    };

    /// A network without distances and nodes: T = a + b n + g n for every message.
    pub fn flat(latency: f64, byte: f64, add: f64) -> Parameters {
        let [hop, gap, sharing] = [0.0; 3];
        Parameters { latency, hop, byte, gap, sharing, node_latency: latency, node_byte: byte, add }
    }
}

/// Where ranks are, and what connects them.
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
    /// Hops of the longest way.
    pub most_hops: u32,
}

impl Cost {
    /// Hops of a message between nodes, on average; 0 without any.
    pub fn mean_hops(&self) -> f64 {
        self.hops as f64 / self.between_nodes.max(1) as f64
    }
}

/// The cost of a tree for vectors of `elements` numbers of `words` words each: 1 for numbers, more for accumulators. `nodes` is
/// what the tree is told of the nodes.
pub fn cost(tree: Tree, nodes: &Groups, elements: u64, words: u64, machine: &Machine<'_>) -> Cost {
    let mut cost = Cost::default();
    let bytes = elements as f64 * (NUMBER_BYTES * words) as f64;
    let count = machine.node.iter().max().map_or(0, |&last| last as usize + 1);
    let mut traffic = Traffic { out: vec![0; count], into: vec![0; count] };
    rounds(tree, machine.node.len() as u32, nodes, elements, &mut |round| {
        traffic.change(machine, round, |counter| *counter += 1);
        let mut longest = 0.0f64;
        for message in round.messages {
            let [from, to] = [message.from, message.to].map(|rank| machine.node[rank as usize]);
            let length = bytes * f64::from(message.count) / f64::from(round.chunks);
            let p = &machine.parameters;
            let mut time = if from == to {
                p.node_latency + p.node_byte * length
            } else {
                let hops = machine.topology.hops(from, to);
                cost.hops += u64::from(hops) * u64::from(round.repeats);
                cost.most_hops = cost.most_hops.max(hops);
                cost.between_nodes += u64::from(round.repeats);
                let at_once = f64::from(traffic.out[from as usize].max(traffic.into[to as usize]));
                let share = at_once * (1.0 + p.sharing * (at_once - 1.0));
                p.latency + f64::from(hops) * p.hop + (at_once - 1.0) * p.gap + share * p.byte * length
            };
            if round.adds {
                time += p.add * length;
            }
            longest = longest.max(time);
        }
        cost.messages += round.messages.len() as u64 * u64::from(round.repeats);
        cost.time_s += longest * f64::from(round.repeats);
        traffic.change(machine, round, |counter| *counter = 0);
    });
    cost
}

/// Messages of a round that leave and enter each node.
struct Traffic {
    out: Vec<u32>,
    into: Vec<u32>,
}

impl Traffic {
    fn change(&mut self, machine: &Machine<'_>, round: &Round<'_>, change: impl Fn(&mut u32)) {
        for message in round.messages {
            let [from, to] = [message.from, message.to].map(|rank| machine.node[rank as usize] as usize);
            if from != to {
                change(&mut self.out[from]);
                change(&mut self.into[to]);
            }
        }
    }
}

/// The time of a tree by its formula where every message takes a + b n + g n, for n bytes on p ranks in nodes of k, whose messages
/// are short:
///
/// ```text
/// linear (both), arrival  (p - 1) (a + b n + g n)
/// binomial               ceil(lg p) (a + b n + g n)
/// recursive doubling     floor(lg p) (a + b n + g n); where p is no power of two, 2 (a + b n) + g n more
/// Rabenseifner           2 lg p a + 2 (p - 1)/p b n + (p - 1)/p g n; where p is no power of two, with 2^floor(lg p) in its
///                        place, and 2 (a + b n) + g n more
/// reduce-scatter-gather  the same for a power of two
/// ring                   2 (p - 1) a + 2 (p - 1)/p b n + (p - 1)/p g n
/// node-aware all-reduce  ceil(lg k) steps in nodes, recursive doubling of p / k, ceil(lg k) (a + b n) back
/// node-aware reduce      ceil(lg k) steps in the other nodes, ceil(lg(p / k)) between nodes, ceil(lg k) in the root's
/// ```
///
/// None where there is no such formula: k-ary trees, and reduce-scatter-gather on other numbers of ranks.
pub fn closed_form(tree: Tree, ranks: u32, node_ranks: u32, bytes: f64, p: &Parameters) -> Option<f64> {
    let down = |count: u32| f64::from(count.ilog2());
    let up = |count: u32| f64::from(count.next_power_of_two().ilog2());
    let (send, step) = (p.latency + p.byte * bytes, p.latency + (p.byte + p.add) * bytes);
    let others = f64::from(ranks - 1);
    let beside = |count: u32| if count.is_power_of_two() { 0.0 } else { send + step };
    let halved = |count: f64| {
        let share = (count - 1.0) / count * bytes;
        2.0 * count.log2() * p.latency + share * (2.0 * p.byte + p.add)
    };
    let nodes = ranks.div_ceil(node_ranks);
    let inside = node_ranks.min(ranks);
    Some(match tree {
        Tree::Linear | Tree::Reverse | Tree::Arrival => others * step,
        Tree::Binomial { .. } => up(ranks) * step,
        Tree::RecursiveDoubling | Tree::Exact => down(ranks) * step + beside(ranks),
        Tree::Rabenseifner => halved(down(ranks).exp2()) + beside(ranks),
        Tree::ReduceScatterGather if ranks.is_power_of_two() => halved(f64::from(ranks)),
        Tree::Ring { .. } => {
            let share = others / f64::from(ranks) * bytes;
            2.0 * others * p.latency + share * (2.0 * p.byte + p.add)
        }
        Tree::NodeAwareAllReduce => {
            up(inside) * (step + send) + down(nodes) * step + beside(nodes)
        }
        Tree::NodeAwareReduce => {
            let elsewhere = match nodes {
                1 => 0.0,
                // The only other node may have room.
                2 => up(ranks - inside),
                _ => up(inside),
            };
            (elsewhere + up(nodes) + up(inside)) * step
        }
        Tree::KAry { .. } | Tree::ReduceScatterGather => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::placement::{Map, Placement};

    #[test]
    fn counted_times_are_those_of_the_formulas() {
        let flat = Parameters::flat(1.0, 1e-3, 1e-5);
        for ranks in [1u32, 2, 3, 4, 6, 7, 8, 16, 24, 33, 64, 100, 1024] {
            for node_ranks in [1, 2, 3, 8] {
                let placement = Placement::new(Map::Block, ranks, node_ranks);
                let topology = Topology::named("torus", placement.nodes()).unwrap();
                let machine = Machine { node: placement.node(), topology, parameters: flat };
                let nodes = placement.groups();
                for tree in Tree::ALL.into_iter().filter(|tree| tree.rank().is_none_or(|rank| rank < ranks)) {
                    // The formulas of the others have no nodes, whose messages would share an interface.
                    if !tree.knows_nodes() && node_ranks > 1 {
                        continue;
                    }
                    let elements = 16;
                    let counted = cost(tree, &nodes, elements, 1, &machine).time_s;
                    let Some(formula) = closed_form(tree, ranks, node_ranks, 128.0, &flat) else {
                        assert!(matches!(tree, Tree::KAry { .. } | Tree::ReduceScatterGather), "{tree}");
                        continue;
                    };
                    let difference = (counted - formula).abs();
                    assert!(
                        difference <= 1e-12 * formula,
                        "{tree} on {ranks} ranks, nodes of {node_ranks}: {counted}, by the formula {formula}"
                    );
                }
            }
        }
    }

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
        // In the node 3 + 8 / 4 + 1, between nodes 100 + 2 * 10 + 8 + 1 alone, and with two at once 7 + 1.5 * 16 - 8 more.
        let alone = cost_on(&[0, 1], Tree::RecursiveDoubling);
        assert_eq!(alone, Cost { time_s: 129.0, messages: 2, between_nodes: 2, hops: 4, most_hops: 2 });
        let together = cost_on(&[0, 0, 1, 1], Tree::RecursiveDoubling);
        assert_eq!(together, Cost { time_s: 6.0 + 152.0, messages: 8, between_nodes: 4, hops: 8, most_hops: 2 });
        assert_eq!(cost_on(&[0, 0, 1, 1], Tree::Binomial { root: 0 }).time_s, 6.0 + 129.0);
        assert_eq!(cost_on(&[0, 1, 0, 1], Tree::RecursiveDoubling).time_s, 6.0 + 152.0);
        // Both ways at once is no sharing; nor is what stays in the node.
        assert_eq!(cost_on(&[0; 4], Tree::RecursiveDoubling).time_s, 12.0);
    }

    #[test]
    fn accumulators_are_longer_and_not_more() {
        let placement = Placement::new(Map::Block, 64, 8);
        let machine = Machine {
            node: placement.node(),
            topology: Topology::named("fat-tree", 8).unwrap(),
            parameters: Parameters::CLUSTER,
        };
        let of = |tree, words| cost(tree, &placement.groups(), 1, words, &machine);
        let (plain, exact) = (of(Tree::RecursiveDoubling, 1), of(Tree::Exact, 69));
        assert_eq!(plain.messages, exact.messages);
        assert!(exact.time_s > plain.time_s && exact.time_s < 2.0 * plain.time_s);
    }
}
