//! The functions of single-precision numbers: those of doubles, rounded once more.
//!
//! An error below 1 ulp of a double is below 2^-29 ulp of a single, so these are within 1/2 + 2^-28 ulp: the nearest single but
//! where the exact value is that close to the middle of two. In the subnormal range of singles that holds, too, because doubles
//! there have 29 more bits at least. Every NaN is the one with the bits 0x7fc00000.
//!
//! ```
//! assert_eq!(same_math::single::exp(1.0), std::f32::consts::E);
//! ```

/// The nearest single, and the one NaN.
#[inline(always)]
fn rounded(value: f64) -> f32 {
    if value.is_nan() { f32::from_bits(0x7fc0_0000) } else { value as f32 }
}

/// Makes the functions in both languages.
macro_rules! singles {
    ($($name:ident($($x:ident),*) = $c:ident, $double:ident;)*) => {
        $(
            #[doc = concat!("[`", stringify!($name), "`](crate::", stringify!($name), "()) of singles.")]
            #[inline]
            pub fn $name($($x: f32),*) -> f32 {
                rounded(crate::$name($(f64::from($x)),*))
            }
        )*

        /// The functions as C++.
        pub(crate) const SINGLE: &str = concat!(
            "SAME_MATH_FN float rounded(f64 y) { return y == y ? (float)y : single_(0x7fc00000u); }\n",
            $("SAME_MATH_FN float ", stringify!($c), "(", singles!(@parameters $($x),*), ") { return rounded(",
              stringify!($double), "(", singles!(@arguments $($x),*), ")); }\n",)*
        );
    };
    (@parameters $x:ident) => { concat!("float ", stringify!($x)) };
    (@parameters $x:ident, $y:ident) => { concat!("float ", stringify!($x), ", float ", stringify!($y)) };
    (@arguments $x:ident) => { concat!("(f64)", stringify!($x)) };
    (@arguments $x:ident, $y:ident) => { concat!("(f64)", stringify!($x), ", (f64)", stringify!($y)) };
}

singles! {
    exp(x) = sm_expf, sm_exp;
    exp2(x) = sm_exp2f, sm_exp2;
    exp10(x) = sm_exp10f, sm_exp10;
    exp_m1(x) = sm_expm1f, sm_expm1;
    ln(x) = sm_logf, sm_log;
    log2(x) = sm_log2f, sm_log2;
    log10(x) = sm_log10f, sm_log10;
    ln_1p(x) = sm_log1pf, sm_log1p;
    cbrt(x) = sm_cbrtf, sm_cbrt;
    rsqrt(x) = sm_rsqrtf, sm_rsqrt;
    sin(x) = sm_sinf, sm_sin;
    cos(x) = sm_cosf, sm_cos;
    tan(x) = sm_tanf, sm_tan;
    sin_pi(x) = sm_sinpif, sm_sinpi;
    cos_pi(x) = sm_cospif, sm_cospi;
    atan(x) = sm_atanf, sm_atan;
    asin(x) = sm_asinf, sm_asin;
    acos(x) = sm_acosf, sm_acos;
    sinh(x) = sm_sinhf, sm_sinh;
    cosh(x) = sm_coshf, sm_cosh;
    tanh(x) = sm_tanhf, sm_tanh;
    asinh(x) = sm_asinhf, sm_asinh;
    acosh(x) = sm_acoshf, sm_acosh;
    atanh(x) = sm_atanhf, sm_atanh;
    erf(x) = sm_erff, sm_erf;
    gamma(x) = sm_tgammaf, sm_tgamma;
    ln_gamma(x) = sm_lgammaf, sm_lgamma;
    atan2(y, x) = sm_atan2f, sm_atan2;
    powf(x, y) = sm_powf, sm_pow;
    hypot(x, y) = sm_hypotf, sm_hypot;
}

/// [`sin_cos`](crate::sin_cos()) of singles.
#[inline]
pub fn sin_cos(x: f32) -> (f32, f32) {
    (sin(x), cos(x))
}

/// [`powi`](crate::powi()) of singles.
#[inline]
pub fn powi(x: f32, n: i32) -> f32 {
    rounded(crate::powi(f64::from(x), n))
}
