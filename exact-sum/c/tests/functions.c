/* Every function of exact_sum.h, what it refuses included. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exact_sum.h"

#define CHECK(condition)                                                     \
    do {                                                                     \
        if (!(condition)) {                                                  \
            printf("line %d: %s\n", __LINE__, #condition);                   \
            failures++;                                                      \
        }                                                                    \
    } while (0)

static int failures;

static double value_of(const exact_sum *sum) {
    double value = -1.0;
    CHECK(exact_sum_value(sum, &value) == EXACT_SUM_OK);
    return value;
}

static void sums(void) {
    exact_sum sum = EXACT_SUM_EMPTY, other, *heap = malloc(sizeof *heap);
    const double terms[] = {1e300, 1.0, -1e300};
    const float floats[] = {1e30f, 1.0f, -1e30f};
    float single;
    int zero;

    CHECK(value_of(&sum) == 0.0 && !signbit(value_of(&sum)));
    CHECK(exact_sum_add_array(&sum, terms, 3) == EXACT_SUM_OK);
    CHECK(value_of(&sum) == 1.0);
    CHECK(exact_sum_add_float_array(&sum, floats, 3) == EXACT_SUM_OK);
    CHECK(value_of(&sum) == 2.0);
    CHECK(exact_sum_add(&sum, 1e308) == EXACT_SUM_OK && exact_sum_add(&sum, 1e308) == EXACT_SUM_OK);
    CHECK(exact_sum_subtract(&sum, 1e308) == EXACT_SUM_OK);
    CHECK(value_of(&sum) == 1e308);
    CHECK(exact_sum_init(&other) == EXACT_SUM_OK && exact_sum_init(heap) == EXACT_SUM_OK);
    CHECK(exact_sum_add(&other, 1e308) == EXACT_SUM_OK && exact_sum_add(heap, 0.5) == EXACT_SUM_OK);
    CHECK(exact_sum_subtract_sum(&sum, &other) == EXACT_SUM_OK && value_of(&sum) == 2.0);
    CHECK(exact_sum_merge(&sum, heap) == EXACT_SUM_OK && value_of(&sum) == 2.5);
    CHECK(exact_sum_merge(&sum, &sum) == EXACT_SUM_OK && value_of(&sum) == 5.0);
    CHECK(exact_sum_is_zero(&sum, &zero) == EXACT_SUM_OK && zero == 0);
    CHECK(exact_sum_subtract_sum(&sum, &sum) == EXACT_SUM_OK);
    CHECK(exact_sum_is_zero(&sum, &zero) == EXACT_SUM_OK && zero == 1);
    CHECK(exact_sum_add(&sum, 1.0 + ldexp(1.0, -24)) == EXACT_SUM_OK);
    CHECK(exact_sum_value_float(&sum, &single) == EXACT_SUM_OK && single == 1.0f);
    CHECK(exact_sum_add(&sum, ldexp(1.0, -80)) == EXACT_SUM_OK);
    CHECK(exact_sum_value_float(&sum, &single) == EXACT_SUM_OK && single == 1.0f + FLT_EPSILON);
    CHECK(exact_sum_add(&sum, INFINITY) == EXACT_SUM_OK && value_of(&sum) == INFINITY);
    CHECK(exact_sum_add(&sum, -INFINITY) == EXACT_SUM_OK && isnan(value_of(&sum)));
    free(heap);
}

/* Single terms, more than the buffer holds, among others; the sum of i and -i and 2^-60 i. */
static void singles(void) {
    exact_sum sum = EXACT_SUM_EMPTY;
    const double two = 2.0;
    for (int i = 1; i <= 1000; i++) {
        CHECK(exact_sum_add(&sum, i) == EXACT_SUM_OK);
        CHECK(exact_sum_add(&sum, ldexp(i, -60)) == EXACT_SUM_OK);
        CHECK(exact_sum_subtract(&sum, i) == EXACT_SUM_OK);
        if (i % 7 == 0)
            CHECK(exact_sum_add_array(&sum, &two, 1) == EXACT_SUM_OK);
        if (i % 7 == 3)
            CHECK(exact_sum_subtract(&sum, 1.0 + 1.0) == EXACT_SUM_OK);
    }
    CHECK(value_of(&sum) == ldexp(500500.0, -60) - 2.0);
}

