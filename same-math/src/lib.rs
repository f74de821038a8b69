#![no_std]
//! Elementary functions.
#![deny(unsafe_op_in_unsafe_fn)]

mod cbrt;
mod double_double;
mod exp;
mod log;
mod number;
mod text;
mod value;

pub use cbrt::cbrt;
pub use exp::{exp, exp2, exp_m1};
pub use log::{ln, ln_1p, log2};
pub use number::{Bits, Mask, Number};

const TEXTS: &[&str] = &[
    include_str!("prelude.hpp"),
    double_double::DOUBLE_DOUBLE,
    exp::EXP,
    log::LOG,
    cbrt::CBRT,
    "#undef let\n#undef mut\n} // namespace same_math\n",
];

const JOINED: [u8; text::length(TEXTS)] = text::joined(TEXTS);

/// The functions as CUDA or C++ text.
pub const CPP_TEXT: &str = match core::str::from_utf8(&JOINED) {
    Ok(text) => text,
    Err(_) => panic!("texts are UTF-8"),
};
