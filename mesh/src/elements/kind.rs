//! Kinds of elements: nodes, faces, lengths, areas and volumes.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A kind of element with straight edges.
///
/// Nodes are in VTK's order, which CGNS (linear elements), Gmsh and SU2 share: around a triangle or a quadrilateral;
/// for a tetrahedron and a pyramid the base, then the apex; for a prism and a hexahedron the base, then the opposite
/// face, in the same order. A base goes around its normal that points into the element.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum ElementKind {
    /// Two nodes.
    Line,
    /// Three nodes.
    Triangle,
    /// Four nodes.
    Quadrilateral,
    /// Four nodes: base, apex.
    Tetrahedron,
    /// Five nodes: base of four, apex.
    Pyramid,
    /// Six nodes: base of three, opposite face.
    Prism,
    /// Eight nodes: base of four, opposite face.
    Hexahedron,
}

use ElementKind::*;

impl ElementKind {
    /// All of them, by dimension, then by nodes.
    pub const ALL: [ElementKind; 7] =
        [Line, Triangle, Quadrilateral, Tetrahedron, Pyramid, Prism, Hexahedron];

    /// The most nodes that an element has.
    pub const MOST_NODES: usize = 8;

    /// The number of its nodes.
    pub const fn nodes(self) -> usize {
        match self {
            Line => 2,
            Triangle => 3,
            Quadrilateral | Tetrahedron => 4,
            Pyramid => 5,
            Prism => 6,
            Hexahedron => 8,
        }
    }

    /// 1 for lines, 2 for triangles and quadrilaterals, 3 for elements with a volume.
    pub const fn dimension(self) -> usize {
        match self {
            Line => 1,
            Triangle | Quadrilateral => 2,
            Tetrahedron | Pyramid | Prism | Hexahedron => 3,
        }
    }

    /// Its name, as in maps like `triangle_nodes`.
    pub const fn name(self) -> &'static str {
        match self {
            Line => "line",
            Triangle => "triangle",
            Quadrilateral => "quadrilateral",
            Tetrahedron => "tetrahedron",
            Pyramid => "pyramid",
            Prism => "prism",
            Hexahedron => "hexahedron",
        }
    }

    /// Its name in the plural, as in names of sets.
    pub const fn plural(self) -> &'static str {
        match self {
            Line => "lines",
            Triangle => "triangles",
            Quadrilateral => "quadrilaterals",
            Tetrahedron => "tetrahedra",
            Pyramid => "pyramids",
            Prism => "prisms",
            Hexahedron => "hexahedra",
        }
    }

    /// Its number in VTK's files, also used by SU2.
    pub const fn vtk_type(self) -> u8 {
        match self {
            Line => 3,
            Triangle => 5,
            Quadrilateral => 9,
            Tetrahedron => 10,
            Hexahedron => 12,
            Prism => 13,
            Pyramid => 14,
        }
    }

    /// The kind of a number in VTK's files.
    pub fn of_vtk_type(number: u64) -> Option<ElementKind> {
        ElementKind::ALL.into_iter().find(|kind| u64::from(kind.vtk_type()) == number)
    }

    /// Positions of the nodes of each face: for an element with a volume, around the outward normal; for a triangle or
    /// a quadrilateral, its sides, counter-clockwise; for a line, its ends.
    pub const fn faces(self) -> &'static [&'static [usize]] {
        match self {
            Line => &[&[0], &[1]],
            Triangle => &[&[0, 1], &[1, 2], &[2, 0]],
            Quadrilateral => &[&[0, 1], &[1, 2], &[2, 3], &[3, 0]],
            Tetrahedron => &[&[0, 2, 1], &[0, 1, 3], &[1, 2, 3], &[2, 0, 3]],
            Pyramid => &[&[0, 3, 2, 1], &[0, 1, 4], &[1, 2, 4], &[2, 3, 4], &[3, 0, 4]],
            Prism => &[&[0, 2, 1], &[3, 4, 5], &[0, 1, 4, 3], &[1, 2, 5, 4], &[2, 0, 3, 5]],
            Hexahedron => {
                &[&[0, 3, 2, 1], &[4, 5, 6, 7], &[0, 1, 5, 4], &[1, 2, 6, 5], &[2, 3, 7, 6], &[3, 0, 4, 7]]
            }
        }
    }

    /// The nodes of the same element turned inside out, as old positions; the first stays.
    pub(crate) const fn turned(self) -> &'static [usize] {
        match self {
            Line => &[0, 1],
            Triangle => &[0, 2, 1],
            Quadrilateral => &[0, 3, 2, 1],
            Tetrahedron => &[0, 2, 1, 3],
            Pyramid => &[0, 3, 2, 1, 4],
            Prism => &[0, 2, 1, 3, 5, 4],
            Hexahedron => &[0, 3, 2, 1, 4, 7, 6, 5],
        }
    }

    /// Length, area or volume, of the nodes' coordinates one after the other, `dimension` values each.
    ///
    /// In the element's own dimension (a triangle in the plane) it is negative for an element turned inside out; on a
    /// boundary (a line in the plane, a triangle in space) it is never negative. A quadrilateral in space and the faces
    /// of volumes may be curved: faces are bilinear, so volumes of neighbours add up; the area is that of the mean
    /// plane.
    ///
    /// # Panics
    /// If there are not `nodes()` times `dimension` coordinates, or the element has a higher dimension.
    pub fn measure(self, dimension: usize, x: &[f64]) -> f64 {
        assert_eq!(x.len(), self.nodes() * dimension, "coordinates of a {self}");
        assert!(self.dimension() <= dimension && dimension <= 3, "a {self} in {dimension} dimensions");
        // Relative to the first node, so a position far from the origin costs no digits.
        let at = |node: usize| {
            let mut from = [0.0; 3];
            for k in 0..dimension {
                from[k] = x[node * dimension + k] - x[k];
            }
            from
        };
        match self {
            Line => length(at(1)),
            Triangle | Quadrilateral => {
                let area = if self == Triangle {
                    cross(at(1), at(2)).map(|a| 0.5 * a)
                } else {
                    let (d, e) = (at(2), subtract(at(3), at(1)));
                    cross(d, e).map(|a| 0.5 * a)
                };
                if dimension == 2 { area[2] } else { length(area) }
            }
            _ => self.faces().iter().map(|face| cone(face, at)).sum(),
        }
    }
}

