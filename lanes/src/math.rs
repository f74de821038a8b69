//! The elementary functions in lanes.

use std::ops::{Add, Div, Mul, Neg, Sub};

use same_math::Number;

use crate::Real;

/// Lanes in the form that `same_math` needs.
#[derive(Clone, Copy)]
pub(crate) struct InMath<R>(pub(crate) R);

macro_rules! operators {
    ($($trait:ident $method:ident $operator:tt),*) => {$(
        impl<R: Real> $trait for InMath<R> {
            type Output = Self;
            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                InMath(self.0 $operator other.0)
            }
        }
    )*};
}
operators!(Add add +, Sub sub -, Mul mul *, Div div /);

impl<R: Real> Neg for InMath<R> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        InMath(-self.0)
    }
}

impl<R: Real> Number for InMath<R> {
    type Mask = R::Mask;
    type Bits = R::Bits;
    #[inline(always)]
    fn splat(value: f64) -> Self {
        InMath(R::splat(value))
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        InMath(self.0.sqrt())
    }
    #[inline(always)]
    fn abs(self) -> Self {
        InMath(self.0.abs())
    }
    #[inline(always)]
    fn lt(self, other: Self) -> R::Mask {
        self.0.lt(other.0)
    }
    #[inline(always)]
    fn le(self, other: Self) -> R::Mask {
        self.0.le(other.0)
    }
    #[inline(always)]
    fn eq(self, other: Self) -> R::Mask {
        self.0.eq(other.0)
    }
    #[inline(always)]
    fn select(mask: R::Mask, then: Self, otherwise: Self) -> Self {
        InMath(R::select(mask, then.0, otherwise.0))
    }
    #[inline(always)]
    fn to_bits(self) -> R::Bits {
        self.0.to_bits()
    }
    #[inline(always)]
    fn from_bits(bits: R::Bits) -> Self {
        InMath(R::from_bits(bits))
    }
    #[inline(always)]
    fn each(self, function: impl Fn(f64) -> f64) -> Self {
        InMath(self.0.each(function))
    }
    #[inline(always)]
    fn each_pair(self, other: Self, function: impl Fn(f64, f64) -> f64) -> Self {
        InMath(self.0.each_pair(other.0, function))
    }
}

/// Applies a function to every lane, for rare cases: one call, whatever the registers.
#[cold]
#[inline(never)]
pub(crate) fn each_of<const W: usize>(lanes: &mut [f64; W], function: impl Fn(f64) -> f64) {
    for lane in lanes {
        *lane = function(*lane);
    }
}

/// Applies a function of two numbers to every lane.
#[cold]
#[inline(never)]
pub(crate) fn each_pair_of<const W: usize>(
    lanes: &mut [f64; W],
    others: &[f64; W],
    function: impl Fn(f64, f64) -> f64,
) {
    for (lane, other) in lanes.iter_mut().zip(others) {
        *lane = function(*lane, *other);
    }
}

/// Real's `each` and `each_pair` for lanes that are [`Vector`](crate::Vector)s.
macro_rules! each_lane {
    () => {
        #[inline(always)]
        fn each(self, function: impl Fn(f64) -> f64) -> Self {
            let mut lanes = $crate::Vector::to_array(self);
            $crate::math::each_of(&mut lanes, function);
            $crate::Vector::from_array(lanes)
        }
        #[inline(always)]
        fn each_pair(self, other: Self, function: impl Fn(f64, f64) -> f64) -> Self {
            let mut lanes = $crate::Vector::to_array(self);
            $crate::math::each_pair_of(&mut lanes, &$crate::Vector::to_array(other), function);
            $crate::Vector::from_array(lanes)
        }
    };
}
pub(crate) use each_lane;
