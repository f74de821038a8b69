//! Lengths of edges.

use super::Tensor;

/// Up to here, a series replaces the logarithm.
const SERIES: f64 = 1.0 / 16.0;

/// The length of the edge e in the metrics a and b of its ends: the logarithmic mean of the lengths in each.
///
/// ```text
/// la = sqrt(e^T a e),  lb = sqrt(e^T b e),  u = (la - lb) / (la + lb)
/// l = (la + lb) / 2 * u / atanh u = (la - lb) / ln(la / lb)
/// ```
///
/// This is the exact length if the size changes geometrically along the edge, h0 (h1/h0)^t, and greater than that of
/// sizes that change linearly: by 4 % if one is twice the other. For |u| <= 1/16, atanh u / u is 1 + u^2 (1/3 +
/// u^2 (1/5 + u^2 (1/7 + u^2 (1/9 + u^2 / 11)))), too small by at most 1.7e-16. Exchanging the ends, or negating e,
/// gives the same bits. 0 for e = 0; infinite or NaN if an entry is.
#[inline]
pub fn length<const D: usize>(e: &[f64; D], a: &Tensor<D>, b: &Tensor<D>) -> f64 {
    let (la, lb) = (size_along(e, a), size_along(e, b));
    let sum = la + lb;
    let difference = (la - lb).abs();
    if difference <= SERIES * sum {
        if sum == 0.0 {
            return 0.0;
        }
        let u = difference / sum;
        let s = u * u;
        let series = 1.0 + s * (1.0 / 3.0 + s * (0.2 + s * (1.0 / 7.0 + s * (1.0 / 9.0 + s * (1.0 / 11.0)))));
        return 0.5 * sum / series;
    }
    // atanh u is half of ln((1 + u) / (1 - u)) = ln(1 + (la - lb) / lb), without 1 - u, which would lose digits.
    let least = if la < lb { la } else { lb };
    difference / same_math::ln_1p(difference / least)
}

/// sqrt(e^T m e), the length of e in one metric; 0 if rounding makes the square negative.
#[inline]
pub fn size_along<const D: usize>(e: &[f64; D], m: &Tensor<D>) -> f64 {
    let square = m.quadratic(e);
    if square < 0.0 { 0.0 } else { square.sqrt() }
}