impl fmt::Display for ElementKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// The volume between the first node and a face. For a bilinear face, it is the mean of the two ways to cut it into
/// triangles.
fn cone(face: &[usize], at: impl Fn(usize) -> [f64; 3]) -> f64 {
    let tetrahedron = |a: usize, b: usize, c: usize| {
        let n = cross(at(face[b]), at(face[c]));
        let [x, y, z] = at(face[a]);
        (x * n[0] + y * n[1] + z * n[2]) / 6.0
    };
    match face.len() {
        3 => tetrahedron(0, 1, 2),
        _ => {
            let one = tetrahedron(0, 1, 2) + tetrahedron(0, 2, 3);
            let other = tetrahedron(1, 2, 3) + tetrahedron(1, 3, 0);
            0.5 * (one + other)
        }
    }
}

fn subtract(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

fn length(a: [f64; 3]) -> f64 {
    (a[0] * a[0] + a[1] * a[1] + a[2] * a[2]).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Corners of a unit element of each kind with a volume or an area.
    fn unit(kind: ElementKind) -> (Vec<[f64; 3]>, f64) {
        let [o, x, y, z] = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        let (xy, xz, yz, xyz) = ([1.0, 1.0, 0.0], [1.0, 0.0, 1.0], [0.0, 1.0, 1.0], [1.0; 3]);
        match kind {
            Line => (vec![o, x], 1.0),
            Triangle => (vec![o, x, y], 0.5),
            Quadrilateral => (vec![o, x, xy, y], 1.0),
            Tetrahedron => (vec![o, x, y, z], 1.0 / 6.0),
            Pyramid => (vec![o, x, xy, y, z], 1.0 / 3.0),
            Prism => (vec![o, x, y, z, xz, yz], 0.5),
            Hexahedron => (vec![o, x, xy, y, z, xz, xyz, yz], 1.0),
        }
    }

    #[test]
    fn measures_are_those_of_unit_elements_wherever_they_lie_and_negative_inside_out() {
        for kind in ElementKind::ALL {
            let (corners, expected) = unit(kind);
            let dimension = kind.dimension().max(2);
            let at = |order: &[usize]| -> Vec<f64> {
                order.iter().flat_map(|&k| corners[k][..dimension].iter().map(|x| x + 8.0)).collect()
            };
            let order: Vec<usize> = (0..kind.nodes()).collect();
            assert!((kind.measure(dimension, &at(&order)) - expected).abs() < 1e-14, "{kind}");
            let turned = kind.measure(dimension, &at(kind.turned()));
            let sign = if kind == Line { 1.0 } else { -1.0 };
            assert!((turned - sign * expected).abs() < 1e-14, "{kind}: {turned}");
        }
    }

    #[test]
    fn a_boundary_in_space_has_an_area_however_it_is_turned() {
        let x = [0.0, 0.0, 0.0, 0.0, 3.0, 0.0, 0.0, 3.0, 4.0, 0.0, 0.0, 4.0];
        assert_eq!(Quadrilateral.measure(3, &x), 12.0);
        assert_eq!(Triangle.measure(3, &x[..9]), 6.0);
        assert_eq!(Line.measure(3, &x[3..9]), 4.0);
    }

    #[test]
    fn faces_go_around_volumes_so_that_every_edge_is_there_in_both_directions() {
        for kind in ElementKind::ALL.into_iter().filter(|kind| kind.dimension() == 3) {
            let edges: Vec<[usize; 2]> = kind
                .faces()
                .iter()
                .flat_map(|face| (0..face.len()).map(|k| [face[k], face[(k + 1) % face.len()]]))
                .collect();
            for [a, b] in &edges {
                assert_eq!(edges.iter().filter(|edge| **edge == [*b, *a]).count(), 1, "{kind}: {a} {b}");
            }
        }
    }

    #[test]
    fn numbers_of_vtk_lead_back() {
        for kind in ElementKind::ALL {
            assert_eq!(ElementKind::of_vtk_type(kind.vtk_type().into()), Some(kind));
        }
        assert_eq!(ElementKind::of_vtk_type(11), None);
    }
}
