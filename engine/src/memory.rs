//! Memory of large arrays.
//!
//! A processor finds memory page by page, and prefetches up to the end of a page. With pages of 4 KiB a loop over a mesh
//! spends a good part of its time on that; so large arrays ask for huge pages. Linux gives them where
//! `/sys/kernel/mm/transparent_hugepage/enabled` is `madvise` or `always`.

use bytemuck::Zeroable;

/// Bytes that travel together between the memory and the cache.
pub(crate) const LINE: usize = 64;

/// Bytes of a huge page: of x86-64, and of ARM with small pages of 4 KiB.
const HUGE: usize = 2 << 20;

/// So many zeros; many of them in pages that nobody has touched, so that each lies near the thread that touches it first.
pub fn zeroed<T: Zeroable>(len: usize) -> Vec<T> {
    let values = bytemuck::zeroed_vec(len);
    ask_for_huge_pages(&values);
    values
}

/// Asks for huge pages where whole ones fit. They come when the pages are touched.
#[cfg(all(target_os = "linux", not(miri)))]
fn ask_for_huge_pages<T>(values: &[T]) {
    let all = values.as_ptr_range();
    let start = all.start.cast::<u8>().wrapping_add(all.start.cast::<u8>().align_offset(HUGE));
    let bytes = all.end.addr().saturating_sub(start.addr()) / HUGE * HUGE;
    if bytes > 0 {
        // SAFETY: whole pages within `values`; advice changes no value. Refused, it leaves everything as it was.
        unsafe { libc::madvise(start as *mut libc::c_void, bytes, libc::MADV_HUGEPAGE) };
    }
}

#[cfg(not(all(target_os = "linux", not(miri))))]
fn ask_for_huge_pages<T>(_values: &[T]) {}

/// Asks for a line, without waiting for it.
#[inline(always)]
pub(crate) fn into_cache(address: *const u8) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T1, _mm_prefetch};
        // SAFETY: asking for a line reads nothing, whatever the address.
        unsafe { _mm_prefetch::<_MM_HINT_T1>(address.cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = address;
}

#[cfg(test)]
mod tests {
    use super::zeroed;

    #[test]
    fn arrays_of_any_length_are_zero_and_can_be_written() {
        for len in [0, 1, 1000, 300_000, 3_000_001] {
            let mut values = zeroed::<f64>(len);
            assert!(values.len() == len && values.iter().all(|&value| value == 0.0));
            values.fill(1.0);
            assert_eq!(values.iter().sum::<f64>(), len as f64);
        }
    }
}
