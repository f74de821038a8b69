//! Two lanes: SSE2, which every x86-64 processor has.

use std::arch::x86_64::*;

use crate::ints::{Ints, LaneMask};
use crate::math::each_lane;
use crate::operators::{arithmetic, bits, mask};
use crate::{Real, Vector, inlined};

/// Two numbers.
#[derive(Clone, Copy, Debug)]
pub struct F64x2(__m128d);

/// Two truth values: all bits of a lane set, or none.
#[derive(Clone, Copy, Debug)]
pub struct Mask2(__m128d);

arithmetic!(F64x2, _mm_add_pd, _mm_sub_pd, _mm_mul_pd, _mm_div_pd, |a| _mm_xor_pd(a, _mm_set1_pd(-0.0)));

mask!(Mask2, _mm_and_pd, _mm_or_pd, |a| _mm_xor_pd(a, _mm_castsi128_pd(_mm_set1_epi64x(-1))), |a| {
    _mm_movemask_pd(a) == 3
});

bits!(
    Bits2(__m128i),
    _mm_add_epi64,
    _mm_sub_epi64,
    _mm_and_si128,
    _mm_or_si128,
    _mm_xor_si128,
    |value| _mm_set1_epi64x(value as i64),
    |a, n| _mm_sll_epi64(a, _mm_cvtsi32_si128(n as i32)),
    _mm_srl_epi64(a, _mm_cvtsi32_si128(n as i32))
);

impl LaneMask<2> for Mask2 {
    #[inline(always)]
    fn from_lanes(lanes: [bool; 2]) -> Self {
        let [a, b] = inlined::map(lanes, |lane| -i64::from(lane));
        // SAFETY: SSE2 is part of x86-64.
        unsafe { Mask2(_mm_castsi128_pd(_mm_set_epi64x(b, a))) }
    }
    #[inline(always)]
    fn to_lanes(self) -> [bool; 2] {
        // SAFETY: SSE2 is part of x86-64.
        let bits = unsafe { _mm_movemask_pd(self.0) };
        [bits & 1 != 0, bits & 2 != 0]
    }
}

impl Real for F64x2 {
    type Mask = Mask2;
    type Int = Ints<2, Mask2>;
    type Bits = Bits2;
    each_lane!();
    #[inline(always)]
    fn to_bits(self) -> Bits2 {
        // SAFETY: SSE2 is part of x86-64.
        unsafe { Bits2(_mm_castpd_si128(self.0)) }
    }
    #[inline(always)]
    fn from_bits(bits: Bits2) -> Self {
        // SAFETY: SSE2 is part of x86-64.
        unsafe { F64x2(_mm_castsi128_pd(bits.0)) }
    }
    #[inline(always)]
    fn splat(value: f64) -> Self {
        // SAFETY: SSE2 is part of x86-64.
        unsafe { F64x2(_mm_set1_pd(value)) }
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        // SAFETY: SSE2 is part of x86-64.
        unsafe { F64x2(_mm_sqrt_pd(self.0)) }
    }
    #[inline(always)]
    fn abs(self) -> Self {
        // SAFETY: SSE2 is part of x86-64.
        unsafe { F64x2(_mm_andnot_pd(_mm_set1_pd(-0.0), self.0)) }
    }
    #[inline(always)]
    fn lt(self, other: Self) -> Mask2 {
        // SAFETY: SSE2 is part of x86-64.
        unsafe { Mask2(_mm_cmplt_pd(self.0, other.0)) }
    }
    #[inline(always)]
    fn le(self, other: Self) -> Mask2 {
        // SAFETY: SSE2 is part of x86-64.
        unsafe { Mask2(_mm_cmple_pd(self.0, other.0)) }
    }
    #[inline(always)]
    fn eq(self, other: Self) -> Mask2 {
        // SAFETY: SSE2 is part of x86-64.
        unsafe { Mask2(_mm_cmpeq_pd(self.0, other.0)) }
    }
    #[inline(always)]
    fn select(mask: Mask2, then: Self, otherwise: Self) -> Self {
        // SAFETY: SSE2 is part of x86-64.
        unsafe { F64x2(_mm_or_pd(_mm_and_pd(mask.0, then.0), _mm_andnot_pd(mask.0, otherwise.0))) }
    }
    /// The instruction behaves as the trait requires.
    #[inline(always)]
    fn min(self, other: Self) -> Self {
        // SAFETY: SSE2 is part of x86-64.
        unsafe { F64x2(_mm_min_pd(self.0, other.0)) }
    }
    /// The instruction behaves as the trait requires.
    #[inline(always)]
    fn max(self, other: Self) -> Self {
        // SAFETY: SSE2 is part of x86-64.
        unsafe { F64x2(_mm_max_pd(self.0, other.0)) }
    }
}

impl Vector<2> for F64x2 {
    #[inline(always)]
    fn from_array([a, b]: [f64; 2]) -> Self {
        // SAFETY: SSE2 is part of x86-64.
        unsafe { F64x2(_mm_setr_pd(a, b)) }
    }
    #[inline(always)]
    fn to_array(self) -> [f64; 2] {
        // SAFETY: two numbers either way.
        unsafe { std::mem::transmute(self.0) }
    }
    #[inline(always)]
    fn ints_from_array(values: [i32; 2]) -> Self::Int {
        Ints::new(values)
    }
    #[inline(always)]
    fn ints_to_array(ints: Self::Int) -> [i32; 2] {
        ints.lanes
    }
    #[inline(always)]
    fn any(mask: Mask2) -> bool {
        // SAFETY: SSE2 is part of x86-64.
        unsafe { _mm_movemask_pd(mask.0) != 0 }
    }
    #[inline(always)]
    unsafe fn load_singles([a, b]: [*const f64; 2]) -> Self {
        // SAFETY: the caller's condition; SSE2 is part of x86-64.
        unsafe { F64x2(_mm_loadh_pd(_mm_load_sd(a), b)) }
    }
    #[inline(always)]
    unsafe fn load_pairs([a, b]: [*const f64; 2]) -> [Self; 2] {
        // SAFETY: the caller's condition; SSE2 is part of x86-64.
        unsafe {
            let (a, b) = (_mm_loadu_pd(a), _mm_loadu_pd(b));
            [F64x2(_mm_unpacklo_pd(a, b)), F64x2(_mm_unpackhi_pd(a, b))]
        }
    }
    #[inline(always)]
    unsafe fn store_pairs([x, y]: [Self; 2], [a, b]: [*mut f64; 2]) {
        // SAFETY: the caller's condition; SSE2 is part of x86-64.
        unsafe {
            _mm_storeu_pd(a, _mm_unpacklo_pd(x.0, y.0));
            _mm_storeu_pd(b, _mm_unpackhi_pd(x.0, y.0));
        }
    }
}
