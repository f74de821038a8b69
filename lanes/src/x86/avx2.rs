//! Four lanes: AVX2.

use std::arch::x86_64::*;

use crate::ints::{Ints, LaneMask};
use crate::math::each_lane;
use crate::operators::{arithmetic, bits, mask};
use crate::{Real, Vector, inlined};

/// Four numbers.
#[derive(Clone, Copy, Debug)]
pub struct F64x4(pub(super) __m256d);

/// Four truth values: all bits of a lane set, or none.
#[derive(Clone, Copy, Debug)]
pub struct Mask4(__m256d);

arithmetic! {
    F64x4,
    _mm256_add_pd, _mm256_sub_pd, _mm256_mul_pd, _mm256_div_pd, |a| _mm256_xor_pd(a, _mm256_set1_pd(-0.0))
}

mask!(
    Mask4,
    _mm256_and_pd,
    _mm256_or_pd,
    |a| _mm256_xor_pd(a, _mm256_castsi256_pd(_mm256_set1_epi64x(-1))),
    |a| _mm256_movemask_pd(a) == 15
);

bits!(
    Bits4(__m256i),
    _mm256_add_epi64,
    _mm256_sub_epi64,
    _mm256_and_si256,
    _mm256_or_si256,
    _mm256_xor_si256,
    |value| _mm256_set1_epi64x(value as i64),
    |a, n| _mm256_sll_epi64(a, _mm_cvtsi32_si128(n as i32)),
    _mm256_srl_epi64(a, _mm_cvtsi32_si128(n as i32))
);

impl LaneMask<4> for Mask4 {
    #[inline(always)]
    fn from_lanes(lanes: [bool; 4]) -> Self {
        let [a, b, c, d] = inlined::map(lanes, |lane| -i64::from(lane));
        // SAFETY: the processor has AVX2, as for `splat`.
        unsafe { Mask4(_mm256_castsi256_pd(_mm256_setr_epi64x(a, b, c, d))) }
    }
    #[inline(always)]
    fn to_lanes(self) -> [bool; 4] {
        // SAFETY: the mask exists, so the processor has AVX2.
        let bits = unsafe { _mm256_movemask_pd(self.0) };
        [bits & 1 != 0, bits & 2 != 0, bits & 4 != 0, bits & 8 != 0]
    }
}

impl Real for F64x4 {
    type Mask = Mask4;
    type Int = Ints<4, Mask4>;
    type Bits = Bits4;
    each_lane!();
    #[inline(always)]
    fn to_bits(self) -> Bits4 {
        // SAFETY: the register exists, so the processor has AVX2.
        unsafe { Bits4(_mm256_castpd_si256(self.0)) }
    }
    #[inline(always)]
    fn from_bits(bits: Bits4) -> Self {
        // SAFETY: the register exists, so the processor has AVX2.
        unsafe { F64x4(_mm256_castsi256_pd(bits.0)) }
    }
    #[inline(always)]
    fn splat(value: f64) -> Self {
        // SAFETY: the processor has AVX2: this type is used only where `Registers` has found it.
        unsafe { F64x4(_mm256_set1_pd(value)) }
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        // SAFETY: the register exists, so the processor has AVX2.
        unsafe { F64x4(_mm256_sqrt_pd(self.0)) }
    }
    #[inline(always)]
    fn abs(self) -> Self {
        // SAFETY: the register exists, so the processor has AVX2.
        unsafe { F64x4(_mm256_andnot_pd(_mm256_set1_pd(-0.0), self.0)) }
    }
    #[inline(always)]
    fn lt(self, other: Self) -> Mask4 {
        // SAFETY: the register exists, so the processor has AVX2.
        unsafe { Mask4(_mm256_cmp_pd::<_CMP_LT_OQ>(self.0, other.0)) }
    }
    #[inline(always)]
    fn le(self, other: Self) -> Mask4 {
        // SAFETY: the register exists, so the processor has AVX2.
        unsafe { Mask4(_mm256_cmp_pd::<_CMP_LE_OQ>(self.0, other.0)) }
    }
    #[inline(always)]
    fn eq(self, other: Self) -> Mask4 {
        // SAFETY: the register exists, so the processor has AVX2.
        unsafe { Mask4(_mm256_cmp_pd::<_CMP_EQ_OQ>(self.0, other.0)) }
    }
    #[inline(always)]
    fn select(mask: Mask4, then: Self, otherwise: Self) -> Self {
        // SAFETY: the register exists, so the processor has AVX2.
        unsafe { F64x4(_mm256_blendv_pd(otherwise.0, then.0, mask.0)) }
    }
    /// The instruction behaves as the trait requires.
    #[inline(always)]
    fn min(self, other: Self) -> Self {
        // SAFETY: the register exists, so the processor has AVX2.
        unsafe { F64x4(_mm256_min_pd(self.0, other.0)) }
    }
    /// The instruction behaves as the trait requires.
    #[inline(always)]
    fn max(self, other: Self) -> Self {
        // SAFETY: the register exists, so the processor has AVX2.
        unsafe { F64x4(_mm256_max_pd(self.0, other.0)) }
    }
}

