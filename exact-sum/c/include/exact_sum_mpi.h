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
 * Whatever tree, network or order MPI uses, every rank gets the same totals. If the network itself can reduce integers,
 * use exact_sum_to_words and MPI_SUM instead, as exact_sum_mpi_allreduce does. Functions return MPI's codes, or
 * MPI_ERR_ARG if the library of sums has refused. */
#ifndef EXACT_SUM_MPI_H
#define EXACT_SUM_MPI_H

#include <mpi.h>

#include "exact_sum.h"

/* The operation: merges accumulators. */
static void exact_sum_mpi_merge(void *with, void *into, int *count, MPI_Datatype *type) {
    const exact_sum *from = (const exact_sum *)with;
    exact_sum *to = (exact_sum *)into;
    (void)type;
    for (int i = 0; i < *count; i++)
        if (exact_sum_merge(&to[i], &from[i]) != EXACT_SUM_OK)
            MPI_Abort(MPI_COMM_WORLD, 1);
}

/* The type of an accumulator, and the operation that merges accumulators. */
static inline int exact_sum_mpi_create(MPI_Datatype *type, MPI_Op *op) {
    int code = MPI_Type_contiguous((int)(sizeof(exact_sum) / sizeof(uint64_t)), MPI_UINT64_T, type);
    if (code == MPI_SUCCESS)
        code = MPI_Type_commit(type);
    if (code == MPI_SUCCESS)
        code = MPI_Op_create(exact_sum_mpi_merge, 1, op);
    return code;
}

static inline int exact_sum_mpi_free(MPI_Datatype *type, MPI_Op *op) {
    int code = MPI_Op_free(op);
    return code == MPI_SUCCESS ? MPI_Type_free(type) : code;
}

/* Replaces each rank's accumulator by the total of all ranks'; as integers, by MPI_SUM. */
static inline int exact_sum_mpi_combine(exact_sum *sum, MPI_Comm comm) {
    uint64_t words[EXACT_SUM_WORDS];
    int code;
    if (exact_sum_to_words(sum, words) != EXACT_SUM_OK)
        return MPI_ERR_ARG;
    code = MPI_Allreduce(MPI_IN_PLACE, words, EXACT_SUM_WORDS, MPI_UINT64_T, MPI_SUM, comm);
    if (code != MPI_SUCCESS)
        return code;
    return exact_sum_from_words(sum, words) == EXACT_SUM_OK ? MPI_SUCCESS : MPI_ERR_ARG;
}

/* The sum of the terms of all ranks, on every rank. */
static inline int exact_sum_mpi_allreduce(const double *terms, size_t count, double *value, MPI_Comm comm) {
    exact_sum sum = EXACT_SUM_EMPTY;
    int code;
    if (exact_sum_add_array(&sum, terms, count) != EXACT_SUM_OK)
        return MPI_ERR_ARG;
    code = exact_sum_mpi_combine(&sum, comm);
    if (code != MPI_SUCCESS)
        return code;
    return exact_sum_value(&sum, value) == EXACT_SUM_OK ? MPI_SUCCESS : MPI_ERR_ARG;
}

#endif
