// Values at hard arguments: those whose result is next to a double or to the middle of two.
//
//   hard < hard-arguments.txt > ../tests/hard.txt
//
// A line out: function, arguments, nearest double (bits), what is left in thousandths of an ulp, and how many bits after
// the one that decides the rounding are equal; "exact" where all are that are known.
#include <cstring>
#include <iostream>
#include <sstream>
#include "ulp.hpp"

// Bits: enough for 153 equal ones after the 54th.
static const int PRECISION = 400;

struct Real {
    mpfr_t v;
    Real() { mpfr_init2(v, PRECISION); }
    explicit Real(double x) : Real() { mpfr_set_d(v, x, MPFR_RNDN); }
    Real(const Real &) = delete;
    ~Real() { mpfr_clear(v); }
};

static uint64_t bits_of(double x) {
    uint64_t bits;
    std::memcpy(&bits, &x, sizeof bits);
    return bits;
}

static const Function *find(const std::string &name) {
    for (const Function &f : FUNCTIONS)
        if (name == f.name) return &f;
    return nullptr;
}

// f of the arguments; false for a name that is not known.
static bool value_of(mpfr_t result, const std::string &name, double x, double y) {
    Real a(x), b(y);
    if (name == "atan2") return mpfr_atan2(result, a.v, b.v, MPFR_RNDN), true;
    if (name == "powf") return mpfr_pow(result, a.v, b.v, MPFR_RNDN), true;
    const Function *f = find(name);
    return f && (f->exact(result, a.v, MPFR_RNDN), true);
}

// How many bits after the deciding one are equal: with a distance d in half ulps to the nearest integer, -log2 d.
static std::string equal_bits(mpfr_t value) {
    Real halves, whole;
    mpfr_mul_2si(halves.v, value, 1 - ulp_exponent(mpfr_get_exp(value)), MPFR_RNDN);
    mpfr_rint(whole.v, halves.v, MPFR_RNDN);
    mpfr_sub(halves.v, halves.v, whole.v, MPFR_RNDN);
    return mpfr_zero_p(halves.v) ? "exact" : std::to_string(-mpfr_get_exp(halves.v));
}

int main() {
    std::string line, name, argument;
    while (std::getline(std::cin, line)) {
        std::istringstream words(line);
        if (line[0] == '#' || !(words >> name)) continue;
        while (words >> argument) {
            char *end;
            double x = std::strtod(argument.c_str(), &end), y = *end == ',' ? std::strtod(end + 1, &end) : 0;
            Real value, rest;
            bool known = *end == 0 && value_of(value.v, name, x, y);
            double nearest = mpfr_get_d(value.v, MPFR_RNDN);
            if (!known || !mpfr_regular_p(value.v) || std::isinf(nearest)) {
                std::cerr << "No value, or none that is finite and not zero: " << name << " " << argument << "\n";
                return 1;
            }
            mpfr_sub_d(rest.v, value.v, nearest, MPFR_RNDN);
            mpfr_mul_2si(rest.v, rest.v, -ulp_exponent(mpfr_get_exp(value.v)), MPFR_RNDN);
            std::printf("%s %016llx ", name.c_str(), (unsigned long long)bits_of(x));
            if (argument.find(',') != std::string::npos) std::printf("%016llx ", (unsigned long long)bits_of(y));
            // The sum turns -0 into 0.
            double thousandths = std::nearbyint(1000 * mpfr_get_d(rest.v, MPFR_RNDN)) + 0.0;
            std::printf("%016llx ", (unsigned long long)bits_of(nearest));
            std::printf("%.0f %s\n", thousandths, equal_bits(value.v).c_str());
        }
    }
    return 0;
}

