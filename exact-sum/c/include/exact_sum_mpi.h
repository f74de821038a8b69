/* Exact sums over the ranks of an MPI job. Compiled with your mpicc: the library itself knows nothing of MPI.
 *
 *     double value;
 *     exact_sum_mpi_allreduce(terms, count, &value, MPI_COMM_WORLD);
 *
 * or, for accumulators filled earlier, all in one message:
 *
 *     MPI_Datatype type; MPI_Op op;
 *     exact_sum_mpi_create(&type, &op);
 *     MPI_Allreduce(sums, totals, n, type, op, comm);
 *     exact_sum_mpi_free(&type, &op);
 *
 * and the same for dot products, under names that begin with exact_dot_mpi. Whatever tree, network or order MPI uses,
 * every rank gets the same totals. If the network itself can reduce integers, use exact_sum_to_words and MPI_SUM
 * instead, as exact_sum_mpi_allreduce does.
 *
 * Functions return MPI's codes. If the arguments or the accumulator of any rank are refused, every rank gets
 * MPI_ERR_ARG, and nothing changes on any. An intercommunicator has no sum over all ranks: as for any communicator that
 * an operation cannot use, its error handler is called, and the code is MPI_ERR_COMM. An accumulator that is damaged
 * when MPI merges it makes a damaged total, for which exact_sum_value returns EXACT_SUM_STATE. */
#ifndef EXACT_SUM_MPI_H
#define EXACT_SUM_MPI_H

#include <mpi.h>
#include <string.h>

#include "exact_sum.h"

/* Replaces words by their sums over the ranks. The last of `count` words counts the ranks that refuse. */
static inline int exact_sum_mpi_add_words(uint64_t *words, int count, int status, MPI_Comm comm) {
    int is_inter = 0;
    int code = MPI_Comm_test_inter(comm, &is_inter);
    if (code == MPI_SUCCESS && is_inter)
        code = MPI_Comm_call_errhandler(comm, MPI_ERR_COMM) == MPI_SUCCESS ? MPI_ERR_COMM : MPI_ERR_OTHER;
    if (code != MPI_SUCCESS)
        return code;
    /* A rank that refuses takes part all the same: the others would wait for it. */
    if (status != EXACT_SUM_OK)
        memset(words, 0, (size_t)count * sizeof *words);
    words[count - 1] = status != EXACT_SUM_OK;
    code = MPI_Allreduce(MPI_IN_PLACE, words, count, MPI_UINT64_T, MPI_SUM, comm);
    return code == MPI_SUCCESS && words[count - 1] > 0 ? MPI_ERR_ARG : code;
}

/* An array of integers as a type, and the operation that merges what they are. */
static inline int exact_sum_mpi_create_for(size_t bytes, MPI_User_function *merge, MPI_Datatype *type, MPI_Op *op) {
    int code = MPI_Type_contiguous((int)(bytes / sizeof(uint64_t)), MPI_UINT64_T, type);
    if (code == MPI_SUCCESS)
        code = MPI_Type_commit(type);
    if (code == MPI_SUCCESS)
        code = MPI_Op_create(merge, 1, op);
    return code;
}

static inline int exact_sum_mpi_free(MPI_Datatype *type, MPI_Op *op) {
    int code = MPI_Op_free(op);
    return code == MPI_SUCCESS ? MPI_Type_free(type) : code;
}

/* The operation on sums. */
static void exact_sum_mpi_merge(void *with, void *into, int *count, MPI_Datatype *type) {
    const exact_sum *from = (const exact_sum *)with;
    exact_sum *to = (exact_sum *)into;
    (void)type;
    for (int i = 0; i < *count; i++)
        if (exact_sum_merge(&to[i], &from[i]) != EXACT_SUM_OK)
            memset(&to[i], 0xff, sizeof to[i]);
}

/* The type of an accumulator, and the operation that merges accumulators. */
static inline int exact_sum_mpi_create(MPI_Datatype *type, MPI_Op *op) {
    return exact_sum_mpi_create_for(sizeof(exact_sum), exact_sum_mpi_merge, type, op);
}

/* Replaces each rank's accumulator by the total of all ranks'; as integers, by MPI_SUM. */
static inline int exact_sum_mpi_combine(exact_sum *sum, MPI_Comm comm) {
    uint64_t words[EXACT_SUM_WORDS + 1];
    int code = exact_sum_mpi_add_words(words, EXACT_SUM_WORDS + 1, exact_sum_to_words(sum, words), comm);
    if (code != MPI_SUCCESS)
        return code;
    return exact_sum_from_words(sum, words) == EXACT_SUM_OK ? MPI_SUCCESS : MPI_ERR_ARG;
}

/* The sum of the terms of all ranks, on every rank. */
static inline int exact_sum_mpi_allreduce(const double *terms, size_t count, double *value, MPI_Comm comm) {
    exact_sum sum = EXACT_SUM_EMPTY;
    int code;
    /* An accumulator of ones is refused, on all ranks. */
    if (value == NULL || exact_sum_add_array(&sum, terms, count) != EXACT_SUM_OK)
        memset(&sum, 0xff, sizeof sum);
    code = exact_sum_mpi_combine(&sum, comm);
    if (code != MPI_SUCCESS)
        return code;
    return exact_sum_value(&sum, value) == EXACT_SUM_OK ? MPI_SUCCESS : MPI_ERR_ARG;
}

/* The operation on dot products. */
static void exact_dot_mpi_merge(void *with, void *into, int *count, MPI_Datatype *type) {
    const exact_dot *from = (const exact_dot *)with;
    exact_dot *to = (exact_dot *)into;
    (void)type;
    for (int i = 0; i < *count; i++)
        if (exact_dot_merge(&to[i], &from[i]) != EXACT_SUM_OK)
            memset(&to[i], 0xff, sizeof to[i]);
}

/* As for sums; exact_sum_mpi_free frees both. */
static inline int exact_dot_mpi_create(MPI_Datatype *type, MPI_Op *op) {
    return exact_sum_mpi_create_for(sizeof(exact_dot), exact_dot_mpi_merge, type, op);
}

static inline int exact_dot_mpi_combine(exact_dot *dot, MPI_Comm comm) {
    uint64_t words[EXACT_DOT_WORDS + 1];
    int code = exact_sum_mpi_add_words(words, EXACT_DOT_WORDS + 1, exact_dot_to_words(dot, words), comm);
    if (code != MPI_SUCCESS)
        return code;
    return exact_dot_from_words(dot, words) == EXACT_SUM_OK ? MPI_SUCCESS : MPI_ERR_ARG;
}

/* The sum of the products of all ranks, on every rank. */
static inline int exact_dot_mpi_allreduce(const double *a, const double *b, size_t count, double *value,
                                          MPI_Comm comm) {
    exact_dot dot = EXACT_DOT_EMPTY;
    int code;
    if (value == NULL || exact_dot_add_products(&dot, a, b, count) != EXACT_SUM_OK)
        memset(&dot, 0xff, sizeof dot);
    code = exact_dot_mpi_combine(&dot, comm);
    if (code != MPI_SUCCESS)
        return code;
    return exact_dot_value(&dot, value) == EXACT_SUM_OK ? MPI_SUCCESS : MPI_ERR_ARG;
}

#endif
