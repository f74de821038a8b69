//! The coarse level defined by a map from fine to coarse nodes.
//!
//! A coarse node is an agglomerate: the union of its children's dual cells. Faces between children of one agglomerate
//! lie inside it and vanish; those between two agglomerates add up to one edge's face.
//!
//! ```text
//! volume   V_c = sum V_f,    coordinates   x_c = sum V_f x_f / V_c      over the children f of c
//! edge     w_cd = sum +-w_fg                                            over the edges between children of c and of d
//! bnode    w_c = sum w_f                                                by node and group
//! ```
//!
//! Every sum runs by global id of the fine elements, and edges are numbered by their nodes, lower one first, so the
//! level is the same for any number of ranks. Each rank holds its blocks and what meets at the nodes it owns.

use cfd_engine::comm::Comm;
use cfd_engine::mesh::{Blocks, fetch_rows};

use crate::blocks::blocks_of;
use crate::derive::dual_levels::level::{DualLevel, padded, sorted_at_owners};
use crate::derive::periodic::copies::{INNER, SECOND};

/// The coarse level of `nodes` agglomerates; `up` has the agglomerate of each of this rank's fine nodes. Collective.
///
/// Every agglomerate has a child.
pub(crate) fn coarsen(comm: &Comm, fine: &DualLevel, up: &[u64], nodes: u64) -> DualLevel {
    let (dim, fine_blocks) = (fine.dim, fine.node_blocks(comm));
    let blocks = Blocks::new(nodes, comm.size());
    let (volumes, x) = centres(comm, fine, up, blocks);
    let (lowest, sides) = sides(comm, fine, up, blocks);

    let ends = fetch_rows(comm, fine_blocks, 1, up, &fine.edge_nodes);
    let first = comm.exclusive_sum(ends.len() as u64 / 2);
    let between = (first..).zip(ends.chunks_exact(2)).zip(fine.edge_weights.chunks_exact(dim));
    let between = between.filter(|((_, ends), _)| ends[0] != ends[1]).map(|((edge, ends), w)| {
        let sign = if ends[0] < ends[1] { 1.0 } else { -1.0 };
        let [x, y, z] = padded(w).map(|w| (sign * w).to_bits());
        [ends[0].min(ends[1]), ends[0].max(ends[1]), edge, x, y, z]
    });
    let (edge_nodes, edge_weights) = summed(dim, &sorted_at_owners(comm, blocks, between));
    let (edges, edge_nodes) = blocks_of(comm, 2, &edge_nodes);
    let (_, edge_weights) = blocks_of(comm, dim, &edge_weights);

    let parents = fetch_rows(comm, fine_blocks, 1, up, &fine.bnode_node);
    let first = comm.exclusive_sum(parents.len() as u64);
    let on_boundary = (first..).zip(parents).zip(&fine.bnode_group).zip(fine.bnode_weights.chunks_exact(dim));
    let on_boundary = on_boundary.map(|(((bnode, node), &group), w)| {
        let group = u64::try_from(group).expect("groups are not negative");
        let [x, y, z] = padded(w).map(f64::to_bits);
        [node, group, bnode, x, y, z]
    });
    let (node_and_group, bnode_weights) = summed(dim, &sorted_at_owners(comm, blocks, on_boundary));
    let (bnodes, node_and_group) = blocks_of(comm, 2, &node_and_group);
    let (_, bnode_weights) = blocks_of(comm, dim, &bnode_weights);
    let (bnode_node, bnode_group) = node_and_group.chunks_exact(2).map(|row| (row[0], row[1] as i32)).unzip();

    DualLevel {
        dim,
        nodes,
        x,
        volumes,
        lowest,
        sides,
        edges,
        edge_nodes,
        edge_weights,
        bnodes,
        bnode_node,
        bnode_weights,
        bnode_group,
    }
}

/// Volumes of this rank's agglomerates and the means of their children's coordinates, weighted by volume.
fn centres(comm: &Comm, fine: &DualLevel, up: &[u64], blocks: Blocks) -> (Vec<f64>, Vec<f64>) {
    let first = fine.node_blocks(comm).range(comm.rank()).start;
    let children = (first..).zip(up).zip(&fine.volumes).zip(fine.x.chunks_exact(fine.dim));
    let children = children.map(|(((node, &parent), volume), x)| {
        let [x, y, z] = padded(x).map(f64::to_bits);
        [parent, node, volume.to_bits(), x, y, z]
    });
    let own = blocks.range(comm.rank());
    let mut volumes = vec![0.0; (own.end - own.start) as usize];
    let mut x = vec![0.0; fine.dim * volumes.len()];
    for [parent, _, child @ ..] in sorted_at_owners(comm, blocks, children) {
        let row = (parent - own.start) as usize;
        let [volume, position @ ..] = child.map(f64::from_bits);
        volumes[row] += volume;
        for (sum, x) in x[fine.dim * row..fine.dim * (row + 1)].iter_mut().zip(position) {
            *sum += volume * x;
        }
    }
    for (x, volume) in x.chunks_exact_mut(fine.dim).zip(&volumes) {
        x.iter_mut().for_each(|x| *x /= volume);
    }
    (volumes, x)
}

/// For each of this rank's agglomerates, the lowest that it is one with, and which boundary's it is: the copies of a node that
/// are only moved are in its agglomerate, turned ones in the one after it. Empty if no boundary is turned.
fn sides(comm: &Comm, fine: &DualLevel, up: &[u64], blocks: Blocks) -> (Vec<u64>, Vec<u8>) {
    if !fine.is_turned(comm) {
        return (Vec::new(), Vec::new());
    }
    let own = blocks.range(comm.rank());
    let children = up.iter().zip(&fine.sides).map(|(&parent, &side)| [parent, u64::from(side)]);
    let met = sorted_at_owners(comm, blocks, children);
    let (mut lowest, mut sides): (Vec<u64>, _) =
        (own.clone().collect(), vec![INNER; (own.end - own.start) as usize]);
    for [parent, side] in met {
        let row = (parent - own.start) as usize;
        sides[row] = side as u8;
        lowest[row] = parent - u64::from(sides[row] == SECOND);
    }
    (lowest, sides)
}

/// Sums of the vectors of `dim` components, in the last three words, of records that agree in their first two words, which
/// are returned, too.
fn summed(dim: usize, records: &[[u64; 6]]) -> (Vec<u64>, Vec<f64>) {
    let (mut keys, mut sums) = (Vec::new(), Vec::new());
    for group in records.chunk_by(|a, b| a[..2] == b[..2]) {
        let mut sum = [0.0; 3];
        for record in group {
            for (sum, &word) in sum.iter_mut().zip(&record[3..]) {
                *sum += f64::from_bits(word);
            }
        }
        keys.extend_from_slice(&group[0][..2]);
        sums.extend(&sum[..dim]);
    }
    (keys, sums)
}
