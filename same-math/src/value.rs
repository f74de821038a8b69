//! The types in which the functions are written. Their names and operations mean the same in `prelude.hpp`.

use core::ops::{Add, BitAnd, BitOr, BitXor, Div, Mul, Neg, Not, Shl, Shr, Sub};

use crate::number::{Bits, Mask, Number};

/// A number.
#[derive(Clone, Copy)]
pub(crate) struct V<N: Number>(pub(crate) N);

/// The bits of a number.
#[derive(Clone, Copy)]
pub(crate) struct B<N: Number>(pub(crate) N::Bits);

/// A truth value.
#[derive(Clone, Copy)]
pub(crate) struct M<N: Number>(pub(crate) N::Mask);

/// Anything that can be used as a number: a number or a constant.
pub(crate) trait Operand<N: Number>: Copy {
    fn operand(self) -> N;
}

impl<N: Number> Operand<N> for V<N> {
    #[inline(always)]
    fn operand(self) -> N {
        self.0
    }
}

impl<N: Number> Operand<N> for f64 {
    #[inline(always)]
    fn operand(self) -> N {
        N::splat(self)
    }
}

macro_rules! number_operators {
    ($($trait:ident $method:ident |$a:ident, $b:ident| $value:expr),*) => {$(
        impl<N: Number, T: Operand<N>> $trait<T> for V<N> {
            type Output = V<N>;
            #[inline(always)]
            fn $method(self, other: T) -> V<N> {
                let ($a, $b) = (self.0, other.operand());
                V($value)
            }
        }

        impl<N: Number> $trait<V<N>> for f64 {
            type Output = V<N>;
            #[inline(always)]
            fn $method(self, other: V<N>) -> V<N> {
                let ($a, $b) = (N::splat(self), other.0);
                V($value)
            }
        }
    )*};
}
number_operators!(Add add |a, b| a + b, Sub sub |a, b| a - b, Mul mul |a, b| a.product(b), Div div |a, b| a / b);

impl<N: Number> Neg for V<N> {
    type Output = V<N>;
    #[inline(always)]
    fn neg(self) -> V<N> {
        V(-self.0)
    }
}

impl<N: Number> V<N> {
    #[inline(always)]
    pub(crate) fn sqrt(self) -> V<N> {
        V(self.0.sqrt())
    }
    #[inline(always)]
    pub(crate) fn abs(self) -> V<N> {
        V(self.0.abs())
    }
    #[inline(always)]
    pub(crate) fn lt(self, other: impl Operand<N>) -> M<N> {
        M(self.0.lt(other.operand()))
    }
    #[inline(always)]
    pub(crate) fn le(self, other: impl Operand<N>) -> M<N> {
        M(self.0.le(other.operand()))
    }
    #[inline(always)]
    pub(crate) fn eq(self, other: impl Operand<N>) -> M<N> {
        M(self.0.eq(other.operand()))
    }
}

/// Two numbers on which the same operations act.
#[derive(Clone, Copy)]
pub(crate) struct Two<N: Number> {
    pub(crate) first: V<N>,
    pub(crate) second: V<N>,
}

/// Two numbers.
#[inline(always)]
pub(crate) fn two<N: Number>(first: impl Operand<N>, second: impl Operand<N>) -> Two<N> {
    Two { first: V(first.operand()), second: V(second.operand()) }
}

macro_rules! operators_of_two {
    ($($trait:ident $method:ident $both:ident),*) => {$(
        impl<N: Number> $trait for Two<N> {
            type Output = Two<N>;
            #[inline(always)]
            fn $method(self, other: Two<N>) -> Two<N> {
                let [first, second] = N::$both([self.first.0, self.second.0], [other.first.0, other.second.0]);
                Two { first: V(first), second: V(second) }
            }
        }
    )*};
}
operators_of_two!(Add add two_sums, Sub sub two_differences, Mul mul two_products);

/// c0 + c1 t + c2 t^2 + c3 t^3, given t^2, for the coefficients a and for b.
#[inline(always)]
#[allow(clippy::too_many_arguments)]
pub(crate) fn cubics<N: Number>(
    t: V<N>,
    t2: V<N>,
    a0: f64,
    a1: f64,
    a2: f64,
    a3: f64,
    b0: f64,
    b1: f64,
    b2: f64,
    b3: f64,
) -> Two<N> {
    let [first, second] = t.0.cubics(t2.0, [[a0, b0], [a1, b1], [a2, b2], [a3, b3]]);
    Two { first: V(first), second: V(second) }
}

/// Anything that can be used as bits.
pub(crate) trait BitsOperand<N: Number>: Copy {
    fn operand(self) -> N::Bits;
}

impl<N: Number> BitsOperand<N> for B<N> {
    #[inline(always)]
    fn operand(self) -> N::Bits {
        self.0
    }
}

