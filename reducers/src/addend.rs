//! What reducers combine: numbers that are added, or whose least, greatest or product is taken.

use std::fmt::Debug;

use crate::number::Number;

/// A value that can be combined with another, also atomically: a number is added.
///
/// # Safety
///
/// `Atomic` has the size and the alignment of `Self`, and every bit pattern of one is a value of the other: the atomic
/// reducer accesses an array of one through references to the other.
pub unsafe trait Addend: Copy + Send + Sync + 'static {
    /// The same memory, accessed atomically.
    type Atomic: Debug + Sync;
    /// The exact identity of the operation: `x.plus(IDENTITY)` has the bits of `x`, even if `x` is -0.
    const IDENTITY: Self;
    /// The sum, or what stands in its place. Integers wrap.
    fn plus(self, other: Self) -> Self;
    /// Combines with the target in one atomic step.
    fn add_atomically(target: &Self::Atomic, value: Self);
}

// SAFETY: those of `Number`.
unsafe impl<T: Number> Addend for T {
    type Atomic = T::Atomic;
    const IDENTITY: T = T::ZERO;
    #[inline(always)]
    fn plus(self, other: T) -> T {
        T::sum(self, other)
    }
    #[inline(always)]
    fn add_atomically(target: &T::Atomic, value: T) {
        T::add_to(target, value);
    }
}

/// Wraps numbers in another operation.
macro_rules! operations {
    ($($(#[$what:meta])* $name:ident: $identity:ident, $operation:ident;)*) => {
        $($(#[$what])*
        #[derive(Clone, Copy, Debug, Default, PartialEq)]
        #[repr(transparent)]
        pub struct $name<T>(pub T);

        impl<T> $name<T> {
            /// An array of numbers as one of these.
            pub fn wrap(numbers: &mut [T]) -> &mut [$name<T>] {
                // SAFETY: the wrapper is transparent.
                unsafe { std::slice::from_raw_parts_mut(numbers.as_mut_ptr().cast(), numbers.len()) }
            }
        }

        // SAFETY: the wrapper is transparent, so that the number's own memory is accessed.
        unsafe impl<T: Number> Addend for $name<T> {
            type Atomic = T::Atomic;
            const IDENTITY: Self = $name(T::$identity);
            #[inline(always)]
            fn plus(self, other: Self) -> Self {
                $name(T::$operation(self.0, other.0))
            }
            #[inline(always)]
            fn add_atomically(target: &T::Atomic, value: Self) {
                T::replace(target, |number| T::$operation(number, value.0));
            }
        })*
    };
}

operations! {
    /// The least of what is combined. A NaN stays, and -0 is below 0.
    Least: GREATEST, least;
    /// The greatest of what is combined. A NaN stays, and 0 is above -0.
    Greatest: LEAST, greatest;
    /// The product. Integers wrap.
    Product: ONE, product;
}
