//! Log-Euclidean interpolation.
//!
//! Source: Arsigny, Fillard, Pennec, Ayache, "Log-Euclidean metrics for fast and simple calculus on diffusion tensors",
//! Magnetic Resonance in Medicine 56, 2006, DOI 10.1002/mrm.20965.

use super::Tensor;

/// exp(sum_i w_i ln M_i), summed in the given order, for positive definite M_i and weights that add up to 1.
///
/// If all tensors are equal, the result is that tensor, to the bit. Exchanging two terms changes no bit; with more
/// terms, order matters in the last bits.
///
/// # Panics
/// Without any term.
pub fn interpolate<const D: usize>(terms: &[(f64, Tensor<D>)]) -> Tensor<D> {
    let (weight, first) = terms.first().expect("interpolation has at least one term");
    if terms[1..].iter().all(|(_, other)| other == first) {
        return *first;
    }
    let unit = unit(terms.iter().map(|(_, tensor)| tensor));
    let ln = |tensor: &Tensor<D>| tensor.scaled(1.0 / unit).ln();
    let start = ln(first).scaled(*weight);
    terms[1..].iter().fold(start, |sum, (weight, tensor)| sum.plus(*weight, &ln(tensor))).exp().scaled(unit)
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

/// The metric on the edge from a to b at a + t (b - a): exp((1 - t) ln a + t ln b).
pub fn interpolate_edge<const D: usize>(t: f64, a: &Tensor<D>, b: &Tensor<D>) -> Tensor<D> {
    if a == b {
        return *a;
    }
    let unit = unit([a, b].into_iter());
    let ln = |tensor: &Tensor<D>| tensor.scaled(1.0 / unit).ln();
    ln(a).scaled(1.0 - t).plus(t, &ln(b)).exp().scaled(unit)
}
