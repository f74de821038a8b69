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
//! gather    numbers from 8 places
//! trial     which of two ways is faster here
//! ints      32-bit integers, as many as there are lanes
//! ```

pub(crate) mod avx2;
pub(crate) mod avx512;
pub(crate) mod gather;
mod ints;
pub(crate) mod root;
pub(crate) mod sse2;
mod trial;

/// Arithmetic of a register type by the processor's instructions.
macro_rules! arithmetic {
    (
        $register:ident $(<const $flag:ident>)?,
        $add:ident, $sub:ident, $mul:ident, $div:ident, $xor:ident, $splat:ident
    ) => {
        arithmetic!(@ $register $(<const $flag>)?, Add, add, $add);
        arithmetic!(@ $register $(<const $flag>)?, Sub, sub, $sub);
        arithmetic!(@ $register $(<const $flag>)?, Mul, mul, $mul);
        arithmetic!(@ $register $(<const $flag>)?, Div, div, $div);

        impl$(<const $flag: bool>)? std::ops::Neg for $register$(<$flag>)? {
            type Output = Self;
            #[inline(always)]
            fn neg(self) -> Self {
                // SAFETY: the processor has the instructions, or there were no register.
                unsafe { $register($xor(self.0, $splat(-0.0))) }
            }
        }
    };
    (@ $register:ident $(<const $flag:ident>)?, $trait:ident, $method:ident, $instruction:ident) => {
        impl$(<const $flag: bool>)? std::ops::$trait for $register$(<$flag>)? {
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
