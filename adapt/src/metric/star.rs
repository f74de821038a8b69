//! The elements and vertices around a vertex, in canonical order.

use super::view::{View, owned};

/// At least as many corners as any element has.
const MOST: usize = 4;

/// An element: its corners by identity. Sums over its corners run in this order.
#[derive(Clone, Copy, Debug)]
pub(super) struct Element<const D: usize> {
    identities: [u128; MOST],
    corners: [u32; MOST],
}

impl<const D: usize> Element<D> {
    fn new<V: View<D>>(view: &V, e: u32) -> Element<D> {
        let corners = view.corners(e);
        assert_eq!(corners.len(), D + 1, "an element is a simplex");
        let mut sorted = [(u128::MAX, u32::MAX); MOST];
        for (entry, &v) in sorted.iter_mut().zip(corners) {
            *entry = (view.identity(v), v);
        }
        sorted[..=D].sort_unstable();
        Element { identities: sorted.map(|(identity, _)| identity), corners: sorted.map(|(_, v)| v) }
    }

    /// Its vertices, by identity.
    pub fn corners(&self) -> &[u32] {
        &self.corners[..=D]
    }

    /// The edges from the first corner to the others.
    fn edges<V: View<D>>(&self, view: &V) -> [[f64; D]; D] {
        let first = view.position(self.corners[0]);
        std::array::from_fn(|k| {
            let other = view.position(self.corners[k + 1]);
            std::array::from_fn(|i| other[i] - first[i])
        })
    }

    /// Its volume, not negative.
    pub fn volume<V: View<D>>(&self, view: &V) -> f64 {
        let edges = self.edges(view);
        let scale = if D == 2 { 2.0 } else { 6.0 };
        let minors = cofactors(&edges);
        (0..D).fold(0.0, |sum, i| sum + edges[0][i] * minors[0][i]).abs() / scale
    }

    /// Its volume and, times the volume, the gradient of the linear function with these values at the corners; finite
    /// even for an element without volume.
    pub fn weighted_gradient<V: View<D>>(&self, view: &V, value: impl Fn(u32) -> f64) -> (f64, [f64; D]) {
        let edges = self.edges(view);
        let minors = cofactors(&edges);
        let determinant = (0..D).fold(0.0, |sum, i| sum + edges[0][i] * minors[0][i]);
        let scale = if D == 2 { 2.0 } else { 6.0 };
        let signed = if determinant < 0.0 { -scale } else { scale };
        let first = value(self.corners[0]);
        let rise: [f64; D] = std::array::from_fn(|k| value(self.corners[k + 1]) - first);
        let gradient =
            std::array::from_fn(|i| (0..D).fold(0.0, |sum, k| sum + rise[k] * minors[k][i]) / signed);
        (determinant.abs() / scale, gradient)
    }
}

/// The cofactors of the matrix with these rows: its determinant is the sum of entries times cofactors in any row.
fn cofactors<const D: usize>(m: &[[f64; D]; D]) -> [[f64; D]; D] {
    let mut result = [[0.0; D]; D];
    if D == 2 {
        (result[0][0], result[0][1]) = (m[1][1], -m[1][0]);
        (result[1][0], result[1][1]) = (-m[0][1], m[0][0]);
        return result;
    }
    for r in 0..D {
        for c in 0..D {
            let ((r1, r2), (c1, c2)) = (((r + 1) % 3, (r + 2) % 3), ((c + 1) % 3, (c + 2) % 3));
            result[r][c] = m[r1][c1] * m[r2][c2] - m[r1][c2] * m[r2][c1];
        }
    }
    result
}

/// The elements that touch a vertex, ordered by the identities of their corners. `star` is cleared first.
pub(super) fn star<const D: usize, V: View<D>>(view: &V, v: u32, star: &mut Vec<Element<D>>) {
    star.clear();
    star.extend(view.elements_of(v).iter().map(|&e| Element::new(view, e)));
    star.sort_unstable_by_key(|element| element.identities);
}

/// The neighbours of owned vertices, by identity; none for ghosts, whose elements are not all on this rank.
pub(super) struct Neighbours {
    starts: Vec<usize>,
    targets: Vec<u32>,
}

impl Neighbours {
    /// Those of all owned vertices.
    pub fn new<const D: usize, V: View<D>>(view: &V) -> Neighbours {
        let mut neighbours = Neighbours { starts: vec![0], targets: Vec::new() };
        let mut ring: Vec<(u128, u32)> = Vec::new();
        for v in 0..view.vertices() as u32 {
            if view.is_owned(v) {
                ring.clear();
                let corners = view.elements_of(v).iter().flat_map(|&e| view.corners(e));
                ring.extend(corners.filter(|&&w| w != v).map(|&w| (view.identity(w), w)));
                ring.sort_unstable();
                ring.dedup();
                neighbours.targets.extend(ring.iter().map(|&(_, w)| w));
            }
            neighbours.starts.push(neighbours.targets.len());
        }
        neighbours
    }

    /// Those of one vertex.
    pub fn of(&self, v: u32) -> &[u32] {
        &self.targets[self.starts[v as usize]..self.starts[v as usize + 1]]
    }
}

/// For each local vertex, whether it is owned and on the boundary: on a facet of one element only.
pub(super) fn owned_boundary<const D: usize, V: View<D>>(view: &V) -> Vec<bool> {
    let mut boundary = vec![false; view.vertices()];
    let (mut elements, mut facets) = (Vec::new(), Vec::<[u32; MOST]>::new());
    for v in owned(view) {
        star(view, v, &mut elements);
        facets.clear();
        for element in &elements {
            for left_out in element.corners().iter().filter(|&&w| w != v) {
                let mut facet = [u32::MAX; MOST];
                let rest = element.corners().iter().filter(|w| *w != left_out);
                facet.iter_mut().zip(rest).for_each(|(place, &w)| *place = w);
                facets.push(facet);
            }
        }
        facets.sort_unstable();
        boundary[v as usize] = facets.chunk_by(|a, b| a == b).any(|same| same.len() == 1);
    }
    boundary
}
