// What the tables are made of: the functions, errors in ulp against MPFR, and the worst of them.
//
// Error of y for f(x): |y - f(x)| in units of the last place of the double nearest to f(x), those of subnormal numbers
// for tiny results. Where f(x) is beyond the range, the result must be infinite.
#pragma once
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <mpfr.h>
#include "../include/same_math.hpp"

using Mpfr1 = int (*)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t);
using Double1 = double (*)(double);
using Common1 = same_math::Checked<double> (*)(same_math::V<double>);

// Arguments that are worked on at a time: few enough for the nearest cache.
static const int BLOCK = 1024;

// The short way for all of a block, which compilers make code in lanes of; then the long way where it is needed.
template <Common1 common, Double1 ours> static void block(const double *x, double *y) {
    static uint64_t sure[BLOCK];
    for (int i = 0; i < BLOCK; i++) {
        same_math::Checked<double> result = common(same_math::V<double>(x[i]));
        y[i] = result.value.v;
        sure[i] = result.sure;
    }
    for (int i = 0; i < BLOCK; i++)
        if (!sure[i]) y[i] = ours(x[i]);
}

struct Function {
    const char *name;
    Double1 ours;
    void (*block)(const double *, double *);
    Mpfr1 exact;
    long double (*longer)(long double);
    // The C library's function where its error in ulp is known to be below `bound`; none elsewhere.
    Double1 library;
    double bound;
    // f(x) to 2^-10 ulp where x is so small or so large that it is plain, NaN elsewhere.
    Double1 plain;
    double low, high; // The common range.
    bool symmetric; // f(-x) is f(x) or -f(x), which a test of the crate holds to the bit.
};

static double plain_expm1(double x) { return std::fabs(x) < 0x1p-64 ? x : x > 710 ? INFINITY : x < -50 ? -1 : NAN; }
static double plain_log1p(double x) { return std::fabs(x) < 0x1p-64 ? x : NAN; }
static double plain_sinh(double x) { return std::fabs(x) < 0x1p-32 ? x : std::fabs(x) > 711 ? x * INFINITY : NAN; }
static double plain_cosh(double x) { return std::fabs(x) < 0x1p-32 ? 1 : std::fabs(x) > 711 ? INFINITY : NAN; }
static double plain_tanh(double x) {
    return std::fabs(x) < 0x1p-32 ? x : std::fabs(x) > 25 ? std::copysign(1.0, x) : NAN;
}
static double plain_asinh(double x) { return std::fabs(x) < 0x1p-32 ? x : NAN; }
static double plain_atanh(double x) { return std::fabs(x) < 0x1p-32 ? x : NAN; }
// Beyond these, singles are whole numbers, and for cosines even ones.
static double plain_sin_pi(double x) { return std::fabs(x) >= 0x1p23 && std::isfinite(x) ? 0 : NAN; }
static double plain_cos_pi(double x) {
    return std::fabs(x) < 0x1p-34 || (std::fabs(x) >= 0x1p24 && std::isfinite(x)) ? 1 : NAN;
}
static double plain_exp10(double x) {
    return std::fabs(x) < 0x1p-64 ? 1 : x > 309 ? INFINITY : x < -328 ? 0 : NAN;
}
static double plain_erf(double x) { return std::fabs(x) > 6 ? std::copysign(1.0, x) : NAN; }

static int log_of(mpfr_ptr r, mpfr_srcptr x, mpfr_rnd_t m) { return mpfr_log(r, x, m); }

// As IEEE 754: 1 / sqrt(-0) is negative.
static int rsqrt_of(mpfr_ptr r, mpfr_srcptr x, mpfr_rnd_t m) {
    return mpfr_zero_p(x) ? (mpfr_set_inf(r, mpfr_signbit(x) ? -1 : 1), 0) : mpfr_rec_sqrt(r, x, m);
}

// x modulo 2 is exact, and MPFR's pi times it has 140 bits.
static int of_turns(mpfr_ptr r, mpfr_srcptr x, mpfr_rnd_t m, Mpfr1 function) {
    mpfr_t turn;
    mpfr_init2(turn, 1200);
    mpfr_set_d(turn, std::fmod(mpfr_get_d(x, MPFR_RNDN), 2.0), MPFR_RNDN);
    mpfr_t pi;
    mpfr_init2(pi, 1200);
    mpfr_const_pi(pi, MPFR_RNDN);
    bool is_multiple = mpfr_zero_p(turn) || std::fmod(mpfr_get_d(turn, MPFR_RNDN) * 2.0, 1.0) == 0.0;
    mpfr_mul(turn, turn, pi, MPFR_RNDN);
    int result = function(r, turn, m);
    // Multiples of 1/2 have exact results, which a rounded pi misses.
    if (is_multiple) mpfr_rint(r, r, MPFR_RNDN);
    mpfr_clears(turn, pi, (mpfr_ptr)0);
    return result;
}
static int sin_pi_of(mpfr_ptr r, mpfr_srcptr x, mpfr_rnd_t m) {
    if (!mpfr_number_p(x)) return mpfr_set_nan(r), 0;
    return of_turns(r, x, m, mpfr_sin);
}
static int cos_pi_of(mpfr_ptr r, mpfr_srcptr x, mpfr_rnd_t m) {
    if (!mpfr_number_p(x)) return mpfr_set_nan(r), 0;
    return of_turns(r, x, m, mpfr_cos);
}

