//! What the functions need of a number: nothing that any processor rounds differently.

use core::num::Wrapping;
use core::ops::{Add, BitAnd, BitOr, BitXor, Div, Mul, Neg, Not, Sub};

use crate::lane::{self, LaneBits, LaneMask};

/// The bits of one or several doubles: 64-bit integers whose sums wrap around.
pub trait Bits:
    Copy
    + Add<Output = Self>
    + Sub<Output = Self>
    + BitAnd<Output = Self>
    + BitOr<Output = Self>
    + BitXor<Output = Self>
{
    /// The same integer in every lane.
    fn splat(value: u64) -> Self;
    /// Shifted to higher places; every caller passes a constant below 64 for `places`.
    fn shifted_up(self, places: u32) -> Self;
    /// Shifted to lower places, with zeros coming in; every caller passes a constant below 64 for `places`.
    fn shifted_down(self, places: u32) -> Self;
}

/// A lane-wise truth value.
pub trait Mask: Copy + BitAnd<Output = Self> + BitOr<Output = Self> + Not<Output = Self> {
    /// Whether it is true in every lane.
    fn all(self) -> bool;
}

/// One double or several lanes of them. Every operation is exactly rounded to nearest, lane by lane (IEEE 754), and no
/// two are contracted to one.
pub trait Number:
    Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Div<Output = Self> + Neg<Output = Self>
{
    /// The truth values of comparisons.
    type Mask: Mask;
    /// The bits of the same number of lanes.
    type Bits: Bits;
    /// The same number in every lane.
    fn splat(value: f64) -> Self;
    /// The product, in a form that suits the functions of this crate.
    #[doc(hidden)]
    #[inline(always)]
    fn product(self, other: Self) -> Self {
        self * other
    }
    /// Square root.
    fn sqrt(self) -> Self;
    /// Absolute value.
    fn abs(self) -> Self;
    /// self < other; false if either is NaN.
    fn lt(self, other: Self) -> Self::Mask;
    /// self <= other; false if either is NaN.
    fn le(self, other: Self) -> Self::Mask;
    /// self == other; false if either is NaN.
    fn eq(self, other: Self) -> Self::Mask;
    /// `then` where the mask is true, `otherwise` elsewhere.
    fn select(mask: Self::Mask, then: Self, otherwise: Self) -> Self;
    /// The same as `select`, where neither side is likelier.
    #[doc(hidden)]
    #[inline(always)]
    fn blend(mask: Self::Mask, then: Self, otherwise: Self) -> Self {
        Self::select(mask, then, otherwise)
    }
    /// `self` where it is less than `other`, `other` elsewhere.
    #[doc(hidden)]
    #[inline(always)]
    fn lesser(self, other: Self) -> Self {
        Self::select(self.lt(other), self, other)
    }
    /// `self` where it is greater than `other`, `other` elsewhere.
    #[doc(hidden)]
    #[inline(always)]
    fn greater(self, other: Self) -> Self {
        Self::select(other.lt(self), self, other)
    }
    /// a[0] + b[0] and a[1] + b[1].
    #[doc(hidden)]
    #[inline(always)]
    fn two_sums(a: [Self; 2], b: [Self; 2]) -> [Self; 2] {
        [a[0] + b[0], a[1] + b[1]]
    }
    /// a[0] - b[0] and a[1] - b[1].
    #[doc(hidden)]
    #[inline(always)]
    fn two_differences(a: [Self; 2], b: [Self; 2]) -> [Self; 2] {
        [a[0] - b[0], a[1] - b[1]]
    }
    /// a[0] b[0] and a[1] b[1].
    #[doc(hidden)]
    #[inline(always)]
    fn two_products(a: [Self; 2], b: [Self; 2]) -> [Self; 2] {
        [a[0].product(b[0]), a[1].product(b[1])]
    }
    /// (c0 + c1 t) + (c2 + c3 t) t^2 for two polynomials, given t^2: in lanes, one after the other.
    #[doc(hidden)]
    #[inline(always)]
    fn cubics(self, square: Self, coefficients: [[f64; 2]; 4]) -> [Self; 2] {
        let cubic = |which: usize| {
            let [c0, c1, c2, c3] = coefficients.map(|both| Self::splat(both[which]));
            (c0 + c1.product(self)) + (c2 + c3.product(self)).product(square)
        };
        [cubic(0), cubic(1)]
    }
    /// The bits, unchanged.
    fn to_bits(self) -> Self::Bits;
    /// The number with these bits.
    fn from_bits(bits: Self::Bits) -> Self;
    /// Applies a function of one number to one lane after the other: used when any lane needs the long way.
    fn each(self, function: impl Fn(f64) -> f64) -> Self;
    /// Applies a function of two numbers to one lane after the other.
    fn each_pair(self, other: Self, function: impl Fn(f64, f64) -> f64) -> Self;
}

impl Bits for Wrapping<u64> {
    #[inline(always)]
    fn splat(value: u64) -> Self {
        Wrapping(value)
    }
    #[inline(always)]
    fn shifted_up(self, places: u32) -> Self {
        Wrapping(self.0 << places)
    }
    #[inline(always)]
    fn shifted_down(self, places: u32) -> Self {
        Wrapping(self.0 >> places)
    }
}

impl Mask for bool {
    #[inline(always)]
    fn all(self) -> bool {
        self
    }
}

