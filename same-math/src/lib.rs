#![no_std]
//! Elementary functions.
#![deny(unsafe_op_in_unsafe_fn)]

mod arc;
mod cbrt;
mod double_double;
mod exp;
mod hyperbolic;
mod log;
mod number;
mod pow;
mod reduce;
mod text;
mod trig;
mod value;

pub use arc::{acos, asin, atan, atan2};
pub use cbrt::cbrt;
pub use exp::{exp, exp_m1, exp2};
pub use hyperbolic::{cosh, sinh, tanh};
pub use log::{ln, ln_1p, log2};
pub use number::{Bits, Mask, Number};
pub use pow::{powf, powi};
pub use trig::{cos, sin, tan};

const TEXTS: &[&str] = &[
    include_str!("prelude.hpp"),
    double_double::DOUBLE_DOUBLE,
    exp::EXP,
    log::LOG,
    cbrt::CBRT,
    reduce::REDUCE,
    trig::TRIG,
    arc::ARC,
    hyperbolic::HYPERBOLIC,
    pow::POW,
    "#undef let\n#undef mut\n} // namespace same_math\n",
];

const JOINED: [u8; text::length(TEXTS)] = text::joined(TEXTS);

/// The functions as CUDA or C++ text.
pub const CPP_TEXT: &str = match core::str::from_utf8(&JOINED) {
    Ok(text) => text,
    Err(_) => panic!("texts are UTF-8"),
};
