//! Eigenvalues and eigenvectors of symmetric tensors, and functions of tensors through them.

use super::{Tensor, pairs};

/// Sweeps of Jacobi's method; four or five have been enough for any tensor so far.
const SWEEPS: usize = 16;

/// Largest squared ratio of an off-diagonal entry to the geometric mean of its two diagonal ones.
const NEGLIGIBLE: f64 = 1.0 / (1u128 << 110) as f64;

/// Eigenvalues, the greatest first, and a unit eigenvector for each; the vectors are orthogonal.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Eigen<const D: usize> {
    /// Eigenvalues, in descending order.
    pub values: [f64; D],
    /// Eigenvectors: `vectors[i]` belongs to `values[i]`. Their signs mean nothing.
    pub vectors: [[f64; D]; D],
}

impl<const D: usize> Eigen<D> {
    /// The same eigenvectors with eigenvalues f(lambda), no longer in order if f does not keep it.
    pub fn map(&self, f: impl FnMut(f64) -> f64) -> Eigen<D> {
        Eigen { values: self.values.map(f), vectors: self.vectors }
    }
}

impl<const D: usize> Tensor<D> {
    /// Eigenvalues and eigenvectors.
    ///
    /// `D` = 2: closed form. Each eigenvalue, even the smaller one in magnitude, is accurate to a relative 6 * 2^-52
    /// for the entries as stored, at any aspect ratio: its product with the other one is the determinant, computed with
    /// 104 bits. An off-diagonal entry whose square underflows counts as zero.
    ///
    /// `D` = 3: cyclic Jacobi rotations (Golub, Van Loan, "Matrix Computations", section 8.5) until off-diagonal
    /// entries are below 2^-55 of the geometric mean of the diagonal ones. Errors of eigenvalues are a few units in the
    /// last place of the greatest one; for positive definite tensors, they are relative to the eigenvalue itself
    /// insofar as the tensor scaled to a unit diagonal is well conditioned (Demmel, Veselic 1992, DOI 10.1137/0613074).
    pub fn eigen(&self) -> Eigen<D> {
        if D == 2 { self.closed_form() } else { self.jacobi() }
    }

    /// f applied to the eigenvalues: f(M) = sum_i f(lambda_i) v_i v_i^T.
    pub fn map(&self, f: impl FnMut(f64) -> f64) -> Tensor<D> {
        Tensor::from_eigen(&self.eigen().map(f))
    }

    /// exp M.
    pub fn exp(&self) -> Tensor<D> {
        let Eigen { values, vectors } = self.eigen();
        Tensor::from_eigen(&Eigen { values: pairs::exp(values), vectors })
    }

    /// ln M of a positive definite tensor; NaNs if an eigenvalue is negative.
    pub fn ln(&self) -> Tensor<D> {
        let Eigen { values, vectors } = self.eigen();
        Tensor::from_eigen(&Eigen { values: pairs::ln(values), vectors })
    }

    /// M^(1/2) of a positive definite tensor; NaNs if an eigenvalue is negative.
    pub fn sqrt(&self) -> Tensor<D> {
        self.map(f64::sqrt)
    }

    /// Eigenvectors alone.
    pub fn axes(&self) -> [[f64; D]; D] {
        if D == 3 {
            return self.jacobi().vectors;
        }
        let (a, b, c) = (self.0[0][0], self.0[0][1], self.0[1][1]);
        let square = b * b;
        if square == 0.0 { diagonal(a, c).vectors } else { two(a, c, self.axis(square)).vectors }
    }

    #[inline]
    fn closed_form(&self) -> Eigen<D> {
        let (a, b, c) = (self.0[0][0], self.0[0][1], self.0[1][1]);
        let square = b * b;
        if square == 0.0 {
            return diagonal(a, c);
        }
        let mean = 0.5 * (a + c);
        let radius = self.radius(square);
        // The eigenvalue of greater magnitude is a sum without cancellation; the other one follows from the product.
        let (greatest, least) = if mean >= 0.0 {
            let greatest = mean + radius;
            (greatest, self.determinant() / greatest)
        } else {
            let least = mean - radius;
            (self.determinant() / least, least)
        };
        two(greatest, least, self.axis(square))
    }

