//! Faces of elements and what lies on both sides of them: sides of cells in the plane, faces of volumes in space.

use cfd_engine::comm::Comm;
use serde::{Deserialize, Serialize};

use super::stars::{Stars, row_of};
use crate::{ElementKind, ElementMesh, MeshError};

/// The most corners of a face.
pub(crate) const CORNERS: usize = 4;

/// A face of an element: the element's place in the order (kind, row), the face in [`ElementKind::faces`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Face {
    pub(crate) place: u64,
    pub(crate) face: u8,
    /// The index of the element in the stars.
    pub(crate) element: u32,
}

/// The faces whose lowest node this rank owns.
pub(crate) struct Faces {
    /// Between two elements, the one with the lower place first; by their nodes, ascending.
    pub(crate) interior: Vec<[Face; 2]>,
    /// Of one element, and the index in the stars of the boundary element that lies on it.
    pub(crate) boundary: Vec<(Face, u32)>,
}

/// What is wrong with a face.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
enum Wrong {
    /// One element, no boundary element.
    Unnamed,
    /// A boundary element without an element.
    Alone,
    /// A boundary element between two elements.
    Inside,
    /// Two boundary elements on one face.
    Twice,
    /// Two elements on the same side.
    Folded,
    /// More than two elements.
    Many(u64),
}

/// Where something is wrong: the place of an element, whether it is one of the boundary, the face's nodes and middle.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Defect {
    wrong: Wrong,
    place: u64,
    boundary: bool,
    nodes: Vec<u64>,
    middle: Vec<f64>,
}

/// A claim on a face: its nodes, ascending and padded; [`Claim::BOUNDARY`] for a boundary element; the face.
type Claim = ([u64; CORNERS], bool, Face);

impl Faces {
    /// All faces of the elements around this rank's nodes whose lowest node it owns. Collective.
    ///
    /// # Errors
    /// A face of one element without a boundary element, of more than two, or of two on the same side; a boundary
    /// element that is not a face of exactly one element, or the second on its face.
    pub(crate) fn new(
        comm: &Comm,
        mesh: &ElementMesh,
        stars: &Stars,
        outer: &Stars,
    ) -> Result<Faces, MeshError> {
        let mut claims: Vec<Claim> = Vec::new();
        for element in 0..stars.len() {
            let corners = stars.corners(element);
            for (k, face) in stars.kinds[element].faces().iter().enumerate() {
                let nodes = key(face.iter().map(|&c| stars.ids[corners[c] as usize]));
                if stars.own.contains(&nodes[0]) {
                    let face = Face { place: stars.places[element], face: k as u8, element: element as u32 };
                    claims.push((nodes, false, face));
                }
            }
        }
        for element in 0..outer.len() {
            let nodes = key(outer.corners(element).iter().map(|&c| outer.ids[c as usize]));
            // Without a group it names nothing.
            if outer.own.contains(&nodes[0]) && outer.groups[element] != 0 {
                let face = Face { place: outer.places[element], face: 0, element: element as u32 };
                claims.push((nodes, true, face));
            }
        }
        claims.sort_unstable();
        let mut faces = Faces { interior: Vec::new(), boundary: Vec::new() };
        let mut defect = Ok(());
        for met in claims.chunk_by(|a, b| a.0 == b.0) {
            let (inner, named) = met.split_at(met.partition_point(|claim| !claim.1));
            match (inner, named) {
                (&[(.., a), (.., b)], []) if opposite(stars, a, b) => faces.interior.push([a, b]),
                (&[(.., a)], &[(.., b)]) => faces.boundary.push((a, b.element)),
                _ => {
                    defect = Err(describe(stars, outer, inner, named));
                    break;
                }
            }
        }
        comm.agree(defect).map_err(|defect| explain(mesh, &defect))?;
        Ok(faces)
    }
}

/// The nodes of a face, ascending, padded.
fn key(nodes: impl Iterator<Item = u64>) -> [u64; CORNERS] {
    let mut key = [u64::MAX; CORNERS];
    key.iter_mut().zip(nodes).for_each(|(slot, node)| *slot = node);
    key.sort_unstable();
    key
}

