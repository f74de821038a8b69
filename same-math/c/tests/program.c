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

int main(void) {
    static const double arguments[] = {0.75, -0.3, 1e6, 0.0};
    for (int i = 0; i < 4; i++) {
        double x = arguments[i];
        show("exp", sm_exp(x));
        show("exp2", sm_exp2(x));
        show("exp_m1", sm_expm1(x));
        show("ln", sm_log(x));
        show("log2", sm_log2(x));
        show("ln_1p", sm_log1p(x));
        show("cbrt", sm_cbrt(x));
        show("sin", sm_sin(x));
        show("cos", sm_cos(x));
        show("tan", sm_tan(x));
        show("atan", sm_atan(x));
        show("asin", sm_asin(x));
        show("acos", sm_acos(x));
        show("sinh", sm_sinh(x));
        show("cosh", sm_cosh(x));
        show("tanh", sm_tanh(x));
        show("atan2", sm_atan2(x, 0.5));
        show("powf", sm_pow(x, 1.5));
        show("powi", sm_powi(x, -3));
    }
    return 0;
}
