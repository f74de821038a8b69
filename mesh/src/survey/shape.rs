//! Angles and aspect ratio of an element.

use crate::ElementKind;
use crate::ElementKind::{Hexahedron, Line, Prism, Pyramid, Quadrilateral, Tetrahedron, Triangle};

/// The mean of an element's nodes.
pub(super) fn middle(dimension: usize, x: &[f64]) -> [f64; 3] {
    let mut middle = [0.0; 3];
    let nodes = x.len() / dimension;
    for node in x.chunks_exact(dimension) {
        for (sum, x) in middle.iter_mut().zip(node) {
            *sum += x / nodes as f64;
        }
    }
    middle
}

/// The smallest and the largest angle in degrees: at the corners of an element in the plane, between the faces of one in
/// space, whose faces count as plane.
pub(super) fn angles(kind: ElementKind, dimension: usize, x: &[f64]) -> [f64; 2] {
    let at = |node: usize| point(dimension, x, node);
    let mut range = [f64::INFINITY, f64::NEG_INFINITY];
    let mut add = |radians: f64| {
        let degrees = radians.to_degrees();
        range = [range[0].min(degrees), range[1].max(degrees)];
    };
    if kind.dimension() == 2 {
        let nodes = kind.nodes();
        for k in 0..nodes {
            let here = at(k);
            let (a, b) = (subtract(at((k + 1) % nodes), here), subtract(at((k + nodes - 1) % nodes), here));
            let angle = same_math::atan2(cross(a, b)[2], dot(a, b));
            // Beyond 180 degrees.
            add(if angle < 0.0 { angle + std::f64::consts::TAU } else { angle });
        }
        return range;
    }
    let faces = kind.faces();
    let normals: Vec<[f64; 3]> = faces.iter().map(|face| normal(dimension, x, face)).collect();
    for (k, face) in faces.iter().enumerate() {
        for (other, normal) in faces.iter().zip(&normals).skip(k + 1) {
            if face.iter().filter(|node| other.contains(node)).count() == 2 {
                let n = cross(normals[k], *normal);
                add(same_math::atan2(length(n), -dot(normals[k], *normal)));
            }
        }
    }
    range
}

/// Longest side times largest face over volume, 1 for a regular element; in the plane, sides are the faces.
pub(super) fn aspect_ratio(kind: ElementKind, dimension: usize, x: &[f64], measure: f64) -> f64 {
    // Volume over largest face of one with sides of length 1: the pyramid and the prism with regular faces.
    let regular = match kind {
        Line | Quadrilateral | Hexahedron => 1.0,
        Triangle | Prism => 0.75f64.sqrt() / 2.0,
        Tetrahedron => (2.0f64 / 3.0).sqrt() / 3.0,
        Pyramid => 0.5f64.sqrt() / 3.0,
    };
    let (mut side, mut largest) = (0.0f64, 0.0f64);
    for face in kind.faces() {
        for (k, &node) in face.iter().enumerate() {
            let next = face[(k + 1) % face.len()];
            side = side.max(length(subtract(point(dimension, x, next), point(dimension, x, node))));
        }
        if kind.dimension() == 3 {
            largest = largest.max(length(normal(dimension, x, face)));
        }
    }
    let largest = if kind.dimension() == 3 { largest } else { side };
    regular * side * largest / measure
}

/// The area vector of a face in space.
pub(super) fn normal(dimension: usize, x: &[f64], face: &[usize]) -> [f64; 3] {
    let at = |k: usize| point(dimension, x, face[k]);
    let n = match face.len() {
        3 => cross(subtract(at(1), at(0)), subtract(at(2), at(0))),
        _ => cross(subtract(at(2), at(0)), subtract(at(3), at(1))),
    };
    n.map(|n| 0.5 * n)
}

fn point(dimension: usize, x: &[f64], node: usize) -> [f64; 3] {
    let x = &x[node * dimension..][..dimension];
    [x[0], x[1], x.get(2).copied().unwrap_or(0.0)]
}

pub(super) fn subtract(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

pub(super) fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

pub(super) fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

pub(super) fn length(a: [f64; 3]) -> f64 {
    dot(a, a).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Nodes of an element with sides of length 1.
    fn regular(kind: ElementKind) -> Vec<f64> {
        let (h, r) = (0.75f64.sqrt(), 0.5f64.sqrt());
        let triangle = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.5, h, 0.0]];
        let square = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]];
        let above = |nodes: &[[f64; 3]]| nodes.iter().map(|x| [x[0], x[1], 1.0]).collect::<Vec<_>>();
        let nodes: Vec<[f64; 3]> = match kind {
            Line => square[..2].to_vec(),
            Triangle => triangle.to_vec(),
            Quadrilateral => square.to_vec(),
            Tetrahedron => [triangle.to_vec(), vec![[0.5, h / 3.0, (2.0f64 / 3.0).sqrt()]]].concat(),
            Pyramid => [square.to_vec(), vec![[0.5, 0.5, r]]].concat(),
            Prism => [triangle.to_vec(), above(&triangle)].concat(),
            Hexahedron => [square.to_vec(), above(&square)].concat(),
        };
        let dimension = kind.dimension().max(2);
        nodes.iter().flat_map(|x| x[..dimension].to_vec()).collect()
    }

    #[test]
    fn regular_elements_have_their_angles_and_the_aspect_ratio_1() {
        let third = (1.0f64 / 3.0).acos().to_degrees();
        let slope = 2.0f64.sqrt().atan().to_degrees();
        for (kind, least, greatest) in [
            (Triangle, 60.0, 60.0),
            (Quadrilateral, 90.0, 90.0),
            (Tetrahedron, third, third),
            (Pyramid, slope, 180.0 - third),
            (Prism, 60.0, 90.0),
            (Hexahedron, 90.0, 90.0),
        ] {
            let (x, dimension) = (regular(kind), kind.dimension());
            let found = angles(kind, dimension, &x);
            assert!(
                (found[0] - least).abs() < 1e-12 && (found[1] - greatest).abs() < 1e-12,
                "{kind}: {found:?}"
            );
            let aspect = aspect_ratio(kind, dimension, &x, kind.measure(dimension, &x));
            assert!((aspect - 1.0).abs() < 1e-14, "{kind}: {aspect}");
        }
    }

    #[test]
    fn a_corner_that_points_inwards_has_more_than_180_degrees() {
        let x = [0.0, 0.0, 1.0, 0.0, 0.25, 0.25, 0.0, 1.0];
        let [_, greatest] = angles(Quadrilateral, 2, &x);
        assert!((180.0..300.0).contains(&greatest), "{greatest}");
    }

    #[test]
    fn flat_elements_have_a_large_aspect_ratio_however_they_lie() {
        let rectangle = [0.0, 0.0, 0.0, 0.5, -8.0, 0.5, -8.0, 0.0];
        assert_eq!(aspect_ratio(Quadrilateral, 2, &rectangle, 4.0), 16.0);
        // Sides of about the same length, but flat.
        let sliver = [0.0, 0.0, 1.0, 0.0, 0.5, 1e-3];
        assert!(aspect_ratio(Triangle, 2, &sliver, 0.5e-3) > 800.0);
    }
}
