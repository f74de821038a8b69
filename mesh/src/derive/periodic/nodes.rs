//! Nodes of two periodic boundaries at the same place.

use bytemuck::{Pod, Zeroable};
use cfd_engine::comm::Comm;
use cfd_engine::given::short;
use cfd_engine::mesh::fetch_rows;

use super::{Pair, Way};
use crate::boxes::Boxes;
use crate::{ElementMesh, MeshError};

/// No node.
const NONE: u64 = u64::MAX;
/// Nodes that a rank holds at a time, of all ranks together.
const HELD: u64 = 1 << 16;

/// A node of a boundary.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
struct Place {
    x: [[f64; 3]; 1],
    /// The shortest boundary edge at it.
    edge: f64,
    id: u64,
}

impl AsRef<[[f64; 3]]> for Place {
    fn as_ref(&self) -> &[[f64; 3]] {
        &self.x
    }
}

/// A node of the first boundary, where it goes, and the node of the second that is nearest to that.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
struct Found {
    first: Place,
    moved: [f64; 3],
    second: Place,
    distance: f64,
}

impl Found {
    /// The distance in shortest edges.
    fn share(&self) -> f64 {
        self.distance / self.first.edge
    }
}

/// The pairs of a first boundary's node and that of the second at the same place; each rank has those whose first node is
/// in its block, ascending. Every node of both is in one pair, and so is every boundary element. Collective.
///
/// # Errors
/// A boundary without elements, a node without a partner within the tolerance, of which the worst is named, two with the
/// same, or boundary elements that have other nodes.
pub(super) fn matched(comm: &Comm, mesh: &ElementMesh, pair: &Pair) -> Result<Vec<[u64; 2]>, MeshError> {
    let [first, second] = [0, 1].map(|side| places(comm, mesh, &pair.groups[side]));
    let counts = [&first, &second].map(|places| comm.sum(places.len() as u64));
    let names = pair.given.names.each_ref().map(|name| short(name));
    if let Some(side) = counts.iter().position(|count| *count == 0) {
        let what = format!("the periodic boundary \"{}\" has no elements", names[side]);
        return Err(MeshError::Unsuitable(what));
    }
    let way = pair.given.motion.between([bounds(comm, &first), bounds(comm, &second)]);
    let found = nearest(comm, &first, &second, way);
    let refused = |what: String| {
        let of = format!("the periodic boundaries \"{}\" and \"{}\" do not match: ", names[0], names[1]);
        Err(MeshError::Unsuitable(of + &what))
    };
    let worst = worst(comm, &found);
    if worst.share().is_nan() || worst.share() > pair.given.tolerance {
        let at = |x: [f64; 3]| position(&x[..mesh.dimension()]);
        return refused(format!(
            "node {}, at {}, goes to {}, but the nearest node there is {}, at {}, {:.2e} away, {:.2e} of the shortest edge \
             at it; expected at most {:e} (the first has {} nodes, the second {})",
            worst.first.id,
            at(worst.first.x[0]),
            at(worst.moved),
            worst.second.id,
            at(worst.second.x[0]),
            worst.distance,
            worst.share(),
            pair.given.tolerance,
            counts[0],
            counts[1],
        ));
    }
    if counts[0] != counts[1] {
        return refused(format!("the first has {} nodes, the second {}", counts[0], counts[1]));
    }
    let pairs: Vec<[u64; 2]> = found.iter().map(|found| [found.first.id, found.second.id]).collect();
    if let Some([node, a, b]) = shared(comm, mesh, &pairs) {
        return refused(format!("nodes {a} and {b} of the first are both at node {node} of the second"));
    }
    match alone(comm, mesh, pair, &pairs) {
        None => Ok(pairs),
        Some(nodes) => {
            let nodes: Vec<String> = nodes.iter().filter(|node| **node != NONE).map(u64::to_string).collect();
            let face = if mesh.dimension() == 2 { "side" } else { "face" };
            refused(format!(
                "the nodes do, but the {face} of nodes {} is one of the second or where one of the first goes, not both: \
                 expected elements that are cut alike",
                nodes.join(", ")
            ))
        }
    }
}

