//! The median dual mesh of a grid of hexahedra: each node's cell is bounded by triangles between the midpoint of an
//! edge, the centre of a side and the centre of a hexahedron.
//!
//! In one hexahedron, with corners x_abc (a along the edge, b and c across) and the edge from x_000 to x_100, its part of
//! the edge's face has the corners m (middle of the edge), f (of the side through b), c (of the hexahedron), g (of the
//! side through c), and the area vector
//!
//! ```text
//! A = ((f - m) x (c - f) + (c - g) x (g - m)) / 2
//! f - m = (d_00 + d_10) / 4,   c - f = (e_00 + e_01 + e_10 + e_11) / 8,    d_ac = x_a1c - x_a0c,   e_ab = x_ab1 - x_ab0
//! g - m = (e_00 + e_10) / 4,   c - g = (d_00 + d_01 + d_10 + d_11) / 8
//! ```
//!
//! Written in differences of corners, which lose no digits in stretched hexahedra, so that dual cells close to rounding.
//! A node's part of a boundary side has the corners node, middle of an edge, middle of the side, middle of the other edge.

use cfd_engine::comm::Comm;
use cfd_engine::mesh::Blocks;

use super::grid::Grid;
use crate::blocks::blocks_of;
use crate::derive::dual_levels::level::{DualLevel, volumes};

type Vector = [f64; 3];

/// This rank's blocks of the finest level. Collective.
///
/// An edge is numbered with its lower node, by the higher one; a boundary node with its node, by group.
pub(super) fn level(comm: &Comm, grid: &Grid, position: impl Fn([u64; 3]) -> Vector) -> DualLevel {
    let nodes = grid.nodes();
    let own = Blocks::new(nodes, comm.size()).range(comm.rank());
    let mut layers = Layers::new(grid, position);
    let (mut x, mut edge_nodes, mut edge_weights) = (Vec::new(), Vec::new(), Vec::new());
    let (mut bnode_node, mut bnode_weights, mut bnode_group) = (Vec::new(), Vec::new(), Vec::new());
    for node in own {
        let place = grid.place(node);
        layers.around(place[2]);
        x.extend(layers.at(place));
        let (mut edges, mut sides) = (Vec::new(), Vec::new());
        for place in grid.places(place) {
            edges_at(&layers, node, place, &mut edges);
            sides_at(&layers, place, &mut sides);
        }
        for (to, weight) in summed(edges) {
            edge_nodes.extend([node, to]);
            edge_weights.extend(weight);
        }
        for (group, weight) in summed(sides) {
            bnode_node.push(node);
            bnode_weights.extend(weight);
            bnode_group.push(group);
        }
    }
    let (edges, edge_nodes) = blocks_of(comm, 2, &edge_nodes);
    let (_, edge_weights) = blocks_of(comm, 3, &edge_weights);
    let (bnodes, bnode_node) = blocks_of(comm, 1, &bnode_node);
    let (_, bnode_weights) = blocks_of(comm, 3, &bnode_weights);
    let (_, bnode_group) = blocks_of(comm, 1, &bnode_group);
    let mut level = DualLevel {
        dim: 3,
        nodes,
        x,
        edges,
        edge_nodes,
        edge_weights,
        bnodes,
        bnode_node,
        bnode_weights,
        bnode_group,
        ..DualLevel::default()
    };
    level.volumes = volumes(comm, &level);
    level
}

/// Sums by key, in key order; for equal keys, in the given order.
fn summed<K: Ord + Copy>(mut parts: Vec<(K, Vector)>) -> Vec<(K, Vector)> {
    parts.sort_by_key(|part| part.0);
    let sum = |group: &[(K, Vector)]| group.iter().fold([0.0; 3], |sum, part| add(sum, part.1));
    parts.chunk_by(|a, b| a.0 == b.0).map(|group| (group[0].0, sum(group))).collect()
}

