//! Times by formula.

use super::Parameters;
use crate::tree::Tree;

/// The time of a tree, by its formula, if every message takes a + b n + g n, for n bytes on p ranks in nodes of k, and
/// messages are short:
///
/// ```text
/// linear (both), arrival  (p - 1) (a + b n + g n)
/// binomial               ceil(lg p) (a + b n + g n)
/// recursive doubling     floor(lg p) (a + b n + g n); if p is not a power of two, 2 (a + b n) + g n more
/// Rabenseifner           2 lg p a + 2 (p - 1)/p b n + (p - 1)/p g n; where p is no power of two, with 2^floor(lg p) in its
///                        place, and 2 (a + b n) + g n more
/// reduce-scatter-gather  the same for a power of two
/// ring                   2 (p - 1) a + 2 (p - 1)/p b n + (p - 1)/p g n
/// node-aware all-reduce, exact  ceil(lg k) steps in nodes, recursive doubling of p / k, ceil(lg k) (a + b n) back
/// node-aware reduce      ceil(lg k) steps in the other nodes, ceil(lg(p / k)) between nodes, ceil(lg k) in the root's
/// ```
///
/// None if there is no such formula: for k-ary and interleaved trees, and for reduce-scatter-gather on other numbers of
/// ranks.
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
        Tree::RecursiveDoubling => down(ranks) * step + beside(ranks),
        Tree::Rabenseifner => halved(down(ranks).exp2()) + beside(ranks),
        Tree::ReduceScatterGather if ranks.is_power_of_two() => halved(f64::from(ranks)),
        Tree::Ring { .. } => {
            let share = others / f64::from(ranks) * bytes;
            2.0 * others * p.latency + share * (2.0 * p.byte + p.add)
        }
        Tree::NodeAwareAllReduce | Tree::Exact => {
            up(inside) * (step + send) + down(nodes) * step + beside(nodes)
        }
        Tree::NodeAwareReduce => {
            let elsewhere = match nodes {
                1 => 0.0,
                // The only other node may be partly empty.
                2 => up(ranks - inside),
                _ => up(inside),
            };
            (elsewhere + up(nodes) + up(inside)) * step
        }
        Tree::MpichReduce | Tree::MpichAllReduce => {
            return closed_form(tree.at_length(ranks, 1), ranks, node_ranks, bytes, p);
        }
        Tree::KAry { .. } | Tree::Interleaved { .. } | Tree::ReduceScatterGather => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cost::{Machine, cost};
    use crate::placement::{Map, Placement};
    use crate::topology::Topology;

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
                    // The other trees' formulas know no nodes, whose messages would share an interface.
                    if !tree.knows_nodes() && node_ranks > 1 {
                        continue;
                    }
                    let elements = 16;
                    let counted = cost(tree, &nodes, elements, 1, &machine).time_s;
                    let Some(formula) = closed_form(tree, ranks, node_ranks, 128.0, &flat) else {
                        use Tree::{Interleaved, KAry, ReduceScatterGather};
                        assert!(
                            matches!(tree, KAry { .. } | Interleaved { .. } | ReduceScatterGather),
                            "{tree}"
                        );
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
}
