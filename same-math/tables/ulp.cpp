// Errors in ulp against MPFR.
//
//   ulp random COUNT            the table of random arguments, COUNT a function and range
//   ulp singles STRIDE          all arguments that are singles, or every STRIDE-th of them
//
// Error of y for f(x): |y - f(x)| in units of the last place of the double nearest to f(x), those of subnormal numbers
// for tiny results. Where f(x) is beyond the range, the result must be infinite.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>
#include <mpfr.h>
#include "../include/same_math.hpp"

using Mpfr1 = int (*)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t);
using Mpfr2 = int (*)(mpfr_ptr, mpfr_srcptr, mpfr_srcptr, mpfr_rnd_t);

struct Function {
    const char *name;
    double (*ours)(double);
    Mpfr1 exact;
    long double (*longer)(long double);
    double low, high; // The common range.
    bool symmetric; // f(-x) is f(x) or -f(x), which a test of the crate holds to the bit.
};

static int log_of(mpfr_ptr r, mpfr_srcptr x, mpfr_rnd_t m) { return mpfr_log(r, x, m); }

static const Function FUNCTIONS[] = {
#include "functions.inc"
};

static uint64_t state = 88172645463325252ull;
static uint64_t random_bits() {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state * 2685821657736338717ull;
}
static double from_bits(uint64_t b) {
    double d;
    std::memcpy(&d, &b, 8);
    return d;
}
static double uniform() { return (random_bits() >> 11) * 0x1p-53; }

// log2 of an ulp at a value of this exponent (MPFR's: value in [2^(e-1), 2^e)).
static long ulp_exponent(long e) { return e - 53 < -1074 ? -1074 : e - 53; }

static double error(double y, mpfr_t exact, mpfr_t scratch) {
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

static double draw(const Function &f, bool whole) {
    if (whole) return from_bits(random_bits());
    return f.low + (f.high - f.low) * uniform();
}

static const char *only = nullptr;

static void random_table(long count) {
    mpfr_t x, r, s, z;
    mpfr_inits2(140, x, r, s, z, (mpfr_ptr)0);
    std::printf("| function | arguments | largest error, ulp | at |\n| --- | --- | ---: | --- |\n");
    for (const Function &f : FUNCTIONS) {
        if (only && std::string(only) != f.name) continue;
        for (int kind = 0; kind < 3; kind++) {
            Worst worst;
            for (long i = 0; i < count; i++) {
                double a = draw(f, kind == 0);
                if (kind == 2) a = std::copysign(std::exp2(-60 + 63 * uniform()), (random_bits() & 1) ? -1.0 : 1.0);
                if (std::isnan(a)) continue;
                mpfr_set_d(x, a, MPFR_RNDN);
                f.exact(r, x, MPFR_RNDN);
                worst.add(error(f.ours(a), r, s), a);
            }
            char text[80];
            std::snprintf(text, sizeof text, "%g to %g", f.low, f.high);
            const char *range = kind == 0 ? "all bits" : kind == 1 ? text : "2^-60 to 8 and negative";
            std::printf("| `%s` | %s | %.4f | `%a` |\n", f.name, range, worst.error, worst.x);
            std::fflush(stdout);
        }
    }
#include "pairs.inc"
}

static void singles(long stride) {
    mpfr_t x, r, s;
    mpfr_inits2(140, x, r, s, (mpfr_ptr)0);
    std::printf("| function | singles tried | largest error, ulp | at |\n| --- | ---: | ---: | --- |\n");
    for (const Function &f : FUNCTIONS) {
        if (only && std::string(only) != f.name) continue;
        Worst worst;
        long tried = 0;
        for (uint64_t b = 0; b < (f.symmetric ? 1ull << 31 : 1ull << 32); b += stride) {
            uint32_t bits = (uint32_t)b;
            float single;
            std::memcpy(&single, &bits, 4);
            double a = single;
            if (std::isnan(a)) continue;
            tried++;
            double y = f.ours(a);
            // The 80-bit result is right to 2^-11 ulp or so; MPFR decides near and beyond what has been seen.
            long double precise = f.longer(a);
            double nearest = (double)precise;
            if (std::isinf(nearest) && nearest == y) continue;
            if (nearest == 0 && y == 0 && std::fabs(precise) < 0x1p-1075L) continue;
            if (!std::isnan(nearest) && std::isfinite(nearest) && nearest != 0 && std::isfinite(y)) {
                int e;
                std::frexp(nearest, &e);
                double quick = (double)std::fabs(std::scalbln((long double)y - precise, -ulp_exponent(e)));
                if (quick < worst.error - 0.01) continue;
            }
            mpfr_set_d(x, a, MPFR_RNDN);
            f.exact(r, x, MPFR_RNDN);
            worst.add(error(y, r, s), a);
        }
        std::printf("| `%s` | %ld | %.4f | `%a` |\n", f.name, tried, worst.error, worst.x);
        std::fflush(stdout);
    }
}

int main(int count, char **arguments) {
    if (count < 3) return std::fprintf(stderr, "ulp random COUNT | ulp singles STRIDE [FUNCTION]\n"), 2;
    if (count > 3) only = arguments[3];
    long number = std::atol(arguments[2]);
    std::string(arguments[1]) == "random" ? random_table(number) : singles(number);
    return largest < 1 ? 0 : 1;
}
