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

use super::{Eigen, Tensor, intersect, pairs, size_along};

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
    let mut tensors = [Tensor([[0.0; D]; D]); MOST];
    let mut weights = [0.0; MOST];
    for (i, (weight, tensor)) in terms.iter().enumerate() {
        (weights[i], tensors[i]) = (*weight, *tensor);
    }
    Interpolant::of(&tensors[..terms.len()]).at(&weights[..terms.len()])
}

/// Metrics to be interpolated with several sets of weights: what depends on the metrics alone is computed once.
#[derive(Clone, Copy, Debug)]
pub struct Interpolant<const D: usize> {
    count: usize,
    /// The tensor, if all are equal.
    same: Option<Tensor<D>>,
    unit: f64,
    logarithms: [Tensor<D>; MOST],
}

impl<const D: usize> Interpolant<D> {
    /// # Panics
    /// Without any tensor, or with more than four.
    fn of(tensors: &[Tensor<D>]) -> Interpolant<D> {
        let first = tensors.first().expect("interpolation has at least one term");
        let mut logarithms = [Tensor([[0.0; D]; D]); MOST];
        if tensors[1..].iter().all(|other| other == first) {
            return Interpolant { count: tensors.len(), same: Some(*first), unit: 1.0, logarithms };
        }
        let unit = unit(tensors.iter());
        for (to, tensor) in logarithms[..tensors.len()].iter_mut().zip(tensors) {
            *to = tensor.scaled(1.0 / unit).ln();
        }
        Interpolant { count: tensors.len(), same: None, unit, logarithms }
    }

    /// Of metrics at points, as [`interpolate_between`].
    ///
    /// # Panics
    /// Without any point, or with more than four.
    pub fn between(points: &[([f64; D], Tensor<D>)]) -> Interpolant<D> {
        let mut limited = [Tensor([[0.0; D]; D]); MOST];
        for (to, (x, m)) in limited.iter_mut().zip(points) {
            *to = points.iter().fold(*m, |limited, (y, other)| grown(x, m, limited, y, other));
        }
        Interpolant::of(&limited[..points.len()])
    }

    /// The mean with these weights, one for each metric, that add up to 1.
    pub fn at(&self, weights: &[f64]) -> Tensor<D> {
        if let Some(same) = self.same {
            return same;
        }
        let logarithms = &self.logarithms[..self.count];
        let mut mean = logarithms[0].scaled(weights[0]);
        for (weight, ln) in weights.iter().zip(logarithms).skip(1) {
            mean = mean.plus(*weight, ln);
        }
        let vectors = mean.axes();
        let sizes = |i: usize| {
            let sizes = pairs::exp(vectors.map(|v| -0.5 * logarithms[i].quadratic(&v)));
            sizes.map(|size| weights[i] * size)
        };
        let mut means = sizes(0);
        for sizes in (1..self.count).map(sizes) {
            means.iter_mut().zip(sizes).for_each(|(mean, size)| *mean += size);
        }
        let values = means.map(|size| 1.0 / (size * size));
        Tensor::from_eigen(&Eigen { values, vectors }).scaled(self.unit)
    }
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
    let mut points = [([0.0; D], Tensor([[0.0; D]; D])); MOST];
    let mut weights = [0.0; MOST];
    for (i, (weight, x, m)) in terms.iter().enumerate() {
        (weights[i], points[i]) = (*weight, (*x, *m));
    }
    Interpolant::between(&points[..terms.len()]).at(&weights[..terms.len()])
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
