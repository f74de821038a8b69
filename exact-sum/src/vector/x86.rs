//! Registers of x86-64 processors: used only in functions compiled for them and called where
//! [`processor`](super::processor) has found them. Every method is inlined there.

use core::arch::x86_64::*;
use core::ops::BitAnd;

use super::{Fused, Vector};

/// Four numbers: AVX2.
#[derive(Clone, Copy)]
pub(crate) struct F64x4(__m256d);

/// Four truth values: all bits of a lane, or none.
#[derive(Clone, Copy)]
pub(crate) struct Mask4(__m256d);

/// Eight numbers: AVX-512 F.
#[derive(Clone, Copy)]
pub(crate) struct F64x8(__m512d);

impl BitAnd for Mask4 {
    type Output = Self;
    #[inline(always)]
    fn bitand(self, other: Self) -> Self {
        // SAFETY: the processor has AVX2: this type is used only where it was detected.
        unsafe { Mask4(_mm256_and_pd(self.0, other.0)) }
    }
}

macro_rules! operations {
    ($lanes:literal, $splat:ident, $load:ident, $store:ident, $add:ident, $sub:ident, |$x:ident| $abs:expr) => {
        #[inline(always)]
        fn splat(number: f64) -> Self {
            // SAFETY: the processor has the register: this type is used only where it was detected.
            unsafe { Self($splat(number)) }
        }
        #[inline(always)]
        fn load(from: &[f64; $lanes]) -> Self {
            // SAFETY: as above; the array has a number for each lane.
            unsafe { Self($load(from.as_ptr())) }
        }
        #[inline(always)]
        fn store(self, to: &mut [f64; $lanes]) {
            // SAFETY: as above; the array has a number for each lane.
            unsafe { $store(to.as_mut_ptr(), self.0) }
        }
        #[inline(always)]
        fn add(self, other: Self) -> Self {
            // SAFETY: as above.
            unsafe { Self($add(self.0, other.0)) }
        }
        #[inline(always)]
        fn sub(self, other: Self) -> Self {
            // SAFETY: as above.
            unsafe { Self($sub(self.0, other.0)) }
        }
        #[inline(always)]
        fn abs(self) -> Self {
            let $x = self.0;
            // SAFETY: as above.
            unsafe { Self($abs) }
        }
    };
}

impl Vector<4> for F64x4 {
    type Mask = Mask4;
    operations!(4, _mm256_set1_pd, _mm256_loadu_pd, _mm256_storeu_pd, _mm256_add_pd, _mm256_sub_pd, |x| {
        _mm256_andnot_pd(_mm256_set1_pd(-0.0), x)
    });
    #[inline(always)]
    fn at_most(self, other: Self) -> Mask4 {
        // SAFETY: as above.
        unsafe { Mask4(_mm256_cmp_pd::<_CMP_LE_OQ>(self.0, other.0)) }
    }
    #[inline(always)]
    fn equals(self, other: Self) -> Mask4 {
        // SAFETY: as above.
        unsafe { Mask4(_mm256_cmp_pd::<_CMP_EQ_OQ>(self.0, other.0)) }
    }
    #[inline(always)]
    fn all(mask: Mask4) -> bool {
        // SAFETY: as above.
        unsafe { _mm256_movemask_pd(mask.0) == 0xf }
    }
}

impl Vector<8> for F64x8 {
    type Mask = u8;
    operations!(8, _mm512_set1_pd, _mm512_loadu_pd, _mm512_storeu_pd, _mm512_add_pd, _mm512_sub_pd, |x| {
        _mm512_abs_pd(x)
    });
    #[inline(always)]
    fn at_most(self, other: Self) -> u8 {
        // SAFETY: as above.
        unsafe { _mm512_cmp_pd_mask::<_CMP_LE_OQ>(self.0, other.0) }
    }
    #[inline(always)]
    fn equals(self, other: Self) -> u8 {
        // SAFETY: as above.
        unsafe { _mm512_cmp_pd_mask::<_CMP_EQ_OQ>(self.0, other.0) }
    }
    #[inline(always)]
    fn all(mask: u8) -> bool {
        mask == 0xff
    }
}

macro_rules! fused {
    ($mul:ident, $mul_sub:ident) => {
        #[inline(always)]
        fn mul(self, other: Self) -> Self {
            // SAFETY: as above.
            unsafe { Self($mul(self.0, other.0)) }
        }
        #[inline(always)]
        fn mul_sub(self, other: Self, third: Self) -> Self {
            // SAFETY: as above; fused operations were detected, too.
            unsafe { Self($mul_sub(self.0, other.0, third.0)) }
        }
    };
}

impl Fused<4> for F64x4 {
    fused!(_mm256_mul_pd, _mm256_fmsub_pd);
    #[inline(always)]
    fn either(one: Mask4, other: Mask4) -> Mask4 {
        // SAFETY: as above.
        unsafe { Mask4(_mm256_or_pd(one.0, other.0)) }
    }
}

impl Fused<8> for F64x8 {
    fused!(_mm512_mul_pd, _mm512_fmsub_pd);
    #[inline(always)]
    fn either(one: u8, other: u8) -> u8 {
        one | other
    }
}