/// The nodes of a face around it, as its element has them.
pub(crate) fn ring(stars: &Stars, face: Face) -> impl Iterator<Item = u64> {
    let (element, corners) = (face.element as usize, stars.corners(face.element as usize));
    stars.kinds[element].faces()[face.face as usize].iter().map(|&c| stars.ids[corners[c] as usize])
}

/// Whether two elements have the nodes of their face in opposite order around it, and so lie on both sides.
fn opposite(stars: &Stars, a: Face, b: Face) -> bool {
    let (a, b): (Vec<u64>, Vec<u64>) = (ring(stars, a).collect(), ring(stars, b).collect());
    let at = b.iter().position(|node| *node == a[0]).expect("the two faces have the same nodes");
    (0..a.len()).all(|k| a[k] == b[(at + b.len() - k) % b.len()])
}

fn describe(stars: &Stars, outer: &Stars, inner: &[Claim], named: &[Claim]) -> Defect {
    let (wrong, claim) = match (inner, named) {
        (_, [_, second, ..]) => (Wrong::Twice, second),
        ([], [only]) => (Wrong::Alone, only),
        ([_, _, third, ..], _) => (Wrong::Many(inner.len() as u64), third),
        ([_, _], [between]) => (Wrong::Inside, between),
        ([only], _) => (Wrong::Unnamed, only),
        ([_, second], []) => (Wrong::Folded, second),
        ([], []) => unreachable!("there is a claim on every face"),
    };
    let (nodes, boundary, Face { place, .. }) = *claim;
    let from = if boundary { outer } else { stars };
    let nodes: Vec<u64> = nodes.into_iter().filter(|&node| node != u64::MAX).collect();
    let position = |node: &u64| from.position(from.ids.binary_search(node).expect("it is listed") as u32);
    let mut middle = [0.0; 3];
    for x in nodes.iter().map(position) {
        (0..3).for_each(|k| middle[k] += x[k] / nodes.len() as f64);
    }
    Defect { wrong, place, boundary, middle: middle.to_vec(), nodes }
}

/// A defect in words.
fn explain(mesh: &ElementMesh, defect: &Defect) -> MeshError {
    let Defect { wrong, place, boundary, ref nodes, ref middle } = *defect;
    let (kind, row): (ElementKind, u64) = row_of(mesh, boundary, place);
    let face = if mesh.dimension() == 2 { "side" } else { "face" };
    let list = |numbers: Vec<String>| numbers.join(", ");
    let nodes = list(nodes.iter().map(u64::to_string).collect());
    let at = list(middle[..mesh.dimension()].iter().map(f64::to_string).collect());
    let what = match wrong {
        Wrong::Unnamed => format!(
            "the {face} of nodes {nodes} of {kind} {row}, at ({at}), belongs to no other element and to no named \
             boundary; expected it in a boundary: a physical group in Gmsh, a marker in SU2"
        ),
        Wrong::Alone => format!(
            "the boundary {kind} {row} of nodes {nodes}, at ({at}), is not a {face} of an element; expected a {face} of \
             one"
        ),
        Wrong::Inside => format!(
            "the boundary {kind} {row} of nodes {nodes}, at ({at}), lies between two elements; expected a {face} of one: \
             leave what lies inside the mesh out of physical groups and markers"
        ),
        Wrong::Twice => format!(
            "the boundary {kind} {row} of nodes {nodes}, at ({at}), has been listed before; expected every {face} once"
        ),
        Wrong::Folded => format!(
            "the {face} of nodes {nodes} of {kind} {row}, at ({at}), has another element on the same side of it: the \
             mesh is folded, or elements overlap there"
        ),
        Wrong::Many(elements) => format!(
            "the {face} of nodes {nodes} of {kind} {row}, at ({at}), belongs to {elements} elements; expected one on each \
             side of it"
        ),
    };
    MeshError::Element(what)
}