/// The parts of faces of edges from `node`, at `place`, to nodes with higher numbers.
fn edges_at<P: Fn([u64; 3]) -> Vector>(
    layers: &Layers<'_, P>,
    node: u64,
    place: [u64; 3],
    edges: &mut Vec<(u64, Vector)>,
) {
    let grid = layers.grid;
    for axis in 0..3 {
        let [across, along] = [(axis + 1) % 3, (axis + 2) % 3];
        for up in [false, true] {
            let Some(end) = grid.next(place, axis, up) else { continue };
            let to = grid.node(end);
            if to < node {
                continue;
            }
            for (b, c) in QUADRANTS {
                let step = |from, axis, up| grid.next(from, axis, up);
                let (Some(b0), Some(c0)) = (step(place, across, b), step(place, along, c)) else { continue };
                let bc = step(b0, along, c).expect("a neighbour along each axis makes a side");
                let far = |near| step(near, axis, up).expect("so does one along all three");
                let near = [place, b0, c0, bc].map(|p| layers.at(p));
                let far = [place, b0, c0, bc].map(|p| layers.at(far(p)));
                let d =
                    [sub(near[1], near[0]), sub(near[3], near[2]), sub(far[1], far[0]), sub(far[3], far[2])];
                let e =
                    [sub(near[2], near[0]), sub(near[3], near[1]), sub(far[2], far[0]), sub(far[3], far[1])];
                let f_m = scale(0.25, add(d[0], d[2]));
                let c_f = scale(0.125, add(add(e[0], e[1]), add(e[2], e[3])));
                let g_m = scale(0.25, add(e[0], e[2]));
                let c_g = scale(0.125, add(add(d[0], d[1]), add(d[2], d[3])));
                let area = scale(0.5, add(cross(f_m, c_f), cross(c_g, g_m)));
                edges.push((to, scale(sign(up) * sign(b) * sign(c), area)));
            }
        }
    }
}

/// The parts of boundary sides at a place, into the domain.
fn sides_at<P: Fn([u64; 3]) -> Vector>(
    layers: &Layers<'_, P>,
    place: [u64; 3],
    sides: &mut Vec<(i32, Vector)>,
) {
    let grid = layers.grid;
    for axis in 0..3 {
        let [across, along] = [(axis + 1) % 3, (axis + 2) % 3];
        for high in [false, true] {
            if grid.next(place, axis, high).is_some() {
                continue;
            }
            for (b, c) in QUADRANTS {
                let (Some(b0), Some(c0)) = (grid.next(place, across, b), grid.next(place, along, c)) else {
                    continue;
                };
                // The layer of the hexahedron is that of its lower nodes.
                let Some(group) = grid.group(axis, high, place[2].min(b0[2]).min(c0[2])) else { continue };
                let bc = grid.next(b0, along, c).expect("a neighbour along each axis makes a side");
                let x = [place, b0, c0, bc].map(|p| layers.at(p));
                let d = [sub(x[1], x[0]), sub(x[3], x[2])];
                let e = [sub(x[2], x[0]), sub(x[3], x[1])];
                let first = cross(scale(0.5, d[0]), scale(0.25, add(e[0], e[1])));
                let second = cross(scale(0.25, add(d[0], d[1])), scale(0.5, e[0]));
                sides.push((group, scale(-0.5 * sign(high) * sign(b) * sign(c), add(first, second))));
            }
        }
    }
}

/// Ways up or down across two axes.
const QUADRANTS: [(bool, bool); 4] = [(false, false), (true, false), (false, true), (true, true)];

fn sign(up: bool) -> f64 {
    if up { 1.0 } else { -1.0 }
}

fn add(a: Vector, b: Vector) -> Vector {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

fn sub(a: Vector, b: Vector) -> Vector {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

fn scale(s: f64, a: Vector) -> Vector {
    a.map(|v| s * v)
}

fn cross(a: Vector, b: Vector) -> Vector {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// Coordinates of the nodes in three layers, to compute each only once.
struct Layers<'a, P> {
    grid: &'a Grid,
    position: P,
    /// Layer k is at k modulo 3.
    kept: [(u64, Vec<Vector>); 3],
}

impl<'a, P: Fn([u64; 3]) -> Vector> Layers<'a, P> {
    fn new(grid: &'a Grid, position: P) -> Self {
        Layers { grid, position, kept: std::array::from_fn(|_| (u64::MAX, Vec::new())) }
    }

    /// Loads the layers around layer `k`.
    fn around(&mut self, k: u64) {
        let [columns, rows, layers] = self.grid.n();
        for k in k.saturating_sub(1)..(k + 2).min(layers) {
            let (at, kept) = &mut self.kept[(k % 3) as usize];
            if *at != k {
                *at = k;
                kept.clear();
                let places = (0..rows).flat_map(|j| (0..columns).map(move |i| [i, j, k]));
                kept.extend(places.map(&self.position));
            }
        }
    }

    fn at(&self, [i, j, k]: [u64; 3]) -> Vector {
        let (at, kept) = &self.kept[(k % 3) as usize];
        debug_assert_eq!(*at, k, "the layer is at hand");
        kept[(j * self.grid.n()[0] + i) as usize]
    }
}
