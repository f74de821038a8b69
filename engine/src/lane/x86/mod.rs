//! Registers of x86-64 processors.
//!
//! A register is used only in code that [`Width`](super::Width) has chosen after asking the processor. Every function
//! is inlined into a loop that is compiled for the instructions it needs; a function that were called instead would be
//! compiled for the baseline processor.
//!
//! ```text
//! sse2      2 lanes, which every x86-64 processor has
//! avx2      4 lanes
//! avx512    8 lanes
//! root      square roots of 8 lanes
//! ints      32-bit integers, as many as there are lanes
//! ```

pub(crate) mod avx2;
pub(crate) mod avx512;
mod ints;
pub(crate) mod root;
pub(crate) mod sse2;

/// Arithmetic of a register type by the processor's instructions.
macro_rules! arithmetic {
    ($register:ident, $add:ident, $sub:ident, $mul:ident, $div:ident, $xor:ident, $splat:ident) => {
        arithmetic!(@ $register, Add, add, $add);
        arithmetic!(@ $register, Sub, sub, $sub);
        arithmetic!(@ $register, Mul, mul, $mul);
        arithmetic!(@ $register, Div, div, $div);

        impl std::ops::Neg for $register {
            type Output = Self;
            #[inline(always)]
            fn neg(self) -> Self {
                // SAFETY: the processor has the instructions, or there were no register.
                unsafe { $register($xor(self.0, $splat(-0.0))) }
            }
        }
    };
    (@ $register:ident, $trait:ident, $method:ident, $instruction:ident) => {
        impl std::ops::$trait for $register {
            type Output = Self;
            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                // SAFETY: the processor has the instruction, or there were no register.
                unsafe { $register($instruction(self.0, other.0)) }
            }
        }
    };
}
use arithmetic;
