//! Lanes as a plain array, on any processor.

use std::num::Wrapping;
use std::ops::{Add, BitAnd, BitOr, BitXor, Div, Mul, Neg, Not, Sub};

use super::math::each_lane;
use super::vector::Vector;
use super::{Bits, Int, Mask, Real, inlined};

/// `W` lanes of any element type, as a plain array.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lanes<const W: usize, T = f64>(pub [T; W]);

macro_rules! lane_wise {
    ($trait:ident, $method:ident, |$a:ident: $t:ty, $b:ident| $e:expr) => {
        impl<const W: usize> $trait for Lanes<W, $t> {
            type Output = Self;
            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                Lanes(inlined::from_fn(|i| {
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
lane_wise!(Add, add, |a: Wrapping<u64>, b| a + b);
lane_wise!(Sub, sub, |a: Wrapping<u64>, b| a - b);
lane_wise!(BitAnd, bitand, |a: Wrapping<u64>, b| a & b);
lane_wise!(BitOr, bitor, |a: Wrapping<u64>, b| a | b);
lane_wise!(BitXor, bitxor, |a: Wrapping<u64>, b| a ^ b);
lane_wise!(BitAnd, bitand, |a: bool, b| a & b);
lane_wise!(BitOr, bitor, |a: bool, b| a | b);

impl<const W: usize> Neg for Lanes<W, f64> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Lanes(inlined::map(self.0, |a| -a))
    }
}

impl<const W: usize> Not for Lanes<W, bool> {
    type Output = Self;
    #[inline(always)]
    fn not(self) -> Self {
        Lanes(inlined::map(self.0, |a| !a))
    }
}

impl<const W: usize> Mask for Lanes<W, bool> {
    #[inline(always)]
    fn all(self) -> bool {
        self.0.iter().fold(true, |all, &lane| all & lane)
    }
}

impl<const W: usize> Bits for Lanes<W, Wrapping<u64>> {
    #[inline(always)]
    fn splat(value: u64) -> Self {
        Lanes([Wrapping(value); W])
    }
    #[inline(always)]
    fn shifted_up(self, places: u32) -> Self {
        Lanes(inlined::map(self.0, |lane| lane.shifted_up(places)))
    }
    #[inline(always)]
    fn shifted_down(self, places: u32) -> Self {
        Lanes(inlined::map(self.0, |lane| lane.shifted_down(places)))
    }
}

impl<const W: usize> Int for Lanes<W, i32> {
    type Mask = Lanes<W, bool>;
    #[inline(always)]
    fn splat(value: i32) -> Self {
        Lanes([value; W])
    }
    #[inline(always)]
    fn lt(self, other: Self) -> Self::Mask {
        Lanes(inlined::from_fn(|i| self.0[i] < other.0[i]))
    }
    #[inline(always)]
    fn le(self, other: Self) -> Self::Mask {
        Lanes(inlined::from_fn(|i| self.0[i] <= other.0[i]))
    }
    #[inline(always)]
    fn eq(self, other: Self) -> Self::Mask {
        Lanes(inlined::from_fn(|i| self.0[i] == other.0[i]))
    }
    #[inline(always)]
    fn select(mask: Self::Mask, then: Self, otherwise: Self) -> Self {
        Lanes(inlined::from_fn(|i| if mask.0[i] { then.0[i] } else { otherwise.0[i] }))
    }
}

impl<const W: usize> Real for Lanes<W, f64> {
    type Mask = Lanes<W, bool>;
    type Int = Lanes<W, i32>;
    type Bits = Lanes<W, Wrapping<u64>>;
    each_lane!();
    #[inline(always)]
    fn to_bits(self) -> Self::Bits {
        Lanes(inlined::map(self.0, Real::to_bits))
    }
    #[inline(always)]
    fn from_bits(bits: Self::Bits) -> Self {
        Lanes(inlined::map(bits.0, Real::from_bits))
    }
    #[inline(always)]
    fn splat(value: f64) -> Self {
        Lanes([value; W])
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        Lanes(inlined::map(self.0, f64::sqrt))
    }
    #[inline(always)]
    fn abs(self) -> Self {
        Lanes(inlined::map(self.0, f64::abs))
    }
    #[inline(always)]
    fn lt(self, other: Self) -> Self::Mask {
        Lanes(inlined::from_fn(|i| self.0[i] < other.0[i]))
    }
    #[inline(always)]
    fn le(self, other: Self) -> Self::Mask {
        Lanes(inlined::from_fn(|i| self.0[i] <= other.0[i]))
    }
    #[inline(always)]
    fn eq(self, other: Self) -> Self::Mask {
        Lanes(inlined::from_fn(|i| self.0[i] == other.0[i]))
    }
    #[inline(always)]
    fn select(mask: Self::Mask, then: Self, otherwise: Self) -> Self {
        Lanes(inlined::from_fn(|i| if mask.0[i] { then.0[i] } else { otherwise.0[i] }))
    }
}

// SAFETY of the trait's methods: each accesses only what its own documentation names.
impl<const W: usize> Vector<W> for Lanes<W, f64> {
    #[inline(always)]
    fn from_array(values: [f64; W]) -> Self {
        Lanes(values)
    }
    #[inline(always)]
    fn to_array(self) -> [f64; W] {
        self.0
    }
    #[inline(always)]
    fn ints_from_array(values: [i32; W]) -> Lanes<W, i32> {
        Lanes(values)
    }
    #[inline(always)]
    fn ints_to_array(ints: Lanes<W, i32>) -> [i32; W] {
        ints.0
    }
    #[inline(always)]
    fn any(mask: Lanes<W, bool>) -> bool {
        mask.0.iter().fold(false, |any, &lane| any | lane)
    }
    #[inline(always)]
    unsafe fn load_singles(rows: [*const f64; W]) -> Self {
        // SAFETY: the caller's condition.
        Lanes(inlined::map(rows, |row| unsafe { *row }))
    }
    #[inline(always)]
    unsafe fn load_pairs(rows: [*const f64; W]) -> [Self; 2] {
        // SAFETY: the caller's condition.
        unsafe { [Self::load_singles(rows), Self::load_singles(inlined::map(rows, |row| row.add(1)))] }
    }
    #[inline(always)]
    unsafe fn store_pairs(lanes: [Self; 2], rows: [*mut f64; W]) {
        for e in 0..W {
            // SAFETY: the caller's condition.
            unsafe { *rows[e].cast() = [lanes[0].0[e], lanes[1].0[e]] }
        }
    }
}
