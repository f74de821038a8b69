! Sums of floating-point numbers with the same bits for every order of their terms: exact, and rounded once.
! The functions of exact_sum.h, which says what each of them does.
!
!     use exact_sum
!     type(exact_sum_t) :: sum
!     integer :: status
!     status = exact_sum_add_array(sum, terms, size(terms, kind=c_size_t))
!     print *, exact_sum_of(sum)
!
! A new accumulator is empty; exact_sum_init empties it again.
module exact_sum
    use, intrinsic :: iso_c_binding, only: c_double, c_float, c_int, c_int8_t, c_int64_t, c_size_t
    implicit none
    private

    public :: exact_sum_t, exact_dot_t, exact_sum_of, exact_dot_of
    public :: exact_sum_init, exact_sum_add, exact_sum_subtract, exact_sum_add_array, &
        exact_sum_add_float_array, exact_sum_merge, exact_sum_subtract_sum, exact_sum_is_zero, &
        exact_sum_value, exact_sum_value_float, exact_sum_to_words, exact_sum_from_words, exact_sum_to_bytes, &
        exact_sum_from_bytes, exact_dot_init, exact_dot_add_product, exact_dot_add_products, exact_dot_merge, &
        exact_dot_value, exact_dot_value_float, exact_dot_to_words, exact_dot_from_words, exact_dot_to_bytes, &
        exact_dot_from_bytes

    ! What functions return.
    integer(c_int), parameter, public :: exact_sum_ok = 0, exact_sum_pointer = 1, exact_sum_damaged = 2
    integer(c_int), parameter, public :: exact_sum_version = 3, exact_sum_state = 4

    ! Words of a message: integers, which MPI_SUM of MPI_INTEGER8 adds to the message of the sum of all ranks.
    integer, parameter, public :: exact_sum_words = 69, exact_dot_words = 136
    ! Bytes of the storage form.
    integer, parameter, public :: exact_sum_bytes = 568, exact_dot_bytes = 1104

    type, bind(c) :: exact_sum_t
        private
        integer(c_int64_t) :: opaque(192) = 0
    end type

    type, bind(c) :: exact_dot_t
        private
        integer(c_int64_t) :: opaque(352) = 0
    end type

    interface
        integer(c_int) function exact_sum_init(sum) bind(c)
            import :: c_int, exact_sum_t
            type(exact_sum_t), intent(inout) :: sum
        end function
        integer(c_int) function exact_sum_add(sum, term) bind(c)
            import :: c_double, c_int, exact_sum_t
            type(exact_sum_t), intent(inout) :: sum
            real(c_double), value :: term
        end function
        integer(c_int) function exact_sum_subtract(sum, term) bind(c)
            import :: c_double, c_int, exact_sum_t
            type(exact_sum_t), intent(inout) :: sum
            real(c_double), value :: term
        end function
        integer(c_int) function exact_sum_add_array(sum, terms, count) bind(c)
            import :: c_double, c_int, c_size_t, exact_sum_t
            type(exact_sum_t), intent(inout) :: sum
            real(c_double), intent(in) :: terms(*)
            integer(c_size_t), value :: count
        end function
        integer(c_int) function exact_sum_add_float_array(sum, terms, count) bind(c)
            import :: c_float, c_int, c_size_t, exact_sum_t
            type(exact_sum_t), intent(inout) :: sum
            real(c_float), intent(in) :: terms(*)
            integer(c_size_t), value :: count
        end function
        integer(c_int) function exact_sum_merge(sum, other) bind(c)
            import :: c_int, exact_sum_t
            type(exact_sum_t), intent(inout) :: sum
            type(exact_sum_t), intent(in) :: other
        end function
        integer(c_int) function exact_sum_subtract_sum(sum, other) bind(c)
            import :: c_int, exact_sum_t
            type(exact_sum_t), intent(inout) :: sum
            type(exact_sum_t), intent(in) :: other
        end function
        integer(c_int) function exact_sum_is_zero(sum, is_zero) bind(c)
            import :: c_int, exact_sum_t
            type(exact_sum_t), intent(in) :: sum
            integer(c_int), intent(out) :: is_zero
        end function
        integer(c_int) function exact_sum_value(sum, value) bind(c)
            import :: c_double, c_int, exact_sum_t
            type(exact_sum_t), intent(in) :: sum
            real(c_double), intent(out) :: value
        end function
        integer(c_int) function exact_sum_value_float(sum, value) bind(c)
            import :: c_float, c_int, exact_sum_t
            type(exact_sum_t), intent(in) :: sum
            real(c_float), intent(out) :: value
        end function
        integer(c_int) function exact_sum_to_words(sum, words) bind(c)
            import :: c_int, c_int64_t, exact_sum_t
            type(exact_sum_t), intent(in) :: sum
            integer(c_int64_t), intent(out) :: words(*)
        end function
        integer(c_int) function exact_sum_from_words(sum, words) bind(c)
            import :: c_int, c_int64_t, exact_sum_t
            type(exact_sum_t), intent(inout) :: sum
            integer(c_int64_t), intent(in) :: words(*)
        end function
        integer(c_int) function exact_sum_to_bytes(sum, bytes) bind(c)
            import :: c_int, c_int8_t, exact_sum_t
            type(exact_sum_t), intent(in) :: sum
            integer(c_int8_t), intent(out) :: bytes(*)
        end function
        integer(c_int) function exact_sum_from_bytes(sum, bytes, count) bind(c)
            import :: c_int, c_int8_t, c_size_t, exact_sum_t
            type(exact_sum_t), intent(inout) :: sum
            integer(c_int8_t), intent(in) :: bytes(*)
            integer(c_size_t), value :: count
        end function
        integer(c_int) function exact_dot_init(dot) bind(c)
            import :: c_int, exact_dot_t
            type(exact_dot_t), intent(inout) :: dot
        end function
        integer(c_int) function exact_dot_add_product(dot, a, b) bind(c)
            import :: c_double, c_int, exact_dot_t
            type(exact_dot_t), intent(inout) :: dot
            real(c_double), value :: a
            real(c_double), value :: b
        end function
        integer(c_int) function exact_dot_add_products(dot, a, b, count) bind(c)
            import :: c_double, c_int, c_size_t, exact_dot_t
            type(exact_dot_t), intent(inout) :: dot
            real(c_double), intent(in) :: a(*)
            real(c_double), intent(in) :: b(*)
            integer(c_size_t), value :: count
        end function
        integer(c_int) function exact_dot_merge(dot, other) bind(c)
            import :: c_int, exact_dot_t
            type(exact_dot_t), intent(inout) :: dot
            type(exact_dot_t), intent(in) :: other
        end function
        integer(c_int) function exact_dot_value(dot, value) bind(c)
            import :: c_double, c_int, exact_dot_t
            type(exact_dot_t), intent(in) :: dot
            real(c_double), intent(out) :: value
        end function
        integer(c_int) function exact_dot_value_float(dot, value) bind(c)
            import :: c_float, c_int, exact_dot_t
            type(exact_dot_t), intent(in) :: dot
            real(c_float), intent(out) :: value
        end function
        integer(c_int) function exact_dot_to_words(dot, words) bind(c)
            import :: c_int, c_int64_t, exact_dot_t
            type(exact_dot_t), intent(in) :: dot
            integer(c_int64_t), intent(out) :: words(*)
        end function
        integer(c_int) function exact_dot_from_words(dot, words) bind(c)
            import :: c_int, c_int64_t, exact_dot_t
            type(exact_dot_t), intent(inout) :: dot
            integer(c_int64_t), intent(in) :: words(*)
        end function
        integer(c_int) function exact_dot_to_bytes(dot, bytes) bind(c)
            import :: c_int, c_int8_t, exact_dot_t
            type(exact_dot_t), intent(in) :: dot
            integer(c_int8_t), intent(out) :: bytes(*)
        end function
        integer(c_int) function exact_dot_from_bytes(dot, bytes, count) bind(c)
            import :: c_int, c_int8_t, c_size_t, exact_dot_t
            type(exact_dot_t), intent(inout) :: dot
            integer(c_int8_t), intent(in) :: bytes(*)
            integer(c_size_t), value :: count
        end function
    end interface

contains

    ! The total, rounded once.
    real(c_double) function exact_sum_of(sum)
        type(exact_sum_t), intent(in) :: sum
        integer(c_int) :: status
        status = exact_sum_value(sum, exact_sum_of)
        if (status /= exact_sum_ok) error stop "exact_sum_of: not an accumulator"
    end function

    real(c_double) function exact_dot_of(dot)
        type(exact_dot_t), intent(in) :: dot
        integer(c_int) :: status
        status = exact_dot_value(dot, exact_dot_of)
        if (status /= exact_sum_ok) error stop "exact_dot_of: not an accumulator"
    end function

end module