// sin(pi (x + quarters / 2)). What x is beyond a multiple of 1/2 is exact, so that nothing is lost next to zeros.
static long double sin_pi_and_quarters(long double x, int quarters) {
    const long double PI_LONG = 3.14159265358979323846264338327950288L;
    if (!(std::fabs(x) < 0x1p32L)) return NAN;
    long long halves = llrintl(2 * x);
    long double angle = PI_LONG * (x - 0.5L * halves);
    switch ((halves + quarters) & 3) {
    case 0: return sinl(angle);
    case 1: return cosl(angle);
    case 2: return -sinl(angle);
    default: return -cosl(angle);
    }
}
static long double sin_pi_long(long double x) { return sin_pi_and_quarters(x, 0); }
static long double cos_pi_long(long double x) { return sin_pi_and_quarters(x, 1); }

// 10^x = 2^(x log2(10)). HIGH, of 40 bits, times a single is exact in 64 bits.
static long double exp10_long(long double x) {
    const long double HIGH = 0xd49a784bcdp-38L, LOW = 0xdc57f2495fb7fa6dp-105L;
    if (!(std::fabs(x) < 5000)) return powl(10, x);
    long double product = x * HIGH, whole = rintl(product);
    return scalbnl(exp2l((product - whole) + x * LOW), (int)whole);
}
static long double rsqrt_long(long double x) { return 1 / sqrtl(x); }
// The C library takes its time to say that there is no result.
static long double log10_long(long double x) { return x < 0 ? NAN : log10l(x); }
static long double acosh_long(long double x) { return x < 1 ? NAN : acoshl(x); }
static long double atanh_long(long double x) { return std::fabs(x) > 1 ? NAN : atanhl(x); }

// Where nothing but the first term counts: next to zero, and for negative integers, poles.
static bool is_pole(double x) { return x <= 0 && x == std::floor(x); }
static double plain_gamma(double x) {
    if (x == 0) return std::copysign(INFINITY, x);
    return is_pole(x) ? NAN : std::fabs(x) < 0x1p-64 ? 1 / x : x > 172 ? INFINITY : NAN;
}
static double plain_ln_gamma(double x) { return is_pole(x) ? INFINITY : NAN; }
static int gamma_of(mpfr_ptr r, mpfr_srcptr x, mpfr_rnd_t m) {
    if (mpfr_cmp_d(x, -190) > 0) return mpfr_gamma(r, x, m);
    // MPFR takes long for what is zero for all doubles.
    if (is_pole(mpfr_get_d(x, MPFR_RNDN))) return mpfr_set_nan(r), 0;
    return mpfr_set_zero(r, std::fmod(std::floor(mpfr_get_d(x, MPFR_RNDN)), 2) == 0 ? 1 : -1), 0;
}
static int ln_gamma_of(mpfr_ptr r, mpfr_srcptr x, mpfr_rnd_t m) {
    if (is_pole(mpfr_get_d(x, MPFR_RNDN))) return mpfr_set_inf(r, 1), 0;
    int sign;
    return mpfr_lgamma(r, &sign, x, m);
}

#define OURS(ours, common) ours, block<same_math::common, ours>
static const Function FUNCTIONS[] = {
#include "functions.inc"
};
#undef OURS

// log2 of an ulp at a value of this exponent (MPFR's: value in [2^(e-1), 2^e)).
static long ulp_exponent(long e) { return e - 53 < -1074 ? -1074 : e - 53; }

[[maybe_unused]] static double error(double y, mpfr_t exact, mpfr_t scratch) {
    if (mpfr_nan_p(exact)) return std::isnan(y) ? 0 : INFINITY;
    if (std::isnan(y)) return INFINITY;
    if (mpfr_inf_p(exact)) return std::isinf(y) && std::signbit(y) == (mpfr_sgn(exact) < 0) ? 0 : INFINITY;
    if (mpfr_zero_p(exact)) return y == 0 ? 0 : INFINITY;
    double rounded = mpfr_get_d(exact, MPFR_RNDN);
    if (std::isinf(rounded) || std::isinf(y)) {
        // The largest number stands next to infinity.
        if (std::isinf(rounded) && std::isinf(y)) return std::signbit(rounded) == std::signbit(y) ? 0 : INFINITY;
        double finite = std::isinf(y) ? rounded : y;
        return std::fabs(finite) == 0x1.fffffffffffffp1023 ? 0.99 : INFINITY;
    }
    mpfr_set_d(scratch, y, MPFR_RNDN);
    mpfr_sub(scratch, scratch, exact, MPFR_RNDN);
    if (mpfr_zero_p(scratch)) return 0;
    mpfr_mul_2si(scratch, scratch, -ulp_exponent(mpfr_get_exp(exact)), MPFR_RNDN);
    return std::fabs(mpfr_get_d(scratch, MPFR_RNDN));
}

// Of all functions.
static double largest = 0;

struct Worst {
    double error = 0, x = 0, y = 0;
    void add(double e, double at_x, double at_y = 0) {
        if (!(e <= error)) error = e, x = at_x, y = at_y;
        if (!(e <= largest)) largest = e;
    }
};

// The function that is wanted, if it is not all.
[[maybe_unused]] static const char *only = nullptr;
