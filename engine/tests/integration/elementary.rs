//! What the functions of `same-math` cost, in a kernel's counts.

use std::cell::Cell;
use std::num::Wrapping;
use std::ops::{Add, Div, Mul, Neg, Sub};

use cfd_engine::kernel::OpCount;
use cfd_engine::prelude::*;
use same_math::Number;

thread_local! {
    static COUNT: Cell<OpCount> = const { Cell::new(OpCount::NONE) };
}

fn count(one: OpCount) {
    COUNT.set(COUNT.get().plus(one));
}

const ADD: OpCount = OpCount { add: 1, ..OpCount::NONE };
const MUL: OpCount = OpCount { mul: 1, ..OpCount::NONE };
const DIV: OpCount = OpCount { div: 1, ..OpCount::NONE };
const SQRT: OpCount = OpCount { sqrt: 1, ..OpCount::NONE };
const COMPARE: OpCount = OpCount { compare: 1, ..OpCount::NONE };

/// A number that counts the operations on it.
#[derive(Clone, Copy)]
struct Counted(f64);

macro_rules! operators {
    ($($trait:ident $method:ident $operator:tt $one:ident),*) => {$(
        impl $trait for Counted {
            type Output = Counted;
            fn $method(self, other: Counted) -> Counted {
                count($one);
                Counted(self.0 $operator other.0)
            }
        }
    )*};
}
operators!(Add add + ADD, Sub sub - ADD, Mul mul * MUL, Div div / DIV);

impl Neg for Counted {
    type Output = Counted;
    fn neg(self) -> Counted {
        count(ADD);
        Counted(-self.0)
    }
}

impl Number for Counted {
    type Mask = bool;
    type Bits = Wrapping<u64>;
    fn splat(value: f64) -> Counted {
        Counted(value)
    }
    fn sqrt(self) -> Counted {
        count(SQRT);
        Counted(self.0.sqrt())
    }
    fn abs(self) -> Counted {
        count(COMPARE);
        Counted(self.0.abs())
    }
    fn lt(self, other: Counted) -> bool {
        count(COMPARE);
        self.0 < other.0
    }
    fn le(self, other: Counted) -> bool {
        count(COMPARE);
        self.0 <= other.0
    }
    fn eq(self, other: Counted) -> bool {
        count(COMPARE);
        self.0 == other.0
    }
    fn select(mask: bool, then: Counted, otherwise: Counted) -> Counted {
        count(COMPARE);
        if mask { then } else { otherwise }
    }
    fn to_bits(self) -> Wrapping<u64> {
        Wrapping(self.0.to_bits())
    }
    fn from_bits(bits: Wrapping<u64>) -> Counted {
        Counted(f64::from_bits(bits.0))
    }
    fn each(self, _: impl Fn(f64) -> f64) -> Counted {
        panic!("{} is of the common range", self.0)
    }
    fn each_pair(self, other: Counted, _: impl Fn(f64, f64) -> f64) -> Counted {
        panic!("{} and {} are of the common range", self.0, other.0)
    }
}

fn counted(of: impl Fn(Counted) -> Counted) -> OpCount {
    COUNT.set(OpCount::NONE);
    of(Counted(0.7));
    COUNT.get()
}

#[test]
fn kernels_count_what_the_functions_do() {
    use same_math::*;
    let other = Counted(0.3);
    let found = [
        counted(exp),
        counted(exp2),
        counted(exp_m1),
        counted(ln),
        counted(log2),
        counted(ln_1p),
        counted(cbrt),
        counted(sin),
        counted(cos),
        counted(tan),
        counted(asin),
        counted(acos),
        counted(atan),
        counted(|x| atan2(x, other)),
        counted(sinh),
        counted(cosh),
        counted(tanh),
        counted(|x| powf(x, other)),
    ];
    use cfd_engine::kernel::elementary as stated;
    let expected = [
        stated::EXP,
        stated::EXP2,
        stated::EXP_M1,
        stated::LN,
        stated::LOG2,
        stated::LN_1P,
        stated::CBRT,
        stated::SIN,
        stated::COS,
        stated::TAN,
        stated::ASIN,
        stated::ACOS,
        stated::ATAN,
        stated::ATAN2,
        stated::SINH,
        stated::COSH,
        stated::TANH,
        stated::POWF,
    ];
    assert_eq!(found, expected);
    for n in -20..=20 {
        assert_eq!(counted(|x| powi(x, n)), stated::powi(n), "{n}");
    }
}

#[kernel]
fn several(x: Read<2>, y: Write<1>) {
    y[0] = x[0].exp() + x[1].exp().powi(-3) * f64::powf(x[0], x[1]);
}

#[test]
fn a_kernel_s_count_has_those_of_its_functions() {
    use cfd_engine::kernel::{Kernel, elementary};
    let own = OpCount { add: 1, mul: 1, ..OpCount::NONE };
    let functions =
        elementary::EXP.plus_times(elementary::EXP, 1).plus(elementary::powi(-3)).plus(elementary::POWF);
    fn count<K: Kernel>(_: fn() -> K) -> OpCount {
        K::OPS
    }
    assert_eq!(count(several), own.plus(functions));
}
