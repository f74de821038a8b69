// Errors in ulp against MPFR.
//
//   ulp random COUNT            the table of random arguments, COUNT a function and range
//   ulp singles STRIDE          all arguments that are singles, or every STRIDE-th of them
#include "ulp.hpp"
#include "singles.hpp"

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

static double draw(const Function &f, bool whole) {
    if (whole) return from_bits(random_bits());
    return f.low + (f.high - f.low) * uniform();
}

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
#include "gammas.inc"
}

int main(int count, char **arguments) {
    if (count < 3) return std::fprintf(stderr, "ulp random COUNT | ulp singles STRIDE [FUNCTION]\n"), 2;
    if (count > 3) only = arguments[3];
    long number = std::atol(arguments[2]);
    std::string(arguments[1]) == "random" ? random_table(number) : singles(number);
    return largest < 1 ? 0 : 1;
}