/// For each node of this rank's block, its partner, or [`NONE`].
pub(super) fn partners(comm: &Comm, mesh: &ElementMesh, pairs: &[[u64; 2]]) -> Vec<u64> {
    let own = mesh.node_blocks(comm).range(comm.rank());
    let mut partners = vec![NONE; (own.end - own.start) as usize];
    pairs.iter().for_each(|&[first, second]| partners[(first - own.start) as usize] = second);
    partners
}

/// The nodes of a boundary element of the second boundary that is none of the first, moved, or the other way round: of
/// several, the lowest. Collective.
fn alone(comm: &Comm, mesh: &ElementMesh, pair: &Pair, pairs: &[[u64; 2]]) -> Option<[u64; 4]> {
    let blocks = mesh.node_blocks(comm);
    let partners = partners(comm, mesh, pairs);
    let mut send: Vec<Vec<[u64; 5]>> = vec![Vec::new(); comm.size()];
    for list in mesh.elements().iter().filter(|list| list.boundary) {
        let width = list.kind.nodes();
        let of = |side: usize| -> Vec<u64> {
            let rows = list.nodes.chunks_exact(width).zip(list.groups);
            let rows = rows.filter(|(_, group)| pair.groups[side].contains(group));
            rows.flat_map(|(corners, _)| corners).copied().collect()
        };
        let moved = fetch_rows(comm, blocks, 1, &partners, &of(0));
        for (side, corners) in [(0, moved), (1, of(1))] {
            for corners in corners.chunks_exact(width) {
                let mut nodes: [u64; 4] = std::array::from_fn(|k| corners.get(k).copied().unwrap_or(NONE));
                nodes.sort_unstable();
                send[blocks.owner(nodes[0])].push([nodes[0], nodes[1], nodes[2], nodes[3], side]);
            }
        }
    }
    let mut met = comm.all_to_all(send).concat();
    met.sort_unstable();
    let is_alone = |faces: &&[[u64; 5]]| !matches!(faces, [[.., 0], [.., 1]]);
    let found = met.chunk_by(|a, b| a[..4] == b[..4]).find(is_alone);
    let found: Vec<[u64; 4]> = found.iter().map(|faces| std::array::from_fn(|k| faces[0][k])).collect();
    comm.all_gather(&found).concat().into_iter().min()
}

/// The nodes of the boundary elements of some groups in this rank's block, ascending. Collective.
fn places(comm: &Comm, mesh: &ElementMesh, groups: &[i32]) -> Vec<Place> {
    let (blocks, dim) = (mesh.node_blocks(comm), mesh.dimension());
    let mut edges: Vec<u64> = Vec::new();
    for list in mesh.elements().iter().filter(|list| list.boundary) {
        let width = list.kind.nodes();
        let rows = list.nodes.chunks_exact(width).zip(list.groups);
        for (corners, _) in rows.filter(|(_, group)| groups.contains(group)) {
            edges.extend((0..width).flat_map(|k| [corners[k], corners[(k + 1) % width]]));
        }
    }
    let x = fetch_rows(comm, blocks, dim, mesh.x(), &edges);
    let place = |x: &[f64]| std::array::from_fn(|k| x.get(k).copied().unwrap_or(0.0));
    let mut send: Vec<Vec<Place>> = vec![Vec::new(); comm.size()];
    for (ends, x) in edges.as_chunks::<2>().0.iter().zip(x.chunks_exact(2 * dim)) {
        let x = [place(&x[..dim]), place(&x[dim..])];
        let edge = square(x[0], x[1]).sqrt();
        for (&id, x) in ends.iter().zip(x) {
            send[blocks.owner(id)].push(Place { x: [x], edge, id });
        }
    }
    let mut own = comm.all_to_all(send).concat();
    own.sort_unstable_by(|a, b| a.id.cmp(&b.id).then(a.edge.total_cmp(&b.edge)));
    own.dedup_by_key(|place| place.id);
    own
}

