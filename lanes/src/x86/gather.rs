//! Numbers from eight places by one instruction, where that is fast.
//!
//! Loading eight numbers one by one and assembling them occupies one unit of an Intel processor for seven cycles, the
//! same unit that transposes rows into lanes. Its gather instruction takes four cycles there; on other processors, it
//! takes several times as long as single loads. Both are therefore tried at program start. For longer rows, gathering
//! does not pay: their values lie side by side.

use std::arch::x86_64::*;
use std::hint::black_box;
use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::avx512::load_eight;
use super::trial::fastest;
use crate::vector::targets;

/// Whether the instruction is chosen.
static BY_INSTRUCTION: AtomicBool = AtomicBool::new(false);

/// True if the instruction is chosen.
pub fn is_chosen() -> bool {
    BY_INSTRUCTION.load(Ordering::Relaxed)
}

/// True if numbers can be gathered through maps of this arity.
pub const fn is_for(arity: usize) -> bool {
    matches!(arity, 1 | 2 | 4)
}

/// The numbers to which index `I` of eight consecutive rows of a map leads.
///
/// # Safety
/// The processor has AVX-512 F; `indices` points to eight rows, and each index leads to one of the numbers at `base`.
#[inline(always)]
pub(super) unsafe fn gather<const N: usize, const I: usize>(
    base: *const f64,
    indices: *const [u32; N],
) -> __m512d {
    let first = indices.cast::<u32>();
    // SAFETY: the caller's condition: there are 8 N indices.
    unsafe {
        let places = match N {
            1 => _mm512_cvtepu32_epi64(_mm256_loadu_si256(first.cast())),
            // An index in the lower or the upper half of eight bytes.
            2 if I == 0 => {
                _mm512_and_si512(_mm512_loadu_si512(first.cast()), _mm512_set1_epi64(u32::MAX.into()))
            }
            2 => _mm512_srli_epi64::<32>(_mm512_loadu_si512(first.cast())),
            4 => {
                let i = I as i32;
                let from = _mm512_add_epi32(
                    _mm512_setr_epi32(0, 0, 4, 0, 8, 0, 12, 0, 16, 0, 20, 0, 24, 0, 28, 0),
                    _mm512_set1_epi32(i),
                );
                let (low, high) =
                    (_mm512_loadu_si512(first.cast()), _mm512_loadu_si512(first.add(16).cast()));
                _mm512_maskz_permutex2var_epi32(0b0101_0101_0101_0101, low, from, high)
            }
            _ => unreachable!(),
        };
        _mm512_i64gather_pd::<8>(places, base)
    }
}

/// Chooses, once: the instruction if it takes less than nine tenths of the time. It takes three quarters on the
/// processor above, and several times as long where it is slow.
pub fn choose() {
    static CHOSEN: Once = Once::new();
    CHOSEN.call_once(|| {
        if is_x86_feature_detected!("avx512f") {
            // SAFETY: the processor has AVX-512 F.
            let (gathered, loaded) =
                fastest(|| unsafe { time_of::<true>() }, || unsafe { time_of::<false>() });
            BY_INSTRUCTION.store(10 * gathered < 9 * loaded, Ordering::Relaxed);
        }
    });
}

/// The time for a thousand numbers from places near each other.
#[target_feature(enable = "avx512f")]
fn time_of<const GATHERED: bool>() -> Duration {
    let numbers = [1.5f64; 128];
    let map: [[u32; 2]; 128] = std::array::from_fn(|i| [i as u32 ^ 5, i as u32 ^ 9]);
    // SAFETY: the processor has AVX-512 F; there are 128 numbers, and eight rows of the map from each start that is
    // used.
    unsafe {
        let mut sum = _mm512_setzero_pd();
        let watch = Instant::now();
        for _ in 0..8 {
            let (base, map) = (black_box(numbers.as_ptr()), black_box(map.as_ptr()));
            for first in (0..128).step_by(8) {
                let rows = map.add(first);
                let eight = match GATHERED {
                    true => gather::<2, 0>(base, rows),
                    false => load_eight(targets::<f64, 8, 2, 0>(base, rows)),
                };
                sum = _mm512_add_pd(sum, eight);
            }
        }
        black_box(_mm512_reduce_add_pd(sum));
        watch.elapsed()
    }
}