impl Number for f64 {
    type Mask = LaneMask;
    type Bits = LaneBits;
    #[inline(always)]
    fn splat(value: f64) -> f64 {
        value
    }
    #[inline(always)]
    fn product(self, other: f64) -> f64 {
        lane::product(self, other)
    }
    #[inline(always)]
    fn sqrt(self) -> f64 {
        square_root(self)
    }
    #[inline(always)]
    fn abs(self) -> f64 {
        f64::from_bits(f64::to_bits(self) & !(1 << 63))
    }
    #[inline(always)]
    fn lt(self, other: f64) -> LaneMask {
        lane::less(self, other)
    }
    #[inline(always)]
    fn le(self, other: f64) -> LaneMask {
        lane::less_or_equal(self, other)
    }
    #[inline(always)]
    fn eq(self, other: f64) -> LaneMask {
        lane::equal(self, other)
    }
    #[inline(always)]
    fn select(mask: LaneMask, then: f64, otherwise: f64) -> f64 {
        if mask.all() { then } else { otherwise }
    }
    #[inline(always)]
    fn blend(mask: LaneMask, then: f64, otherwise: f64) -> f64 {
        lane::blend(mask, then, otherwise)
    }
    #[inline(always)]
    fn lesser(self, other: f64) -> f64 {
        lane::lesser(self, other)
    }
    #[inline(always)]
    fn greater(self, other: f64) -> f64 {
        lane::greater(self, other)
    }
    #[inline(always)]
    fn two_sums(a: [f64; 2], b: [f64; 2]) -> [f64; 2] {
        lane::two_sums(a, b)
    }
    #[inline(always)]
    fn two_differences(a: [f64; 2], b: [f64; 2]) -> [f64; 2] {
        lane::two_differences(a, b)
    }
    #[inline(always)]
    fn two_products(a: [f64; 2], b: [f64; 2]) -> [f64; 2] {
        lane::two_products(a, b)
    }
    #[inline(always)]
    fn cubics(self, square: f64, [c0, c1, c2, c3]: [[f64; 2]; 4]) -> [f64; 2] {
        let linear = |c: [f64; 2], d: [f64; 2]| lane::two_sums(c, lane::two_products(d, [self; 2]));
        lane::two_sums(linear(c0, c1), lane::two_products(linear(c2, c3), [square; 2]))
    }
    #[inline(always)]
    fn to_bits(self) -> LaneBits {
        lane::bits(self)
    }
    #[inline(always)]
    fn from_bits(bits: LaneBits) -> f64 {
        lane::from_bits(bits)
    }
    #[inline(always)]
    fn each(self, function: impl Fn(f64) -> f64) -> f64 {
        function(self)
    }
    #[inline(always)]
    fn each_pair(self, other: f64, function: impl Fn(f64, f64) -> f64) -> f64 {
        function(self, other)
    }
}

/// The processor's root; the standard library provides it, the core library does not.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn square_root(x: f64) -> f64 {
    use core::arch::x86_64::{_mm_cvtsd_f64, _mm_set_sd, _mm_sqrt_sd};
    // SAFETY: SSE2 is part of x86-64.
    unsafe { _mm_cvtsd_f64(_mm_sqrt_sd(_mm_set_sd(x), _mm_set_sd(x))) }
}

/// The processor's root; the standard library provides it, the core library does not.
#[cfg(target_arch = "aarch64")]
#[inline(always)]
fn square_root(x: f64) -> f64 {
    use core::arch::aarch64::{vdup_n_f64, vget_lane_f64, vsqrt_f64};
    // SAFETY: NEON is part of AArch64.
    unsafe { vget_lane_f64::<0>(vsqrt_f64(vdup_n_f64(x))) }
}

/// The root digit by digit.
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
fn square_root(x: f64) -> f64 {
    root_by_digits(x)
}

/// The root digit by digit, correctly rounded: the integer part of the root of a 108-bit number, and whether there is a
/// remainder.
#[cfg(any(test, not(any(target_arch = "x86_64", target_arch = "aarch64"))))]
fn root_by_digits(x: f64) -> f64 {
    if x == 0.0 || x.is_nan() || x == f64::INFINITY {
        return x;
    }
    if x < 0.0 {
        return f64::NAN;
    }
    let (scaled, halved) = if x < f64::MIN_POSITIVE { (x * 18014398509481984.0, 27) } else { (x, 0) };
    let exponent = (f64::to_bits(scaled) >> 52) as i64 - 1023;
    let mantissa = f64::to_bits(scaled) & ((1 << 52) - 1) | 1 << 52;
    let square = u128::from(mantissa) << (54 + (exponent & 1));
    let mut root = 0u128;
    for place in (0..54).rev() {
        let longer = root | 1 << place;
        if longer * longer <= square {
            root = longer;
        }
    }
    // 54 bits: the last one decides, and of two equally near numbers the even one is taken; a root is never exactly
    // halfway.
    let rounded = ((root >> 1) + (root & 1)) as u64;
    f64::from_bits(rounded + (((exponent >> 1) - halved + 1022) as u64).wrapping_shl(52))
}

#[cfg(test)]
mod tests {
    extern crate std;
    use super::*;

    #[test]
    fn roots_by_digits_are_those_of_the_processor() {
        let mut bits = 1u64;
        for _ in 0..20_000 {
            bits = bits.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            for x in [f64::from_bits(bits), f64::from_bits(bits >> 12), f64::from_bits(bits >> 1)] {
                let (ours, theirs) = (root_by_digits(x), f64::sqrt(x));
                assert!(
                    f64::to_bits(ours) == f64::to_bits(theirs) || ours.is_nan() && theirs.is_nan(),
                    "{x:e}"
                );
                assert!(square_root(x) == theirs || theirs.is_nan());
            }
        }
    }
}
