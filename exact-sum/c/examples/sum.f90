! Sums a vector that is distributed over the ranks, and prints the bits of the result: the same on any number of ranks,
! and the same as sum.c prints.
!
!     mpifort exact_sum.f90 sum.f90 $(pkg-config --libs exact_sum) -o sum && mpirun -n 4 ./sum
program sum
    use, intrinsic :: iso_c_binding, only: c_double, c_int, c_int64_t, c_size_t
    use mpi
    use exact_sum
    implicit none

    integer(c_int64_t), parameter :: length = 100003
    integer, parameter :: chunk = 1000
    type(exact_sum_t) :: total
    integer(c_int64_t) :: words(exact_sum_words), i, first, last
    real(c_double) :: terms(chunk)
    integer :: rank, ranks, count, code
    integer(c_int) :: status

    call MPI_Init(code)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, code)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks, code)

    ! This rank's block, chunk by chunk.
    first = length * rank / ranks
    last = length * (rank + 1) / ranks - 1
    count = 0
    do i = first, last
        count = count + 1
        terms(count) = element(i)
        if (count == chunk .or. i == last) then
            status = exact_sum_add_array(total, terms, int(count, c_size_t))
            call check(status)
            count = 0
        end if
    end do

    ! The ranks' sums are integers, which MPI_SUM adds.
    status = exact_sum_to_words(total, words)
    call check(status)
    call MPI_Allreduce(MPI_IN_PLACE, words, exact_sum_words, MPI_INTEGER8, MPI_SUM, MPI_COMM_WORLD, code)
    status = exact_sum_from_words(total, words)
    call check(status)

    if (rank == 0) print '(z16.16)', transfer(exact_sum_of(total), 0_c_int64_t)
    call MPI_Finalize(code)

contains

    ! Element i of the vector: of either sign, over 60 binades.
    real(c_double) function element(i)
        integer(c_int64_t), intent(in) :: i
        element = real(mod(i * 7919, 10007_c_int64_t), c_double) / 10007 - 0.5_c_double
        element = element * 2.0_c_double**int(mod(i, 61_c_int64_t) - 30)
    end function

    subroutine check(status)
        integer(c_int), intent(in) :: status
        if (status /= exact_sum_ok) error stop "a sum was refused"
    end subroutine
end program