/* Words of accumulators overwritten: every function does what it says, or tells. */
static void overwritten(void) {
    uint64_t state = 1, value_of_word[4] = {0, 1, (uint64_t)-1, 1ull << 63};
    const double terms[] = {1.0, 1e-300, 1e300, -3.5, 0.0};
    for (int i = 0; i < 20000; i++) {
        exact_sum sum = EXACT_SUM_EMPTY, other = EXACT_SUM_EMPTY;
        uint64_t words[EXACT_SUM_WORDS];
        double value;
        int zero;
        exact_sum_add_array(&sum, terms, 5);
        for (int j = 0; j <= i % 3; j++) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            sum.opaque[(state >> 33) % (sizeof sum / 8)] =
                state >> 20 & 1 ? state ^ state >> 31 : value_of_word[state >> 21 & 3];
        }
        for (int j = 0; j < 40; j++)
            exact_sum_add(&sum, terms[j % 5]);
        exact_sum_add_array(&sum, terms, 5);
        exact_sum_value(&sum, &value);
        exact_sum_is_zero(&sum, &zero);
        exact_sum_merge(&other, &sum);
        exact_sum_to_words(&sum, words);
    }
}

static void messages(void) {
    exact_sum sum = EXACT_SUM_EMPTY, copy = EXACT_SUM_EMPTY;
    uint64_t words[EXACT_SUM_WORDS];
    uint8_t bytes[EXACT_SUM_BYTES];

    CHECK(exact_sum_add(&sum, -0.1) == EXACT_SUM_OK);
    CHECK(exact_sum_to_words(&sum, words) == EXACT_SUM_OK);
    for (int i = 0; i < EXACT_SUM_WORDS; i++)
        words[i] *= 3;
    CHECK(exact_sum_from_words(&copy, words) == EXACT_SUM_OK);
    CHECK(exact_sum_add(&copy, 0.1) == EXACT_SUM_OK && value_of(&copy) == -0.2);
    CHECK(exact_sum_to_bytes(&sum, bytes) == EXACT_SUM_OK);
    CHECK(exact_sum_from_bytes(&copy, bytes, sizeof bytes) == EXACT_SUM_OK && value_of(&copy) == -0.1);
    CHECK(exact_sum_from_bytes(&copy, bytes, sizeof bytes - 1) == EXACT_SUM_DAMAGED);
    bytes[4] = 3;
    CHECK(exact_sum_from_bytes(&copy, bytes, sizeof bytes) == EXACT_SUM_VERSION);
    bytes[4] = 2;
    for (size_t bit = 0; bit < 8 * sizeof bytes; bit++) {
        bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
        CHECK(exact_sum_from_bytes(&copy, bytes, sizeof bytes) != EXACT_SUM_OK);
        bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
    CHECK(value_of(&copy) == -0.1);
    /* As the first version of the library wrote it: other letters, no checksum. */
    memcpy(bytes, "XSUM\1", 5);
    CHECK(exact_sum_init(&copy) == EXACT_SUM_OK);
    CHECK(exact_sum_from_bytes(&copy, bytes, sizeof bytes - 8) == EXACT_SUM_OK && value_of(&copy) == -0.1);
}

static void more_dots(void) {
    exact_dot dot = EXACT_DOT_EMPTY, other = EXACT_DOT_EMPTY;
    exact_sum sum = EXACT_SUM_EMPTY, odd = EXACT_SUM_EMPTY;
    const double z[] = {1e300, 1.0, 2.0, 1e300, -1e300, -1e300}, legs[] = {3e200, 3e200, 3e200, 3e200};
    const float a[] = {1e30f, 3.0f, -1e30f}, b[] = {1e30f, 0.5f, 1e30f};
    double value;
    int zero = 0;

    CHECK(exact_sum_add_strided(&sum, z, 3, 2) == EXACT_SUM_OK && value_of(&sum) == 2.0);
    CHECK(exact_sum_add_strided(&odd, z + 1, 3, 2) == EXACT_SUM_OK && value_of(&odd) == 1.0);
    CHECK(exact_sum_add_strided(&odd, NULL, 0, 2) == EXACT_SUM_OK);
    CHECK(exact_sum_add_strided(&odd, NULL, 1, 2) == EXACT_SUM_POINTER);
    CHECK(exact_sum_add_strided(&odd, z, (size_t)-1, 2) == EXACT_SUM_POINTER);
    CHECK(exact_sum_add_float(&odd, 0.5f) == EXACT_SUM_OK && value_of(&odd) == 1.5);
    CHECK(exact_dot_add_squares(&dot, legs, 4) == EXACT_SUM_OK);
    CHECK(exact_dot_sqrt(&dot, &value) == EXACT_SUM_OK && value == 6e200);
    CHECK(exact_dot_subtract_products(&dot, legs, legs, 4) == EXACT_SUM_OK);
    CHECK(exact_dot_is_zero(&dot, &zero) == EXACT_SUM_OK && zero == 1);
    CHECK(exact_dot_add_float_products(&dot, a, b, 3) == EXACT_SUM_OK);
    CHECK(exact_dot_value(&dot, &value) == EXACT_SUM_OK && value == 1.5);
    CHECK(exact_dot_subtract_product(&dot, 0.5, 1.0) == EXACT_SUM_OK);
    CHECK(exact_dot_merge_sum(&dot, &sum) == EXACT_SUM_OK);
    CHECK(exact_dot_value(&dot, &value) == EXACT_SUM_OK && value == 3.0);
    /* 1e300 1e300 + 2 1e300 + 1e300 1e300 - the same */
    CHECK(exact_dot_add_strided(&other, z, 2, z + 1, 2, 3) == EXACT_SUM_OK);
    CHECK(exact_dot_value(&other, &value) == EXACT_SUM_OK && value == INFINITY);
    CHECK(exact_dot_subtract_product(&other, 1e300, 1e300) == EXACT_SUM_OK);
    CHECK(exact_dot_value(&other, &value) == EXACT_SUM_OK && value == 3e300);
    CHECK(exact_dot_subtract_dot(&other, &other) == EXACT_SUM_OK);
    CHECK(exact_dot_is_zero(&other, &zero) == EXACT_SUM_OK && zero == 1);
}

static void dots(void) {
    exact_dot dot = EXACT_DOT_EMPTY, other;
    const double a[] = {1e200, 3.0, 1e200}, b[] = {1e200, 0.5, -1e200};
    uint64_t words[EXACT_DOT_WORDS];
    uint8_t bytes[EXACT_DOT_BYTES];
    double value;
    float single;

    CHECK(exact_dot_add_products(&dot, a, b, 3) == EXACT_SUM_OK);
    CHECK(exact_dot_add_product(&dot, 1e-300, 1e-300) == EXACT_SUM_OK);
    CHECK(exact_dot_value(&dot, &value) == EXACT_SUM_OK && value == 1.5);
    CHECK(exact_dot_init(&other) == EXACT_SUM_OK && exact_dot_add_product(&other, -1.5, 1.0) == EXACT_SUM_OK);
    CHECK(exact_dot_merge(&dot, &other) == EXACT_SUM_OK);
    CHECK(exact_dot_value(&dot, &value) == EXACT_SUM_OK && value == 0.0);
    CHECK(exact_dot_to_words(&dot, words) == EXACT_SUM_OK && exact_dot_from_words(&other, words) == EXACT_SUM_OK);
    CHECK(exact_dot_add_product(&other, 0.5, 0.25) == EXACT_SUM_OK);
    CHECK(exact_dot_to_bytes(&other, bytes) == EXACT_SUM_OK);
    CHECK(exact_dot_from_bytes(&dot, bytes, sizeof bytes) == EXACT_SUM_OK);
    CHECK(exact_dot_value_float(&dot, &single) == EXACT_SUM_OK && single == 0.125f);
    CHECK(exact_dot_from_bytes(&dot, bytes, 0) == EXACT_SUM_DAMAGED);
    more_dots();
}

static void refused(void) {
    exact_sum sum = EXACT_SUM_EMPTY, garbage;
    double value = 7.0;

    CHECK(exact_sum_init(NULL) == EXACT_SUM_POINTER);
    CHECK(exact_sum_add(NULL, 1.0) == EXACT_SUM_POINTER);
    CHECK(exact_sum_add_array(&sum, NULL, 1) == EXACT_SUM_POINTER);
    CHECK(exact_sum_add_array(&sum, NULL, 0) == EXACT_SUM_OK);
    CHECK(exact_sum_merge(&sum, NULL) == EXACT_SUM_POINTER);
    CHECK(exact_sum_value(&sum, NULL) == EXACT_SUM_POINTER);
    CHECK(exact_sum_value(NULL, &value) == EXACT_SUM_POINTER && value == 7.0);
    CHECK(exact_sum_to_words(&sum, NULL) == EXACT_SUM_POINTER);
    CHECK(exact_sum_from_bytes(&sum, NULL, EXACT_SUM_BYTES) == EXACT_SUM_POINTER);
    CHECK(exact_dot_add_products(NULL, &value, &value, 1) == EXACT_SUM_POINTER);
    CHECK(exact_sum_add((exact_sum *)((char *)&sum + 1), 1.0) == EXACT_SUM_POINTER);
    CHECK(value_of(&sum) == 0.0);
    memset(&garbage, 0xa5, sizeof garbage);
    CHECK(exact_sum_value(&garbage, &value) == EXACT_SUM_STATE && value == 7.0);
    CHECK(exact_sum_add(&garbage, 1.0) == EXACT_SUM_STATE);
    CHECK(exact_sum_merge(&sum, &garbage) == EXACT_SUM_STATE && value_of(&sum) == 0.0);
    for (int status = -1; status < 6; status++)
        CHECK(strlen(exact_sum_message(status)) > 3);
}

int main(void) {
    sums();
    singles();
    overwritten();
    messages();
    dots();
    refused();
    printf("%zu %zu %d %d %d %d\n", sizeof(exact_sum), sizeof(exact_dot), EXACT_SUM_WORDS, EXACT_SUM_BYTES,
           EXACT_DOT_WORDS, EXACT_DOT_BYTES);
    return failures != 0;
}
