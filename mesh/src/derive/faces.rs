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
    if let ([first, _], [_, last]) = (&a[..], &b[..]) {
        // A way around two nodes is the same in both directions, but a side leads one way.
        return first == last;
    }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ElementMeshBuilder;
    use crate::generate::element_box::{ElementBox, Filling};

    fn faces(comm: &Comm, mesh: &ElementMesh) -> Result<(Stars, Stars, Faces), MeshError> {
        let (stars, outer) = (Stars::new(comm, mesh, false), Stars::new(comm, mesh, true));
        let faces = Faces::new(comm, mesh, &stars, &outer)?;
        Ok((stars, outer, faces))
    }

    #[test]
    fn every_face_of_an_element_is_between_two_or_on_the_boundary_whatever_the_ranks() {
        for filling in Filling::ALL {
            let shape = ElementBox { distortion: 0.2, ..ElementBox::unit(filling, [3, 4, 2]) };
            // The places of elements and boundary elements, and which faces meet.
            let found = |comm: &Comm| {
                let mesh = shape.mesh(comm).unwrap();
                let (_, outer, faces) = faces(comm, &mesh).unwrap();
                let interior: Vec<[u64; 4]> = faces
                    .interior
                    .iter()
                    .map(|[a, b]| [a.place, a.face.into(), b.place, b.face.into()])
                    .collect();
                let boundary: Vec<[u64; 3]> = faces
                    .boundary
                    .iter()
                    .map(|(face, element)| [face.place, face.face.into(), outer.places[*element as usize]])
                    .collect();
                (interior, boundary)
            };
            let one = found(&Comm::single());
            let mesh = shape.mesh(&Comm::single()).unwrap();
            let lists = mesh.elements();
            let of = |list: &&crate::Elements<'_>| list.rows as usize * list.kind.faces().len();
            let all: usize = lists.iter().filter(|list| !list.boundary).map(|list| of(&list)).sum();
            assert_eq!(2 * one.0.len() + one.1.len(), all, "{filling:?}");
            let named: u64 = lists.iter().filter(|list| list.boundary).map(|list| list.rows).sum();
            assert_eq!(one.1.len() as u64, named, "{filling:?}");
            assert!(one.0.iter().all(|[low, _, high, _]| low < high));
            for ranks in [2, 5] {
                let (interior, boundary): (Vec<_>, Vec<_>) =
                    Comm::simulate(ranks, |comm| found(&comm)).into_iter().unzip();
                assert_eq!((interior.concat(), boundary.concat()), one, "{filling:?} on {ranks} ranks");
            }
        }
    }

    /// What is wrong with elements and boundary elements, the same on any number of ranks.
    fn message(x: &[f64], dimension: usize, elements: &[(ElementKind, Vec<u64>)]) -> String {
        let found = |comm: Comm| {
            let mut builder = ElementMeshBuilder::new(dimension);
            if comm.is_root() {
                builder.add_nodes(x.iter().copied());
                elements.iter().for_each(|(kind, nodes)| {
                    let group = i32::from(kind.dimension() < dimension);
                    builder.add_elements(*kind, group, nodes.iter().copied());
                });
            }
            faces(&comm, &builder.build(&comm).unwrap()).map(|_| ()).unwrap_err().to_string()
        };
        let messages: Vec<String> = [1, 2, 5].into_iter().flat_map(|n| Comm::simulate(n, found)).collect();
        assert!(messages.iter().all(|other| *other == messages[0]), "{messages:?}");
        messages[0].clone()
    }

    /// Two squares next to each other, with `more` elements and without the boundary `lacking`.
    fn squares(lacking: [u64; 2], more: &[(ElementKind, Vec<u64>)]) -> String {
        let x = [0., 0., 1., 0., 2., 0., 0., 1., 1., 1., 2., 1.];
        let lines = [[0, 1], [1, 2], [2, 5], [5, 4], [4, 3], [3, 0]];
        let lines = lines.into_iter().filter(|line| *line != lacking).collect::<Vec<_>>().concat();
        let mut elements =
            vec![(ElementKind::Quadrilateral, vec![0, 1, 4, 3, 1, 2, 5, 4]), (ElementKind::Line, lines)];
        elements.extend_from_slice(more);
        message(&x, 2, &elements)
    }

    #[test]
    fn sides_that_do_not_fit_together_are_refused_with_nodes_element_and_place() {
        let line = |nodes: [u64; 2]| [(ElementKind::Line, nodes.to_vec())];
        assert_eq!(
            squares([2, 5], &[]),
            "the side of nodes 2, 5 of quadrilateral 1, at (2, 0.5), belongs to no other element and to no named boundary; \
             expected it in a boundary: a physical group in Gmsh, a marker in SU2"
        );
        assert_eq!(
            squares([9; 2], &line([0, 5])),
            "the boundary line 6 of nodes 0, 5, at (1, 0.5), is not a side of an element; expected a side of one"
        );
        assert_eq!(
            squares([9; 2], &line([4, 1])),
            "the boundary line 6 of nodes 1, 4, at (1, 0.5), lies between two elements; expected a side of one: leave what \
             lies inside the mesh out of physical groups and markers"
        );
        assert_eq!(
            squares([9; 2], &line([5, 2])),
            "the boundary line 6 of nodes 2, 5, at (2, 0.5), has been listed before; expected every side once"
        );
        assert_eq!(
            squares([9; 2], &[(ElementKind::Triangle, vec![1, 5, 4])]),
            "the side of nodes 1, 4 of quadrilateral 1, at (1, 0.5), belongs to 3 elements; expected one on each side of it"
        );
    }

    #[test]
    fn elements_on_the_same_side_are_refused() {
        // A triangle over the square.
        let elements = [
            (ElementKind::Quadrilateral, vec![0, 1, 2, 3]),
            (ElementKind::Triangle, vec![1, 2, 3]),
            (ElementKind::Line, vec![0, 1, 0, 3, 1, 3]),
        ];
        assert_eq!(
            message(&[0., 0., 1., 0., 1., 1., 0., 1.], 2, &elements),
            "the side of nodes 1, 2 of quadrilateral 0, at (1, 0.5), has another element on the same side of it: the mesh \
             is folded, or elements overlap there"
        );
    }

    #[test]
    fn faces_in_space_are_told_by_all_their_nodes() {
        let x =
            [0., 0., 0., 1., 0., 0., 1., 1., 0., 0., 1., 0., 0., 0., 2., 1., 0., 2., 1., 1., 2., 0., 1., 2.];
        let sides = [[0, 1, 5, 4], [1, 2, 6, 5], [2, 3, 7, 6], [3, 0, 4, 7], [4, 5, 6, 7]];
        let elements = [
            (ElementKind::Hexahedron, vec![0, 1, 2, 3, 4, 5, 6, 7]),
            (ElementKind::Quadrilateral, sides.concat()),
        ];
        assert_eq!(
            message(&x, 3, &elements),
            "the face of nodes 0, 1, 2, 3 of hexahedron 0, at (0.5, 0.5, 0), belongs to no other element and to no named \
             boundary; expected it in a boundary: a physical group in Gmsh, a marker in SU2"
        );
        let mut halves = elements.clone();
        halves[1].1.extend([0, 3, 2, 1]);
        let halves = [&halves[..], &[(ElementKind::Triangle, vec![0, 1, 2])]].concat();
        assert_eq!(
            message(&x, 3, &halves),
            "the boundary triangle 0 of nodes 0, 1, 2, at (0.6666666666666666, 0.3333333333333333, 0), is not a face of an \
             element; expected a face of one"
        );
    }
}
