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
    messages();
    dots();
    refused();
    printf("%zu %zu %d %d %d %d\n", sizeof(exact_sum), sizeof(exact_dot), EXACT_SUM_WORDS, EXACT_SUM_BYTES,
           EXACT_DOT_WORDS, EXACT_DOT_BYTES);
    return failures != 0;
}