fn square(a: [f64; 3], b: [f64; 3]) -> f64 {
    (0..3).map(|k| (a[k] - b[k]) * (a[k] - b[k])).sum()
}

/// The lowest and highest coordinates of all ranks' nodes. Collective.
fn bounds(comm: &Comm, places: &[Place]) -> [[f64; 3]; 2] {
    let wider = |[low, high]: [[f64; 3]; 2], [l, h]: [[f64; 3]; 2]| -> [[f64; 3]; 2] {
        [std::array::from_fn(|k| low[k].min(l[k])), std::array::from_fn(|k| high[k].max(h[k]))]
    };
    let none = [[f64::INFINITY; 3], [f64::NEG_INFINITY; 3]];
    let own = places.iter().map(|place| [place.x[0]; 2]).fold(none, wider);
    comm.all_gather(&[own]).concat().into_iter().fold(none, wider)
}

/// For each of this rank's nodes of the first boundary, the nearest of the second, the lower of two as near. Collective.
///
/// The second boundary's nodes come by in rounds, so that no rank holds more than a share of them.
fn nearest(comm: &Comm, first: &[Place], second: &[Place], way: Way) -> Vec<Found> {
    let none = Place { x: [[f64::NAN; 3]], edge: f64::NAN, id: NONE };
    let start = |&first: &Place| {
        let moved = way.place(first.x[0]);
        Found { first, moved, second: none, distance: f64::INFINITY }
    };
    let mut found: Vec<Found> = first.iter().map(start).collect();
    let each = (HELD / comm.size() as u64).max(1) as usize;
    let rounds = comm.max(second.len().div_ceil(each) as u64) as usize;
    for round in 0..rounds {
        let at = |count: usize| second.len().min(count * each);
        let boxes = Boxes::new(comm.all_gather(&second[at(round)..at(round + 1)]).concat());
        for own in &mut found {
            // Squares until the end.
            let least = own.distance;
            boxes.nearest(own.moved, least, &mut |place: &Place| {
                let square = square(place.x[0], own.moved);
                if (square, place.id) < (own.distance, own.second.id) {
                    (own.distance, own.second) = (square, *place);
                }
                square
            });
        }
    }
    found.iter_mut().for_each(|found| found.distance = found.distance.sqrt());
    found
}

/// The farthest of all ranks' pairs, in edges; of several, that of the lowest node. Collective.
fn worst(comm: &Comm, found: &[Found]) -> Found {
    let worse = |a: Found, b: Found| {
        let order = a.share().total_cmp(&b.share()).then(b.first.id.cmp(&a.first.id));
        if order.is_lt() { b } else { a }
    };
    let own: Vec<Found> = found.iter().copied().reduce(worse).into_iter().collect();
    comm.all_gather(&own).concat().into_iter().reduce(worse).expect("the first boundary has nodes")
}

/// The lowest second node that is in two pairs, and their first nodes. Collective.
fn shared(comm: &Comm, mesh: &ElementMesh, pairs: &[[u64; 2]]) -> Option<[u64; 3]> {
    let blocks = mesh.node_blocks(comm);
    let mut send: Vec<Vec<[u64; 2]>> = vec![Vec::new(); comm.size()];
    pairs.iter().for_each(|&[first, second]| send[blocks.owner(second)].push([second, first]));
    let mut own = comm.all_to_all(send).concat();
    own.sort_unstable();
    let twice = own.windows(2).find(|pair| pair[0][0] == pair[1][0]);
    let found: Vec<[u64; 3]> = twice.iter().map(|pair| [pair[0][0], pair[0][1], pair[1][1]]).collect();
    comm.all_gather(&found).concat().into_iter().min()
}

/// A position, as in messages.
pub(super) fn position(x: &[f64]) -> String {
    format!("({})", x.iter().map(f64::to_string).collect::<Vec<_>>().join(", "))
}
