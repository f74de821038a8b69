//! The median dual of a mesh of elements of any kinds: each node's cell is bounded by the middles of edges, faces and
//! elements.
//!
//! An element with the middle c, an edge from node a to node b with the middle m, and the edge's two faces, f through which
//! the way around the outward normal leads from a to b and g through which it leads from b to a: its part of the edge's face
//! has the corners m, g, c, f, and the area vector
//!
//! ```text
//! in space       A = (c - m) x (f - g) / 2
//! in the plane   A = (d_y, -d_x), d = c - m, for an element to the left of the way from a to b; else the negative
//! ```
//!
//! On a boundary face with the middle f, node p's part has the corners p, middle of the edge to the next node, f, middle of
//! the edge to the previous one: outward, A = (f - p) x (m_previous - m_next) / 2; in the plane half of the side's normal.
//!
//! Middles are means of corners, taken relative to a node of the element, so that a position far from the origin costs no
//! digits. Around every node the area vectors add up to zero, to rounding, for any elements: so a free stream is kept.

use cfd_engine::comm::Comm;

use super::level::{Level, sorted_at_owners, volumes};
use crate::blocks::blocks_of;
use crate::derive::faces::Faces;
use crate::derive::stars::Stars;
use crate::{ElementKind, ElementMesh, MeshError};

type Vector = [f64; 3];

/// The dual of a mesh as one level, with volumes; `number` gives the group of boundary nodes for a group of boundary
/// elements. Collective.
///
/// Edges are numbered with their lower node, by the higher one; boundary nodes with their node, by group.
///
/// # Errors
/// Faces that do not fit together, or a dual cell without a positive volume.
pub(crate) fn dual(comm: &Comm, mesh: &ElementMesh, number: impl Fn(i32) -> i32) -> Result<Level, MeshError> {
    let (stars, outer) = (Stars::new(comm, mesh, false), Stars::new(comm, mesh, true));
    let faces = Faces::new(comm, mesh, &stars, &outer)?;
    let (dim, node_blocks) = (mesh.dimension(), mesh.node_blocks(comm));

    let (edge_nodes, edge_weights) = edges(&stars, dim);
    let (edges, edge_nodes) = blocks_of(comm, 2, &edge_nodes);
    let (_, edge_weights) = blocks_of(comm, dim, &edge_weights);

    let parts = sorted_at_owners(comm, node_blocks, boundary(&stars, &outer, &faces, dim, number));
    let (mut bnode_node, mut bnode_group, mut bnode_weights) = (Vec::new(), Vec::new(), Vec::new());
    for parts in parts.chunk_by(|a, b| a[..2] == b[..2]) {
        let sum = parts
            .iter()
            .fold([0.0; 3], |sum, part| add(sum, [part[4], part[5], part[6]].map(f64::from_bits)));
        bnode_node.push(parts[0][0]);
        bnode_group.push(parts[0][1] as i32);
        bnode_weights.extend(&sum[..dim]);
    }
    let (bnodes, bnode_node) = blocks_of(comm, 1, &bnode_node);
    let (_, bnode_weights) = blocks_of(comm, dim, &bnode_weights);
    let (_, bnode_group) = blocks_of(comm, 1, &bnode_group);
    let mut level = Level {
        dim,
        nodes: node_blocks.rows,
        x: mesh.x().to_vec(),
        volumes: Vec::new(),
        edges,
        edge_nodes,
        edge_weights,
        bnodes,
        bnode_node,
        bnode_weights,
        bnode_group,
    };
    level.volumes = volumes(comm, &level);
    comm.agree(positive(comm, &level))?;
    Ok(level)
}

/// Refuses a dual cell without a volume: an element around it is folded.
fn positive(comm: &Comm, level: &Level) -> Result<(), MeshError> {
    // Written so that NaN, from overflow, is refused.
    let Some(at) = level.volumes.iter().position(|&volume| !(volume > 0.0)) else { return Ok(()) };
    let node = level.node_blocks(comm).range(comm.rank()).start + at as u64;
    let x: Vec<String> = level.x[level.dim * at..][..level.dim].iter().map(f64::to_string).collect();
    Err(MeshError::Element(format!(
        "the dual cell of node {node}, at ({}), has the volume {:e}; an element around it is folded",
        x.join(", "),
        level.volumes[at]
    )))
}

