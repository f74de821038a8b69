//! Two lanes: NEON, which every 64-bit Arm processor has.

use std::arch::aarch64::*;

use super::ints::{Ints, LaneMask};
use super::math::each_lane;
use super::operators::{arithmetic, bits, mask};
use super::{Real, Vector, inlined};

/// Two numbers.
#[derive(Clone, Copy, Debug)]
pub struct F64x2(float64x2_t);

/// Two truth values: all bits of a lane set, or none.
#[derive(Clone, Copy, Debug)]
pub struct Mask2(uint64x2_t);

arithmetic!(F64x2, vaddq_f64, vsubq_f64, vmulq_f64, vdivq_f64, |a| vnegq_f64(a));

mask!(Mask2, vandq_u64, vorrq_u64, |a| veorq_u64(a, vdupq_n_u64(u64::MAX)), |a| vminvq_u32(
    vreinterpretq_u32_u64(a)
) == u32::MAX);

bits!(
    Bits2(uint64x2_t),
    vaddq_u64,
    vsubq_u64,
    vandq_u64,
    vorrq_u64,
    veorq_u64,
    |value| vdupq_n_u64(value),
    |a, n| vshlq_u64(a, vdupq_n_s64(i64::from(n))),
    vshlq_u64(a, vdupq_n_s64(-i64::from(n)))
);

impl LaneMask<2> for Mask2 {
    #[inline(always)]
    fn from_lanes(lanes: [bool; 2]) -> Self {
        let [a, b] = inlined::map(lanes, |lane| if lane { u64::MAX } else { 0 });
        // SAFETY: NEON is part of AArch64.
        unsafe { Mask2(vcombine_u64(vcreate_u64(a), vcreate_u64(b))) }
    }
    #[inline(always)]
    fn to_lanes(self) -> [bool; 2] {
        // SAFETY: NEON is part of AArch64.
        unsafe { [vgetq_lane_u64::<0>(self.0) != 0, vgetq_lane_u64::<1>(self.0) != 0] }
    }
}

/// Minima and maxima are the trait's: the processor's own treat NaN and zeros differently.
impl Real for F64x2 {
    type Mask = Mask2;
    type Int = Ints<2, Mask2>;
    type Bits = Bits2;
    each_lane!();
    #[inline(always)]
    fn to_bits(self) -> Bits2 {
        // SAFETY: NEON is part of AArch64.
        unsafe { Bits2(vreinterpretq_u64_f64(self.0)) }
    }
    #[inline(always)]
    fn from_bits(bits: Bits2) -> Self {
        // SAFETY: NEON is part of AArch64.
        unsafe { F64x2(vreinterpretq_f64_u64(bits.0)) }
    }
    #[inline(always)]
    fn splat(value: f64) -> Self {
        // SAFETY: NEON is part of AArch64.
        unsafe { F64x2(vdupq_n_f64(value)) }
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        // SAFETY: NEON is part of AArch64.
        unsafe { F64x2(vsqrtq_f64(self.0)) }
    }
    #[inline(always)]
    fn abs(self) -> Self {
        // SAFETY: NEON is part of AArch64.
        unsafe { F64x2(vabsq_f64(self.0)) }
    }
    #[inline(always)]
    fn lt(self, other: Self) -> Mask2 {
        // SAFETY: NEON is part of AArch64.
        unsafe { Mask2(vcltq_f64(self.0, other.0)) }
    }
    #[inline(always)]
    fn le(self, other: Self) -> Mask2 {
        // SAFETY: NEON is part of AArch64.
        unsafe { Mask2(vcleq_f64(self.0, other.0)) }
    }
    #[inline(always)]
    fn eq(self, other: Self) -> Mask2 {
        // SAFETY: NEON is part of AArch64.
        unsafe { Mask2(vceqq_f64(self.0, other.0)) }
    }
    #[inline(always)]
    fn select(mask: Mask2, then: Self, otherwise: Self) -> Self {
        // SAFETY: NEON is part of AArch64.
        unsafe { F64x2(vbslq_f64(mask.0, then.0, otherwise.0)) }
    }
}

impl Vector<2> for F64x2 {
    #[inline(always)]
    fn from_array(values: [f64; 2]) -> Self {
        // SAFETY: there are two numbers.
        unsafe { F64x2(vld1q_f64(values.as_ptr())) }
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
        // SAFETY: NEON is part of AArch64.
        unsafe { vmaxvq_u32(vreinterpretq_u32_u64(mask.0)) != 0 }
    }
    #[inline(always)]
    unsafe fn load_singles([a, b]: [*const f64; 2]) -> Self {
        // SAFETY: the caller's condition; NEON is part of AArch64.
        unsafe { F64x2(vcombine_f64(vld1_f64(a), vld1_f64(b))) }
    }
    #[inline(always)]
    unsafe fn load_pairs([a, b]: [*const f64; 2]) -> [Self; 2] {
        // SAFETY: the caller's condition; NEON is part of AArch64.
        unsafe {
            let (a, b) = (vld1q_f64(a), vld1q_f64(b));
            [F64x2(vzip1q_f64(a, b)), F64x2(vzip2q_f64(a, b))]
        }
    }
    #[inline(always)]
    unsafe fn store_pairs([x, y]: [Self; 2], [a, b]: [*mut f64; 2]) {
        // SAFETY: the caller's condition; NEON is part of AArch64.
        unsafe {
            vst1q_f64(a, vzip1q_f64(x.0, y.0));
            vst1q_f64(b, vzip2q_f64(x.0, y.0));
        }
    }
}
