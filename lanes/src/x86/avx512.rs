//! Eight lanes: AVX-512 F, DQ and VL.

use std::arch::x86_64::*;
use std::ops::{BitAnd, BitOr, Not};

use super::avx2::load_two_pairs;
use super::gather;
use super::root::roots;
use crate::ints::{Ints, LaneMask};
use crate::math::each_lane;
use crate::operators::{arithmetic, bits};
use crate::vector::targets;
use crate::{Mask, Real, Vector, inlined};

/// Eight numbers, which one instruction loads from eight places if `GATHERS`.
#[derive(Clone, Copy, Debug)]
pub struct F64x8<const GATHERS: bool>(__m512d);

/// Eight truth values, lane 0 in the lowest bit.
#[derive(Clone, Copy, Debug)]
pub struct Mask8(__mmask8);

arithmetic!(
    F64x8<const GATHERS>,
    _mm512_add_pd, _mm512_sub_pd, _mm512_mul_pd, _mm512_div_pd, |a| _mm512_xor_pd(a, _mm512_set1_pd(-0.0))
);

impl BitAnd for Mask8 {
    type Output = Self;
    #[inline(always)]
    fn bitand(self, other: Self) -> Self {
        Mask8(self.0 & other.0)
    }
}

impl BitOr for Mask8 {
    type Output = Self;
    #[inline(always)]
    fn bitor(self, other: Self) -> Self {
        Mask8(self.0 | other.0)
    }
}

impl Not for Mask8 {
    type Output = Self;
    #[inline(always)]
    fn not(self) -> Self {
        Mask8(!self.0)
    }
}

impl Mask for Mask8 {
    #[inline(always)]
    fn all(self) -> bool {
        self.0 == 0xff
    }
}

bits!(
    Bits8(__m512i),
    _mm512_add_epi64,
    _mm512_sub_epi64,
    _mm512_and_si512,
    _mm512_or_si512,
    _mm512_xor_si512,
    |value| _mm512_set1_epi64(value as i64),
    |a, n| _mm512_sll_epi64(a, _mm_cvtsi32_si128(n as i32)),
    _mm512_srl_epi64(a, _mm_cvtsi32_si128(n as i32))
);

impl LaneMask<8> for Mask8 {
    #[inline(always)]
    fn from_lanes(lanes: [bool; 8]) -> Self {
        let mut bits = 0;
        for i in 0..8 {
            bits |= u8::from(lanes[i]) << i;
        }
        Mask8(bits)
    }
    #[inline(always)]
    fn to_lanes(self) -> [bool; 8] {
        let mut lanes = [false; 8];
        for i in 0..8 {
            lanes[i] = self.0 >> i & 1 != 0;
        }
        lanes
    }
}

