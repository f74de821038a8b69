/* Prints the bits of every function at a few arguments. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "same_math.h"

static void show(const char *name, double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    printf("%s %016" PRIx64 "\n", name, bits);
}

static uint32_t bits(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static void single(const char *name, float value) { printf("single %s %08" PRIx32 "\n", name, bits(value)); }

int main(void) {
    static const double arguments[] = {0.75, -0.3, 1e6, 0.0};
    for (int i = 0; i < 4; i++) {
        double x = arguments[i], sine, cosine;
        float y = (float)x;
        show("exp", sm_exp(x));
        show("exp2", sm_exp2(x));
        show("exp10", sm_exp10(x));
        show("exp_m1", sm_expm1(x));
        show("ln", sm_log(x));
        show("log2", sm_log2(x));
        show("log10", sm_log10(x));
        show("ln_1p", sm_log1p(x));
        show("cbrt", sm_cbrt(x));
        show("rsqrt", sm_rsqrt(x));
        show("sin", sm_sin(x));
        show("cos", sm_cos(x));
        show("tan", sm_tan(x));
        show("sin_pi", sm_sinpi(x));
        show("cos_pi", sm_cospi(x));
        show("atan", sm_atan(x));
        show("asin", sm_asin(x));
        show("acos", sm_acos(x));
        show("sinh", sm_sinh(x));
        show("cosh", sm_cosh(x));
        show("tanh", sm_tanh(x));
        show("asinh", sm_asinh(x));
        show("acosh", sm_acosh(x));
        show("atanh", sm_atanh(x));
        show("erf", sm_erf(x));
        show("gamma", sm_tgamma(x));
        show("ln_gamma", sm_lgamma(x));
        show("atan2", sm_atan2(x, 0.5));
        show("powf", sm_pow(x, 1.5));
        show("hypot", sm_hypot(x, 0.5));
        show("powi", sm_powi(x, -3));
        sm_sincos(x, &sine, &cosine);
        show("sine", sine);
        show("cosine", cosine);
        single("exp", sm_expf(y));
        single("exp2", sm_exp2f(y));
        single("exp10", sm_exp10f(y));
        single("exp_m1", sm_expm1f(y));
        single("ln", sm_logf(y));
        single("log2", sm_log2f(y));
        single("log10", sm_log10f(y));
        single("ln_1p", sm_log1pf(y));
        single("cbrt", sm_cbrtf(y));
        single("rsqrt", sm_rsqrtf(y));
        single("sin", sm_sinf(y));
        single("cos", sm_cosf(y));
        single("tan", sm_tanf(y));
        single("sin_pi", sm_sinpif(y));
        single("cos_pi", sm_cospif(y));
        single("atan", sm_atanf(y));
        single("asin", sm_asinf(y));
        single("acos", sm_acosf(y));
        single("sinh", sm_sinhf(y));
        single("cosh", sm_coshf(y));
        single("tanh", sm_tanhf(y));
        single("asinh", sm_asinhf(y));
        single("acosh", sm_acoshf(y));
        single("atanh", sm_atanhf(y));
        single("erf", sm_erff(y));
        single("gamma", sm_tgammaf(y));
        single("ln_gamma", sm_lgammaf(y));
        printf("single %08" PRIx32 " %08" PRIx32 " %08" PRIx32 " %08" PRIx32 "\n", bits(sm_atan2f(y, 0.5f)),
               bits(sm_powf(y, 1.5f)), bits(sm_hypotf(y, 0.5f)), bits(sm_powif(y, -3)));
    }
    return 0;
}
