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
//! In space the part is two triangles, m g c and m c f.
//!
//! On a boundary face with the middle f, node p's part has the corners p, middle n of the edge to the next node, f, middle r
//! of the edge to the previous one, and is two triangles, p n f and p f r: outward, A = (f - p) x (r - n) / 2; in the plane
//! half of the side's normal.
//!
//! Middles are means of corners, taken relative to a node of the element, so that a position far from the origin costs no
//! digits. Around every node the area vectors add up to zero, to rounding, for any elements: so a free stream is kept.

use cfd_engine::comm::Comm;

use super::level::{DualLevel, sorted_at_owners, volumes};
use crate::blocks::blocks_of;
use crate::derive::faces::Faces;
use crate::derive::stars::Stars;
use crate::{ElementKind, ElementMesh, MeshError};

type Vector = [f64; 3];

/// The dual of a mesh as one level, with volumes; `number` gives the group of boundary nodes for a group of boundary
/// elements, or `None` if these are no boundary. Collective.
///
/// Edges are numbered with their lower node, by the higher one; boundary nodes with their node, by group.
///
/// # Errors
/// Faces that do not fit together, or a dual cell without a positive volume.
pub(crate) fn dual(
    comm: &Comm,
    mesh: &ElementMesh,
    number: impl Fn(i32) -> Option<i32>,
) -> Result<DualLevel, MeshError> {
    let (stars, outer) = (Stars::new(comm, mesh, false), Stars::new(comm, mesh, true));
    let faces = Faces::new(comm, mesh, &stars, &outer)?;
    let mut level = inner(comm, mesh, &stars)?.level;
    let dim = level.dim;
    let records = parts(&stars, &outer, &faces).filter_map(|part| {
        let group = u64::try_from(number(part.group)?).expect("groups are not negative");
        let [x, y, z] = part.inward.map(f64::to_bits);
        Some([part.ring[0], group, part.place, part.corner, x, y, z])
    });
    let records = sorted_at_owners(comm, mesh.node_blocks(comm), records);
    let (mut bnode_node, mut bnode_group, mut bnode_weights) = (Vec::new(), Vec::new(), Vec::new());
    for parts in records.chunk_by(|a, b| a[..2] == b[..2]) {
        let sum = parts
            .iter()
            .fold([0.0; 3], |sum, part| add(sum, [part[4], part[5], part[6]].map(f64::from_bits)));
        bnode_node.push(parts[0][0]);
        bnode_group.push(parts[0][1] as i32);
        bnode_weights.extend(&sum[..dim]);
    }
    (level.bnodes, level.bnode_node) = blocks_of(comm, 1, &bnode_node);
    (_, level.bnode_weights) = blocks_of(comm, dim, &bnode_weights);
    (_, level.bnode_group) = blocks_of(comm, 1, &bnode_group);
    Ok(level)
}

/// What is within a mesh, without its boundary.
pub(crate) struct Inner {
    /// Nodes with volumes, and edges.
    pub(crate) level: DualLevel,
    /// The first moments of the edges' faces: the integrals of (x - m)_j dA_i over a face, m being the edge's middle, row j
    /// by row.
    pub(crate) moments: Vec<f64>,
    /// How strongly diffusion couples the edges' ends ([`coupling`]).
    pub(crate) couplings: Vec<f64>,
}

/// What is within a mesh. Collective.
///
/// # Errors
/// A dual cell without a positive volume.
pub(crate) fn inner(comm: &Comm, mesh: &ElementMesh, stars: &Stars) -> Result<Inner, MeshError> {
    let dim = mesh.dimension();
    let own = edges(stars, dim);
    let (edges, edge_nodes) = blocks_of(comm, 2, &own.nodes);
    let (_, edge_weights) = blocks_of(comm, dim, &own.areas);
    let (_, moments) = blocks_of(comm, dim * dim, &own.moments);
    let (_, couplings) = blocks_of(comm, 1, &own.couplings);
    let (nodes, x) = (mesh.node_blocks(comm).rows, mesh.x().to_vec());
    let mut level = DualLevel { dim, nodes, x, edges, edge_nodes, edge_weights, ..DualLevel::default() };
    level.volumes = volumes(comm, &level);
    comm.agree(positive(comm, &level))?;
    Ok(Inner { level, moments, couplings })
}

