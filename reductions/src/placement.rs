//! Which rank is on which node.

use std::fmt;

use crate::random::Sequence;

/// How ranks are placed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Map {
    /// Consecutive ranks fill one node after the other.
    Block,
    /// Rank r on node r modulo the number of nodes.
    Cyclic,
    /// As blocks, with the ranks in an order determined by this number.
    Random(u64),
}

impl Map {
    /// The names as typed.
    pub const NAMES: [&str; 3] = ["block", "cyclic", "random"];

    /// The map with a name; random ones are drawn with `seed`.
    pub fn named(name: &str, seed: u64) -> Option<Map> {
        match name {
            "block" => Some(Map::Block),
            "cyclic" => Some(Map::Cyclic),
            "random" => Some(Map::Random(seed)),
            _ => None,
        }
    }

    /// Another draw of a random map; others stay as they are.
    pub fn redrawn(self, draw: u64) -> Map {
        match self {
            Map::Random(seed) => Map::Random(crate::random::draw(seed, draw, 0)),
            other => other,
        }
    }
}

impl fmt::Display for Map {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Map::Block => Map::NAMES[0],
            Map::Cyclic => Map::NAMES[1],
            Map::Random(_) => Map::NAMES[2],
        })
    }
}

/// The node of every rank.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placement {
    node: Vec<u32>,
    nodes: u32,
}

impl Placement {
    /// Places ranks on as few nodes of `node_ranks` as possible; the last node may have fewer.
    pub fn new(map: Map, ranks: u32, node_ranks: u32) -> Placement {
        let nodes = ranks.div_ceil(node_ranks);
        let node = match map {
            Map::Block => (0..ranks).map(|rank| rank / node_ranks).collect(),
            Map::Cyclic => (0..ranks).map(|rank| rank % nodes).collect(),
            Map::Random(seed) => {
                let mut places = Sequence::new(seed).permutation(ranks);
                places.iter_mut().for_each(|place| *place /= node_ranks);
                places
            }
        };
        Placement { node, nodes }
    }

    /// The node of each rank.
    pub fn node(&self) -> &[u32] {
        &self.node
    }

    /// The number of nodes.
    pub fn nodes(&self) -> u32 {
        self.nodes
    }

    /// The ranks of each node.
    pub fn groups(&self) -> Groups {
        const NONE: u32 = u32::MAX;
        let mut group_of_node = vec![NONE; self.nodes as usize];
        let mut sizes = Vec::new();
        for &node in &self.node {
            let group = &mut group_of_node[node as usize];
            if *group == NONE {
                *group = sizes.len() as u32;
                sizes.push(0);
            }
            sizes[*group as usize] += 1;
        }
        let mut starts = vec![0];
        for size in sizes {
            starts.push(starts[starts.len() - 1] + size);
        }
        let mut next: Vec<u32> = starts[..starts.len() - 1].to_vec();
        let mut members = vec![0; self.node.len()];
        for (rank, &node) in (0..).zip(&self.node) {
            let place = &mut next[group_of_node[node as usize] as usize];
            members[*place as usize] = rank;
            *place += 1;
        }
        Groups { members, starts }
    }
}

/// Ranks in groups: ascending in each group, and the groups by their lowest rank, as communicators of nodes are made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Groups {
    members: Vec<u32>,
    starts: Vec<u32>,
}

impl Groups {
    /// All ranks in one group.
    pub fn one(ranks: u32) -> Groups {
        Groups::single((0..ranks).collect())
    }

    /// A single group of these ranks.
    pub fn single(members: Vec<u32>) -> Groups {
        let starts = vec![0, members.len() as u32];
        Groups { members, starts }
    }

    /// The groups.
    pub fn iter(&self) -> impl Iterator<Item = &[u32]> + Clone {
        self.starts.windows(2).map(|ends| &self.members[ends[0] as usize..ends[1] as usize])
    }

    /// The number of groups.
    pub fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The lowest rank of each group, its leader.
    pub fn leaders(&self) -> Vec<u32> {
        self.iter().map(|group| group[0]).collect()
    }

    /// Number of ranks in the largest group.
    pub fn largest(&self) -> u32 {
        self.iter().map(|group| group.len() as u32).max().unwrap_or(0)
    }

    /// All groups but the first, and the first.
    pub(crate) fn others_and_first(&self) -> (Groups, Groups) {
        let first = self.starts[1];
        let others = Groups {
            members: self.members[first as usize..].to_vec(),
            starts: self.starts[1..].iter().map(|start| start - first).collect(),
        };
        (others, Groups::single(self.members[..first as usize].to_vec()))
    }

    /// Whether every group's number of ranks is a power of two.
    pub(crate) fn are_powers_of_two(&self) -> bool {
        self.iter().all(|group| group.len().is_power_of_two())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn groups(map: Map, ranks: u32, node_ranks: u32) -> Vec<Vec<u32>> {
        Placement::new(map, ranks, node_ranks).groups().iter().map(|group| group.to_vec()).collect()
    }

    #[test]
    fn blocks_and_cycles_are_what_their_names_say() {
        assert_eq!(groups(Map::Block, 7, 3), [vec![0, 1, 2], vec![3, 4, 5], vec![6]]);
        assert_eq!(groups(Map::Cyclic, 7, 3), [vec![0, 3, 6], vec![1, 4], vec![2, 5]]);
        assert_eq!(groups(Map::Block, 3, 8), [vec![0, 1, 2]]);
        assert_eq!(groups(Map::Cyclic, 3, 1), [vec![0], vec![1], vec![2]]);
    }

    #[test]
    fn random_nodes_are_full_sorted_and_ordered_by_their_lowest_rank() {
        for seed in 0..50 {
            let groups = groups(Map::Random(seed), 20, 6);
            let mut sizes: Vec<usize> = groups.iter().map(Vec::len).collect();
            sizes.sort_unstable();
            assert_eq!(sizes, [2, 6, 6, 6]);
            assert!(groups.iter().all(|group| group.is_sorted()));
            assert!(groups.is_sorted_by_key(|group| group[0]));
            let mut all = groups.concat();
            all.sort_unstable();
            assert_eq!(all, (0..20).collect::<Vec<u32>>());
        }
        assert_ne!(groups(Map::Random(1), 20, 6), groups(Map::Random(2), 20, 6));
        assert_ne!(Map::Random(1).redrawn(1), Map::Random(1).redrawn(2));
    }
}
