//! Whether a program computes these functions as they are defined.
//!
//! A processor's state can change every result (a rounding mode, subnormal numbers flushed to zero), and so can flags of a C++
//! compiler that no macro tells. A few results of each function, and the operations themselves where such flags show, are
//! compared with what they must be.

use core::hint::black_box;

/// Makes the check in both languages: functions with arguments' and results' bits.
macro_rules! checks {
    ($($name:ident $c:ident($($x:literal),*) = $result:literal;)*) => {
        /// Whether results on this thread have the bits that they have everywhere. False if the processor rounds otherwise
        /// than to nearest, or flushes subnormal numbers to zero; a program's start is a good place to ask.
        pub fn self_check() -> bool {
            operations_are_exact() $(&& crate::$name($(given($x)),*).to_bits() == $result)*
        }

        /// The same in C++.
        pub(crate) const CHECK: &str = concat!(
            include_str!("check.hpp"),
            "SAME_MATH_FN bool self_check() {\n    bool right = operations_are_exact();\n",
            $("    right = right && word_(", stringify!($c), "(", checks!(@given $($x),*), ")) == ", stringify!($result), ";\n",)*
            "    return right;\n}\n",
        );
    };
    (@given $x:literal $(, $y:literal)*) => {
        concat!("given(", stringify!($x), ")" $(, ", given(", stringify!($y), ")")*)
    };
}

checks! {
    exp sm_exp(0x3ff8000000000000) = 0x4011ed3fe64fc541;
    exp sm_exp(0xc087200000000000) = 0x0000000000000055;
    exp sm_exp(0x7ff8000000000000) = 0x7ff8000000000000;
    exp2 sm_exp2(0x3fd3333333333333) = 0x3ff3b2c47bff8329;
    exp_m1 sm_expm1(0x3ee4f8b588e368f1) = 0x3ee4f8bc681cdfb6;
    ln sm_log(0x4024000000000000) = 0x40026bb1bbb55516;
    ln sm_log(0x00000000000007e8) = 0xc087069e3078e52d;
    log2 sm_log2(0x4008000000000000) = 0x3ff95c01a39fbd68;
    ln_1p sm_log1p(0xbfb999999999999a) = 0xbfbaf8e8210a415e;
    cbrt sm_cbrt(0x4000000000000000) = 0x3ff428a2f98d728b;
    cbrt sm_cbrt(0x00000000000007e8) = 0x29c94c7f15ef7ddf;
    sin sm_sin(0x4480f0cf064dd592) = 0xbfeb453ab76bf397;
    sin sm_sin(0x8000000000000000) = 0x8000000000000000;
    cos sm_cos(0x4000000000000000) = 0xbfdaa22657537205;
    tan sm_tan(0x3ff8000000000000) = 0x402c33ed50b88777;
    atan sm_atan(0x3fe6666666666666) = 0x3fe38b112d7bd4ad;
    asin sm_asin(0x3fe3333333333333) = 0x3fe4978fa3269ee1;
    acos sm_acos(0xbfd3333333333333) = 0x3ffe0200bbc96ad8;
    sinh sm_sinh(0x3fc999999999999a) = 0x3fc9c560cd35ef81;
    cosh sm_cosh(0x4008000000000000) = 0x402422a497d6185e;
    tanh sm_tanh(0x3fd999999999999a) = 0x3fd8511573c242d6;
    atan2 sm_atan2(0x3ff0000000000000, 0xc000000000000000) = 0x40056c6e7397f5ae;
    powf sm_pow(0x3fe0000000000000, 0x4090ba0000000000) = 0x000000000000000b;
    gamma sm_tgamma(0x4012000000000000) = 0x40274371e7866c65;
    ln_gamma sm_lgamma(0xc003a7fc9600f86c) = 0x3c90323b6d1fe86d;
    powf sm_pow(0x3ffb333333333333, 0x7ff0000000000000) = 0x7ff0000000000000;
}

/// A number that no compiler knows.
fn given(bits: u64) -> f64 {
    f64::from_bits(black_box(bits))
}

/// Rounding to nearest, subnormal numbers, signed zeros and NaN.
fn operations_are_exact() -> bool {
    let (one, tenth, half) =
        (given(0x3ff0000000000000), given(0x3fb999999999999a), given(0x3fe0000000000000));
    let tiny = given(0x000fffffffffffff);
    (one + tenth).to_bits() == 0x3ff199999999999a
        && (-one - tenth).to_bits() == 0xbff199999999999a
        && (tenth * tenth).to_bits() == 0x3f847ae147ae147c
        && (tiny * half).to_bits() == 0x0008000000000000
        && (tiny + tiny).to_bits() == 0x001ffffffffffffe
}

#[cfg(test)]
mod tests {
    #[test]
    fn this_program_computes_the_functions_as_defined() {
        assert!(super::self_check());
    }

    #[cfg(target_arch = "x86_64")]
    #[test]
    fn another_rounding_mode_and_flushed_numbers_are_noticed() {
        /// Rounding towards zero, up, down; subnormal results flushed; subnormal operands taken for zero.
        const MODES: [u32; 5] = [0x6000, 0x4000, 0x2000, 0x8000, 0x0040];
        for mode in MODES {
            let (mut before, right) = (0u32, &mut true);
            // SAFETY: the mode is set back before anything else computes.
            unsafe {
                core::arch::asm!("stmxcsr [{}]", in(reg) &raw mut before);
                let changed = before | mode;
                core::arch::asm!("ldmxcsr [{}]", in(reg) &raw const changed);
                *right = super::self_check();
                core::arch::asm!("ldmxcsr [{}]", in(reg) &raw const before);
            }
            assert!(!*right, "{mode:#x}");
        }
    }
}
