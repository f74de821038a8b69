// A user's own code, with the header before it and without: the same instructions.
#if defined(WITH_HEADER)
#define let 7
#define mut 8
#include "../include/same_math.hpp"
#if let != 7 || mut != 8
#error "The header has changed the user's macros."
#endif
#endif

double dot(const double *a, const double *b, long n) {
    double sum = 0.0;
    for (long i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

double curve(double x) { return ((x * 0.5 + 0.25) * x - 0.125) * x + (x / 3.0 - x / 3.0); }
