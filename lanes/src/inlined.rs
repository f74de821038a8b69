//! Arrays made component by component, as the standard library's functions of these names make them, but inlined always.
//! The standard library's may stay calls in a build without optimisation across units of code: a loop then calls a
//! function for every row that it loads.

use std::mem::MaybeUninit;

/// The array of `f(0)`, `f(1)`, ...
#[inline(always)]
pub fn from_fn<T: Copy, const N: usize>(mut f: impl FnMut(usize) -> T) -> [T; N] {
    let mut made = [const { MaybeUninit::uninit() }; N];
    for i in 0..N {
        made[i].write(f(i));
    }
    // SAFETY: every component has been written.
    unsafe { *(&raw const made).cast::<[T; N]>() }
}

/// `f` of every component.
#[inline(always)]
pub fn map<T: Copy, U: Copy, const N: usize>(values: [T; N], mut f: impl FnMut(T) -> U) -> [U; N] {
    from_fn(|i| f(values[i]))
}
