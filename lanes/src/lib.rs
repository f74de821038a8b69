//! The arithmetic that a kernel may use, generic over a lane type.
//!
//! A kernel is written once over [`Real`]. With `f64`, it is the plain scalar function; with a lane type, it computes
//! several elements at once. Every operation is exactly rounded (IEEE 754), element by element, so a lane type never
//! changes a result's bits.
//!
//! ```text
//! lib        what a kernel may do with numbers, integers and truth values; one lane: f64
//! element    the types of numbers
//! inlined    arrays made component by component
//! math       exp, ln, sin and the like, from same-math
//! array      several lanes as a plain array, on any processor
//! vector     from rows of a dat to lanes and back
//! x86/       registers of x86-64: 2, 4 and 8 lanes
//! neon       registers of 64-bit Arm processors: 2 lanes
//! operators  operators of register types
//! ints       32-bit integers, as many as a register has lanes
//! width      how many lanes the processor has, and how many are used
//! ```

mod array;
mod element;
pub mod inlined;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod ints;
mod math;
#[cfg(target_arch = "aarch64")]
mod neon;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod operators;
#[cfg(test)]
mod tests;
pub mod vector;
pub mod width;
#[cfg(target_arch = "x86_64")]
pub mod x86;

use std::num::Wrapping;
use std::ops::{Add, Div, Mul, Neg, Sub};

pub use self::array::Lanes;
pub use self::element::Element;
use self::math::InMath;
#[cfg(target_arch = "aarch64")]
pub use self::neon::F64x2;
pub use self::vector::{LaneStored, Vector};
pub use self::width::{Width, WidthError};
#[cfg(target_arch = "x86_64")]
pub use self::x86::sse2::F64x2;
pub use same_math::{Bits, Mask};

/// Two lanes where no registers are supported.
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
pub type F64x2 = Lanes<2>;

/// A lane-wise 32-bit integer. Arithmetic must not overflow: debug builds panic.
pub trait Int: Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> {
    /// The truth values of comparisons.
    type Mask: Mask;
    /// The same value in every lane.
    fn splat(value: i32) -> Self;
    /// self < other.
    fn lt(self, other: Self) -> Self::Mask;
    /// self <= other.
    fn le(self, other: Self) -> Self::Mask;
    /// self == other.
    fn eq(self, other: Self) -> Self::Mask;
    /// `then` where the mask is true, `otherwise` elsewhere.
    fn select(mask: Self::Mask, then: Self, otherwise: Self) -> Self;
}

