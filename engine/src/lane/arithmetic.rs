//! Arithmetic of a register type by the processor's instructions.

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
                // SAFETY: the processor has the instructions, or there were no register.
                unsafe { $register($neg) }
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
pub(super) use arithmetic;
