#![no_std]
#![deny(unsafe_op_in_unsafe_fn)]
//! Elementary functions with the same bits on every processor, in every number of lanes, in C++ and in CUDA.
//!
//! Only `+ - * /`, the square root, comparisons and bit operations, in the order of the source; nothing is contracted.
//!
//! ```text
//! number         what the functions need of a number or of lanes
//! lane           one lane: f64, in registers of x86-64 and on any processor
//! value          the types in which the functions are written
//! text           one source for Rust and C++: the macro that makes functions and keeps their tokens
//! prelude.hpp    the types in C++, and what a compiler must not do; epilogue.hpp: its end
//! double_double  sums and products with their errors
//! exp            e^x, 2^x, 10^x, e^x - 1
//! log            ln x, log2 x, log10 x, ln (1 + x)
//! cbrt           cube roots, correctly rounded
//! reduce         arguments less multiples of pi / 2
//! trig           sine, cosine, tangent
//! arc            arc tangent of one and two numbers, arc sine, arc cosine
//! hyperbolic     hyperbolic functions
//! inverse_hyperbolic: their inverses
//! pow            powers
//! error_function: the error function
//! gamma          the gamma function and its logarithm
//! roots          reciprocal square roots, lengths
//! turns          sine and cosine of multiples of pi
//! single         the functions of singles
//! check          whether a program computes all that as defined
//! ```
//!
//! Errors are below 1 ulp; the README has tables. Every NaN, given or computed, comes out as the one with the bits
//! 0x7ff8000000000000.
//!
//! ```
//! assert_eq!(same_math::exp(1.0).to_bits(), 0x4005bf0a8b145769);
//! assert_eq!(same_math::cbrt(27.0), 3.0);
//! ```

#[cfg(all(target_arch = "x86", not(target_feature = "sse2")))]
compile_error!(
    "same-math needs operations that round to an f64, which x87 registers do not: enable SSE2 (an i686 target)"
);

mod arc;
mod cbrt;
mod check;
mod double_double;
mod error_function;
mod exp;
mod gamma;
mod hyperbolic;
mod inverse_hyperbolic;
#[cfg_attr(target_arch = "x86_64", path = "lane/x86_64.rs")]
#[cfg_attr(not(target_arch = "x86_64"), path = "lane/portable.rs")]
mod lane;
mod log;
mod number;
mod pow;
mod reduce;
mod roots;
pub mod single;
mod text;
mod trig;
mod turns;
mod value;

pub use arc::{acos, asin, atan, atan2};
pub use cbrt::cbrt;
pub use check::self_check;
pub use error_function::erf;
pub use exp::{exp, exp_m1, exp2, exp10};
pub use gamma::{gamma, ln_gamma};
pub use hyperbolic::{cosh, sinh, tanh};
pub use inverse_hyperbolic::{acosh, asinh, atanh};
pub use log::{ln, ln_1p, log2, log10};
pub use number::{Bits, Mask, Number};
pub use pow::{powf, powi};
pub use roots::{hypot, rsqrt};
pub use trig::{cos, sin, sin_cos, tan};
pub use turns::{cos_pi, sin_pi};

/// Two results at once, in C++.
const SIN_COS: &str = "SAME_MATH_FN void sm_sincos(f64 x, f64 *sine, f64 *cosine) { *sine = sm_sin(x); *cosine = sm_cos(x); }\n";

/// Prelude, functions, end.
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
    roots::ROOTS,
    turns::TURNS,
    inverse_hyperbolic::INVERSE_HYPERBOLIC,
    error_function::ERROR_FUNCTION,
    gamma::GAMMA,
    SIN_COS,
    single::SINGLE,
    "SAME_MATH_FN float sm_powif(float x, i32 n) { return rounded(sm_powi((f64)x, n)); }\n",
    check::CHECK,
    include_str!("epilogue.hpp"),
];

// A constant, because a constant refers to it; only one copy exists, that of the text.
#[allow(clippy::large_const_arrays)]
const JOINED: [u8; text::length(TEXTS)] = text::joined(TEXTS);

/// The functions as C++, for hosts and for CUDA, without any `#include`: `double same_math::sm_exp(double)` and so on,
/// under the names of `same_math.h`. On a device, every operation is an intrinsic that no flag contracts. Source of
/// `include/same_math.hpp`.
pub const CPP_TEXT: &str = match core::str::from_utf8(&JOINED) {
    Ok(text) => text,
    Err(_) => panic!("texts are UTF-8"),
};
