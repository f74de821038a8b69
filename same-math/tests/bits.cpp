// Hashes of results, as in bits.rs.
#include <cstdint>
#include <cstdio>
#include <cstring>
#include "../include/same_math.hpp"

#ifndef COUNT
#define COUNT 100000
#endif

struct Arguments {
    uint64_t state = 2024;
    uint64_t next() {
        state = state * 6364136223846793005ull + 1442695040888963407ull;
        return state ^ (state >> 29);
    }
    double number() {
        uint64_t bits = next();
        uint64_t kind = (bits >> 32) % 3;
        if (kind == 1) bits = (bits & 0x800fffffffffffffull) | ((1013 + (bits >> 40) % 16) << 52);
        if (kind == 2) bits = (bits & 0x800fffffffffffffull) | ((1022 + (bits >> 40) % 2) << 52);
        double x;
        std::memcpy(&x, &bits, sizeof x);
        return x;
    }
    int integer() {
        uint64_t bits = next();
        return (int32_t)(bits >> 32) >> (bits % 32);
    }
};

static float single(double x) { return (float)x; }
static uint32_t bits_of(float x) {
    uint32_t bits;
    std::memcpy(&bits, &x, sizeof bits);
    return bits;
}

template <class Value> void hash(const char *name, Value value) {
    Arguments arguments;
    uint64_t hash = 0xcbf29ce484222325ull;
    for (int i = 0; i < COUNT; i++) {
        double result = value(arguments);
        uint64_t bits;
        std::memcpy(&bits, &result, sizeof bits);
        hash = (hash ^ bits) * 0x100000001b3ull;
    }
    std::printf("%s %016llx\n", name, (unsigned long long)hash);
}

// As in hashes/mod.rs.
static double singles(Arguments &a) {
    float x = single(a.number()), y = single(a.number());
    uint32_t all = 0;
#define ADD(function, ...) all = (all << 5 | all >> 27) ^ bits_of(same_math::function(__VA_ARGS__))
    ADD(sm_tgammaf, x), ADD(sm_lgammaf, x), ADD(sm_asinhf, x), ADD(sm_acoshf, x), ADD(sm_atanhf, x), ADD(sm_erff, x);
    ADD(sm_expf, x), ADD(sm_exp2f, x), ADD(sm_exp10f, x), ADD(sm_expm1f, x), ADD(sm_logf, x), ADD(sm_log2f, x);
    ADD(sm_log10f, x), ADD(sm_log1pf, x), ADD(sm_cbrtf, x), ADD(sm_rsqrtf, x), ADD(sm_sinf, x), ADD(sm_cosf, x);
    ADD(sm_tanf, x), ADD(sm_sinpif, x), ADD(sm_cospif, x), ADD(sm_atanf, x), ADD(sm_asinf, x), ADD(sm_acosf, x);
    ADD(sm_sinhf, x), ADD(sm_coshf, x), ADD(sm_tanhf, x), ADD(sm_atan2f, x, y), ADD(sm_powf, x, y);
    ADD(sm_hypotf, x, y), ADD(sm_powif, x, 7);
    return all;
}

int main() {
    if (!same_math::self_check()) return 3;
#define ONE(name, function) hash(name, [](Arguments &a) { return same_math::function(a.number()); })
    ONE("exp", sm_exp);
    ONE("exp2", sm_exp2);
    ONE("exp_m1", sm_expm1);
    ONE("ln", sm_log);
    ONE("log2", sm_log2);
    ONE("ln_1p", sm_log1p);
    ONE("cbrt", sm_cbrt);
    ONE("sin", sm_sin);
    ONE("cos", sm_cos);
    ONE("tan", sm_tan);
    ONE("atan", sm_atan);
    ONE("asin", sm_asin);
    ONE("acos", sm_acos);
    ONE("sinh", sm_sinh);
    ONE("cosh", sm_cosh);
    ONE("tanh", sm_tanh);
    hash("atan2", [](Arguments &a) {
        double y = a.number();
        return same_math::sm_atan2(y, a.number());
    });
    hash("powf", [](Arguments &a) {
        double x = a.number();
        return same_math::sm_pow(x, a.number());
    });
    hash("powi", [](Arguments &a) {
        double x = a.number();
        return same_math::sm_powi(x, a.integer());
    });
    ONE("exp10", sm_exp10);
    ONE("log10", sm_log10);
    ONE("rsqrt", sm_rsqrt);
    ONE("sin_pi", sm_sinpi);
    ONE("cos_pi", sm_cospi);
    hash("hypot", [](Arguments &a) {
        double x = a.number();
        return same_math::sm_hypot(x, a.number());
    });
    ONE("asinh", sm_asinh);
    ONE("acosh", sm_acosh);
    ONE("atanh", sm_atanh);
    ONE("erf", sm_erf);
    ONE("gamma", sm_tgamma);
    ONE("ln_gamma", sm_lgamma);
    hash("singles", singles);
}
