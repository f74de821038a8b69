//! The functions of `same_math` under the names of `same_math.h`, as a static and a shared library.

macro_rules! functions {
    ($($c:ident = $rust:ident($($x:ident: $type:ty),*);)*) => {$(
        #[doc = concat!("`same_math::", stringify!($rust), "`.")]
        // SAFETY: no other library has names that begin like this.
        #[unsafe(no_mangle)]
        pub extern "C" fn $c($($x: $type),*) -> f64 {
            same_math::$rust($($x),*)
        }
    )*};
}

functions! {
    sm_exp = exp(x: f64);
    sm_exp2 = exp2(x: f64);
    sm_expm1 = exp_m1(x: f64);
    sm_log = ln(x: f64);
    sm_log2 = log2(x: f64);
    sm_log1p = ln_1p(x: f64);
    sm_cbrt = cbrt(x: f64);
    sm_sin = sin(x: f64);
    sm_cos = cos(x: f64);
    sm_tan = tan(x: f64);
    sm_atan = atan(x: f64);
    sm_asin = asin(x: f64);
    sm_acos = acos(x: f64);
    sm_sinh = sinh(x: f64);
    sm_cosh = cosh(x: f64);
    sm_tanh = tanh(x: f64);
    sm_atan2 = atan2(y: f64, x: f64);
    sm_pow = powf(x: f64, y: f64);
    sm_powi = powi(x: f64, n: i32);
}
