/* What exact_sum_mpi.h does when ranks disagree, and for dot products. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "exact_sum_mpi.h"

#define CHECK(condition)                                                           \
    do {                                                                           \
        if (!(condition)) {                                                        \
            printf("rank %d, line %d: %s\n", rank, __LINE__, #condition);          \
            failures++;                                                            \
        }                                                                          \
    } while (0)

static int rank, ranks, failures;

/* One rank alone has wrong arguments: all ranks return, with an error, and nothing has changed. */
static void refusals(MPI_Comm comm) {
    const double one = 1.0;
    for (int wrong = 0; wrong < ranks; wrong++) {
        int is_wrong = rank == wrong;
        double value = 7.0;
        exact_sum sum = EXACT_SUM_EMPTY, before;
        exact_dot dot = EXACT_DOT_EMPTY;
        CHECK(exact_sum_mpi_allreduce(is_wrong ? NULL : &one, 1, &value, comm) == MPI_ERR_ARG);
        CHECK(exact_sum_mpi_allreduce(&one, 1, is_wrong ? NULL : &value, comm) == MPI_ERR_ARG);
        CHECK(exact_dot_mpi_allreduce(&one, is_wrong ? NULL : &one, 1, &value, comm) == MPI_ERR_ARG);
        CHECK(exact_dot_mpi_allreduce(&one, &one, 1, is_wrong ? NULL : &value, comm) == MPI_ERR_ARG);
        CHECK(value == 7.0);
        exact_sum_add(&sum, rank + 0.5);
        before = sum;
        CHECK(exact_sum_mpi_combine(is_wrong ? NULL : &sum, comm) == MPI_ERR_ARG);
        if (is_wrong)
            memset(&sum, 0x5a, sizeof sum), memset(&dot, 0x5a, sizeof dot);
        CHECK(exact_sum_mpi_combine(&sum, comm) == MPI_ERR_ARG);
        CHECK(exact_dot_mpi_combine(&dot, comm) == MPI_ERR_ARG);
        CHECK(is_wrong || memcmp(&sum, &before, sizeof sum) == 0);
    }
}

static void operations(MPI_Comm comm) {
    const double a[] = {1e200, 1e-200, rank + 1.0}, b[] = {1e200, 1e-200, 1.0};
    const double minus[] = {-1e200, -1e-200, 0.0};
    double value, want = ranks * (ranks + 1.0) / 2.0;
    exact_dot dots[2] = {EXACT_DOT_EMPTY, EXACT_DOT_EMPTY}, totals[2];
    exact_sum sum = EXACT_SUM_EMPTY, total;
    MPI_Datatype type;
    MPI_Op op;

    CHECK(exact_dot_add_products(&dots[0], a, b, 3) == EXACT_SUM_OK);
    CHECK(exact_dot_add_products(&dots[0], a, minus, 3) == EXACT_SUM_OK);
    CHECK(exact_dot_add_product(&dots[1], 0.5, rank) == EXACT_SUM_OK);
    CHECK(exact_dot_mpi_create(&type, &op) == MPI_SUCCESS);
    MPI_Allreduce(dots, totals, 2, type, op, comm);
    CHECK(exact_dot_value(&totals[0], &value) == EXACT_SUM_OK && value == want);
    CHECK(exact_dot_value(&totals[1], &value) == EXACT_SUM_OK && value == (want - ranks) / 2.0);
    if (rank == ranks - 1)
        memset(&dots[1], 0x5a, sizeof dots[1]);
    MPI_Allreduce(dots, totals, 2, type, op, comm);
    CHECK(exact_dot_value(&totals[0], &value) == EXACT_SUM_OK && value == want);
    CHECK(exact_dot_value(&totals[1], &value) == EXACT_SUM_STATE);
    CHECK(exact_sum_mpi_free(&type, &op) == MPI_SUCCESS);
    CHECK(exact_dot_mpi_combine(&dots[0], comm) == MPI_SUCCESS);
    CHECK(exact_dot_value(&dots[0], &value) == EXACT_SUM_OK && value == want);
    CHECK(exact_dot_mpi_allreduce(a, b, 3, &value, comm) == MPI_SUCCESS && value == INFINITY);

    CHECK(exact_sum_mpi_create(&type, &op) == MPI_SUCCESS);
    CHECK(exact_sum_add(&sum, rank + 1.0) == EXACT_SUM_OK);
    MPI_Allreduce(&sum, &total, 1, type, op, comm);
    CHECK(exact_sum_value(&total, &value) == EXACT_SUM_OK && value == want);
    if (rank == 0)
        memset(&sum, 0x5a, sizeof sum);
    MPI_Allreduce(&sum, &total, 1, type, op, comm);
    CHECK(exact_sum_value(&total, &value) == EXACT_SUM_STATE);
    CHECK(exact_sum_mpi_free(&type, &op) == MPI_SUCCESS);
}

/* Two groups have no sum over all ranks. */
static void intercommunicator(void) {
    MPI_Comm group, both;
    double value = 7.0, one = 1.0;
    exact_dot dot = EXACT_DOT_EMPTY;
    if (ranks < 2)
        return;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &group);
    MPI_Intercomm_create(group, 0, MPI_COMM_WORLD, 1 - rank % 2, 1, &both);
    MPI_Comm_set_errhandler(both, MPI_ERRORS_RETURN);
    CHECK(exact_sum_mpi_allreduce(&one, 1, &value, both) == MPI_ERR_COMM && value == 7.0);
    CHECK(exact_dot_mpi_combine(&dot, both) == MPI_ERR_COMM);
    MPI_Comm_free(&both);
    MPI_Comm_free(&group);
}

int main(int argc, char **argv) {
    int all;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    refusals(MPI_COMM_WORLD);
    operations(MPI_COMM_WORLD);
    intercommunicator();
    MPI_Allreduce(&failures, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%d\n", all);
    MPI_Finalize();
    return all != 0;
}
