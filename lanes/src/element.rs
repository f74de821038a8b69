//! Values of which lanes are made.

use crate::{Int, Real};

/// A type that a dat can hold.
pub trait Element: Copy + Default + Send + Sync + PartialEq + std::fmt::Debug + bytemuck::Pod {
    /// The element in the lanes of `R`.
    type Lane<R: Real>: Copy;
    /// The value that fills stale halo copies in debug builds.
    const POISON: Self;
    /// `i32`; otherwise `f64`.
    const INTEGER: bool;
    /// The same value in every lane.
    fn splat<R: Real>(self) -> Self::Lane<R>;
    /// A word that holds the value: an f64's bits, or a sign-extended i32.
    fn to_word(value: Self::Lane<f64>) -> u64;
    /// The value in a word.
    fn from_word(word: u64) -> Self::Lane<f64>;
}

impl Element for f64 {
    type Lane<R: Real> = R;
    const POISON: f64 = f64::NAN;
    const INTEGER: bool = false;
    fn to_word(value: f64) -> u64 {
        value.to_bits()
    }
    fn from_word(word: u64) -> f64 {
        f64::from_bits(word)
    }
    #[inline(always)]
    fn splat<R: Real>(self) -> R {
        R::splat(self)
    }
}

/// Lanes of an f32 are those of the f64 that equals it: single precision is a way to store numbers, not to compute.
impl Element for f32 {
    type Lane<R: Real> = R;
    const POISON: f32 = f32::NAN;
    const INTEGER: bool = false;
    fn to_word(value: f64) -> u64 {
        value.to_bits()
    }
    fn from_word(word: u64) -> f64 {
        f64::from_bits(word)
    }
    #[inline(always)]
    fn splat<R: Real>(self) -> R {
        R::splat(f64::from(self))
    }
}

impl Element for i32 {
    type Lane<R: Real> = R::Int;
    const POISON: i32 = i32::MIN;
    const INTEGER: bool = true;
    fn to_word(value: i32) -> u64 {
        i64::from(value) as u64
    }
    fn from_word(word: u64) -> i32 {
        word as u32 as i32
    }
    #[inline(always)]
    fn splat<R: Real>(self) -> R::Int {
        <R::Int as Int>::splat(self)
    }
}
