//! Functions of the numbers of a vector, two at a time: registers of every processor hold two, and bits are those of one
//! at a time.

use cfd_engine::lane::{F64x2, Real, Vector};

/// e^x of each.
#[inline]
pub(super) fn exp<const D: usize>(x: [f64; D]) -> [f64; D] {
    of_each(x, Real::exp, same_math::exp)
}

/// ln x of each.
#[inline]
pub(super) fn ln<const D: usize>(x: [f64; D]) -> [f64; D] {
    of_each(x, Real::ln, same_math::ln)
}

#[inline]
fn of_each<const D: usize>(
    x: [f64; D],
    of_two: impl Fn(F64x2) -> F64x2,
    of_one: impl Fn(f64) -> f64,
) -> [f64; D] {
    let mut results = x;
    let (pairs, rest) = results.as_chunks_mut::<2>();
    for pair in pairs {
        *pair = of_two(F64x2::from_array(*pair)).to_array();
    }
    for one in rest {
        *one = of_one(*one);
    }
    results
}
