//! The functions of `same_math` under the names of `same_math.h`, as a static and a shared library.

macro_rules! functions {
    ($number:ty; $($c:ident = $($rust:ident)::+($($x:ident: $type:ty),*);)*) => {$(
        #[doc = concat!("`same_math", $("::", stringify!($rust)),+, "`.")]
        // SAFETY: no other library has names that begin like this.
        #[unsafe(no_mangle)]
        pub extern "C" fn $c($($x: $type),*) -> $number {
            same_math::$($rust)::+($($x),*)
        }
    )*};
}

functions! {
    f64;
    sm_exp = exp(x: f64);
    sm_exp2 = exp2(x: f64);
    sm_exp10 = exp10(x: f64);
    sm_expm1 = exp_m1(x: f64);
    sm_log = ln(x: f64);
    sm_log2 = log2(x: f64);
    sm_log10 = log10(x: f64);
    sm_log1p = ln_1p(x: f64);
    sm_cbrt = cbrt(x: f64);
    sm_rsqrt = rsqrt(x: f64);
    sm_sin = sin(x: f64);
    sm_cos = cos(x: f64);
    sm_tan = tan(x: f64);
    sm_sinpi = sin_pi(x: f64);
    sm_cospi = cos_pi(x: f64);
    sm_atan = atan(x: f64);
    sm_asin = asin(x: f64);
    sm_acos = acos(x: f64);
    sm_sinh = sinh(x: f64);
    sm_cosh = cosh(x: f64);
    sm_tanh = tanh(x: f64);
    sm_asinh = asinh(x: f64);
    sm_acosh = acosh(x: f64);
    sm_atanh = atanh(x: f64);
    sm_erf = erf(x: f64);
    sm_tgamma = gamma(x: f64);
    sm_lgamma = ln_gamma(x: f64);
    sm_atan2 = atan2(y: f64, x: f64);
    sm_pow = powf(x: f64, y: f64);
    sm_hypot = hypot(x: f64, y: f64);
    sm_powi = powi(x: f64, n: i32);
}

functions! {
    f32;
    sm_expf = single::exp(x: f32);
    sm_exp2f = single::exp2(x: f32);
    sm_exp10f = single::exp10(x: f32);
    sm_expm1f = single::exp_m1(x: f32);
    sm_logf = single::ln(x: f32);
    sm_log2f = single::log2(x: f32);
    sm_log10f = single::log10(x: f32);
    sm_log1pf = single::ln_1p(x: f32);
    sm_cbrtf = single::cbrt(x: f32);
    sm_rsqrtf = single::rsqrt(x: f32);
    sm_sinf = single::sin(x: f32);
    sm_cosf = single::cos(x: f32);
    sm_tanf = single::tan(x: f32);
    sm_sinpif = single::sin_pi(x: f32);
    sm_cospif = single::cos_pi(x: f32);
    sm_atanf = single::atan(x: f32);
    sm_asinf = single::asin(x: f32);
    sm_acosf = single::acos(x: f32);
    sm_sinhf = single::sinh(x: f32);
    sm_coshf = single::cosh(x: f32);
    sm_tanhf = single::tanh(x: f32);
    sm_asinhf = single::asinh(x: f32);
    sm_acoshf = single::acosh(x: f32);
    sm_atanhf = single::atanh(x: f32);
    sm_erff = single::erf(x: f32);
    sm_tgammaf = single::gamma(x: f32);
    sm_lgammaf = single::ln_gamma(x: f32);
    sm_atan2f = single::atan2(y: f32, x: f32);
    sm_powf = single::powf(x: f32, y: f32);
    sm_hypotf = single::hypot(x: f32, y: f32);
    sm_powif = single::powi(x: f32, n: i32);
}

/// `same_math::sin_cos`.
///
/// # Safety
/// Both pointers point to doubles that nothing else accesses meanwhile.
// SAFETY: no other library has names that begin like this.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sm_sincos(x: f64, sine: *mut f64, cosine: *mut f64) {
    let (of_sine, of_cosine) = same_math::sin_cos(x);
    // SAFETY: the caller's condition.
    unsafe {
        sine.write(of_sine);
        cosine.write(of_cosine);
    }
}
