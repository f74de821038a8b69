//! One level of a median-dual mesh in memory, in two or three dimensions, and the sums over edges that define it.

use cfd_engine::comm::Comm;
use cfd_engine::mesh::{Blocks, Mesh, Values, fetch_rows};

use super::level_name;
use crate::derive::periodic::copies::{self, NO_TURN, Turn, United};

/// This rank's blocks of one level of a mesh of dual edges.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct DualLevel {
    /// 2 or 3: components of coordinates and area vectors.
    pub(crate) dim: usize,
    /// Nodes over all ranks.
    pub(crate) nodes: u64,
    /// Coordinates of the nodes.
    pub(crate) x: Vec<f64>,
    /// Volumes of the dual cells.
    pub(crate) volumes: Vec<f64>,
    /// The lowest of the nodes that are one with each, as on periodic boundaries; empty if all are themselves.
    pub(crate) lowest: Vec<u64>,
    /// Which nodes a turn joins: [`copies::INNER`], [`copies::FIRST`] or [`copies::SECOND`]; empty if none.
    pub(crate) sides: Vec<u8>,
    /// Edges over all ranks.
    pub(crate) edges: u64,
    /// Nodes a, b of each edge.
    pub(crate) edge_nodes: Vec<u64>,
    /// Area vector of each edge's face, from a to b.
    pub(crate) edge_weights: Vec<f64>,
    /// Boundary nodes over all ranks.
    pub(crate) bnodes: u64,
    /// Node of each boundary node.
    pub(crate) bnode_node: Vec<u64>,
    /// Area vector of each boundary node's part of the boundary, into the domain.
    pub(crate) bnode_weights: Vec<f64>,
    /// Group of each boundary node.
    pub(crate) bnode_group: Vec<i32>,
}

impl DualLevel {
    /// The finest level of a valid mesh of dual edges, without volumes.
    pub(crate) fn finest(mut mesh: Mesh) -> DualLevel {
        let rows =
            |name: &str| mesh.sets[mesh.set(&level_name(0, name)).expect("a valid mesh has its sets")].rows;
        let [nodes, edges, bnodes] = ["nodes", "edges", "bnodes"].map(rows);
        let mut map = |name: &str| {
            let map = mesh.map(&level_name(0, name)).expect("a valid mesh has its schema's maps");
            std::mem::take(&mut mesh.maps[map].rows)
        };
        let [edge_nodes, bnode_node] = ["edge_nodes", "bnode_node"].map(&mut map);
        let mut dat = |name: &str| {
            let dat = mesh.dat(&level_name(0, name)).expect("a valid mesh has its schema's dats");
            std::mem::replace(&mut mesh.dats[dat].values, Values::F64(Vec::new()))
        };
        let numbers = |values: Values| match values {
            Values::F64(values) => values,
            Values::I32(_) => panic!("a valid mesh's dats are of its schema's types"),
        };
        let [x, edge_weights, bnode_weights] =
            ["x", "edge_weights", "bnode_weights"].map(|name| numbers(dat(name)));
        let Values::I32(bnode_group) = dat("bnode_group") else { panic!("groups are integers") };
        let (volumes, lowest, sides) = (Vec::new(), Vec::new(), Vec::new());
        let dim = mesh.dats[mesh.dat(&level_name(0, "x")).expect("a level has coordinates")].dim;
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

    /// The distribution of its nodes.
    pub(crate) fn node_blocks(&self, comm: &Comm) -> Blocks {
        Blocks::new(self.nodes, comm.size())
    }

    /// The nodes of a coarse level that `turn` makes one; `None` if there are none. Collective.
    pub(crate) fn united(&self, comm: &Comm, turn: Turn) -> Option<United> {
        let of = |side: &u8| if *side == copies::SECOND { turn } else { NO_TURN };
        let united = || United { lowest: self.lowest.clone(), turns: self.sides.iter().map(of).collect() };
        self.is_turned(comm).then(united)
    }

    /// Whether nodes have copies, of any rank. Collective.
    pub(crate) fn has_copies(&self, comm: &Comm) -> bool {
        comm.sum(self.lowest.len() as u64) > 0
    }

    /// Whether a turn joins nodes, of any rank. Collective.
    pub(crate) fn is_turned(&self, comm: &Comm) -> bool {
        comm.sum(self.sides.len() as u64) > 0
    }
}

/// Puts levels, the finest first, and the maps from each to the next, into one mesh.
pub(crate) fn to_mesh(levels: Vec<DualLevel>, ups: Vec<Vec<u64>>) -> Mesh {
    assert_eq!(levels.len(), ups.len() + 1, "one map between two levels");
    let mut mesh = Mesh::default();
    for (l, level) in levels.iter().enumerate() {
        mesh.add_set(&level_name(l, "nodes"), level.nodes);
        mesh.add_set(&level_name(l, "edges"), level.edges);
        mesh.add_set(&level_name(l, "bnodes"), level.bnodes);
    }
    let mut ups = ups.into_iter();
    for (l, level) in levels.into_iter().enumerate() {
        let [nodes, edges, bnodes] = [3 * l, 3 * l + 1, 3 * l + 2];
        mesh.add_map(&level_name(l, "edge_nodes"), edges, nodes, 2, level.edge_nodes);
        mesh.add_map(&level_name(l, "bnode_node"), bnodes, nodes, 1, level.bnode_node);
        if let Some(up) = ups.next() {
            mesh.add_map(&level_name(l, "node_mg_node"), nodes, nodes + 3, 1, up);
        }
        let dim = level.dim;
        mesh.add_dat(&level_name(l, "x"), nodes, dim, Values::F64(level.x));
        mesh.add_dat(&level_name(l, "edge_weights"), edges, dim, Values::F64(level.edge_weights));
        mesh.add_dat(&level_name(l, "bnode_weights"), bnodes, dim, Values::F64(level.bnode_weights));
        mesh.add_dat(&level_name(l, "bnode_group"), bnodes, 1, Values::I32(level.bnode_group));
    }
    mesh
}

/// A vector of `dim` components in space.
pub(crate) fn padded(v: &[f64]) -> [f64; 3] {
    [v[0], v[1], v.get(2).copied().unwrap_or(0.0)]
}

/// The volume of each of this rank's dual cells of the finest level (its area in the plane): the sum over its edges of
/// (x_b - x_a) . w / 2 D in D dimensions.
///
/// A dual cell's faces are triangles (in the plane, lines) with a corner at the middle m of the edge, so that for each
/// edge the integral of (x - x_a) . n over its face is (m - x_a) . w; a D-th of the sum over the cell's surface is its
/// volume, by Gauss's theorem. Parts of the boundary have a corner at the node and contribute nothing. Summed by edge.
/// Collective.
pub(crate) fn volumes(comm: &Comm, level: &DualLevel) -> Vec<f64> {
    let shares = 2.0 * level.dim as f64;
    shares_of_edges(comm, level, |d, w| (d[0] * w[0] + d[1] * w[1] + d[2] * w[2]) / shares)
}

/// Volumes that are positive in any mesh, even with open dual cells: the sums of |x_b - x_a| |w| / 2 D. Collective.
pub(crate) fn unsigned_volumes(comm: &Comm, level: &DualLevel) -> Vec<f64> {
    let length = |v: [f64; 3]| (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]).sqrt();
    let shares = 2.0 * level.dim as f64;
    shares_of_edges(comm, level, |d, w| length(d) * length(w) / shares)
}