/// The edges of this rank's nodes to higher ones, and their area vectors from the lower to the higher node.
fn edges(stars: &Stars, dim: usize) -> (Vec<u64>, Vec<f64>) {
    let mut parts: Vec<([u64; 2], Vector)> = Vec::new();
    for element in 0..stars.len() {
        let (kind, corners) = (stars.kinds[element], stars.corners(element));
        let x = around(stars, corners);
        let x = &x[..corners.len()];
        let centre = mean(x.iter().copied());
        for edge in edges_of(kind) {
            let [a, b] = edge.ends.map(|k| stars.ids[corners[k] as usize]);
            if !stars.own.contains(&a.min(b)) {
                continue;
            }
            let middle = scale(0.5, add(x[edge.ends[0]], x[edge.ends[1]]));
            let across = sub(centre, middle);
            let area = match kind.dimension() {
                2 => [across[1], -across[0], 0.0],
                _ => {
                    let [forth, back] = edge.faces.map(|face| mean(kind.faces()[face].iter().map(|&k| x[k])));
                    scale(0.5, cross(across, sub(forth, back)))
                }
            };
            parts.push(if a < b { ([a, b], area) } else { ([b, a], scale(-1.0, area)) });
        }
    }
    // Stable: the parts of an edge stay in the order of the elements.
    parts.sort_by_key(|part| part.0);
    let (mut nodes, mut weights) = (Vec::new(), Vec::new());
    for parts in parts.chunk_by(|a, b| a.0 == b.0) {
        let sum = parts.iter().fold([0.0; 3], |sum, part| add(sum, part.1));
        nodes.extend(parts[0].0);
        weights.extend(&sum[..dim]);
    }
    (nodes, weights)
}

/// The parts of nodes in boundary faces, into the domain: node, group, place of the boundary element, corner, vector.
fn boundary(
    stars: &Stars,
    outer: &Stars,
    faces: &Faces,
    dim: usize,
    number: impl Fn(i32) -> i32,
) -> Vec<[u64; 7]> {
    let mut parts = Vec::new();
    for &(face, element) in &faces.boundary {
        let inner = face.element as usize;
        let corners = stars.corners(inner);
        let ring: Vec<u32> =
            stars.kinds[inner].faces()[face.face as usize].iter().map(|&k| corners[k]).collect();
        let x = around(stars, &ring);
        let x = &x[..ring.len()];
        let centre = mean(x.iter().copied());
        let group = number(outer.groups[element as usize]);
        let group = u64::try_from(group).expect("groups are not negative");
        for (k, &node) in ring.iter().enumerate() {
            let inward = match dim {
                2 => {
                    let along = sub(x[1], x[0]);
                    [-0.5 * along[1], 0.5 * along[0], 0.0]
                }
                _ => {
                    let side = |other: usize| scale(0.5, sub(x[other % x.len()], x[k]));
                    let (next, previous) = (side(k + 1), side(k + x.len() - 1));
                    scale(-0.5, cross(sub(centre, x[k]), sub(previous, next)))
                }
            };
            let [x, y, z] = inward.map(f64::to_bits);
            parts.push([stars.ids[node as usize], group, outer.places[element as usize], k as u64, x, y, z]);
        }
    }
    parts
}

/// Positions of nodes relative to the first of them.
fn around(stars: &Stars, nodes: &[u32]) -> [Vector; ElementKind::MOST_NODES] {
    let origin = stars.position(nodes[0]);
    let mut x = [[0.0; 3]; ElementKind::MOST_NODES];
    x.iter_mut().zip(nodes).for_each(|(x, &node)| *x = sub(stars.position(node), origin));
    x
}

/// An edge of an element: its ends, and the faces whose way around leads from the first to the second and back; in the
/// plane, the side itself twice.
struct Edge {
    ends: [usize; 2],
    faces: [usize; 2],
}

/// The edges of a kind of elements, each once, in the order of its faces.
fn edges_of(kind: ElementKind) -> Vec<Edge> {
    let faces = kind.faces();
    let ways = faces.iter().enumerate().flat_map(|(at, face)| {
        let next = move |k: usize| face[(k + 1) % face.len()];
        (0..face.len()).map(move |k| (at, [face[k], next(k)]))
    });
    if kind.dimension() == 2 {
        // A side has two ends, and leads one way.
        return faces
            .iter()
            .enumerate()
            .map(|(at, side)| Edge { ends: [side[0], side[1]], faces: [at; 2] })
            .collect();
    }
    let ways: Vec<(usize, [usize; 2])> = ways.collect();
    let back = |[a, b]: [usize; 2]| {
        ways.iter().find(|(_, way)| *way == [b, a]).expect("faces go around every edge in both directions").0
    };
    let once = ways.iter().filter(|(_, [a, b])| a < b);
    once.map(|&(forth, ends)| Edge { ends, faces: [forth, back(ends)] }).collect()
}

fn mean(x: impl ExactSizeIterator<Item = Vector>) -> Vector {
    let share = 1.0 / x.len() as f64;
    scale(share, x.fold([0.0; 3], add))
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
