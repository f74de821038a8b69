//! An element as a source of values: triangles or tetrahedra in which they are linear.

use crate::ElementKind;

use super::simplex::nearest;

/// The most corners of an element.
pub(super) const MOST: usize = ElementKind::MOST_NODES;

/// An element with the positions of its corners.
pub(super) struct Element<const DIM: usize> {
    pub kind: ElementKind,
    /// Numbers of its nodes in the mesh.
    pub nodes: [u64; MOST],
    /// Their positions.
    pub corners: [[f64; DIM]; MOST],
    /// Where its values are.
    pub at: usize,
}

impl<const DIM: usize> AsRef<[[f64; DIM]]> for Element<DIM> {
    fn as_ref(&self) -> &[[f64; DIM]] {
        &self.corners[..self.kind.nodes()]
    }
}

/// Where a point lies in an element: the square of its distance, and the shares of the corners.
pub(super) struct Nearest {
    pub square: f64,
    pub shares: [f64; MOST],
}

impl<const DIM: usize> Element<DIM> {
    /// The point of the element that is nearest to a point.
    ///
    /// Elements that are not triangles or tetrahedra are divided into those that their middle makes with the parts of their
    /// sides; the middle is the mean of the corners, in position and value. Neighbours divide a face between them alike, from
    /// its lowest node on, so what is interpolated is continuous.
    pub(super) fn place(&self, point: [f64; DIM]) -> Nearest {
        let mut best = Nearest { square: f64::INFINITY, shares: [0.0; MOST] };
        let count = self.kind.nodes();
        if count == DIM + 1 {
            let found = nearest(point, &self.corners[..count]);
            best.square = found.square;
            best.shares[..count].copy_from_slice(&found.shares[..count]);
            return best;
        }
        let share = 1.0 / count as f64;
        let middle: [f64; DIM] = std::array::from_fn(|k| {
            self.corners[0][k]
                + share * self.corners[1..count].iter().map(|x| x[k] - self.corners[0][k]).sum::<f64>()
        });
        self.parts(|part| {
            let mut corners = [middle; 4];
            part.iter().enumerate().for_each(|(k, &corner)| corners[1 + k] = self.corners[corner]);
            let found = nearest(point, &corners[..=DIM]);
            if found.square < best.square {
                best.square = found.square;
                best.shares = [0.0; MOST];
                best.shares[..count].fill(share * found.shares[0]);
                part.iter().zip(&found.shares[1..]).for_each(|(&corner, share)| best.shares[corner] += share);
            }
        });
        best
    }

    /// Calls a function with the corners of each part of a side: a line in the plane, a triangle in space.
    fn parts(&self, mut each: impl FnMut(&[usize])) {
        let count = self.kind.nodes();
        if DIM == 2 {
            (0..count).for_each(|k| each(&[k, (k + 1) % count]));
            return;
        }
        for face in self.kind.faces() {
            let first = (0..face.len()).min_by_key(|&k| self.nodes[face[k]]).expect("a face has corners");
            let at = |k: usize| face[(first + k) % face.len()];
            (1..face.len() - 1).for_each(|k| each(&[at(0), at(k), at(k + 1)]));
        }
    }
}
