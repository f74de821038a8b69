//! Symmetric tensors: eigenvalues, functions of a tensor, lengths, interpolation, intersection.
//!
//! ```text
//! double       sums and products with their errors
//! eigen        eigenvalues and eigenvectors; functions of a tensor through them
//! length       the length of an edge in the metrics of its ends
//! interpolate  the log-Euclidean mean
//! intersect    the smallest metric that is nowhere smaller than either of two
//! pairs        exponentials and logarithms, two at a time
//! ```
//!
//! Only `+ - * /`, square roots, comparisons and functions of `same-math`, in the order of the source: the same bits on
//! every machine. Entries should be zero or between 1e-140 and 1e140 in magnitude; beyond that, products of two of them
//! leave the range of doubles and results lose digits. A NaN gives NaNs.

mod double;
mod eigen;
mod interpolate;
mod intersect;
mod length;
mod pairs;

use bytemuck::{Pod, Zeroable};

use self::double::Double;

pub use self::eigen::Eigen;
pub use self::interpolate::{Interpolant, interpolate, interpolate_between};
pub use self::intersect::{excess, intersect};
pub use self::length::{length, size_along};

/// Differences of products above this fraction of their terms have the sign that rounding gives them.
const DOUBTFUL: f64 = 1.0 / (1u64 << 40) as f64;

/// A symmetric `D` x `D` tensor, all entries row by row; `D` is 2 or 3.
///
/// Every function of this module returns tensors that are symmetric to the bit. Of a tensor that is not, functions read
/// only the diagonal and the entries above it.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(transparent)]
pub struct Tensor<const D: usize>(pub [[f64; D]; D]);

// SAFETY: a transparent wrapper of an array of arrays of f64, which is zeroable.
unsafe impl<const D: usize> Zeroable for Tensor<D> {}
// SAFETY: as above: f64 without padding, any bits are a value.
unsafe impl<const D: usize> Pod for Tensor<D> {}

impl<const D: usize> Tensor<D> {
    /// The tensor with this diagonal and zeros elsewhere.
    pub fn diagonal(values: [f64; D]) -> Tensor<D> {
        Tensor::from_upper(|i, j| if i == j { values[i] } else { 0.0 })
    }

    /// The symmetric tensor with these entries for i <= j.
    pub fn from_upper(mut entry: impl FnMut(usize, usize) -> f64) -> Tensor<D> {
        const { assert!(D == 2 || D == 3, "tensors are of dimension 2 or 3") };
        let mut m = [[0.0; D]; D];
        for i in 0..D {
            for j in i..D {
                m[i][j] = entry(i, j);
                m[j][i] = m[i][j];
            }
        }
        Tensor(m)
    }

    /// sum_i values\[i\] v_i v_i^T, v_i = vectors\[i\]: the tensor with these eigenvalues and orthonormal eigenvectors.
    pub fn from_eigen(eigen: &Eigen<D>) -> Tensor<D> {
        Tensor::from_upper(|i, j| {
            let term = |k: usize| eigen.values[k] * (eigen.vectors[k][i] * eigen.vectors[k][j]);
            (1..D).fold(term(0), |sum, k| sum + term(k))
        })
    }

    /// c M.
    pub fn scaled(&self, c: f64) -> Tensor<D> {
        Tensor::from_upper(|i, j| c * self.0[i][j])
    }

    /// M + c N.
    pub fn plus(&self, c: f64, n: &Tensor<D>) -> Tensor<D> {
        Tensor::from_upper(|i, j| self.0[i][j] + c * n.0[i][j])
    }

    /// The trace of M N.
    fn contracted(&self, n: &Tensor<D>) -> f64 {
        let row = |i: usize| (1..D).fold(self.0[i][0] * n.0[i][0], |sum, j| sum + self.0[i][j] * n.0[i][j]);
        (1..D).fold(row(0), |sum, i| sum + row(i))
    }

    /// e^T M e. Negating e gives the same bits.
    #[inline]
    pub fn quadratic(&self, e: &[f64; D]) -> f64 {
        let m = &self.0;
        if D == 2 {
            return (m[0][0] * (e[0] * e[0]) + m[1][1] * (e[1] * e[1])) + 2.0 * (m[0][1] * (e[0] * e[1]));
        }
        let squares = (m[0][0] * (e[0] * e[0]) + m[1][1] * (e[1] * e[1])) + m[2][2] * (e[2] * e[2]);
        let mixed = (m[0][1] * (e[0] * e[1]) + m[0][2] * (e[0] * e[2])) + m[1][2] * (e[1] * e[2]);
        squares + 2.0 * mixed
    }

    /// det M, to a few units in the last place of the exact determinant of these entries, unless terms cancel to less
    /// than about 2^-50 of the greatest one's square (`D` = 2) or of its magnitude (`D` = 3).
    pub fn determinant(&self) -> f64 {
        self.exact_determinant().value()
    }

    /// det M in two parts.
    fn exact_determinant(&self) -> Double {
        let m = &self.0;
        let minor = |i: usize, j: usize| self.minor(1, 2, i, j);
        if D == 2 {
            return self.minor(0, 1, 0, 1);
        }
        minor(1, 2).times(m[0][0]).minus(minor(0, 2).times(m[0][1])).plus(minor(0, 1).times(m[0][2]))
    }

    /// The minor of rows r, s and columns i, j.
    fn minor(&self, r: usize, s: usize, i: usize, j: usize) -> Double {
        let entry = |r: usize, i: usize| if r <= i { self.0[r][i] } else { self.0[i][r] };
        Double::product(entry(r, i), entry(s, j)).minus(Double::product(entry(r, j), entry(s, i)))
    }

    /// Whether the minor of the first two rows and columns is positive, without the low digits where the high ones decide.
    fn has_positive_minor(&self) -> bool {
        let (diagonal, square) = (self.0[0][0] * self.0[1][1], self.0[0][1] * self.0[0][1]);
        if (diagonal - square).abs() > DOUBTFUL * (diagonal.abs() + square) {
            return diagonal > square;
        }
        self.minor(0, 1, 0, 1).value() > 0.0
    }

    /// M^-1, each entry to a few units in its last place, if [`Tensor::determinant`] is that accurate. Entries are
    /// infinite or NaN if the determinant is zero.
    pub fn inverse(&self) -> Tensor<D> {
        let determinant = self.determinant();
        let m = &self.0;
        if D == 2 {
            return Tensor::from_upper(|i, j| match (i, j) {
                (0, 0) => m[1][1] / determinant,
                (0, 1) => -m[0][1] / determinant,
                _ => m[0][0] / determinant,
            });
        }
        // Cyclic indices give the cofactor its sign.
        let next = |i: usize, by: usize| (i + by) % 3;
        Tensor::from_upper(|i, j| {
            self.minor(next(i, 1), next(i, 2), next(j, 1), next(j, 2)).value() / determinant
        })
    }

    /// Whether all entries are finite numbers.
    pub fn is_finite(&self) -> bool {
        self.0.iter().flatten().all(|entry| entry.is_finite())
    }

    /// Whether entries (i, j) and (j, i) are equal.
    pub fn is_symmetric(&self) -> bool {
        (0..D).all(|i| (0..i).all(|j| self.0[i][j] == self.0[j][i]))
    }

    /// Whether all entries are finite and all leading minors positive: x^T M x > 0 for all x other than 0.
    pub fn is_positive_definite(&self) -> bool {
        self.is_finite()
            && self.0[0][0] > 0.0
            && self.has_positive_minor()
            && (D == 2 || self.determinant() > 0.0)
    }
}
