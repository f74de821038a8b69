//! Log-Euclidean interpolation.
//!
//! Source: Arsigny, Fillard, Pennec, Ayache, "Log-Euclidean metrics for fast and simple calculus on diffusion tensors",
//! Magnetic Resonance in Medicine 56, 2006, DOI 10.1002/mrm.20965.

use super::Tensor;

/// exp(sum_i w_i ln M_i), summed in the order given, for positive definite M_i and weights that add up to 1.
///
/// Tensors that are all equal give that tensor, to the bit. Two terms may be exchanged without a change of any bit;
/// with more, order matters in the last bits.
///
/// # Panics
/// Without any term.
pub fn interpolate<const D: usize>(terms: &[(f64, Tensor<D>)]) -> Tensor<D> {
    let (weight, first) = terms.first().expect("interpolation has at least one term");
    if terms[1..].iter().all(|(_, other)| other == first) {
        return *first;
    }
    let start = first.ln().scaled(*weight);
    terms[1..].iter().fold(start, |sum, (weight, tensor)| sum.plus(*weight, &tensor.ln())).exp()
}

/// The metric on the edge from a to b at a + t (b - a): exp((1 - t) ln a + t ln b).
pub fn interpolate_edge<const D: usize>(t: f64, a: &Tensor<D>, b: &Tensor<D>) -> Tensor<D> {
    if a == b {
        return *a;
    }
    a.ln().scaled(1.0 - t).plus(t, &b.ln()).exp()
}
