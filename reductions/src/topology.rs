//! Hops between nodes.

use std::fmt;

/// Nodes per leaf switch of a fat tree: half the ports of a switch with 36.
const LEAF: u32 = 18;

/// What connects the nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Topology {
    /// Switches in three levels: 2 hops below one leaf, 4 below one pod, 6 elsewhere. A leaf has as many nodes, and a
    /// pod as many leaves, as a switch has downward ports.
    FatTree {
        /// Downward ports of a switch.
        leaf: u32,
    },
    /// A three-dimensional grid whose ends meet: as many hops as there are steps along its lines.
    Torus {
        /// Nodes along each dimension.
        sides: [u32; 3],
    },
}

impl Topology {
    /// The names as typed.
    pub const NAMES: [&str; 2] = ["fat-tree", "torus"];

    /// The topology with a name, with room for this many nodes. A torus is as close to a cube as its sides allow.
    pub fn named(name: &str, nodes: u32) -> Option<Topology> {
        match name {
            "fat-tree" => Some(Topology::FatTree { leaf: LEAF }),
            "torus" => {
                let mut side: u32 = 1;
                while u64::from(side).pow(3) < u64::from(nodes) {
                    side += 1;
                }
                Some(Topology::Torus { sides: [side, side, nodes.div_ceil(side * side).max(1)] })
            }
            _ => None,
        }
    }

    /// Hops between two nodes; none from a node to itself.
    pub fn hops(&self, a: u32, b: u32) -> u32 {
        self.between(self.place(a), self.place(b))
    }

    /// The place of a node: in a fat tree, its number, leaf and pod; in a torus, its coordinates.
    fn place(&self, node: u32) -> [u32; 3] {
        match *self {
            Topology::FatTree { leaf } => [node, node / leaf, node / leaf / leaf],
            Topology::Torus { sides: [x, y, z] } => [node % x, node / x % y, node / x / y % z],
        }
    }

    #[inline]
    fn between(&self, a: [u32; 3], b: [u32; 3]) -> u32 {
        match *self {
            Topology::FatTree { .. } => match [0, 1, 2].map(|level| a[level] == b[level]) {
                [true, ..] => 0,
                [_, true, _] => 2,
                [.., true] => 4,
                _ => 6,
            },
            Topology::Torus { sides } => {
                let along = |axis: usize| {
                    let steps = a[axis].abs_diff(b[axis]);
                    steps.min(sides[axis] - steps)
                };
                along(0) + along(1) + along(2)
            }
        }
    }
}

/// Hops between nodes, from their precomputed places.
#[derive(Clone, Debug)]
pub struct Distances {
    topology: Topology,
    places: Vec<[u32; 3]>,
}

impl Distances {
    /// Those for this many nodes.
    pub fn new(topology: Topology, nodes: u32) -> Distances {
        Distances { topology, places: (0..nodes).map(|node| topology.place(node)).collect() }
    }

    /// Hops between two nodes.
    #[inline]
    pub fn hops(&self, a: u32, b: u32) -> u32 {
        self.topology.between(self.places[a as usize], self.places[b as usize])
    }
}

impl fmt::Display for Topology {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Topology::FatTree { .. } => Topology::NAMES[0],
            Topology::Torus { .. } => Topology::NAMES[1],
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fat_tree_has_two_four_and_six_hops() {
        let tree = Topology::named("fat-tree", 1000).unwrap();
        assert_eq!([0, 1, 17, 18, 323, 324, 999].map(|node| tree.hops(0, node)), [0, 2, 2, 4, 4, 6, 6]);
        assert_eq!(tree.hops(17, 18), 4);
        assert_eq!(tree.hops(323, 324), 6);
    }

    #[test]
    fn a_torus_has_the_shorter_way_round_in_each_dimension() {
        let torus = Topology::named("torus", 60).unwrap();
        assert_eq!(torus, Topology::Torus { sides: [4, 4, 4] });
        let node = |x: u32, y: u32, z: u32| x + 4 * y + 16 * z;
        assert_eq!(torus.hops(node(0, 0, 0), node(3, 0, 0)), 1);
        assert_eq!(torus.hops(node(0, 1, 0), node(2, 3, 1)), 5);
        assert_eq!(torus.hops(node(2, 3, 1), node(0, 1, 0)), 5);
        assert_eq!(Topology::named("torus", 1).unwrap().hops(0, 0), 0);
        assert_eq!(Topology::named("torus", 10), Some(Topology::Torus { sides: [3, 3, 2] }));
    }
}
