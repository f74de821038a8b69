//! One lane on any processor.

use core::num::Wrapping;

pub type LaneBits = Wrapping<u64>;
pub type LaneMask = bool;

#[inline(always)]
pub(crate) fn less(a: f64, b: f64) -> LaneMask {
    a < b
}

#[inline(always)]
pub(crate) fn less_or_equal(a: f64, b: f64) -> LaneMask {
    a <= b
}

#[inline(always)]
pub(crate) fn equal(a: f64, b: f64) -> LaneMask {
    a == b
}

#[inline(always)]
pub(crate) fn bits(x: f64) -> LaneBits {
    Wrapping(x.to_bits())
}

#[inline(always)]
pub(crate) fn from_bits(bits: LaneBits) -> f64 {
    f64::from_bits(bits.0)
}

#[inline(always)]
pub(crate) fn blend(mask: LaneMask, then: f64, otherwise: f64) -> f64 {
    if mask { then } else { otherwise }
}

#[inline(always)]
pub(crate) fn lesser(a: f64, b: f64) -> f64 {
    if a < b { a } else { b }
}

#[inline(always)]
pub(crate) fn greater(a: f64, b: f64) -> f64 {
    if b < a { a } else { b }
}

#[inline(always)]
pub(crate) fn product(a: f64, b: f64) -> f64 {
    a * b
}

#[inline(always)]
pub(crate) fn two_sums(a: [f64; 2], b: [f64; 2]) -> [f64; 2] {
    [a[0] + b[0], a[1] + b[1]]
}

#[inline(always)]
pub(crate) fn two_differences(a: [f64; 2], b: [f64; 2]) -> [f64; 2] {
    [a[0] - b[0], a[1] - b[1]]
}

#[inline(always)]
pub(crate) fn two_products(a: [f64; 2], b: [f64; 2]) -> [f64; 2] {
    [a[0] * b[0], a[1] * b[1]]
}
