//! Operators of register types, by the processor's instructions.

/// Implements the operators; `|a| ...` is the negative of a register's content.
macro_rules! arithmetic {
    (
        $register:ident $(<const $flag:ident>)?,
        $add:ident, $sub:ident, $mul:ident, $div:ident, |$a:ident| $neg:expr
    ) => {
        arithmetic!(@ $register $(<const $flag>)?, Add, add, $add);
        arithmetic!(@ $register $(<const $flag>)?, Sub, sub, $sub);
        arithmetic!(@ $register $(<const $flag>)?, Mul, mul, $mul);
        arithmetic!(@ $register $(<const $flag>)?, Div, div, $div);

        impl$(<const $flag: bool>)? std::ops::Neg for $register$(<$flag>)? {
            type Output = Self;
            #[inline(always)]
            fn neg(self) -> Self {
                let $a = self.0;
                // SAFETY: the register exists, so the processor has the instructions.
                unsafe { $register($neg) }
            }
        }
    };
    (@ $register:ident $(<const $flag:ident>)?, $trait:ident, $method:ident, $instruction:ident) => {
        impl$(<const $flag: bool>)? std::ops::$trait for $register$(<$flag>)? {
            type Output = Self;
            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                // SAFETY: the register exists, so the processor has the instruction.
                unsafe { $register($instruction(self.0, other.0)) }
            }
        }
    };
}
pub(super) use arithmetic;

/// Implements the operators of a mask that has all bits of a lane set or none; `|a| ...` is the opposite of a mask's
/// content, then whether all of it is true.
macro_rules! mask {
    ($mask:ident, $and:ident, $or:ident, |$a:ident| $not:expr, |$whole:ident| $all:expr) => {
        impl std::ops::BitAnd for $mask {
            type Output = Self;
            #[inline(always)]
            fn bitand(self, other: Self) -> Self {
                // SAFETY: the mask exists, so the processor has the instruction.
                unsafe { $mask($and(self.0, other.0)) }
            }
        }

        impl std::ops::BitOr for $mask {
            type Output = Self;
            #[inline(always)]
            fn bitor(self, other: Self) -> Self {
                // SAFETY: the mask exists, so the processor has the instruction.
                unsafe { $mask($or(self.0, other.0)) }
            }
        }

        impl std::ops::Not for $mask {
            type Output = Self;
            #[inline(always)]
            fn not(self) -> Self {
                let $a = self.0;
                // SAFETY: the mask exists, so the processor has the instructions.
                unsafe { $mask($not) }
            }
        }

        impl $crate::Mask for $mask {
            #[inline(always)]
            fn all(self) -> bool {
                let $whole = self.0;
                // SAFETY: the mask exists, so the processor has the instructions.
                unsafe { $all }
            }
        }
    };
}
pub(super) use mask;

/// Bits as integers in a register; how one is repeated, and how a register is shifted up and down by a number of
/// places.
macro_rules! bits {
    (
        $bits:ident($register:ty), $add:ident, $sub:ident, $and:ident, $or:ident, $xor:ident,
        |$value:ident| $splat:expr, |$a:ident, $n:ident| $up:expr, $down:expr
    ) => {
        /// The bits of as many numbers as a register has.
        #[derive(Clone, Copy, Debug)]
        pub struct $bits($register);

        bits!(@ $bits, Add, add, $add);
        bits!(@ $bits, Sub, sub, $sub);
        bits!(@ $bits, BitAnd, bitand, $and);
        bits!(@ $bits, BitOr, bitor, $or);
        bits!(@ $bits, BitXor, bitxor, $xor);

        impl $crate::Bits for $bits {
            #[inline(always)]
            fn splat($value: u64) -> Self {
                // SAFETY: the processor has the instructions: bits come from registers that it has.
                unsafe { $bits($splat) }
            }
            #[inline(always)]
            fn shifted_up(self, $n: u32) -> Self {
                let $a = self.0;
                // SAFETY: the register exists, so the processor has the instructions.
                unsafe { $bits($up) }
            }
            #[inline(always)]
            fn shifted_down(self, $n: u32) -> Self {
                let $a = self.0;
                // SAFETY: the register exists, so the processor has the instructions.
                unsafe { $bits($down) }
            }
        }
    };
    (@ $bits:ident, $trait:ident, $method:ident, $instruction:ident) => {
        impl std::ops::$trait for $bits {
            type Output = Self;
            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                // SAFETY: the register exists, so the processor has the instruction.
                unsafe { $bits($instruction(self.0, other.0)) }
            }
        }
    };
}
pub(super) use bits;