/// [a, b], each of two numbers.
///
/// # Safety
/// The processor has AVX2; `a` and `b` point to 2 numbers each.
#[inline(always)]
pub(super) unsafe fn load_two_pairs(a: *const f64, b: *const f64) -> __m256d {
    // SAFETY: the caller's condition.
    unsafe { _mm256_insertf128_pd::<1>(_mm256_castpd128_pd256(_mm_loadu_pd(a)), _mm_loadu_pd(b)) }
}

impl Vector<4> for F64x4 {
    #[inline(always)]
    fn from_array(values: [f64; 4]) -> Self {
        // SAFETY: there are four numbers.
        unsafe { F64x4(_mm256_loadu_pd(values.as_ptr())) }
    }
    #[inline(always)]
    fn to_array(self) -> [f64; 4] {
        // SAFETY: four numbers either way.
        unsafe { std::mem::transmute(self.0) }
    }
    #[inline(always)]
    fn ints_from_array(values: [i32; 4]) -> Self::Int {
        Ints::new(values)
    }
    #[inline(always)]
    fn ints_to_array(ints: Self::Int) -> [i32; 4] {
        ints.lanes
    }
    #[inline(always)]
    fn any(mask: Mask4) -> bool {
        // SAFETY: the mask exists, so the processor has AVX2.
        unsafe { _mm256_movemask_pd(mask.0) != 0 }
    }
    /// Loads that the compiler cannot change: it would turn plain ones into a hardware gather.
    #[inline(always)]
    unsafe fn load_singles(rows: [*const f64; 4]) -> Self {
        // SAFETY: the caller's condition; the processor has AVX2, as for `splat`.
        unsafe {
            let [a, b, c, d] = inlined::map(rows, |row| row.read_volatile());
            F64x4(_mm256_setr_pd(a, b, c, d))
        }
    }
    #[inline(always)]
    unsafe fn load_pairs([a, b, c, d]: [*const f64; 4]) -> [Self; 2] {
        // SAFETY: the caller's condition; the processor has AVX2, as for `splat`.
        unsafe {
            let (even, odd) = (load_two_pairs(a, c), load_two_pairs(b, d));
            [F64x4(_mm256_unpacklo_pd(even, odd)), F64x4(_mm256_unpackhi_pd(even, odd))]
        }
    }
    #[inline(always)]
    unsafe fn store_pairs([x, y]: [Self; 2], [a, b, c, d]: [*mut f64; 4]) {
        // SAFETY: the caller's condition; the lanes exist, so the processor has AVX2.
        unsafe {
            let (even, odd) = (_mm256_unpacklo_pd(x.0, y.0), _mm256_unpackhi_pd(x.0, y.0));
            _mm_storeu_pd(a, _mm256_castpd256_pd128(even));
            _mm_storeu_pd(b, _mm256_castpd256_pd128(odd));
            _mm_storeu_pd(c, _mm256_extractf128_pd::<1>(even));
            _mm_storeu_pd(d, _mm256_extractf128_pd::<1>(odd));
        }
    }
    #[inline(always)]
    unsafe fn store_pair_block([x, y]: [Self; 2], first: *mut f64) {
        // SAFETY: the caller's condition; the lanes exist, so the processor has AVX2.
        unsafe {
            let (even, odd) = (_mm256_unpacklo_pd(x.0, y.0), _mm256_unpackhi_pd(x.0, y.0));
            _mm256_storeu_pd(first, _mm256_permute2f128_pd::<0x20>(even, odd));
            _mm256_storeu_pd(first.add(4), _mm256_permute2f128_pd::<0x31>(even, odd));
        }
    }
    #[inline(always)]
    unsafe fn store_quads([x, y, z, w]: [Self; 4], [a, b, c, d]: [*mut f64; 4]) {
        // SAFETY: the caller's condition; the lanes exist, so the processor has AVX2.
        unsafe {
            let (xy_even, xy_odd) = (_mm256_unpacklo_pd(x.0, y.0), _mm256_unpackhi_pd(x.0, y.0));
            let (zw_even, zw_odd) = (_mm256_unpacklo_pd(z.0, w.0), _mm256_unpackhi_pd(z.0, w.0));
            _mm256_storeu_pd(a, _mm256_permute2f128_pd::<0x20>(xy_even, zw_even));
            _mm256_storeu_pd(b, _mm256_permute2f128_pd::<0x20>(xy_odd, zw_odd));
            _mm256_storeu_pd(c, _mm256_permute2f128_pd::<0x31>(xy_even, zw_even));
            _mm256_storeu_pd(d, _mm256_permute2f128_pd::<0x31>(xy_odd, zw_odd));
        }
    }
}
