//! Memory of large arrays, and the cache before it.
//!
//! A processor translates addresses page by page, and prefetches up to the end of a page. With pages of 4 KiB, a loop
//! over a mesh spends much of its time on that, so large arrays ask for huge pages. Linux grants them where
//! `/sys/kernel/mm/transparent_hugepage/enabled` is `madvise` or `always`.

use std::path::Path;
use std::sync::OnceLock;

use bytemuck::Zeroable;

/// Bytes that travel together between the memory and the cache.
pub const LINE: usize = 64;

/// Bytes of a huge page: on x86-64, and on ARM with small pages of 4 KiB.
pub const HUGE: usize = 2 << 20;

/// `len` zeros; a large array's pages are untouched, so that each is placed near the thread that first touches it.
pub fn zeroed<T: Zeroable>(len: usize) -> Vec<T> {
    let values = bytemuck::zeroed_vec(len);
    ask_for_huge_pages(&values);
    values
}

/// Room for `len` values, allocated as a large array.
pub fn with_capacity<T>(len: usize) -> Vec<T> {
    let mut values = Vec::with_capacity(len);
    ask_for_huge_pages(values.spare_capacity_mut());
    values
}

/// A copy of the values, allocated as a large array.
pub fn copied<T: Copy>(values: &[T]) -> Vec<T> {
    let mut copy = with_capacity(values.len());
    copy.extend_from_slice(values);
    copy
}

/// Asks for huge pages wherever whole ones fit. They arrive when the pages are touched.
#[cfg(all(target_os = "linux", not(miri)))]
fn ask_for_huge_pages<T>(values: &[T]) {
    let all = values.as_ptr_range();
    let start = all.start.cast::<u8>().wrapping_add(all.start.cast::<u8>().align_offset(HUGE));
    let bytes = all.end.addr().saturating_sub(start.addr()) / HUGE * HUGE;
    if bytes > 0 {
        // SAFETY: whole pages within `values`; advice changes no value, and has no effect if refused.
        unsafe { libc::madvise(start as *mut libc::c_void, bytes, libc::MADV_HUGEPAGE) };
    }
}

#[cfg(not(all(target_os = "linux", not(miri))))]
fn ask_for_huge_pages<T>(_values: &[T]) {}

/// Requests a cache line without waiting for it.
#[inline(always)]
pub fn prefetch_line(address: *const u8) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T1, _mm_prefetch};
        // SAFETY: a prefetch reads nothing, whatever the address.
        unsafe { _mm_prefetch::<_MM_HINT_T1>(address.cast()) };
    }
    #[cfg(all(target_arch = "aarch64", not(miri)))]
    // SAFETY: as above. Written as an instruction because there is no function for it.
    unsafe {
        std::arch::asm!("prfm pldl2keep, [{}]", in(reg) address, options(nostack, readonly, preserves_flags));
    }
    #[cfg(not(any(target_arch = "x86_64", all(target_arch = "aarch64", not(miri)))))]
    let _ = address;
}

/// Streaming (non-temporal) stores: copies bytes past the cache if the destination address and the number of bytes are
/// multiples of 16; otherwise returns false. A store into the cache first fetches the line it is about to overwrite, a
/// waste if nothing reads the line before it has left the cache again. Complete only after [`finish_streaming_stores`].
///
/// # Safety
/// The bytes exist on both sides; nothing else accesses those at `to`.
#[inline(always)]
pub unsafe fn streaming_store(from: *const u8, to: *mut u8, bytes: usize) -> bool {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    {
        use std::arch::x86_64::{_mm_loadu_pd, _mm_stream_pd};
        if !(to.addr() | bytes).is_multiple_of(16) {
            return false;
        }
        for at in (0..bytes).step_by(16) {
            // SAFETY: the caller's condition; `to` is aligned.
            unsafe { _mm_stream_pd(to.add(at).cast(), _mm_loadu_pd(from.add(at).cast())) };
        }
        true
    }
    #[cfg(not(all(target_arch = "x86_64", not(miri))))]
    {
        let _ = (from, to, bytes);
        false
    }
}