/// Refuses a dual cell without a volume: an element around it is folded.
fn positive(comm: &Comm, level: &DualLevel) -> Result<(), MeshError> {
    // Written so that NaN, from overflow, is refused.
    let Some(at) = level.volumes.iter().position(|&volume| volume.is_nan() || volume <= 0.0) else {
        return Ok(());
    };
    let node = level.node_blocks(comm).range(comm.rank()).start + at as u64;
    let x: Vec<String> = level.x[level.dim * at..][..level.dim].iter().map(f64::to_string).collect();
    Err(MeshError::Element(format!(
        "the dual cell of node {node}, at ({}), has the volume {:e}; an element around it is folded",
        x.join(", "),
        level.volumes[at]
    )))
}

/// Edges of this rank's nodes to higher ones.
#[derive(Default)]
struct Edges {
    nodes: Vec<u64>,
    /// From the lower to the higher node.
    areas: Vec<f64>,
    /// First moments.
    moments: Vec<f64>,
    /// [`coupling`].
    couplings: Vec<f64>,
}

/// A part of an edge's face.
#[derive(Clone, Copy, Default)]
struct Piece {
    /// Its area vector.
    area: Vector,
    /// Its first moments.
    moments: [Vector; 3],
    /// What its element adds to the edge's [`coupling`].
    coupling: f64,
}

impl Piece {
    /// The other way.
    fn back(&self) -> Piece {
        let Piece { area, moments, coupling } = *self;
        Piece { area: scale(-1.0, area), moments: moments.map(|row| scale(-1.0, row)), coupling }
    }

    fn plus(&self, other: &Piece) -> Piece {
        Piece {
            area: add(self.area, other.area),
            moments: add_rows(self.moments, other.moments),
            coupling: self.coupling + other.coupling,
        }
    }
}

/// The edges of this rank's nodes to higher ones, with the sums of their faces' parts.
fn edges(stars: &Stars, dim: usize) -> Edges {
    let mut pieces: Vec<([u64; 2], Piece)> = Vec::new();
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
            let (area, moments) = match kind.dimension() {
                2 => {
                    let area = [across[1], -across[0], 0.0];
                    (area, tensor(scale(0.5, across), area))
                }
                _ => {
                    let [forth, back] = edge.faces.map(|face| mean(kind.faces()[face].iter().map(|&k| x[k])));
                    let area = scale(0.5, cross(across, sub(forth, back)));
                    let triangle =
                        |p: Vector, q: Vector| tensor(scale(1.0 / 3.0, add(p, q)), scale(0.5, cross(p, q)));
                    let (f, g) = (sub(forth, middle), sub(back, middle));
                    (area, add_rows(triangle(across, f), triangle(g, across)))
                }
            };
            let piece = Piece { area, moments, coupling: coupling(kind, x, edge.ends, area) };
            pieces.push(([a.min(b), a.max(b)], if a < b { piece } else { piece.back() }));
        }
    }
    // Stable: the parts of an edge stay in the order of the elements.
    pieces.sort_by_key(|piece| piece.0);
    let mut edges = Edges::default();
    for pieces in pieces.chunk_by(|a, b| a.0 == b.0) {
        let whole = |whole: Piece, (_, piece): &([u64; 2], Piece)| whole.plus(piece);
        let Piece { area, moments, coupling } = pieces.iter().fold(Piece::default(), whole);
        edges.nodes.extend(pieces[0].0);
        edges.couplings.push(coupling);
        edges.areas.extend(&area[..dim]);
        edges.moments.extend(moments[..dim].iter().flat_map(|row| &row[..dim]));
    }
    edges
}

