/* Sums of floating-point numbers with the same bits for every order of their terms: exact, and rounded once.
 *
 *     exact_sum sum = EXACT_SUM_EMPTY;
 *     double value;
 *     exact_sum_add_array(&sum, terms, count);
 *     exact_sum_value(&sum, &value);
 *
 * Every function returns EXACT_SUM_OK or another status, for which exact_sum_message has a text; after any other
 * status, nothing has changed. No function allocates memory or stops the program. Several threads may call functions
 * at the same time, for different accumulators. Up to 2^64 terms, from any number of merged accumulators.
 *
 * A NaN, or infinities of both signs, among the terms give a NaN; an infinity gives itself; an exact zero is +0. A sum
 * is infinite only if the total is, never because a partial sum would have been. */
#ifndef EXACT_SUM_H
#define EXACT_SUM_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What functions return. */
#define EXACT_SUM_OK 0      /* done */
#define EXACT_SUM_POINTER 1 /* a pointer is null, or not aligned to its type */
#define EXACT_SUM_DAMAGED 2 /* bytes are not those of such a sum, or are damaged */
#define EXACT_SUM_VERSION 3 /* bytes are of another version of the library */
#define EXACT_SUM_STATE 4   /* an accumulator was never initialised, or was overwritten */

/* The text of a status; do not free it. */
const char *exact_sum_message(int status);

/* An accumulator, 1.5 KiB. It may lie anywhere, be copied, and be written to a file to be read on the same kind of
 * processor; the meaning of its words is unspecified. All zeros are the empty sum. */
typedef struct exact_sum {
    uint64_t opaque[192];
} exact_sum;

/* The empty sum, an initialiser for accumulators. */
#define EXACT_SUM_EMPTY {{0}}

/* Words of a sum's message, and bytes of its storage form. */
#define EXACT_SUM_WORDS 69
#define EXACT_SUM_BYTES 568

/* Sets an accumulator to the empty sum. */
int exact_sum_init(exact_sum *sum);
/* Adds a term, or subtracts it. */
int exact_sum_add(exact_sum *sum, double term);
int exact_sum_subtract(exact_sum *sum, double term);
/* Adds all terms of an array, several times faster than one by one. */
int exact_sum_add_array(exact_sum *sum, const double *terms, size_t count);
int exact_sum_add_float_array(exact_sum *sum, const float *terms, size_t count);
/* Adds everything that another accumulator has received, or subtracts it. */
int exact_sum_merge(exact_sum *sum, const exact_sum *other);
int exact_sum_subtract_sum(exact_sum *sum, const exact_sum *other);
/* 1 if the total is exactly zero, otherwise 0. */
int exact_sum_is_zero(const exact_sum *sum, int *is_zero);
/* The total, rounded once to the nearest number, ties to even: to double, or, from the exact total, to float. */
int exact_sum_value(const exact_sum *sum, double *value);
int exact_sum_value_float(const exact_sum *sum, float *value);

/* The message of a sum, EXACT_SUM_WORDS integers. The messages of up to 2^31 - 1 sums may be added, word by word, in
 * any order: MPI_SUM of MPI_UINT64_T or MPI_INT64_T, which no word overflows. The result is the total's message. */
int exact_sum_to_words(const exact_sum *sum, uint64_t *words);
int exact_sum_from_words(exact_sum *sum, const uint64_t *words);

/* The storage form, EXACT_SUM_BYTES bytes: the same on every processor, with a version and a checksum. Equal sums have
 * equal bytes. exact_sum_from_bytes is given their number; it also reads what earlier versions wrote. */
int exact_sum_to_bytes(const exact_sum *sum, uint8_t *bytes);
int exact_sum_from_bytes(exact_sum *sum, const uint8_t *bytes, size_t count);

/* An accumulator of products, none of which overflows, underflows or loses a bit. */
typedef struct exact_dot {
    uint64_t opaque[352];
} exact_dot;

#define EXACT_DOT_EMPTY {{0}}
#define EXACT_DOT_WORDS 136
#define EXACT_DOT_BYTES 1104

/* As for sums. */
int exact_dot_init(exact_dot *dot);
int exact_dot_add_product(exact_dot *dot, double a, double b);
int exact_dot_add_products(exact_dot *dot, const double *a, const double *b, size_t count);
int exact_dot_merge(exact_dot *dot, const exact_dot *other);
int exact_dot_value(const exact_dot *dot, double *value);
int exact_dot_value_float(const exact_dot *dot, float *value);
int exact_dot_to_words(const exact_dot *dot, uint64_t *words);
int exact_dot_from_words(exact_dot *dot, const uint64_t *words);
int exact_dot_to_bytes(const exact_dot *dot, uint8_t *bytes);
int exact_dot_from_bytes(exact_dot *dot, const uint8_t *bytes, size_t count);

#ifdef __cplusplus
}
#endif

#endif