/// Waits for this thread's streaming stores.
#[inline(always)]
pub fn finish_streaming_stores() {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    // SAFETY: a fence is always allowed, and every x86-64 processor has it.
    unsafe {
        std::arch::x86_64::_mm_sfence();
    }
}

/// One thread's share, in bytes, of the last-level cache when all are at work, where the system reports it.
pub fn cache_of_a_thread() -> Option<usize> {
    static BYTES: OnceLock<Option<usize>> = OnceLock::new();
    *BYTES.get_or_init(|| (0..5).rev().find_map(cache))
}

/// Bytes of a processor's own second-level cache; 1 MiB where the system does not report it.
pub fn own_cache() -> usize {
    static BYTES: OnceLock<usize> = OnceLock::new();
    *BYTES.get_or_init(|| cache(2).unwrap_or(1 << 20))
}

/// A processor's share, in bytes, of one of its caches, by Linux's numbering, when all processors are at work. 0 and 1
/// are the first-level ones, for data and instructions.
fn cache(index: usize) -> Option<usize> {
    let cache = Path::new("/sys/devices/system/cpu/cpu0/cache").join(format!("index{index}"));
    let text = |name: &str| std::fs::read_to_string(cache.join(name)).ok();
    Some(size(&text("size")?)? / count(&text("shared_cpu_list")?)?)
}

/// A size as Linux writes it: `32768K`.
pub fn size(text: &str) -> Option<usize> {
    let text = text.trim();
    let (digits, unit) = match text.strip_suffix(['K', 'M']) {
        Some(digits) => (digits, if text.ends_with('K') { 1 << 10 } else { 1 << 20 }),
        None => (text, 1),
    };
    digits.parse::<usize>().ok()?.checked_mul(unit)
}

/// The number of processors in a list as Linux writes it: `0-3,8`. Never 0.
fn count(list: &str) -> Option<usize> {
    let ranges = list.trim().split(',').map(|range| {
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        last.parse::<usize>().ok()?.checked_sub(first.parse().ok()?)?.checked_add(1)
    });
    ranges.sum::<Option<usize>>()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_and_lists_of_processors_are_read_as_linux_writes_them() {
        assert_eq!(
            [" 32768K\n", "4M", "512", "K", "x", ""].map(size),
            [Some(32 << 20), Some(4 << 20), Some(512), None, None, None]
        );
        assert_eq!(
            ["0-1\n", "0", "0-3,8,10-11", "3-1", "", "0-"].map(count),
            [Some(2), Some(1), Some(7), None, None, None]
        );
    }

    #[test]
    fn streaming_stores_arrive_and_refuse_what_is_not_aligned() {
        let from: Vec<f64> = (0..40).map(f64::from).collect();
        let mut to = zeroed::<[f64; 2]>(20);
        let to = to.as_mut_ptr().cast::<u8>();
        let past = cfg!(all(target_arch = "x86_64", not(miri)));
        for (offset, bytes) in [(0, 16), (16, 64), (8, 64), (32, 24), (96, 128)] {
            let aligned = ((to.addr() + offset) | bytes).is_multiple_of(16);
            // SAFETY: there are 320 bytes.
            let [stored, arrived] = unsafe {
                to.write_bytes(0, 320);
                let stored = streaming_store(from.as_ptr().cast(), to.add(offset), bytes);
                finish_streaming_stores();
                let [wanted, found] = [from.as_ptr().cast(), to.add(offset).cast_const()]
                    .map(|bytes_at| std::slice::from_raw_parts(bytes_at, bytes));
                [stored, wanted[8..] == found[8..]]
            };
            assert_eq!([stored, arrived], [aligned && past; 2], "{bytes} bytes at {offset}");
        }
    }

    #[test]
    fn arrays_of_any_length_are_zero_and_can_be_written() {
        for len in [0, 1, 1000, 300_000, 3_000_001] {
            let mut values = zeroed::<f64>(len);
            assert!(values.len() == len && values.iter().all(|&value| value == 0.0));
            values.fill(1.0);
            assert_eq!(values.iter().sum::<f64>(), len as f64);
            assert_eq!(copied(&values), values);
        }
    }
}
