// All arguments that are singles.
//
// Most are passed over by what is cheap, in this order; each way is right to 0.01 ulp:
//
//   1. the result is `plain`;
//   2. the result is that of the C library's function, and the worst seen is above the `bound` of its errors;
//   3. for cube roots, x - y^3 in two numbers gives the error, and 1 - x y^2 for reciprocal square roots;
//   4. the function for 80-bit numbers, right to 2^-11 ulp or so, gives an error below the worst seen.
//
// MPFR decides what is left. The bound of way 2 is held against way 4 for one argument of about 1000, way 4 against MPFR
// for one of 65,537.
#pragma once
#include "ulp.hpp"

// The error of y for the cube root of a single, from x - y^3; not a number for zero and infinity.
static double cube_root_error(double x, double y) {
    double square = y * y, square_rest = std::fma(y, y, -square);
    double cube = square * y, cube_rest = std::fma(square, y, -cube);
    double rest = ((x - cube) - cube_rest) - square_rest * y;
    double ulp = same_math::double_((same_math::word_(y) & 0x7ff0000000000000) - (52ull << 52));
    return std::fabs(rest / (3 * square) / ulp);
}

// The error of y for 1 / sqrt(x), likewise.
static double rsqrt_error(double x, double y) {
    double square = y * y, square_rest = std::fma(y, y, -square);
    double one = x * square, one_rest = std::fma(x, square, -one);
    double rest = ((1 - one) - one_rest) - x * square_rest;
    double ulp = same_math::double_((same_math::word_(y) & 0x7ff0000000000000) - (52ull << 52));
    return std::fabs(rest / 2 * y / ulp);
}

// The error by the 80-bit function; not a number where that says nothing.
static double error_by_longer(double y, long double precise) {
    double nearest = (double)precise;
    if (std::isinf(nearest) && nearest == y) return 0;
    if (std::isnan(nearest) && std::isnan(y)) return 0;
    if (!std::isfinite(nearest) || !std::isfinite(y)) return NAN;
    int e = -1073;
    if (nearest != 0) std::frexp(nearest, &e);
    return (double)std::fabs(std::scalbln((long double)y - precise, -ulp_exponent(e)));
}

class Singles {
    const Function &f;
    double (*const error_by_rest)(double, double);
    mpfr_t x, r, s;

    static double (*of_rest(const std::string &name))(double, double) {
        return name == "cbrt" ? cube_root_error : name == "rsqrt" ? rsqrt_error : nullptr;
    }

    void check_library(double a) {
        double library = f.library(a), error = error_by_longer(library, f.longer(a));
        if (error > f.bound) {
            std::fprintf(stderr, "The C library's %s(%a) is wrong by %.3f ulp\n", f.name, a, error);
            std::exit(1);
        }
    }

    void check_longer(double a) {
        long double precise = f.longer(a);
        if (!std::isnormal((double)precise)) return;
        mpfr_set_d(x, a, MPFR_RNDN);
        f.exact(r, x, MPFR_RNDN);
        mpfr_set_ld(s, precise, MPFR_RNDN);
        mpfr_sub(s, s, r, MPFR_RNDN);
        double error = std::fabs(std::scalbln(mpfr_get_d(s, MPFR_RNDN), -ulp_exponent(mpfr_get_exp(r))));
        if (!(error < 0.01)) {
            std::fprintf(stderr, "The 80-bit %s(%a) is wrong by %.3f ulp\n", f.name, a, error);
            std::exit(1);
        }
    }

    // Whether the error is certainly below the worst seen.
    bool passed_over(double a, double y) {
        double below = worst.error - 0.01;
        if (f.library) {
            if (tried % 1021 == 0) check_library(a);
            double library = f.library(a);
            if (f.bound < below && (library == y || (std::isnan(library) && std::isnan(y)))) return true;
        }
        if (error_by_rest) return error_by_rest(a, y) < worst.error - 1e-6;
        return error_by_longer(y, f.longer(a)) < below;
    }

    void take_block(const double *a, const double *y, int count) {
        for (int i = 0; i < count; i++) {
            if (std::isnan(a[i])) continue;
            tried++;
            if (tried % 65537 == 0) check_longer(a[i]);
            if (y[i] == plain[i] || passed_over(a[i], y[i])) continue;
            mpfr_set_d(x, a[i], MPFR_RNDN);
            f.exact(r, x, MPFR_RNDN);
            worst.add(error(y[i], r, s), a[i]);
        }
    }

    double plain[BLOCK];

  public:
    Worst worst;
    long tried = 0;

    explicit Singles(const Function &function) : f(function), error_by_rest(of_rest(function.name)) {
        mpfr_inits2(140, x, r, s, (mpfr_ptr)0);
    }
    ~Singles() { mpfr_clears(x, r, s, (mpfr_ptr)0); }

    void take_all(uint64_t stride) {
        static double a[BLOCK], y[BLOCK];
        const uint64_t end = f.symmetric ? 1ull << 31 : 1ull << 32;
        tried = 0;
        for (uint64_t b = 0; b < end;) {
            int count = 0;
            for (; count < BLOCK && b < end; count++, b += stride) {
                uint32_t bits = (uint32_t)b;
                float single;
                std::memcpy(&single, &bits, 4);
                a[count] = single;
                plain[count] = f.plain ? f.plain(single) : NAN;
            }
            f.block(a, y);
            take_block(a, y, count);
        }
    }
};

static void singles(long stride) {
    std::printf("| function | singles tried | largest error, ulp | at |\n| --- | ---: | ---: | --- |\n");
    for (const Function &f : FUNCTIONS) {
        if (only && std::string(only) != f.name) continue;
        Singles all(f);
        // A few first, so that there is something to pass others over by.
        all.take_all(stride * 10007);
        all.take_all(stride);
        std::printf("| `%s` | %ld | %.4f | `%a` |\n", f.name, all.tried, all.worst.error, all.worst.x);
        std::fflush(stdout);
    }
}