impl<const GATHERS: bool> Real for F64x8<GATHERS> {
    type Mask = Mask8;
    type Int = Ints<8, Mask8>;
    type Bits = Bits8;
    each_lane!();
    #[inline(always)]
    fn to_bits(self) -> Bits8 {
        // SAFETY: the register exists, so the processor has AVX-512.
        unsafe { Bits8(_mm512_castpd_si512(self.0)) }
    }
    #[inline(always)]
    fn from_bits(bits: Bits8) -> Self {
        // SAFETY: the register exists, so the processor has AVX-512.
        unsafe { F64x8(_mm512_castsi512_pd(bits.0)) }
    }
    #[inline(always)]
    fn splat(value: f64) -> Self {
        // SAFETY: the processor has AVX-512: this type is used only where `Registers` has found it.
        unsafe { F64x8(_mm512_set1_pd(value)) }
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        // SAFETY: the register exists, so the processor has AVX-512.
        unsafe { F64x8(roots(self.0)) }
    }
    #[inline(always)]
    fn abs(self) -> Self {
        // SAFETY: the register exists, so the processor has AVX-512.
        unsafe { F64x8(_mm512_abs_pd(self.0)) }
    }
    #[inline(always)]
    fn lt(self, other: Self) -> Mask8 {
        // SAFETY: the register exists, so the processor has AVX-512.
        unsafe { Mask8(_mm512_cmp_pd_mask::<_CMP_LT_OQ>(self.0, other.0)) }
    }
    #[inline(always)]
    fn le(self, other: Self) -> Mask8 {
        // SAFETY: the register exists, so the processor has AVX-512.
        unsafe { Mask8(_mm512_cmp_pd_mask::<_CMP_LE_OQ>(self.0, other.0)) }
    }
    #[inline(always)]
    fn eq(self, other: Self) -> Mask8 {
        // SAFETY: the register exists, so the processor has AVX-512.
        unsafe { Mask8(_mm512_cmp_pd_mask::<_CMP_EQ_OQ>(self.0, other.0)) }
    }
    #[inline(always)]
    fn select(mask: Mask8, then: Self, otherwise: Self) -> Self {
        // SAFETY: the register exists, so the processor has AVX-512.
        unsafe { F64x8(_mm512_mask_blend_pd(mask.0, otherwise.0, then.0)) }
    }
    /// The instruction behaves as the trait requires.
    #[inline(always)]
    fn min(self, other: Self) -> Self {
        // SAFETY: the register exists, so the processor has AVX-512.
        unsafe { F64x8(_mm512_min_pd(self.0, other.0)) }
    }
    /// The instruction behaves as the trait requires.
    #[inline(always)]
    fn max(self, other: Self) -> Self {
        // SAFETY: the register exists, so the processor has AVX-512.
        unsafe { F64x8(_mm512_max_pd(self.0, other.0)) }
    }
}

/// Eight numbers, by loads that the compiler cannot change: it would turn plain ones into a hardware gather.
///
/// # Safety
/// The processor has AVX-512; each of `rows` points to a number.
#[inline(always)]
pub(super) unsafe fn load_eight(rows: [*const f64; 8]) -> __m512d {
    // SAFETY: the caller's condition.
    unsafe {
        let [a, b, c, d, e, f, g, h] = inlined::map(rows, |row| row.read_volatile());
        _mm512_setr_pd(a, b, c, d, e, f, g, h)
    }
}

/// [a, b], each of four numbers.
///
/// # Safety
/// The processor has AVX-512; `a` and `b` point to 4 numbers each.
#[inline(always)]
unsafe fn load_two_quads(a: *const f64, b: *const f64) -> __m512d {
    // SAFETY: the caller's condition.
    unsafe { _mm512_insertf64x4::<1>(_mm512_castpd256_pd512(_mm256_loadu_pd(a)), _mm256_loadu_pd(b)) }
}

/// [a, b, c, d], each of two numbers.
///
/// # Safety
/// The processor has AVX-512; each of `rows` points to 2 numbers.
#[inline(always)]
unsafe fn load_four_pairs([a, b, c, d]: [*const f64; 4]) -> __m512d {
    // SAFETY: the caller's condition.
    unsafe { _mm512_insertf64x4::<1>(_mm512_castpd256_pd512(load_two_pairs(a, b)), load_two_pairs(c, d)) }
}

/// Stores [a, b, c, d], each of two numbers.
///
/// # Safety
/// The processor has AVX-512; each of `rows` points to 2 numbers that nothing else accesses.
#[inline(always)]
unsafe fn store_four_pairs(pairs: __m512d, [a, b, c, d]: [*mut f64; 4]) {
    // SAFETY: the caller's condition.
    unsafe {
        let (ab, cd) = (_mm512_castpd512_pd256(pairs), _mm512_extractf64x4_pd::<1>(pairs));
        _mm_storeu_pd(a, _mm256_castpd256_pd128(ab));
        _mm_storeu_pd(b, _mm256_extractf128_pd::<1>(ab));
        _mm_storeu_pd(c, _mm256_castpd256_pd128(cd));
        _mm_storeu_pd(d, _mm256_extractf128_pd::<1>(cd));
    }
}

/// Selects eight of the sixteen numbers of `a`, then `b`.
///
/// # Safety
/// The processor has AVX-512.
#[inline(always)]
unsafe fn pick(a: __m512d, b: __m512d, from: [i64; 8]) -> __m512d {
    let [i, j, k, l, m, n, o, p] = from;
    // SAFETY: the caller's condition.
    unsafe { _mm512_permutex2var_pd(a, _mm512_setr_epi64(i, j, k, l, m, n, o, p), b) }
}

