//! The arithmetic a kernel may use, generic over a lane type.
//!
//! A kernel is written once over [`Real`]. With `f64` it is the plain scalar function; with [`Lanes`] it works on
//! several elements at a time. Every operation is exactly rounded (IEEE 754), element by element, so a lane type
//! never changes a result's bits.

use std::ops::{Add, BitAnd, BitOr, Div, Mul, Neg, Not, Sub};

/// A lane-wise truth value.
pub trait Mask: Copy + BitAnd<Output = Self> + BitOr<Output = Self> + Not<Output = Self> {}

impl Mask for bool {}

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
    /// The same value in every lane.
    fn splat(value: f64) -> Self;
    /// Square root.
    fn sqrt(self) -> Self;
    /// Absolute value.
    fn abs(self) -> Self;
    /// self < other; false when either is NaN.
    fn lt(self, other: Self) -> Self::Mask;
    /// self <= other; false when either is NaN.
    fn le(self, other: Self) -> Self::Mask;
    /// self == other; false when either is NaN.
    fn eq(self, other: Self) -> Self::Mask;
    /// `then` where the mask is true, `otherwise` elsewhere.
    fn select(mask: Self::Mask, then: Self, otherwise: Self) -> Self;
    /// `if self < other { self } else { other }`: of -0 and 0, or when either is NaN, `other`.
    #[inline(always)]
    fn min(self, other: Self) -> Self {
        Self::select(self.lt(other), self, other)
    }
    /// `if other < self { self } else { other }`: of -0 and 0, or when either is NaN, `other`.
    #[inline(always)]
    fn max(self, other: Self) -> Self {
        Self::select(other.lt(self), self, other)
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

/// `W` lanes of any element type, as a plain array.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lanes<const W: usize, T = f64>(pub [T; W]);

macro_rules! lane_wise {
    ($trait:ident, $method:ident, |$a:ident: $t:ty, $b:ident| $e:expr) => {
        impl<const W: usize> $trait for Lanes<W, $t> {
            type Output = Self;
            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                Lanes(std::array::from_fn(|i| {
                    let ($a, $b): ($t, $t) = (self.0[i], other.0[i]);
                    $e
                }))
            }
        }
    };
}

lane_wise!(Add, add, |a: f64, b| a + b);
lane_wise!(Sub, sub, |a: f64, b| a - b);
lane_wise!(Mul, mul, |a: f64, b| a * b);
lane_wise!(Div, div, |a: f64, b| a / b);
lane_wise!(Add, add, |a: i32, b| a + b);
lane_wise!(Sub, sub, |a: i32, b| a - b);
lane_wise!(Mul, mul, |a: i32, b| a * b);
lane_wise!(BitAnd, bitand, |a: bool, b| a & b);
lane_wise!(BitOr, bitor, |a: bool, b| a | b);

impl<const W: usize> Neg for Lanes<W, f64> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Lanes(self.0.map(|a| -a))
    }
}

impl<const W: usize> Not for Lanes<W, bool> {
    type Output = Self;
    #[inline(always)]
    fn not(self) -> Self {
        Lanes(self.0.map(|a| !a))
    }
}

impl<const W: usize> Mask for Lanes<W, bool> {}

impl<const W: usize> Int for Lanes<W, i32> {
    type Mask = Lanes<W, bool>;
    #[inline(always)]
    fn splat(value: i32) -> Self {
        Lanes([value; W])
    }
    #[inline(always)]
    fn lt(self, other: Self) -> Self::Mask {
        Lanes(std::array::from_fn(|i| self.0[i] < other.0[i]))
    }
    #[inline(always)]
    fn le(self, other: Self) -> Self::Mask {
        Lanes(std::array::from_fn(|i| self.0[i] <= other.0[i]))
    }
    #[inline(always)]
    fn eq(self, other: Self) -> Self::Mask {
        Lanes(std::array::from_fn(|i| self.0[i] == other.0[i]))
    }
    #[inline(always)]
    fn select(mask: Self::Mask, then: Self, otherwise: Self) -> Self {
        Lanes(std::array::from_fn(|i| if mask.0[i] { then.0[i] } else { otherwise.0[i] }))
    }
}

impl<const W: usize> Real for Lanes<W, f64> {
    type Mask = Lanes<W, bool>;
    type Int = Lanes<W, i32>;
    #[inline(always)]
    fn splat(value: f64) -> Self {
        Lanes([value; W])
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        Lanes(self.0.map(f64::sqrt))
    }
    #[inline(always)]
    fn abs(self) -> Self {
        Lanes(self.0.map(f64::abs))
    }
    #[inline(always)]
    fn lt(self, other: Self) -> Self::Mask {
        Lanes(std::array::from_fn(|i| self.0[i] < other.0[i]))
    }
    #[inline(always)]
    fn le(self, other: Self) -> Self::Mask {
        Lanes(std::array::from_fn(|i| self.0[i] <= other.0[i]))
    }
    #[inline(always)]
    fn eq(self, other: Self) -> Self::Mask {
        Lanes(std::array::from_fn(|i| self.0[i] == other.0[i]))
    }
    #[inline(always)]
    fn select(mask: Self::Mask, then: Self, otherwise: Self) -> Self {
        Lanes(std::array::from_fn(|i| if mask.0[i] { then.0[i] } else { otherwise.0[i] }))
    }
}
