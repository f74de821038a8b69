//! The older form of periodic meshes, in which SU2 writes a mesh as if it were partitioned:
//!
//! ```text
//! NPOIN= 2652 2550        the nodes after the first 2550 are copies
//! MARKER_TAG= SEND_RECEIVE
//! MARKER_ELEMS= 102
//! SEND_TO= 1              to a later part: the nodes that are sent; to an earlier one (-1): their copies, in the same order
//! 1 98 1                  a vertex, its node, the transformation
//! NPERIODIC= 3
//! PERIODIC_INDEX= 1       a transformation: a center, angles about x, y, z in radians, a translation
//! 0 0 0
//! 0 0 0
//! 0 1 0
//! ```
//!
//! A transformation leads from a copy to its node. The copies that form one of the two periodic boundaries stay; the
//! others, beyond the other boundary, go with the elements that have them.

use std::collections::{BTreeMap, BTreeSet};

use cfd_mesh::{Motion, Periodic, USUAL_TOLERANCE};

/// What a file says of copies of nodes.
#[derive(Default)]
pub(super) struct Copies {
    /// Copies, by the file's numbers of nodes.
    pub(super) all: BTreeSet<u64>,
    /// Those that lie on a boundary of nothing but copies.
    kept: BTreeSet<u64>,
    /// The nodes of each boundary.
    boundaries: Vec<(String, BTreeSet<u64>)>,
    /// Nodes that are sent and their copies, each with its transformation, in the file's order.
    pub(super) sent: Vec<[u64; 2]>,
    pub(super) received: Vec<[u64; 2]>,
    /// Center, angles, translation.
    pub(super) transformations: BTreeMap<u64, [[f64; 3]; 3]>,
}

impl Copies {
    /// Begins a boundary.
    pub(super) fn begin(&mut self, name: &str) {
        self.boundaries.push((name.into(), BTreeSet::new()));
    }

    /// An element of the boundary that was begun last.
    pub(super) fn add(&mut self, nodes: &[u64]) {
        if self.all.is_empty() {
            return;
        }
        let (_, boundary) = self.boundaries.last_mut().expect("a boundary has begun");
        boundary.extend(nodes);
        if nodes.iter().all(|node| self.all.contains(node)) {
            self.kept.extend(nodes);
        }
    }

    /// The copies that are no part of the mesh, in increasing order.
    pub(super) fn dropped(&self) -> Vec<u64> {
        self.all.difference(&self.kept).copied().collect()
    }

    /// The pairs of boundaries, one of copies and one of their nodes, whose transformation is a translation or turns about one
    /// axis.
    pub(super) fn pairs(&self, dimension: usize) -> Vec<Periodic> {
        let sources: BTreeMap<u64, [u64; 2]> =
            self.received.iter().zip(&self.sent).map(|(copy, sent)| (copy[0], [sent[0], copy[1]])).collect();
        let of_copies =
            self.boundaries.iter().filter(|(_, nodes)| !nodes.is_empty() && nodes.is_subset(&self.kept));
        let pair = |(name, nodes): &(String, BTreeSet<u64>)| {
            let sources: Vec<[u64; 2]> =
                nodes.iter().map(|node| sources.get(node).copied()).collect::<Option<_>>()?;
            let [_, transformation] = sources[0];
            let is_whole = |(other, of): &&(String, BTreeSet<u64>)| {
                other != name && sources.iter().all(|[node, by]| of.contains(node) && *by == transformation)
            };
            let (partner, _) = self.boundaries.iter().find(is_whole)?;
            let motion = motion(self.transformations.get(&transformation)?, dimension)?;
            Some(Periodic { names: [name.clone(), partner.clone()], motion, tolerance: USUAL_TOLERANCE })
        };
        of_copies.filter_map(pair).collect()
    }
}

/// What a transformation does, if it is a translation or turns about one axis.
fn motion([center, angles, translation]: &[[f64; 3]; 3], dimension: usize) -> Option<Motion> {
    let turned: Vec<usize> = (0..3).filter(|&axis| angles[axis] != 0.0).collect();
    match turned[..] {
        // -0 becomes 0.
        [] => Some(Motion::Translation(Some(translation[..dimension].iter().map(|x| x + 0.0).collect()))),
        [axis] if *translation == [0.0; 3] && (dimension == 3 || axis == 2) => {
            let direction = std::array::from_fn(|k| if k == axis { 1.0 } else { 0.0 });
            let center = center[..dimension].to_vec();
            Some(Motion::Rotation { center, axis: direction, angle: angles[axis].to_degrees() })
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Nodes 0 and 1 on the lower boundary are copies of 6 and 7 on the upper one.
    fn square(by: [[f64; 3]; 3]) -> Copies {
        let mut copies = Copies { all: BTreeSet::from([0, 1, 8, 9]), ..Copies::default() };
        for (name, nodes) in [("lower", [0, 1]), ("side", [1, 7]), ("upper", [6, 7])] {
            copies.begin(name);
            copies.add(&nodes);
        }
        copies.sent = vec![[6, 1], [7, 1], [2, 2], [3, 2]];
        copies.received = vec![[0, 1], [1, 1], [8, 2], [9, 2]];
        copies.transformations.insert(1, by);
        copies
    }

    #[test]
    fn a_boundary_of_copies_is_paired_with_that_of_their_nodes() {
        let copies = square([[0.0; 3], [0.0; 3], [0.0, 2.0, 0.0]]);
        assert_eq!(copies.dropped(), [8, 9]);
        let [pair] = &copies.pairs(2)[..] else { panic!("one pair") };
        assert_eq!(pair.names, ["lower", "upper"]);
        assert_eq!(pair.motion, Motion::Translation(Some(vec![0.0, 2.0])));
    }

    #[test]
    fn a_turn_about_one_axis_is_kept_and_what_is_neither_is_left_to_the_configuration() {
        let quarter = std::f64::consts::FRAC_PI_2;
        let turned = square([[1.0, 2.0, 0.0], [0.0, 0.0, quarter], [0.0; 3]]);
        let motion = Motion::Rotation { center: vec![1.0, 2.0], axis: [0.0, 0.0, 1.0], angle: 90.0 };
        assert_eq!(turned.pairs(2)[0].motion, motion);
        for other in
            [[[0.0; 3], [0.0, 0.0, quarter], [1.0, 0.0, 0.0]], [[0.0; 3], [quarter, 0.0, 0.0], [0.0; 3]]]
        {
            assert!(square(other).pairs(2).is_empty(), "{other:?}");
        }
        let mut unknown = square([[0.0; 3]; 3]);
        unknown.transformations.clear();
        assert!(unknown.pairs(2).is_empty());
        let mut elsewhere = square([[0.0; 3]; 3]);
        elsewhere.sent[0] = [5, 1];
        assert!(elsewhere.pairs(2).is_empty());
    }
}
