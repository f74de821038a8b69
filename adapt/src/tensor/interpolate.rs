//! Interpolation of metrics: log-Euclidean axes, sizes that change linearly.
//!
//! Metrics at vertices say nothing of what is between them. Where sizes are graded, from a wall or by a bound on their
//! growth, they grow linearly with the distance. The log-Euclidean mean lets them grow geometrically: from 1e-4 to 1e-2
//! over an edge, it asks for five times as many elements as sizes that grow linearly. Its axes, though, turn without
//! loss of anisotropy, and are kept:
//!
//! ```text
//! L = sum_i w_i ln M_i = sum_k l_k v_k v_k^T       the axes v_k are those of the log-Euclidean mean exp L
//! h_k = sum_i w_i exp(-(v_k^T ln M_i v_k) / 2)     the mean of the sizes along each of them
//! M = sum_k h_k^-2 v_k v_k^T
//! ```
//!
//! The geometric mean of the same sizes would give exp L. M asks for no smaller size, and is the same where sizes are
//! equal.
//!
//! Source of the log-Euclidean mean: Arsigny, Fillard, Pennec, Ayache, "Log-Euclidean metrics for fast and simple calculus
//! on diffusion tensors", Magnetic Resonance in Medicine 56, 2006, DOI 10.1002/mrm.20965.

use super::{Eigen, Tensor, intersect, size_along};

/// Most terms: the corners of an element.
const MOST: usize = 4;

/// The mean of positive definite M_i with weights w_i that add up to 1, as above; sums run in the given order.
///
/// If all tensors are equal, the result is that tensor, to the bit. Exchanging two terms changes no bit; with more
/// terms, order matters in the last bits.
///
/// # Panics
/// Without any term, or with more than four.
pub fn interpolate<const D: usize>(terms: &[(f64, Tensor<D>)]) -> Tensor<D> {
    let (weight, first) = terms.first().expect("interpolation has at least one term");
    if terms[1..].iter().all(|(_, other)| other == first) {
        return *first;
    }
    let unit = unit(terms.iter().map(|(_, tensor)| tensor));
    let mut logarithms = [(0.0, Tensor([[0.0; D]; D])); MOST];
    for (to, (weight, tensor)) in logarithms[..terms.len()].iter_mut().zip(terms) {
        *to = (*weight, tensor.scaled(1.0 / unit).ln());
    }
    let logarithms = &logarithms[..terms.len()];
    let start = logarithms[0].1.scaled(*weight);
    let mean = logarithms[1..].iter().fold(start, |sum, (weight, ln)| sum.plus(*weight, ln));
    let vectors = mean.eigen().vectors;
    let values = vectors.map(|v| {
        let size = |(weight, ln): &(f64, Tensor<D>)| weight * same_math::exp(-0.5 * ln.quadratic(&v));
        let size = logarithms[1..].iter().fold(size(&logarithms[0]), |sum, term| sum + size(term));
        1.0 / (size * size)
    });
    Tensor::from_eigen(&Eigen { values, vectors }).scaled(unit)
}

/// A power of two close to the largest of the tensors. Logarithms are taken in this unit, so that scaling the tensors
/// by a power of two scales the result by it, to the last bit.
fn unit<'a, const D: usize>(tensors: impl Iterator<Item = &'a Tensor<D>>) -> f64 {
    let trace = |tensor: &Tensor<D>| (0..D).fold(0.0, |sum, i| sum + tensor.0[i][i]);
    let largest = tensors.map(trace).fold(0.0, f64::max);
    // The exponent alone; 1 for a number without one, or with a subnormal reciprocal.
    let power = f64::from_bits(largest.to_bits() & 0x7ff0_0000_0000_0000);
    if (1e-300..1e300).contains(&power) { power } else { 1.0 }
}

/// The mean of metrics at points, as [`interpolate`], of sizes that grow by at most the distance:
///
/// ```text
/// M_i := M_i intersected with (1 + l_ji)^-2 M_j for all j,   l_ji = sqrt(e^T M_j e), e = x_i - x_j
/// ```
///
/// No mesh has sizes that grow faster. Without the bound, a single vertex of large size among small ones, where a second
/// derivative vanishes, would decide what is around it.
///
/// # Panics
/// Without any term, or with more than four.
pub fn interpolate_between<const D: usize>(terms: &[(f64, [f64; D], Tensor<D>)]) -> Tensor<D> {
    let mut limited = [(0.0, Tensor([[0.0; D]; D])); MOST];
    for (to, (weight, x, m)) in limited.iter_mut().zip(terms) {
        *to = (*weight, terms.iter().fold(*m, |limited, (_, y, other)| grown(x, m, limited, y, other)));
    }
    interpolate(&limited[..terms.len()])
}

/// `limited`, intersected with what the metric at y allows at x, unless that of x is within it.
fn grown<const D: usize>(
    x: &[f64; D],
    m: &Tensor<D>,
    limited: Tensor<D>,
    y: &[f64; D],
    other: &Tensor<D>,
) -> Tensor<D> {
    if m == other {
        return limited;
    }
    let growth = 1.0 + size_along(&std::array::from_fn(|i| x[i] - y[i]), other);
    let least = other.scaled(1.0 / (growth * growth));
    if m.plus(-1.0, &least).is_positive_definite() {
        return limited;
    }
    intersect(&limited, &least)
}
