//! Numbers that reducers add.

use std::fmt::Debug;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering::Relaxed};

/// A number that can be added, also atomically.
///
/// # Safety
///
/// `Atomic` has the size and the alignment of `Self`, and every bit pattern of one is a value of the other: the atomic
/// reducer accesses an array of one through references to the other.
pub unsafe trait Addend: Copy + Send + Sync + 'static {
    /// The same memory, accessed atomically.
    type Atomic: Debug + Sync;
    /// The exact identity of addition: `x.plus(IDENTITY)` has the bits of `x`, even if `x` is -0.
    const IDENTITY: Self;
    /// The sum. Integers wrap.
    fn plus(self, other: Self) -> Self;
    /// Adds to the target in one atomic step.
    fn add_atomically(target: &Self::Atomic, value: Self);
}

// SAFETY: both have 8 bytes, aligned to 8 (checked below for targets where f64 is aligned to 4), without padding.
unsafe impl Addend for f64 {
    type Atomic = AtomicU64;
    const IDENTITY: f64 = -0.0;
    #[inline(always)]
    fn plus(self, other: f64) -> f64 {
        self + other
    }
    /// Processors cannot add floating-point numbers atomically: the sum replaces the value from which it was computed,
    /// or is computed again if another thread was faster. Only the order of additions is left open, so relaxed order
    /// suffices.
    #[inline(always)]
    fn add_atomically(target: &AtomicU64, value: f64) {
        let mut old = target.load(Relaxed);
        loop {
            let sum = (f64::from_bits(old) + value).to_bits();
            match target.compare_exchange_weak(old, sum, Relaxed, Relaxed) {
                Ok(_) => return,
                Err(now) => old = now,
            }
        }
    }
}

// SAFETY: as for f64.
unsafe impl Addend for i64 {
    type Atomic = AtomicI64;
    const IDENTITY: i64 = 0;
    #[inline(always)]
    fn plus(self, other: i64) -> i64 {
        self.wrapping_add(other)
    }
    #[inline(always)]
    fn add_atomically(target: &AtomicI64, value: i64) {
        target.fetch_add(value, Relaxed);
    }
}

// SAFETY: as for f64.
unsafe impl Addend for u64 {
    type Atomic = AtomicU64;
    const IDENTITY: u64 = 0;
    #[inline(always)]
    fn plus(self, other: u64) -> u64 {
        self.wrapping_add(other)
    }
    #[inline(always)]
    fn add_atomically(target: &AtomicU64, value: u64) {
        target.fetch_add(value, Relaxed);
    }
}

const _: () = assert!(align_of::<f64>() == align_of::<AtomicU64>());
const _: () = assert!(align_of::<i64>() == align_of::<AtomicI64>());
const _: () = assert!(align_of::<u64>() == align_of::<AtomicU64>());