    /// Half the difference of the eigenvalues, of the square of the off-diagonal entry.
    #[inline]
    fn radius(&self, square: f64) -> f64 {
        let half = 0.5 * (self.0[0][0] - self.0[1][1]);
        (half * half + square).sqrt()
    }

    /// The eigenvector of the greatest eigenvalue, of the square of the off-diagonal entry.
    #[inline]
    fn axis(&self, square: f64) -> [f64; 2] {
        let half = 0.5 * (self.0[0][0] - self.0[1][1]);
        // Tangent of the angle from the axis with the greater diagonal entry, at most 1 in magnitude.
        let tangent = self.0[0][1] / (half.abs() + self.radius(square));
        let cosine = 1.0 / (1.0 + tangent * tangent).sqrt();
        let sine = tangent * cosine;
        if half >= 0.0 { [cosine, sine] } else { [sine, cosine] }
    }

    fn jacobi(&self) -> Eigen<D> {
        let mut m = Tensor::<D>::from_upper(|i, j| self.0[i][j]).0;
        let mut vectors = Tensor::<D>::diagonal([1.0; D]).0;
        for _ in 0..SWEEPS {
            let mut rotated = false;
            for p in 0..D {
                for q in p + 1..D {
                    if m[p][q] * m[p][q] > NEGLIGIBLE * (m[p][p] * m[q][q]).abs() {
                        rotate(&mut m, &mut vectors, p, q);
                        rotated = true;
                    }
                }
            }
            if !rotated {
                break;
            }
        }
        let mut order: [usize; D] = std::array::from_fn(|i| i);
        order.sort_by(|&i, &j| m[j][j].total_cmp(&m[i][i]));
        Eigen { values: order.map(|i| m[i][i]), vectors: order.map(|i| vectors[i]) }
    }
}

/// Eigenvalues of a diagonal tensor.
fn diagonal<const D: usize>(a: f64, c: f64) -> Eigen<D> {
    if a >= c { two(a, c, [1.0, 0.0]) } else { two(c, a, [0.0, 1.0]) }
}

/// From the eigenvector (x, y) of the greatest eigenvalue.
#[inline]
fn two<const D: usize>(greatest: f64, least: f64, [x, y]: [f64; 2]) -> Eigen<D> {
    let (mut values, mut vectors) = ([greatest; D], [[x; D]; D]);
    values[1] = if least > greatest { greatest } else { least };
    (vectors[0][1], vectors[1][0], vectors[1][1]) = (y, -y, x);
    Eigen { values, vectors }
}

/// Rotates axes p and q so that entry (p, q) becomes zero.
fn rotate<const D: usize>(m: &mut [[f64; D]; D], vectors: &mut [[f64; D]; D], p: usize, q: usize) {
    let cotangent = (m[q][q] - m[p][p]) / (2.0 * m[p][q]); // of twice the angle
    let size = 1.0 / (cotangent.abs() + (1.0 + cotangent * cotangent).sqrt());
    let tangent = if cotangent < 0.0 { -size } else { size };
    let cosine = 1.0 / (1.0 + tangent * tangent).sqrt();
    let sine = tangent * cosine;
    let change = tangent * m[p][q];
    m[p][p] -= change;
    m[q][q] += change;
    (m[p][q], m[q][p]) = (0.0, 0.0);
    for r in (0..D).filter(|&r| r != p && r != q) {
        let (at_p, at_q) = (m[r][p], m[r][q]);
        m[r][p] = cosine * at_p - sine * at_q;
        m[r][q] = sine * at_p + cosine * at_q;
        (m[p][r], m[q][r]) = (m[r][p], m[r][q]);
    }
    for i in 0..D {
        let (at_p, at_q) = (vectors[p][i], vectors[q][i]);
        vectors[p][i] = cosine * at_p - sine * at_q;
        vectors[q][i] = sine * at_p + cosine * at_q;
    }
}
