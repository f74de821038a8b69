//! Square roots of eight numbers, by multiplications.
//!
//! The square-root unit is busy with eight numbers for some 25 cycles, and can do nothing else. Multiplications fused
//! with an addition, two per cycle, need a third of the time and give the same bits:
//!
//! ```text
//! y = 1/sqrt(x) (1 + e), |e| <= 2^-14        the processor's estimate
//! g = x y, h = y / 2                         sqrt(x) and 1 / (2 sqrt(x))
//! twice: r = 1/2 - g h, g += g r, h += h r   both to within 2^-52
//! d = x - g g                                one rounding
//! sqrt(x) = g + d h                          one rounding
//! ```
//!
//! Before that last rounding, the value is wrong by less than 2^-101, for sqrt(x) between 1 and 2: d h is at most
//! 2^-51, and known to a relative 2^-51. It rounds as sqrt(x) does unless a midpoint m of two neighbouring numbers lies
//! between the two. With the odd integer M = 2^53 m, and x an integer multiple of 2^-52 (of 2^-51 from 2 on), x - m^2 =
//! c 2^-106 for an integer c, so sqrt(x) is at least |c| 2^-108 away from m: only |c| < 128 needs a look. M^2 = -c
//! modulo 2^54 (2^55) has four solutions for every c that is -1 modulo 8, and none for others. The 47 resulting numbers
//! x are tried on the processor (`hard_cases`) before the method is relied upon. For numbers outside 2^-900 to 2^900,
//! where a step could leave the range of numbers, and for zeros, negative numbers and NaN, the root instruction is
//! used.
//!
//! Source: Markstein, "Computation of elementary functions on the IBM RISC System/6000 processor", IBM Journal of
//! Research and Development 34, 1990, DOI 10.1147/rd.341.0111; for the hard cases Cornea, Harrison, Tang, "Scientific
//! computing on Itanium-based systems", 2002.

use std::arch::x86_64::*;
use std::hint::black_box;
use std::sync::Once;
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::{Duration, Instant};

use super::trial::fastest;

/// All lanes if multiplications are chosen; none if the instruction is.
static BY_MULTIPLICATION: AtomicU8 = AtomicU8::new(0);

/// Exponents of the numbers whose roots can be taken by multiplications: from 2^-900 to 2^900.
const LARGEST: i64 = 900;
/// The bias of an f64's exponent, and its position.
const BIAS: i64 = 1023;
const EXPONENT: i64 = 52;

/// Square roots.
///
/// # Safety
/// The processor has AVX-512 F.
#[inline(always)]
pub(super) unsafe fn roots(x: __m512d) -> __m512d {
    // SAFETY: the caller's condition.
    unsafe {
        let first = _mm512_set1_epi64((BIAS - LARGEST) << EXPONENT);
        let usual = _mm512_cmplt_epu64_mask(
            _mm512_sub_epi64(_mm512_castpd_si512(x), first),
            _mm512_set1_epi64((2 * LARGEST) << EXPONENT),
        );
        match usual & BY_MULTIPLICATION.load(Ordering::Relaxed) {
            0xff => by_multiplication(x),
            _ => _mm512_sqrt_pd(x),
        }
    }
}

/// # Safety
/// The processor has AVX-512 F.
#[inline(always)]
unsafe fn by_multiplication(x: __m512d) -> __m512d {
    // SAFETY: the caller's condition.
    unsafe {
        let half = _mm512_set1_pd(0.5);
        let estimate = _mm512_rsqrt14_pd(x);
        let (mut g, mut h) = (_mm512_mul_pd(x, estimate), _mm512_mul_pd(half, estimate));
        for _ in 0..2 {
            let r = _mm512_fnmadd_pd(g, h, half);
            (g, h) = (_mm512_fmadd_pd(g, r, g), _mm512_fmadd_pd(h, r, h));
        }
        _mm512_fmadd_pd(_mm512_fnmadd_pd(g, g, x), h, g)
    }
}

/// Chooses, once, how this processor takes roots: by multiplications, if they are right in all hard cases and take less
/// than half the time.
pub fn choose() {
    static CHOSEN: Once = Once::new();
    CHOSEN.call_once(|| {
        if is_x86_feature_detected!("avx512f") {
            // SAFETY: the processor has AVX-512 F.
            unsafe { force(are_right(&hard_cases()) && are_fast()) };
        }
    });
}

fn force(by_multiplication: bool) {
    BY_MULTIPLICATION.store(if by_multiplication { 0xff } else { 0 }, Ordering::Relaxed);
}

/// True if multiplications give the bits of the instruction.
#[target_feature(enable = "avx512f")]
fn are_right(numbers: &[f64]) -> bool {
    numbers.chunks(8).all(|numbers| {
        let eight: [f64; 8] = std::array::from_fn(|e| numbers[e % numbers.len()]);
        // SAFETY: eight numbers; the caller has AVX-512 F.
        unsafe {
            let x = _mm512_loadu_pd(eight.as_ptr());
            let (a, b) = (by_multiplication(x), _mm512_sqrt_pd(x));
            _mm512_cmpeq_epi64_mask(_mm512_castpd_si512(a), _mm512_castpd_si512(b)) == 0xff
        }
    })
}

/// True if they take less than half the time, in the fastest of several trials.
#[target_feature(enable = "avx512f")]
fn are_fast() -> bool {
    let (by_multiplication, by_instruction) = fastest(|| time_of::<true>(), || time_of::<false>());
    2 * by_multiplication < by_instruction
}

