//! Numbers, and how an atomic step replaces one.

use std::fmt::Debug;
use std::sync::atomic::{AtomicI32, AtomicI64, AtomicU32, AtomicU64, Ordering::Relaxed};

/// A number of 4 or 8 bytes.
///
/// # Safety
///
/// `Atomic` has the size and the alignment of `Self`, and every bit pattern of one is a value of the other.
pub unsafe trait Number: Copy + Send + Sync + 'static {
    /// The same memory, accessed atomically.
    type Atomic: Debug + Sync;
    /// The exact identity of addition: -0 of floating-point numbers.
    const ZERO: Self;
    /// That of multiplication.
    const ONE: Self;
    /// That of taking the greatest.
    const LEAST: Self;
    /// That of taking the least.
    const GREATEST: Self;
    /// The sum. Integers wrap.
    fn sum(a: Self, b: Self) -> Self;
    /// The product. Integers wrap.
    fn product(a: Self, b: Self) -> Self;
    /// The lesser; a NaN if there is one.
    fn least(a: Self, b: Self) -> Self;
    /// The greater; a NaN if there is one.
    fn greatest(a: Self, b: Self) -> Self;
    /// Replaces the target in one atomic step. Only the order of steps is left open, so relaxed order suffices.
    fn replace(target: &Self::Atomic, change: impl Fn(Self) -> Self);
    /// Adds to the target in one atomic step.
    fn add_to(target: &Self::Atomic, value: Self);
}

macro_rules! floating {
    ($($number:ident in $atomic:ident;)*) => {
        $(const _: () = assert!(align_of::<$number>() == align_of::<$atomic>());
        // SAFETY: both have as many bytes, with one alignment (for targets where f64 is aligned to 4 it is not,
        // which the line above refuses), without padding.
        unsafe impl Number for $number {
            type Atomic = $atomic;
            const ZERO: $number = -0.0;
            const ONE: $number = 1.0;
            const LEAST: $number = $number::NEG_INFINITY;
            const GREATEST: $number = $number::INFINITY;
            #[inline(always)]
            fn sum(a: $number, b: $number) -> $number {
                a + b
            }
            #[inline(always)]
            fn product(a: $number, b: $number) -> $number {
                a * b
            }
            #[inline(always)]
            fn least(a: $number, b: $number) -> $number {
                if a.is_nan() || (!b.is_nan() && a.total_cmp(&b).is_le()) { a } else { b }
            }
            #[inline(always)]
            fn greatest(a: $number, b: $number) -> $number {
                if a.is_nan() || (!b.is_nan() && a.total_cmp(&b).is_ge()) { a } else { b }
            }
            /// Processors cannot combine floating-point numbers atomically: the result replaces the value from
            /// which it was computed, or is computed again if another thread was faster.
            #[inline(always)]
            fn replace(target: &$atomic, change: impl Fn($number) -> $number) {
                let mut old = target.load(Relaxed);
                loop {
                    let new = change($number::from_bits(old)).to_bits();
                    match target.compare_exchange_weak(old, new, Relaxed, Relaxed) {
                        Ok(_) => return,
                        Err(now) => old = now,
                    }
                }
            }
            #[inline(always)]
            fn add_to(target: &$atomic, value: $number) {
                $number::replace(target, |number| number + value);
            }
        })*
    };
}

macro_rules! integers {
    ($($number:ident in $atomic:ident;)*) => {
        $(const _: () = assert!(align_of::<$number>() == align_of::<$atomic>());
        // SAFETY: as for floating-point numbers.
        unsafe impl Number for $number {
            type Atomic = $atomic;
            const ZERO: $number = 0;
            const ONE: $number = 1;
            const LEAST: $number = $number::MIN;
            const GREATEST: $number = $number::MAX;
            #[inline(always)]
            fn sum(a: $number, b: $number) -> $number {
                a.wrapping_add(b)
            }
            #[inline(always)]
            fn product(a: $number, b: $number) -> $number {
                a.wrapping_mul(b)
            }
            #[inline(always)]
            fn least(a: $number, b: $number) -> $number {
                a.min(b)
            }
            #[inline(always)]
            fn greatest(a: $number, b: $number) -> $number {
                a.max(b)
            }
            #[inline(always)]
            fn replace(target: &$atomic, change: impl Fn($number) -> $number) {
                let mut old = target.load(Relaxed);
                while let Err(now) = target.compare_exchange_weak(old, change(old), Relaxed, Relaxed) {
                    old = now;
                }
            }
            #[inline(always)]
            fn add_to(target: &$atomic, value: $number) {
                target.fetch_add(value, Relaxed);
            }
        })*
    };
}

floating! {
    f32 in AtomicU32;
    f64 in AtomicU64;
}

integers! {
    i32 in AtomicI32;
    i64 in AtomicI64;
    u32 in AtomicU32;
    u64 in AtomicU64;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identities_leave_every_bit() {
        for x in [-0.0f64, 0.0, 1.5, f64::INFINITY, f64::NEG_INFINITY, 5e-324] {
            let all = [
                f64::sum(x, f64::ZERO),
                f64::product(x, f64::ONE),
                f64::least(x, f64::GREATEST),
                f64::greatest(x, f64::LEAST),
                f64::least(f64::GREATEST, x),
                f64::greatest(f64::LEAST, x),
            ];
            assert_eq!(all.map(f64::to_bits), [x.to_bits(); 6]);
        }
    }

    #[test]
    fn extrema_do_not_depend_on_the_order() {
        for (a, b, least, greatest) in [(-0.0f32, 0.0, -0.0f32, 0.0f32), (2.0, -3.0, -3.0, 2.0)] {
            for [a, b] in [[a, b], [b, a]] {
                let found = [f32::least(a, b), f32::greatest(a, b)].map(f32::to_bits);
                assert_eq!(found, [least, greatest].map(f32::to_bits));
            }
        }
        for [a, b] in [[f64::NAN, 1.0], [1.0, f64::NAN]] {
            assert!(f64::least(a, b).is_nan() && f64::greatest(a, b).is_nan());
        }
    }
}
