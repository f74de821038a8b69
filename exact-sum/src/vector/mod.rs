//! Several numbers at once: what a sum needs of a register.
//!
//! ```text
//! mod        the trait, and plain arrays as the portable implementation
//! x86        registers of AVX2 and AVX-512
//! processor  which registers this processor has
//! ```

pub(crate) mod processor;
#[cfg(target_arch = "x86_64")]
pub(crate) mod x86;

use core::ops::BitAnd;

/// `W` numbers in a register, or as many plain ones; `W` is at most 8.
///
/// Any type can implement it; every operation is that of IEEE 754 in each lane, rounded to nearest. A type that rounds
/// otherwise, or reorders or contracts operations, gives wrong sums.
pub trait Vector<const W: usize>: Copy {
    /// A truth value for each lane.
    type Mask: Copy + BitAnd<Output = Self::Mask>;
    /// The same number in every lane.
    fn splat(number: f64) -> Self;
    /// The numbers of an array, lane by lane.
    fn load(from: &[f64; W]) -> Self;
    /// Writes the lanes to an array.
    fn store(self, to: &mut [f64; W]);
    /// self + other.
    fn add(self, other: Self) -> Self;
    /// self - other.
    fn sub(self, other: Self) -> Self;
    /// The absolute value.
    fn abs(self) -> Self;
    /// self <= other; false if either is NaN.
    fn at_most(self, other: Self) -> Self::Mask;
    /// self == other; false if either is NaN.
    fn equals(self, other: Self) -> Self::Mask;
    /// Whether the mask is true in every lane.
    fn all(mask: Self::Mask) -> bool;
    /// The lanes as an array.
    #[inline(always)]
    fn to_array(self) -> [f64; W] {
        let mut array = [0.0; W];
        self.store(&mut array);
        array
    }
}

/// A register of a processor with fused operations.
#[cfg(target_arch = "x86_64")]
pub(crate) trait Fused<const W: usize>: Vector<W> {
    /// self other.
    fn mul(self, other: Self) -> Self;
    /// self other - third, rounded once.
    fn mul_sub(self, other: Self, third: Self) -> Self;
    /// Where at least one mask is true.
    fn either(one: Self::Mask, other: Self::Mask) -> Self::Mask;
}

/// Groups of as many terms as lanes, and the terms behind them.
pub(crate) fn groups<const W: usize>(terms: &[f64]) -> (&[[f64; W]], &[f64]) {
    let (grouped, tail) = terms.split_at(terms.len() / W * W);
    // SAFETY: the terms of all groups, one after the other.
    (unsafe { core::slice::from_raw_parts(grouped.as_ptr().cast(), grouped.len() / W) }, tail)
}

/// The truth values of an array's numbers.
#[derive(Clone, Copy, Debug)]
pub struct ArrayMask<const W: usize>([bool; W]);

impl<const W: usize> BitAnd for ArrayMask<W> {
    type Output = Self;
    #[inline(always)]
    fn bitand(self, other: Self) -> Self {
        ArrayMask(core::array::from_fn(|lane| self.0[lane] & other.0[lane]))
    }
}

impl<const W: usize> Vector<W> for [f64; W] {
    type Mask = ArrayMask<W>;
    #[inline(always)]
    fn splat(number: f64) -> Self {
        [number; W]
    }
    #[inline(always)]
    fn load(from: &[f64; W]) -> Self {
        *from
    }
    #[inline(always)]
    fn store(self, to: &mut [f64; W]) {
        *to = self;
    }
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        core::array::from_fn(|lane| self[lane] + other[lane])
    }
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        core::array::from_fn(|lane| self[lane] - other[lane])
    }
    #[inline(always)]
    fn abs(self) -> Self {
        self.map(f64::abs)
    }
    #[inline(always)]
    fn at_most(self, other: Self) -> Self::Mask {
        ArrayMask(core::array::from_fn(|lane| self[lane] <= other[lane]))
    }
    #[inline(always)]
    fn equals(self, other: Self) -> Self::Mask {
        ArrayMask(core::array::from_fn(|lane| self[lane] == other[lane]))
    }
    #[inline(always)]
    fn all(mask: Self::Mask) -> bool {
        mask.0.iter().fold(true, |all, &lane| all & lane)
    }
}
