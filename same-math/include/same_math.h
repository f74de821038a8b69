/* Elementary functions with the same bits on every processor: the C names of the Rust crate same-math.
 *
 * Link libsame_math.a or libsame_math.so, which same-math/build installs with files for pkg-config and CMake.
 * C++ and CUDA programs can include same_math.hpp instead, which contains the functions themselves.
 *
 * Every result is within 1 ulp of the exact value, and that of sm_cbrt is the nearest double. Special values
 * are those of C's functions (IEEE 754-2019, section 9.2.1). errno and exception flags
 * are not set deliberately, and a result that is not a number has the bits 0x7ff8000000000000. */
#ifndef SAME_MATH_H
#define SAME_MATH_H

#ifdef __cplusplus
extern "C" {
#endif

double sm_exp(double x);
double sm_exp2(double x);
double sm_expm1(double x);
double sm_log(double x);
double sm_log2(double x);
double sm_log1p(double x);
double sm_cbrt(double x);
double sm_sin(double x);
double sm_cos(double x);
double sm_tan(double x);
double sm_atan(double x);
double sm_asin(double x);
double sm_acos(double x);
double sm_sinh(double x);
double sm_cosh(double x);
double sm_tanh(double x);
double sm_asinh(double x);
double sm_acosh(double x);
double sm_atanh(double x);
double sm_erf(double x);
/* Gamma x, and ln |Gamma x|. */
double sm_tgamma(double x);
double sm_lgamma(double x);
double sm_exp10(double x);
double sm_log10(double x);
double sm_rsqrt(double x);
/* sin (pi x), cos (pi x). */
double sm_sinpi(double x);
double sm_cospi(double x);
double sm_hypot(double x, double y);
double sm_atan2(double y, double x);
double sm_pow(double x, double y);
/* x to an integer power; correctly rounded for n from -1 to 2. */
double sm_powi(double x, int n);
/* Both at once. */
void sm_sincos(double x, double *sine, double *cosine);

/* The same for singles, within 1/2 + 2^-28 ulp; a result that is not a number has the bits 0x7fc00000. */
float sm_expf(float x);
float sm_exp2f(float x);
float sm_exp10f(float x);
float sm_expm1f(float x);
float sm_logf(float x);
float sm_log2f(float x);
float sm_log10f(float x);
float sm_log1pf(float x);
float sm_cbrtf(float x);
float sm_rsqrtf(float x);
float sm_sinf(float x);
float sm_cosf(float x);
float sm_tanf(float x);
float sm_sinpif(float x);
float sm_cospif(float x);
float sm_atanf(float x);
float sm_asinf(float x);
float sm_acosf(float x);
float sm_sinhf(float x);
float sm_coshf(float x);
float sm_tanhf(float x);
float sm_asinhf(float x);
float sm_acoshf(float x);
float sm_atanhf(float x);
float sm_erff(float x);
float sm_tgammaf(float x);
float sm_lgammaf(float x);
float sm_atan2f(float y, float x);
float sm_powf(float x, float y);
float sm_hypotf(float x, float y);
float sm_powif(float x, int n);

#ifdef __cplusplus
}
#endif

#endif