/// Two columns of rows 0 to 3 and 4 to 7.
///
/// # Safety
/// The processor has AVX-512.
#[inline(always)]
unsafe fn pair_columns<const G: bool>(low: __m512d, high: __m512d) -> [F64x8<G>; 2] {
    // SAFETY: the caller's condition.
    unsafe {
        [
            F64x8(pick(low, high, [0, 2, 4, 6, 8, 10, 12, 14])),
            F64x8(pick(low, high, [1, 3, 5, 7, 9, 11, 13, 15])),
        ]
    }
}

/// Four columns of rows 0 and 1, 2 and 3, 4 and 5, 6 and 7.
///
/// # Safety
/// The processor has AVX-512.
#[inline(always)]
unsafe fn quad_columns<const G: bool>([a, b, c, d]: [__m512d; 4]) -> [F64x8<G>; 4] {
    // SAFETY: the caller's condition.
    unsafe {
        let front = [0, 4, 8, 12, 1, 5, 9, 13];
        let back = [2, 6, 10, 14, 3, 7, 11, 15];
        let (ab_front, cd_front) = (pick(a, b, front), pick(c, d, front));
        let (ab_back, cd_back) = (pick(a, b, back), pick(c, d, back));
        [
            F64x8(_mm512_shuffle_f64x2::<0x44>(ab_front, cd_front)),
            F64x8(_mm512_shuffle_f64x2::<0xee>(ab_front, cd_front)),
            F64x8(_mm512_shuffle_f64x2::<0x44>(ab_back, cd_back)),
            F64x8(_mm512_shuffle_f64x2::<0xee>(ab_back, cd_back)),
        ]
    }
}

/// Rows 0 to 3 and 4 to 7 of two columns.
///
/// # Safety
/// The processor has AVX-512.
#[inline(always)]
unsafe fn pair_rows<const G: bool>([x, y]: [F64x8<G>; 2]) -> [__m512d; 2] {
    // SAFETY: the caller's condition.
    unsafe { [pick(x.0, y.0, [0, 8, 1, 9, 2, 10, 3, 11]), pick(x.0, y.0, [4, 12, 5, 13, 6, 14, 7, 15])] }
}

/// Rows 0 and 1, 2 and 3, 4 and 5, 6 and 7 of four columns.
///
/// # Safety
/// The processor has AVX-512.
#[inline(always)]
unsafe fn quad_rows<const G: bool>([x, y, z, w]: [F64x8<G>; 4]) -> [__m512d; 4] {
    // SAFETY: the caller's condition.
    unsafe {
        let ([xy_low, xy_high], [zw_low, zw_high]) = (pair_rows([x, y]), pair_rows([z, w]));
        let (front, back) = ([0, 1, 8, 9, 2, 3, 10, 11], [4, 5, 12, 13, 6, 7, 14, 15]);
        [
            pick(xy_low, zw_low, front),
            pick(xy_low, zw_low, back),
            pick(xy_high, zw_high, front),
            pick(xy_high, zw_high, back),
        ]
    }
}