/// Sums over the edges of each of this rank's nodes of a contribution from x_b - x_a and w, by edge.
fn shares_of_edges(comm: &Comm, level: &DualLevel, share: impl Fn([f64; 3], [f64; 3]) -> f64) -> Vec<f64> {
    let DualLevel { dim, x, edge_nodes, edge_weights, .. } = level;
    let blocks = level.node_blocks(comm);
    let ends = fetch_rows(comm, blocks, *dim, x, edge_nodes);
    let first = comm.exclusive_sum(edge_nodes.len() as u64 / 2);
    let edges =
        edge_nodes.chunks_exact(2).zip(ends.chunks_exact(2 * dim)).zip(edge_weights.chunks_exact(*dim));
    let shares = (first..).zip(edges).flat_map(|(edge, ((nodes, x), w))| {
        let (a, b) = (padded(&x[..*dim]), padded(&x[*dim..]));
        let share = share([b[0] - a[0], b[1] - a[1], b[2] - a[2]], padded(w));
        [[nodes[0], edge, share.to_bits()], [nodes[1], edge, share.to_bits()]]
    });
    let own = blocks.range(comm.rank());
    let mut sums = vec![0.0; (own.end - own.start) as usize];
    for [node, _, share] in sorted_at_owners(comm, blocks, shares) {
        sums[(node - own.start) as usize] += f64::from_bits(share);
    }
    sums
}

/// Sends each record to the owner of the row that is its first word; returns this rank's, sorted. Their order does not
/// depend on the ranks. Collective.
pub fn sorted_at_owners<const N: usize>(
    comm: &Comm,
    blocks: Blocks,
    records: impl IntoIterator<Item = [u64; N]>,
) -> Vec<[u64; N]>
where
    [u64; N]: bytemuck::Pod,
{
    let mut send: Vec<Vec<[u64; N]>> = vec![Vec::new(); comm.size()];
    for record in records {
        send[blocks.owner(record[0])].push(record);
    }
    let mut met = comm.all_to_all(send).concat();
    met.sort_unstable();
    met
}
