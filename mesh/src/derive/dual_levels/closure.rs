//! How well the dual cells of an edge-based mesh close, and how small they are.

use cfd_engine::comm::Comm;
use cfd_engine::mesh::{Mesh, Values, fetch_rows};

use super::level::{DualLevel, padded, sorted_at_owners, volumes};
use super::{level_name, levels};
use crate::derive::periodic::copies;

/// The dual cell with the largest closure defect.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClosureDefect {
    /// Its level.
    pub level: usize,
    /// Its node.
    pub node: u64,
    /// Length of the sum of all area vectors of the node, outward, over the largest of their lengths.
    pub defect: f64,
}

/// The dual cell with the largest closure defect on any level of a valid mesh of dual edges; the first of equal ones.
///
/// ```text
/// defect = |sum +-w_edge - sum w_bnode| / max |w|       over the edges and boundary nodes of a node
/// ```
///
/// Edge weights count outward, boundary weights point inward. In a closed cell the sum is zero up to rounding; only
/// closed cells preserve a free stream. The sums do not depend on the ranks. Collective.
pub fn closure_defect(comm: &Comm, mesh: &Mesh) -> ClosureDefect {
    let worst = (0..levels(mesh)).map(|level| worst_of_level(comm, mesh, level));
    let none = ClosureDefect { level: 0, node: 0, defect: 0.0 };
    worst.fold(none, |worst, next| if next.defect > worst.defect { next } else { worst })
}

fn worst_of_level(comm: &Comm, mesh: &Mesh, level: usize) -> ClosureDefect {
    let map = |name: &str| {
        let map = mesh.map(&level_name(level, name)).expect("a valid mesh has its schema's maps");
        (&mesh.maps[map].rows, mesh.blocks(mesh.maps[map].from, comm).range(comm.rank()).start)
    };
    let weights = |name: &str| {
        let dat = mesh.dat(&level_name(level, name)).expect("a valid mesh has its schema's dats");
        let Values::F64(weights) = &mesh.dats[dat].values else { panic!("weights are in double precision") };
        weights.chunks_exact(mesh.dats[dat].dim).map(padded)
    };
    let record = |node: u64, id: u64, sign: f64, w: [f64; 3]| {
        let [x, y, z] = w.map(|w| (sign * w).to_bits());
        [node, id, x, y, z]
    };
    let (edge_nodes, first) = map("edge_nodes");
    let edges = (first..).zip(edge_nodes.chunks_exact(2)).zip(weights("edge_weights"));
    let outward =
        edges.flat_map(|((id, ends), w)| [record(ends[0], id, 1.0, w), record(ends[1], id, -1.0, w)]);
    let (bnode_node, first) = map("bnode_node");
    // Boundary nodes come after all edges.
    let bnodes = (first..).zip(bnode_node).zip(weights("bnode_weights"));
    let inward = bnodes.map(|((id, &node), w)| record(node, (1 << 63) | id, -1.0, w));

    let nodes = mesh.set(&level_name(level, "nodes")).expect("a level has nodes");
    let blocks = mesh.blocks(nodes, comm);
    let mut records: Vec<[u64; 5]> = outward.chain(inward).collect();
    // The parts of a cell between periodic boundaries close together, all turned as its node is.
    if let Some(united) = copies::united_of(comm, mesh, &level_name(level, "")) {
        let nodes: Vec<u64> = records.iter().map(|record| record[0]).collect();
        let lowest = fetch_rows(comm, blocks, 1, &united.lowest, &nodes);
        records.iter_mut().zip(lowest).for_each(|(record, lowest)| record[0] = lowest);
        if comm.sum(united.turns.len() as u64) > 0 {
            let turns = fetch_rows(comm, blocks, 9, united.turns.as_flattened(), &nodes);
            for (record, turn) in records.iter_mut().zip(turns.as_chunks::<9>().0) {
                let w = std::array::from_fn(|k| f64::from_bits(record[2 + k]));
                record[2..].copy_from_slice(&copies::turned(&copies::back(turn), w).map(f64::to_bits));
            }
        }
    }
    let met = sorted_at_owners(comm, blocks, records);
    let (mut node, mut defect) = (0, 0.0);
    for faces in met.chunk_by(|a, b| a[0] == b[0]) {
        let (mut sum, mut largest) = ([0.0; 3], 0.0f64);
        for &[_, _, ref w @ ..] in faces {
            let w = w.map(f64::from_bits);
            sum.iter_mut().zip(w).for_each(|(sum, w)| *sum += w);
            largest = largest.max(length(w));
        }
        let open = length(sum);
        let of_node = if open == 0.0 { 0.0 } else { open / largest };
        if of_node > defect {
            (node, defect) = (faces[0][0], of_node);
        }
    }
    // Ranks hold the nodes in order, so the first of equals is on the lowest rank.
    let all = comm.all_gather(&[node, defect.to_bits()]).into_iter();
    let all =
        all.map(|of_rank| ClosureDefect { level, node: of_rank[0], defect: f64::from_bits(of_rank[1]) });
    let none = ClosureDefect { level, node: 0, defect: 0.0 };
    all.fold(none, |worst, next| if next.defect > worst.defect { next } else { worst })
}

/// The node of the finest level of a valid mesh of dual edges whose dual cell is smallest, the first of equal ones, and its
/// volume: the sum over its edges of (x_b - x_a) . w / 2 D. Only a mesh on which it is positive has volumes; a coarse dual
/// cell's is the sum of its children's. Collective.
pub fn smallest_volume(comm: &Comm, mesh: &Mesh) -> (u64, f64) {
    let level = DualLevel::finest(mesh.clone());
    let first = level.node_blocks(comm).range(comm.rank()).start;
    let smaller = |a: (u64, f64), b: (u64, f64)| if b.1 < a.1 { b } else { a };
    let own = (first..).zip(volumes(comm, &level)).fold((u64::MAX, f64::INFINITY), smaller);
    let all = comm.all_gather(&[own.0, own.1.to_bits()]).into_iter();
    all.map(|of_rank| (of_rank[0], f64::from_bits(of_rank[1]))).fold((u64::MAX, f64::INFINITY), smaller)
}

fn length(w: [f64; 3]) -> f64 {
    (w[0] * w[0] + w[1] * w[1] + w[2] * w[2]).sqrt()
}