/// The time for a thousand roots that do not wait for each other.
#[target_feature(enable = "avx512f")]
fn time_of<const BY_MULTIPLICATION: bool>() -> Duration {
    let mut numbers = [[1.7f64; 8]; 16];
    let watch = Instant::now();
    for _ in 0..8 {
        for eight in &mut numbers {
            // SAFETY: eight numbers; the caller has AVX-512 F.
            unsafe {
                let x = _mm512_loadu_pd(eight.as_ptr());
                let root = if BY_MULTIPLICATION { by_multiplication(x) } else { _mm512_sqrt_pd(x) };
                _mm512_storeu_pd(eight.as_mut_ptr(), root);
            }
        }
        black_box(&mut numbers);
    }
    watch.elapsed()
}

/// The numbers from 1 to 4 whose roots lie next to a midpoint of two numbers: all with |c| < 128.
fn hard_cases() -> Vec<f64> {
    let mut found = Vec::new();
    // x = (M^2 + c) / 2^106 has 53 bits: from 1 on M^2 + c is a multiple of 2^54, from 2 on of 2^55.
    for (bits, scale) in [(54, 1.0), (55, 2.0)] {
        for c in (-127..128).filter(|c: &i128| c.rem_euclid(8) == 7) {
            for solution in roots_modulo(-c, bits) {
                let m = solution % (1 << 54);
                let x = (m * m + c) >> bits;
                if m >= 1 << 53 && (1 << 52..1 << 53).contains(&x) {
                    found.push(x as f64 / (1u64 << 52) as f64 * scale);
                }
            }
        }
    }
    // A solution modulo 2^55 is found twice modulo 2^54.
    found.sort_by(f64::total_cmp);
    found.dedup();
    found
}

/// The four solutions of s^2 = a modulo 2^bits, a being 1 modulo 8: every solution modulo 2^k is one modulo 2^(k+1), or
/// becomes one when 2^(k-1) is added.
fn roots_modulo(a: i128, bits: u32) -> Vec<i128> {
    let mut solutions: Vec<i128> = vec![1, 3, 5, 7];
    for k in 4..=bits {
        let modulus = 1 << k;
        let mut lifted: Vec<i128> = solutions
            .iter()
            .flat_map(|&s| [s, s + modulus / 2])
            .filter(|s| (s * s - a).rem_euclid(modulus) == 0)
            .collect();
        lifted.sort_unstable();
        lifted.dedup();
        solutions = lifted;
    }
    solutions
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hard_cases_are_next_to_midpoints() {
        let cases = hard_cases();
        assert_eq!(cases.len(), 47);
        // sqrt(1 + 2^-52) is below the midpoint 1 + 2^-53 by 2^-107.
        assert!(cases.contains(&1.0f64.next_up()));
        for x in cases {
            // M = 2^53 sqrt(x) to the nearest odd integer; x 2^106 - M^2.
            let scaled = (x * (1u64 << 52) as f64) as i128 * (1 << 54);
            let root = (x.sqrt() * (1u64 << 53) as f64) as i128;
            let nearest = [root - 1, root + 1].map(|m| (scaled - m * m).abs()).into_iter().min();
            assert!(nearest.expect("two") < 128, "{x}");
        }
    }

    #[test]
    fn roots_by_multiplication_have_the_bits_of_the_instruction() {
        if !is_x86_feature_detected!("avx512f") {
            return;
        }
        // SAFETY: the processor has AVX-512 F.
        let are_right = |numbers: &[f64]| unsafe { are_right(numbers) };
        for exponent in [0, 2, -2, 100, -100, 898, -900] {
            let scaled: Vec<f64> = hard_cases().iter().map(|x| x * 2f64.powi(exponent)).collect();
            assert!(are_right(&scaled), "4^{}", exponent / 2);
        }
        // Neighbours of powers of two, and of squares; anything else.
        let powers = (BIAS - LARGEST + 1..BIAS + LARGEST).map(|exponent| (exponent as u64) << EXPONENT);
        let near = |bits: u64| (0..20).flat_map(move |k| [bits + k, bits - k]).map(f64::from_bits);
        assert!(are_right(&powers.flat_map(near).collect::<Vec<f64>>()));
        let mut state = 1u64;
        let mut fraction = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            state >> 12
        };
        for _ in 0..2000 {
            let roots: Vec<f64> =
                (0..50).map(|_| 1.0 + (fraction() >> 26) as f64 / (1 << 26) as f64).collect();
            let near = |r: &f64| [*r, r * r, (r * r).next_up(), (r * r).next_down()];
            assert!(are_right(&roots.iter().flat_map(near).collect::<Vec<f64>>()));
            let any = (0..200).map(|k| f64::from_bits(fraction() | (BIAS as u64 + k % 2) << EXPONENT));
            assert!(are_right(&any.collect::<Vec<f64>>()));
        }
    }

    #[test]
    fn numbers_without_a_usual_root_take_the_instruction() {
        if !is_x86_feature_detected!("avx512f") {
            return;
        }
        #[target_feature(enable = "avx512f")]
        fn root(x: f64) -> f64 {
            // SAFETY: the caller has AVX-512 F.
            unsafe { _mm512_cvtsd_f64(roots(_mm512_set1_pd(x))) }
        }
        force(true);
        let least = 2f64.powi(-900);
        for x in [
            0.0,
            -0.0,
            5e-324,
            1e-300,
            least.next_down(),
            least,
            2f64.powi(900),
            f64::MAX,
            f64::INFINITY,
            -1.0,
        ] {
            // SAFETY: the processor has AVX-512 F.
            assert_eq!(unsafe { root(x) }.is_nan(), x.sqrt().is_nan(), "{x}");
            if !x.sqrt().is_nan() {
                // SAFETY: the processor has AVX-512 F.
                assert_eq!(unsafe { root(x) }.to_bits(), x.sqrt().to_bits(), "{x}");
            }
        }
        // SAFETY: the processor has AVX-512 F.
        assert!(unsafe { root(f64::NAN) }.is_nan());
    }
}
