//! Elements of cells some of whose corners have become one: at the axis of a grid around it, or at its pole.

use cfd_mesh::ElementKind;

/// The element with these corners, four around it in the plane or eight of a hexahedron, some of which may be the same: a whole
/// side or face is drawn together. `None` if that is no element.
pub(super) fn element(corners: &[u64]) -> Option<(ElementKind, Vec<u64>)> {
    if corners.len() == 4 {
        return face(corners).filter(|(kind, _)| *kind != ElementKind::Line);
    }
    if all_differ(corners) {
        return Some((ElementKind::Hexahedron, corners.to_vec()));
    }
    let faces = ElementKind::Hexahedron.faces().iter();
    let faces = faces.map(|face| distinct(&face.iter().map(|&k| corners[k]).collect::<Vec<_>>()));
    let faces: Vec<Vec<u64>> = faces.filter(|face| face.len() > 2 && all_differ(face)).collect();
    let of = |sides: usize| faces.iter().filter(move |face| face.len() == sides);
    let mut nodes: Vec<u64> = corners.to_vec();
    nodes.sort_unstable();
    nodes.dedup();
    // A face goes around its outward normal, a base around the one that points into the element.
    let base = |face: &Vec<u64>| face.iter().rev().copied().collect::<Vec<u64>>();
    let apex = |base: &[u64]| nodes.iter().copied().find(|node| !base.contains(node));
    match (nodes.len(), of(3).count(), of(4).count()) {
        (6, 2, 3) => {
            let base = base(of(3).next()?);
            let opposite = base.iter().map(|node| {
                let around = of(4).find(|face| face.contains(node))?;
                let at = around.iter().position(|other| other == node)?;
                let next = [around[(at + 1) % 4], around[(at + 3) % 4]];
                next.into_iter().find(|node| !base.contains(node))
            });
            let opposite = opposite.collect::<Option<Vec<u64>>>()?;
            Some((ElementKind::Prism, [base, opposite].concat()))
        }
        (5, 4, 1) => {
            let base = base(of(4).next()?);
            let apex = apex(&base)?;
            Some((ElementKind::Pyramid, [base, vec![apex]].concat()))
        }
        (4, 4, 0) => {
            let base = base(of(3).next()?);
            let apex = apex(&base)?;
            Some((ElementKind::Tetrahedron, [base, vec![apex]].concat()))
        }
        _ => None,
    }
}

/// The element of the boundary with these corners, two or four around it, some of which may be the same. `None` if that is no
/// element.
pub(super) fn face(corners: &[u64]) -> Option<(ElementKind, Vec<u64>)> {
    let ring = distinct(corners);
    let kind = match ring.len() {
        4 => ElementKind::Quadrilateral,
        3 => ElementKind::Triangle,
        2 => ElementKind::Line,
        _ => return None,
    };
    all_differ(&ring).then_some((kind, ring))
}

/// A ring without the repetition of neighbours.
fn distinct(ring: &[u64]) -> Vec<u64> {
    let mut ring = ring.to_vec();
    ring.dedup();
    while ring.len() > 1 && ring.first() == ring.last() {
        ring.pop();
    }
    ring
}

fn all_differ(nodes: &[u64]) -> bool {
    (1..nodes.len()).all(|k| !nodes[..k].contains(&nodes[k]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ElementKind::*;

    /// Corners of the unit cube by number.
    const CUBE: [[f64; 3]; 8] = [
        [0.0, 0.0, 0.0],
        [1.0, 0.0, 0.0],
        [1.0, 1.0, 0.0],
        [0.0, 1.0, 0.0],
        [0.0, 0.0, 1.0],
        [1.0, 0.0, 1.0],
        [1.0, 1.0, 1.0],
        [0.0, 1.0, 1.0],
    ];

    #[test]
    fn a_cube_drawn_together_is_the_element_with_its_volume() {
        for (corners, kind, volume) in [
            ([0, 1, 2, 3, 4, 5, 6, 7], Hexahedron, 1.0),
            ([0, 1, 2, 0, 4, 5, 6, 4], Prism, 0.5),
            ([0, 1, 2, 3, 0, 1, 6, 7], Prism, 0.5),
            ([0, 1, 2, 3, 4, 4, 4, 4], Pyramid, 1.0 / 3.0),
            ([0, 1, 2, 2, 4, 4, 4, 4], Tetrahedron, 1.0 / 6.0),
        ] {
            let (found, nodes) = element(&corners).unwrap();
            let x: Vec<f64> = nodes.iter().flat_map(|&node| CUBE[node as usize]).collect();
            assert_eq!(found, kind, "{corners:?}");
            assert!((found.measure(3, &x) - volume).abs() < 1e-15, "{corners:?}");
        }
        assert_eq!(element(&[7, 8, 9, 7]), Some((Triangle, vec![7, 8, 9])));
        assert_eq!(element(&[7, 8, 9, 6]), Some((Quadrilateral, vec![7, 8, 9, 6])));
    }

    #[test]
    fn corners_that_are_drawn_together_otherwise_make_no_element() {
        for corners in [&[0, 1, 0, 1][..], &[0, 0, 0, 1], &[0, 1, 2, 1], &[0, 1, 2, 3, 4, 5, 6, 6], &[0; 8]] {
            assert_eq!(element(corners), None, "{corners:?}");
        }
    }
}
