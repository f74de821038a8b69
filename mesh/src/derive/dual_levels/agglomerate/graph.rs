//! Each node's strong neighbours and the sizes of the faces between them.
//!
//! A face is strong if it is not small compared with the largest one of either of its nodes. Flat cells are then joined
//! across their large faces, and the many small faces between agglomerates do not make the next ones larger from level
//! to level.

use bytemuck::Pod;
use cfd_engine::comm::Comm;
use cfd_engine::mesh::{Blocks, fetch_rows};

use crate::derive::dual_levels::level::{DualLevel, padded, sorted_at_owners};
use crate::derive::periodic::copies::INNER;

/// A strong face has at least this share of the size of a node's largest one.
const STRONG: f64 = 0.25;

/// The strong neighbours of this rank's nodes.
pub(super) struct Graph<'a> {
    comm: &'a Comm,
    blocks: Blocks,
    /// The start of each node's neighbours, plus one entry at the end.
    starts: Vec<usize>,
    /// Strong neighbours, by node and then by id, as indices into `near`.
    neighbours: Vec<u32>,
    /// Size |w| of the face to each neighbour.
    faces: Vec<f64>,
    /// Ids of these neighbours, each once, ordered.
    near: Vec<u64>,
}

impl<'a> Graph<'a> {
    /// The graph of a level, in which copies of a node are without neighbours, and the node has those of all. Nodes that a turn
    /// joins have no other neighbours than such nodes: what they make is on the boundary, too. Collective.
    pub(super) fn new(comm: &'a Comm, level: &DualLevel) -> Graph<'a> {
        let blocks = level.node_blocks(comm);
        let united;
        let edge_nodes = match level.has_copies(comm) {
            false => &level.edge_nodes,
            true => {
                united = fetch_rows(comm, blocks, 1, &level.lowest, &level.edge_nodes);
                &united
            }
        };
        let is_inner: Vec<u8> = level.sides.iter().map(|side| u8::from(*side == INNER)).collect();
        let is_inner = match level.is_turned(comm) {
            false => vec![1; edge_nodes.len()],
            true => fetch_rows(comm, blocks, 1, &is_inner, edge_nodes),
        };
        let edges = edge_nodes
            .chunks_exact(2)
            .zip(level.edge_weights.chunks_exact(level.dim))
            .zip(is_inner.chunks_exact(2))
            .filter(|(_, is_inner)| is_inner[0] == is_inner[1])
            .map(|((ends, w), _)| (ends, padded(w)));
        let records = edges.flat_map(|(ends, w)| {
            let size = (w[0] * w[0] + w[1] * w[1] + w[2] * w[2]).sqrt().to_bits();
            [[ends[0], ends[1], size], [ends[1], ends[0], size]]
        });
        let mut met = sorted_at_owners(comm, blocks, records);
        let own = blocks.range(comm.rank());
        let mut largest = vec![0.0f64; (own.end - own.start) as usize];
        for &[node, _, size] in &met {
            let largest = &mut largest[(node - own.start) as usize];
            *largest = largest.max(f64::from_bits(size));
        }
        let near = listed(&met);
        let near_largest = fetch_rows(comm, blocks, 1, &largest, &near);
        met.retain(|&[node, neighbour, size]| {
            let beside =
                near_largest[place(&near, neighbour) as usize].min(largest[(node - own.start) as usize]);
            f64::from_bits(size) >= STRONG * beside
        });
        let near = listed(&met);
        let starts = own.start..=own.end;
        Graph {
            comm,
            blocks,
            starts: starts.map(|node| met.partition_point(|record| record[0] < node)).collect(),
            neighbours: met.iter().map(|record| place(&near, record[1])).collect(),
            faces: met.iter().map(|record| f64::from_bits(record[2])).collect(),
            near,
        }
    }

    /// The distribution of the nodes.
    pub(super) fn blocks(&self) -> Blocks {
        self.blocks
    }

    /// The communicator.
    pub(super) fn comm(&self) -> &'a Comm {
        self.comm
    }

    /// For each of this rank's nodes, something made of its neighbours' values, each with the size of the face between
    /// them, in order of the neighbours' ids. Collective.
    pub(super) fn of_neighbours<T: Pod, R>(
        &self,
        values: &[T],
        mut make: impl FnMut(usize, &mut dyn Iterator<Item = (T, f64)>) -> R,
    ) -> Vec<R> {
        let near = fetch_rows(self.comm, self.blocks, 1, values, &self.near);
        let nodes = 0..values.len();
        nodes
            .map(|node| {
                let range = self.starts[node]..self.starts[node + 1];
                let faces = self.faces[range.clone()].iter();
                let mut pairs = self.neighbours[range].iter().map(|&k| near[k as usize]).zip(faces.copied());
                make(node, &mut pairs)
            })
            .collect()
    }
}

/// The neighbours in some records, each once, ordered.
fn listed(records: &[[u64; 3]]) -> Vec<u64> {
    let mut ids: Vec<u64> = records.iter().map(|record| record[1]).collect();
    ids.sort_unstable();
    ids.dedup();
    ids
}

fn place(ids: &[u64], id: u64) -> u32 {
    let place = ids.binary_search(&id).expect("all neighbours are listed");
    u32::try_from(place).expect("a rank has fewer than 2^32 neighbours")
}
