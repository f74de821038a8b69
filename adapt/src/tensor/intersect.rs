//! The intersection of two metrics.

use super::Tensor;

/// The intersection of two positive definite tensors: of those that both unit balls' common part contains, none has a
/// greater unit ball by simultaneous reduction.
///
/// ```text
/// a^(1/2) max(1, a^(-1/2) b a^(-1/2)) a^(1/2) = a + sum over d_i > 0 of d_i (L u_i) (L u_i)^T,
/// a = L L^T (Cholesky),  d_i, u_i eigenvalues and unit eigenvectors of L^-1 (b - a) L^-T
/// ```
///
/// Not smaller than a in any direction, but for the rounding of entries, and not smaller than b either. If one of the
/// two is nowhere smaller than the other it is returned as it is, so equal tensors stay. Tensors that commute give the
/// maximum of the eigenvalues along each axis. Exchanging a and b changes the last bits: callers order them by identity.
///
/// Source: Alauzet, "Size gradation control of anisotropic meshes", Finite Elements in Analysis and Design 46, 2010,
/// DOI 10.1016/j.finel.2009.06.028; the right-hand side is the same tensor without roots and without small differences
/// of large numbers.
pub fn intersect<const D: usize>(a: &Tensor<D>, b: &Tensor<D>) -> Tensor<D> {
    let difference = b.plus(-1.0, a);
    let l = cholesky(a);
    let excess = reduced(&l, &difference).eigen();
    if excess.values[0] <= 0.0 {
        return *a;
    }
    if excess.values[D - 1] >= 0.0 {
        return *b;
    }
    let mut result = *a;
    for (value, vector) in excess.values.iter().zip(&excess.vectors) {
        if *value > 0.0 {
            let w = lower_times(&l, vector);
            result = Tensor::from_upper(|i, j| result.0[i][j] + value * w[i] * w[j]);
        }
    }
    result
}

/// L with L L^T = m, zeros above the diagonal; from minors with 104 bits, so that it is right to a few units in the last
/// place however close m is to a singular tensor.
fn cholesky<const D: usize>(m: &Tensor<D>) -> [[f64; D]; D] {
    let mut l = [[0.0; D]; D];
    let first = m.0[0][0].sqrt();
    let minor = m.minor(0, 1, 0, 1).value();
    for i in 0..D {
        l[i][0] = m.0[0][i] / first;
    }
    l[0][0] = first;
    l[1][1] = (minor / m.0[0][0]).sqrt();
    if D == 3 {
        l[2][1] = m.minor(0, 1, 0, 2).value() / (m.0[0][0] * l[1][1]);
        l[2][2] = (m.determinant() / minor).sqrt();
    }
    l
}

/// L^-1 m L^-T.
fn reduced<const D: usize>(l: &[[f64; D]; D], m: &Tensor<D>) -> Tensor<D> {
    let mut half = m.0; // L^-1 m, then rows of it times L^-T
    for column in 0..D {
        for i in 0..D {
            half[i][column] =
                (0..i).fold(half[i][column], |rest, k| rest - l[i][k] * half[k][column]) / l[i][i];
        }
    }
    for row in &mut half {
        for j in 0..D {
            row[j] = (0..j).fold(row[j], |rest, k| rest - l[j][k] * row[k]) / l[j][j];
        }
    }
    Tensor::from_upper(|i, j| half[i][j])
}

/// L v.
fn lower_times<const D: usize>(l: &[[f64; D]; D], v: &[f64; D]) -> [f64; D] {
    std::array::from_fn(|i| (1..=i).fold(l[i][0] * v[0], |sum, k| sum + l[i][k] * v[k]))
}