/// A lane-wise double-precision number.
pub trait Real:
    Copy
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
    + 'static
{
    /// The truth values of comparisons.
    type Mask: Mask;
    /// The integers of the same number of lanes.
    type Int: Int<Mask = Self::Mask> + 'static;
    /// The bits of the same number of lanes.
    type Bits: Bits;
    /// The same value in every lane.
    fn splat(value: f64) -> Self;
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
    /// `if self < other { self } else { other }`: for -0 and 0, or if either is NaN, `other`.
    #[inline(always)]
    fn min(self, other: Self) -> Self {
        Self::select(self.lt(other), self, other)
    }
    /// `if other < self { self } else { other }`: for -0 and 0, or if either is NaN, `other`.
    #[inline(always)]
    fn max(self, other: Self) -> Self {
        Self::select(other.lt(self), self, other)
    }
    /// The bits, unchanged.
    fn to_bits(self) -> Self::Bits;
    /// The number with these bits.
    fn from_bits(bits: Self::Bits) -> Self;
    /// Applies a function to one lane after the other.
    fn each(self, function: impl Fn(f64) -> f64) -> Self;
    /// Applies a function of two numbers to one lane after the other.
    fn each_pair(self, other: Self, function: impl Fn(f64, f64) -> f64) -> Self;
    /// e^self: [`same_math::exp`].
    #[inline(always)]
    fn exp(self) -> Self {
        same_math::exp(InMath(self)).0
    }
    /// 2^self: [`same_math::exp2`].
    #[inline(always)]
    fn exp2(self) -> Self {
        same_math::exp2(InMath(self)).0
    }
    /// e^self - 1: [`same_math::exp_m1`].
    #[inline(always)]
    fn exp_m1(self) -> Self {
        same_math::exp_m1(InMath(self)).0
    }
    /// The natural logarithm: [`same_math::ln`].
    #[inline(always)]
    fn ln(self) -> Self {
        same_math::ln(InMath(self)).0
    }
    /// The logarithm to base 2: [`same_math::log2`].
    #[inline(always)]
    fn log2(self) -> Self {
        same_math::log2(InMath(self)).0
    }
    /// ln (1 + self): [`same_math::ln_1p`].
    #[inline(always)]
    fn ln_1p(self) -> Self {
        same_math::ln_1p(InMath(self)).0
    }
    /// The cube root, correctly rounded: [`same_math::cbrt`].
    #[inline(always)]
    fn cbrt(self) -> Self {
        same_math::cbrt(InMath(self)).0
    }
    /// The sine: [`same_math::sin`].
    #[inline(always)]
    fn sin(self) -> Self {
        same_math::sin(InMath(self)).0
    }
    /// The cosine: [`same_math::cos`].
    #[inline(always)]
    fn cos(self) -> Self {
        same_math::cos(InMath(self)).0
    }
    /// The tangent: [`same_math::tan`].
    #[inline(always)]
    fn tan(self) -> Self {
        same_math::tan(InMath(self)).0
    }
    /// The arc tangent: [`same_math::atan`].
    #[inline(always)]
    fn atan(self) -> Self {
        same_math::atan(InMath(self)).0
    }
    /// The arc sine: [`same_math::asin`].
    #[inline(always)]
    fn asin(self) -> Self {
        same_math::asin(InMath(self)).0
    }
    /// The arc cosine: [`same_math::acos`].
    #[inline(always)]
    fn acos(self) -> Self {
        same_math::acos(InMath(self)).0
    }
    /// The hyperbolic sine: [`same_math::sinh`].
    #[inline(always)]
    fn sinh(self) -> Self {
        same_math::sinh(InMath(self)).0
    }
    /// The hyperbolic cosine: [`same_math::cosh`].
    #[inline(always)]
    fn cosh(self) -> Self {
        same_math::cosh(InMath(self)).0
    }
    /// The hyperbolic tangent: [`same_math::tanh`].
    #[inline(always)]
    fn tanh(self) -> Self {
        same_math::tanh(InMath(self)).0
    }
    /// The angle of the point (x, self): [`same_math::atan2`].
    #[inline(always)]
    fn atan2(self, x: Self) -> Self {
        same_math::atan2(InMath(self), InMath(x)).0
    }
    /// self^y: [`same_math::powf`].
    #[inline(always)]
    fn powf(self, y: Self) -> Self {
        same_math::powf(InMath(self), InMath(y)).0
    }
    /// self^n: [`same_math::powi`].
    #[inline(always)]
    fn powi(self, n: i32) -> Self {
        same_math::powi(InMath(self), n).0
    }
}

impl Int for i32 {
    type Mask = bool;
    #[inline(always)]
    fn splat(value: i32) -> i32 {
        value
    }
    #[inline(always)]
    fn lt(self, other: i32) -> bool {
        self < other
    }
    #[inline(always)]
    fn le(self, other: i32) -> bool {
        self <= other
    }
    #[inline(always)]
    fn eq(self, other: i32) -> bool {
        self == other
    }
    #[inline(always)]
    fn select(mask: bool, then: i32, otherwise: i32) -> i32 {
        if mask { then } else { otherwise }
    }
}

impl Real for f64 {
    type Mask = bool;
    type Int = i32;
    type Bits = Wrapping<u64>;
    #[inline(always)]
    fn to_bits(self) -> Wrapping<u64> {
        Wrapping(f64::to_bits(self))
    }
    #[inline(always)]
    fn from_bits(bits: Wrapping<u64>) -> f64 {
        f64::from_bits(bits.0)
    }
    #[inline(always)]
    fn each(self, function: impl Fn(f64) -> f64) -> f64 {
        function(self)
    }
    #[inline(always)]
    fn each_pair(self, other: f64, function: impl Fn(f64, f64) -> f64) -> f64 {
        function(self, other)
    }
    #[inline(always)]
    fn splat(value: f64) -> f64 {
        value
    }
    #[inline(always)]
    fn sqrt(self) -> f64 {
        f64::sqrt(self)
    }
    #[inline(always)]
    fn abs(self) -> f64 {
        f64::abs(self)
    }
    #[inline(always)]
    fn lt(self, other: f64) -> bool {
        self < other
    }
    #[inline(always)]
    fn le(self, other: f64) -> bool {
        self <= other
    }
    #[inline(always)]
    fn eq(self, other: f64) -> bool {
        self == other
    }
    #[inline(always)]
    fn select(mask: bool, then: f64, otherwise: f64) -> f64 {
        if mask { then } else { otherwise }
    }
}
