/* xsum's accumulators on the stack, for which its header has the types. */
#include "xsum.h"

double compare_xsum_small(const double *terms, int count) {
    xsum_small_accumulator sum;
    xsum_small_init(&sum);
    xsum_small_addv(&sum, terms, count);
    return xsum_small_round(&sum);
}

double compare_xsum_large(const double *terms, int count) {
    xsum_large_accumulator sum;
    xsum_large_init(&sum);
    xsum_large_addv(&sum, terms, count);
    return xsum_large_round(&sum);
}
