//! One lane on x86-64: bits and truth values stay in the registers of doubles.
//!
//! A way through an integer register takes six cycles, and there are many: every product in two parts has one. A branch
//! for either of two ways that are as likely as each other costs more than both. And two numbers with the same operations
//! share a register.

use core::arch::x86_64::*;
use core::ops::{Add, BitAnd, BitOr, BitXor, Not, Sub};

use crate::number::{Bits, Mask};

/// The bits of a double, in the lower half.
#[derive(Clone, Copy)]
pub struct LaneBits(__m128i);

/// The truth value of a comparison, as what a branch needs and as bits in the lower half: the compiler leaves out what is
/// not used.
#[derive(Clone, Copy)]
pub struct LaneMask {
    truth: bool,
    bits: __m128d,
}

macro_rules! operators {
    ($($trait:ident $method:ident $instruction:ident),*) => {$(
        impl $trait for LaneBits {
            type Output = LaneBits;
            #[inline(always)]
            fn $method(self, other: LaneBits) -> LaneBits {
                // SAFETY: SSE2 is part of x86-64.
                LaneBits(unsafe { $instruction(self.0, other.0) })
            }
        }
    )*};
}
operators!(
    Add add _mm_add_epi64,
    Sub sub _mm_sub_epi64,
    BitAnd bitand _mm_and_si128,
    BitOr bitor _mm_or_si128,
    BitXor bitxor _mm_xor_si128
);

impl Bits for LaneBits {
    #[inline(always)]
    fn splat(value: u64) -> Self {
        // SAFETY: SSE2 is part of x86-64.
        LaneBits(unsafe { _mm_set1_epi64x(value as i64) })
    }
    #[inline(always)]
    fn shifted_up(self, places: u32) -> Self {
        // SAFETY: SSE2 is part of x86-64.
        LaneBits(unsafe { _mm_sll_epi64(self.0, _mm_cvtsi32_si128(places as i32)) })
    }
    #[inline(always)]
    fn shifted_down(self, places: u32) -> Self {
        // SAFETY: SSE2 is part of x86-64.
        LaneBits(unsafe { _mm_srl_epi64(self.0, _mm_cvtsi32_si128(places as i32)) })
    }
}

impl Mask for LaneMask {
    #[inline(always)]
    fn all(self) -> bool {
        self.truth
    }
}

impl BitAnd for LaneMask {
    type Output = LaneMask;
    #[inline(always)]
    fn bitand(self, other: LaneMask) -> LaneMask {
        // SAFETY: SSE2 is part of x86-64.
        LaneMask { truth: self.truth & other.truth, bits: unsafe { _mm_and_pd(self.bits, other.bits) } }
    }
}

impl BitOr for LaneMask {
    type Output = LaneMask;
    #[inline(always)]
    fn bitor(self, other: LaneMask) -> LaneMask {
        // SAFETY: SSE2 is part of x86-64.
        LaneMask { truth: self.truth | other.truth, bits: unsafe { _mm_or_pd(self.bits, other.bits) } }
    }
}

impl Not for LaneMask {
    type Output = LaneMask;
    #[inline(always)]
    fn not(self) -> LaneMask {
        // SAFETY: SSE2 is part of x86-64.
        let bits = unsafe { _mm_xor_pd(self.bits, _mm_castsi128_pd(_mm_set1_epi64x(-1))) };
        LaneMask { truth: !self.truth, bits }
    }
}

#[inline(always)]
fn one(x: f64) -> __m128d {
    // SAFETY: SSE2 is part of x86-64.
    unsafe { _mm_set_sd(x) }
}

#[inline(always)]
fn lower(x: __m128d) -> f64 {
    // SAFETY: SSE2 is part of x86-64.
    unsafe { _mm_cvtsd_f64(x) }
}

#[inline(always)]
fn two([a, b]: [f64; 2]) -> __m128d {
    // SAFETY: SSE2 is part of x86-64.
    unsafe { _mm_set_pd(b, a) }
}

#[inline(always)]
fn halves(x: __m128d) -> [f64; 2] {
    // SAFETY: SSE2 is part of x86-64.
    unsafe { [_mm_cvtsd_f64(x), _mm_cvtsd_f64(_mm_unpackhi_pd(x, x))] }
}

#[inline(always)]
pub(crate) fn less(a: f64, b: f64) -> LaneMask {
    // SAFETY: SSE2 is part of x86-64.
    LaneMask { truth: a < b, bits: unsafe { _mm_cmplt_sd(one(a), one(b)) } }
}

#[inline(always)]
pub(crate) fn less_or_equal(a: f64, b: f64) -> LaneMask {
    // SAFETY: SSE2 is part of x86-64.
    LaneMask { truth: a <= b, bits: unsafe { _mm_cmple_sd(one(a), one(b)) } }
}

#[inline(always)]
pub(crate) fn equal(a: f64, b: f64) -> LaneMask {
    // SAFETY: SSE2 is part of x86-64.
    LaneMask { truth: a == b, bits: unsafe { _mm_cmpeq_sd(one(a), one(b)) } }
}

#[inline(always)]
pub(crate) fn bits(x: f64) -> LaneBits {
    // SAFETY: SSE2 is part of x86-64.
    LaneBits(unsafe { _mm_castpd_si128(one(x)) })
}

#[inline(always)]
pub(crate) fn from_bits(bits: LaneBits) -> f64 {
    // SAFETY: SSE2 is part of x86-64.
    lower(unsafe { _mm_castsi128_pd(bits.0) })
}

#[inline(always)]
pub(crate) fn blend(mask: LaneMask, then: f64, otherwise: f64) -> f64 {
    // SAFETY: SSE2 is part of x86-64.
    lower(unsafe { _mm_or_pd(_mm_and_pd(mask.bits, one(then)), _mm_andnot_pd(mask.bits, one(otherwise))) })
}

#[inline(always)]
pub(crate) fn lesser(a: f64, b: f64) -> f64 {
    // SAFETY: SSE2 is part of x86-64.
    lower(unsafe { _mm_min_sd(one(a), one(b)) })
}

#[inline(always)]
pub(crate) fn greater(a: f64, b: f64) -> f64 {
    // SAFETY: SSE2 is part of x86-64.
    lower(unsafe { _mm_max_sd(one(a), one(b)) })
}

/// A product that the compiler does not join with another in one register of its own accord: moving numbers there and
/// back takes longer than the operations that it saves.
#[inline(always)]
pub(crate) fn product(a: f64, b: f64) -> f64 {
    #[allow(unused_mut)]
    let mut product = a * b;
    // SAFETY: no instruction.
    #[cfg(not(miri))]
    unsafe {
        core::arch::asm!("/* {0} */", inout(xmm_reg) product, options(pure, nomem, nostack, preserves_flags));
    }
    product
}

#[inline(always)]
pub(crate) fn two_sums(a: [f64; 2], b: [f64; 2]) -> [f64; 2] {
    // SAFETY: SSE2 is part of x86-64.
    halves(unsafe { _mm_add_pd(two(a), two(b)) })
}

#[inline(always)]
pub(crate) fn two_differences(a: [f64; 2], b: [f64; 2]) -> [f64; 2] {
    // SAFETY: SSE2 is part of x86-64.
    halves(unsafe { _mm_sub_pd(two(a), two(b)) })
}

#[inline(always)]
pub(crate) fn two_products(a: [f64; 2], b: [f64; 2]) -> [f64; 2] {
    // SAFETY: SSE2 is part of x86-64.
    halves(unsafe { _mm_mul_pd(two(a), two(b)) })
}
