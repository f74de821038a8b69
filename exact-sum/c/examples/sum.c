/* Sums a vector that is distributed over the ranks, and prints the bits of the result: the same on any number of ranks.
 *
 *     mpicc sum.c $(pkg-config --cflags --libs exact_sum) -o sum && mpirun -n 4 ./sum */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "exact_sum_mpi.h"

enum { LENGTH = 100003, CHUNK = 1000 };

/* Element i of the vector: of either sign, over 60 binades. */
static double element(long i) {
    double size = 1.0;
    for (long k = i % 61; k > 30; k--)
        size *= 2.0;
    for (long k = i % 61; k < 30; k++)
        size *= 0.5;
    return ((double)(i * 7919 % 10007) / 10007.0 - 0.5) * size;
}

int main(int argc, char **argv) {
    int rank, size;
    MPI_Datatype type;
    MPI_Op op;
    exact_sum sum = EXACT_SUM_EMPTY, total;
    double terms[CHUNK], merged, added;
    uint64_t bits;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);

    /* This rank's block, chunk by chunk. */
    long begin = (long)LENGTH * rank / size, end = (long)LENGTH * (rank + 1) / size;
    for (long i = begin; i < end;) {
        size_t count = 0;
        while (count < CHUNK && i < end)
            terms[count++] = element(i++);
        exact_sum_add_array(&sum, terms, count);
    }

    /* One way: accumulators are merged by an operation of our own. */
    exact_sum_mpi_create(&type, &op);
    MPI_Allreduce(&sum, &total, 1, type, op, MPI_COMM_WORLD);
    exact_sum_value(&total, &merged);
    exact_sum_mpi_free(&type, &op);

    /* The other: integers are added by MPI_SUM. */
    exact_sum_mpi_combine(&sum, MPI_COMM_WORLD);
    exact_sum_value(&sum, &added);

    if (memcmp(&merged, &added, sizeof added) != 0)
        MPI_Abort(MPI_COMM_WORLD, 1);
    if (rank == 0) {
        memcpy(&bits, &added, sizeof bits);
        printf("%016" PRIx64 "\n", bits);
    }
    MPI_Finalize();
    return 0;
}
