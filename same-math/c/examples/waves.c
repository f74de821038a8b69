/* A sum whose bits are printed: the same on every processor, from every compiler. No product is added, which a compiler
 * might contract. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "same_math.h"

int main(void) {
    double sum = 0.0;
    uint64_t bits;
    for (int i = 1; i <= 1000; i++) {
        sum += sm_sin(0.1 * i);
        sum += sm_erf(1.0 / i);
    }
    memcpy(&bits, &sum, sizeof bits);
    printf("%016" PRIx64 "\n", bits);
    return 0;
}