impl<const GATHERS: bool> Vector<8> for F64x8<GATHERS> {
    #[inline(always)]
    fn from_array(values: [f64; 8]) -> Self {
        // SAFETY: there are eight numbers.
        unsafe { F64x8(_mm512_loadu_pd(values.as_ptr())) }
    }
    #[inline(always)]
    fn to_array(self) -> [f64; 8] {
        // SAFETY: eight numbers either way.
        unsafe { std::mem::transmute(self.0) }
    }
    #[inline(always)]
    fn ints_from_array(values: [i32; 8]) -> Self::Int {
        Ints::new(values)
    }
    #[inline(always)]
    fn ints_to_array(ints: Self::Int) -> [i32; 8] {
        ints.lanes
    }
    #[inline(always)]
    fn any(mask: Mask8) -> bool {
        mask.0 != 0
    }
    #[inline(always)]
    unsafe fn load_singles(rows: [*const f64; 8]) -> Self {
        // SAFETY: the caller's condition; the processor has AVX-512, as for `splat`.
        unsafe { F64x8(load_eight(rows)) }
    }
    #[inline(always)]
    unsafe fn load_single_targets<const N: usize, const I: usize>(
        base: *const f64,
        indices: *const [u32; N],
    ) -> Self {
        // SAFETY: the caller's condition; the processor has AVX-512, as for `splat`.
        unsafe {
            if GATHERS && const { gather::is_for(N) } {
                F64x8(gather::gather::<N, I>(base, indices))
            } else {
                Self::load_singles(targets::<f64, 8, N, I>(base, indices))
            }
        }
    }
    #[inline(always)]
    unsafe fn load_pairs([a, b, c, d, e, f, g, h]: [*const f64; 8]) -> [Self; 2] {
        // SAFETY: the caller's condition; the processor has AVX-512, as for `splat`.
        unsafe { pair_columns(load_four_pairs([a, b, c, d]), load_four_pairs([e, f, g, h])) }
    }
    #[inline(always)]
    unsafe fn load_quads([a, b, c, d, e, f, g, h]: [*const f64; 8]) -> [Self; 4] {
        // SAFETY: the caller's condition; the processor has AVX-512, as for `splat`.
        unsafe {
            quad_columns([
                load_two_quads(a, b),
                load_two_quads(c, d),
                load_two_quads(e, f),
                load_two_quads(g, h),
            ])
        }
    }
    #[inline(always)]
    unsafe fn load_pair_block(first: *const f64) -> [Self; 2] {
        // SAFETY: the caller's condition; the processor has AVX-512, as for `splat`.
        unsafe { pair_columns(_mm512_loadu_pd(first), _mm512_loadu_pd(first.add(8))) }
    }
    #[inline(always)]
    unsafe fn load_quad_block(first: *const f64) -> [Self; 4] {
        // SAFETY: the caller's condition; the processor has AVX-512, as for `splat`.
        unsafe {
            quad_columns([
                _mm512_loadu_pd(first),
                _mm512_loadu_pd(first.add(8)),
                _mm512_loadu_pd(first.add(16)),
                _mm512_loadu_pd(first.add(24)),
            ])
        }
    }
    #[inline(always)]
    unsafe fn store_pairs(lanes: [Self; 2], [a, b, c, d, e, f, g, h]: [*mut f64; 8]) {
        // SAFETY: the caller's condition; the lanes exist, so the processor has AVX-512.
        unsafe {
            let [low, high] = pair_rows(lanes);
            store_four_pairs(low, [a, b, c, d]);
            store_four_pairs(high, [e, f, g, h]);
        }
    }
    #[inline(always)]
    unsafe fn store_quads(lanes: [Self; 4], rows: [*mut f64; 8]) {
        // SAFETY: the caller's condition; the lanes exist, so the processor has AVX-512.
        unsafe {
            let pairs = quad_rows(lanes);
            for i in 0..4 {
                _mm256_storeu_pd(rows[2 * i], _mm512_castpd512_pd256(pairs[i]));
                _mm256_storeu_pd(rows[2 * i + 1], _mm512_extractf64x4_pd::<1>(pairs[i]));
            }
        }
    }
    #[inline(always)]
    unsafe fn store_pair_block(lanes: [Self; 2], first: *mut f64) {
        // SAFETY: the caller's condition; the lanes exist, so the processor has AVX-512.
        unsafe {
            let [low, high] = pair_rows(lanes);
            _mm512_storeu_pd(first, low);
            _mm512_storeu_pd(first.add(8), high);
        }
    }
    #[inline(always)]
    unsafe fn store_quad_block(lanes: [Self; 4], first: *mut f64) {
        // SAFETY: the caller's condition; the lanes exist, so the processor has AVX-512.
        unsafe {
            let pairs = quad_rows(lanes);
            for i in 0..4 {
                _mm512_storeu_pd(first.add(8 * i), pairs[i]);
            }
        }
    }
}