impl<N: Number> BitsOperand<N> for u64 {
    #[inline(always)]
    fn operand(self) -> N::Bits {
        N::Bits::splat(self)
    }
}

macro_rules! bit_operators {
    ($($trait:ident $method:ident $operator:tt),*) => {$(
        impl<N: Number, T: BitsOperand<N>> $trait<T> for B<N> {
            type Output = B<N>;
            #[inline(always)]
            fn $method(self, other: T) -> B<N> {
                B(self.0 $operator other.operand())
            }
        }
    )*};
}
bit_operators!(Add add +, Sub sub -, BitAnd bitand &, BitOr bitor |, BitXor bitxor ^);

impl<N: Number> Shl<u32> for B<N> {
    type Output = B<N>;
    #[inline(always)]
    fn shl(self, places: u32) -> B<N> {
        B(self.0.shifted_up(places))
    }
}

impl<N: Number> Shr<u32> for B<N> {
    type Output = B<N>;
    #[inline(always)]
    fn shr(self, places: u32) -> B<N> {
        B(self.0.shifted_down(places))
    }
}

impl<N: Number> BitAnd for M<N> {
    type Output = M<N>;
    #[inline(always)]
    fn bitand(self, other: M<N>) -> M<N> {
        M(self.0 & other.0)
    }
}

impl<N: Number> BitOr for M<N> {
    type Output = M<N>;
    #[inline(always)]
    fn bitor(self, other: M<N>) -> M<N> {
        M(self.0 | other.0)
    }
}

impl<N: Number> Not for M<N> {
    type Output = M<N>;
    #[inline(always)]
    fn not(self) -> M<N> {
        M(!self.0)
    }
}

/// `then` where the mask is true, `otherwise` elsewhere.
#[inline(always)]
pub(crate) fn select<N: Number>(mask: M<N>, then: impl Operand<N>, otherwise: impl Operand<N>) -> V<N> {
    V(N::select(mask.0, then.operand(), otherwise.operand()))
}

/// The same where neither side is likelier than the other: a branch would be mispredicted.
#[inline(always)]
pub(crate) fn blend<N: Number>(mask: M<N>, then: impl Operand<N>, otherwise: impl Operand<N>) -> V<N> {
    V(N::blend(mask.0, then.operand(), otherwise.operand()))
}

/// `a` where it is less than `b`, `b` elsewhere.
#[inline(always)]
pub(crate) fn lesser<N: Number>(a: V<N>, b: V<N>) -> V<N> {
    V(a.0.lesser(b.0))
}

/// `a` where it is greater than `b`, `b` elsewhere.
#[inline(always)]
pub(crate) fn greater<N: Number>(a: V<N>, b: V<N>) -> V<N> {
    V(a.0.greater(b.0))
}

/// Whether a mask is true in every lane.
#[inline(always)]
pub(crate) fn all<N: Number>(mask: M<N>) -> bool {
    mask.0.all()
}

/// The bits of a number.
#[inline(always)]
pub(crate) fn to_bits<N: Number>(x: V<N>) -> B<N> {
    B(x.0.to_bits())
}

/// The number with these bits.
#[inline(always)]
pub(crate) fn from_bits<N: Number>(bits: B<N>) -> V<N> {
    V(N::from_bits(bits.0))
}

/// A constant as a number.
#[inline(always)]
pub(crate) fn number<N: Number>(value: f64) -> V<N> {
    V(N::splat(value))
}

/// An integer as a number.
#[inline(always)]
pub(crate) fn from_i32<N: Number>(n: i32) -> V<N> {
    V(N::splat(f64::from(n)))
}

/// Integers of one lane.
pub(crate) type Word = u64;

/// The bits of one number as an integer.
#[inline(always)]
pub(crate) fn word(x: V<f64>) -> Word {
    f64::to_bits(x.0)
}

/// The number nearest to an integer.
#[inline(always)]
pub(crate) fn from_integer(word: Word) -> V<f64> {
    V(word as f64)
}

/// The upper half of a product.
#[inline(always)]
pub(crate) fn product_high(a: Word, b: Word) -> Word {
    ((u128::from(a) * u128::from(b)) >> 64) as u64
}

/// The lower half of a product.
#[inline(always)]
pub(crate) fn product_low(a: Word, b: Word) -> Word {
    a.wrapping_mul(b)
}

/// A sum that wraps around.
#[inline(always)]
pub(crate) fn sum(a: Word, b: Word) -> Word {
    a.wrapping_add(b)
}

/// A difference that wraps around.
#[inline(always)]
pub(crate) fn difference(a: Word, b: Word) -> Word {
    a.wrapping_sub(b)
}

/// One integer or the other.
#[inline(always)]
pub(crate) fn select_word(condition: bool, then: Word, otherwise: Word) -> Word {
    if condition { then } else { otherwise }
}