/// How strongly diffusion couples two corners of an element: in a simplex - integral of grad phi_a . grad phi_b, phi being 1 at
/// one corner and linear, which is negative beside an obtuse angle; otherwise A . d / |d|^2, with the area of the edge's part
/// of its face.
fn coupling(kind: ElementKind, x: &[Vector], ends: [usize; 2], area: Vector) -> f64 {
    let [a, b] = ends.map(|k| x[k]);
    if kind.nodes() > kind.dimension() + 1 {
        let d = sub(b, a);
        return dot(area, d) / dot(d, d);
    }
    let mut others = (0..x.len()).filter(|k| !ends.contains(k)).map(|k| x[k]);
    let mut other = || others.next().expect("a simplex has a corner for each dimension and one more");
    if kind.dimension() == 2 {
        let c = other();
        let (to_a, to_b) = (sub(a, c), sub(b, c));
        return 0.5 * dot(to_a, to_b) / cross(to_a, to_b)[2].abs();
    }
    let (c, e) = (other(), other());
    // Twice the area vectors of the faces opposite a and b; one leads in, the other out.
    let (of_a, of_b) = (cross(sub(c, b), sub(e, b)), cross(sub(c, a), sub(e, a)));
    dot(of_a, of_b) / (6.0 * dot(sub(b, a), of_a).abs())
}

/// A node's part of a boundary face.
pub(crate) struct Part {
    /// The place of the boundary element.
    pub(crate) place: u64,
    /// The corner of the face where the node is.
    pub(crate) corner: u64,
    /// The group of the boundary element.
    pub(crate) group: i32,
    /// The node, then the others around the face, then the node again where there are less than four.
    pub(crate) ring: [u64; 4],
    /// The area vector, into the domain.
    pub(crate) inward: Vector,
    /// The shares of the nodes of `ring` in the part's middle: of a planar face, exactly.
    pub(crate) middle: [f64; 4],
}

/// The parts of nodes in the boundary faces whose lowest node this rank owns, by face, around each.
pub(crate) fn parts<'a>(
    stars: &'a Stars,
    outer: &'a Stars,
    faces: &'a Faces,
) -> impl Iterator<Item = Part> + 'a {
    faces.boundary.iter().flat_map(move |&(face, element)| {
        let inner = face.element as usize;
        let (kind, corners) = (stars.kinds[inner], stars.corners(inner));
        let ring: Vec<u32> = kind.faces()[face.face as usize].iter().map(|&k| corners[k]).collect();
        let around = around(stars, &ring);
        let centre = mean(around[..ring.len()].iter().copied());
        (0..ring.len()).map(move |corner| {
            let n = ring.len();
            let x: Vec<Vector> = (0..n).map(|k| around[(corner + k) % n]).collect();
            let (inward, middle) = if kind.dimension() == 2 { side(&x, corner) } else { sector(&x, centre) };
            let node = |k: usize| stars.ids[ring[if k < n { (corner + k) % n } else { corner }] as usize];
            Part {
                place: outer.places[element as usize],
                corner: corner as u64,
                group: outer.groups[element as usize],
                ring: std::array::from_fn(node),
                inward,
                middle,
            }
        })
    })
}

/// The half of a side in the plane that belongs to the first of `x`, the side's start if `corner` is 0.
fn side(x: &[Vector], corner: usize) -> (Vector, [f64; 4]) {
    let along = if corner == 0 { sub(x[1], x[0]) } else { sub(x[0], x[1]) };
    ([-0.5 * along[1], 0.5 * along[0], 0.0], [0.75, 0.25, 0.0, 0.0])
}

/// The part of a face in space, with the middle `centre`, that belongs to the first of its nodes `x`.
fn sector(x: &[Vector], centre: Vector) -> (Vector, [f64; 4]) {
    let to = |k: usize| scale(0.5, sub(x[k], x[0]));
    let (next, previous, centre) = (to(1), to(x.len() - 1), sub(centre, x[0]));
    let inward = scale(-0.5, cross(centre, sub(previous, next)));
    // The shares of the two triangles, p n f and p f r.
    let of_next = dot(scale(-0.5, cross(next, centre)), inward) / dot(inward, inward);
    let each = 1.0 / x.len() as f64;
    let mut middle = [0.0; 4];
    middle[0] = (1.5 + each) / 3.0;
    middle[1..x.len()].fill(each / 3.0);
    middle[1] += of_next / 6.0;
    middle[x.len() - 1] += (1.0 - of_next) / 6.0;
    (inward, middle)
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

fn dot(a: Vector, b: Vector) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// a_j b_i, row j by row.
fn tensor(a: Vector, b: Vector) -> [Vector; 3] {
    a.map(|a| scale(a, b))
}

fn add_rows(a: [Vector; 3], b: [Vector; 3]) -> [Vector; 3] {
    [add(a[0], b[0]), add(a[1], b[1]), add(a[2], b[2])]
}
