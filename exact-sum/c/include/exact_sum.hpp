// Exact sums and dot products in C++, around exact_sum.h. C++11, header only.
//
//     exact::Sum sum;
//     sum += 1e300;
//     sum.add(terms.begin(), terms.end());
//     double value = sum.value();
//
// Objects are plain memory: they may be copied, sent and stored as they are. Functions throw exact::Error where those of
// exact_sum.h return another status than EXACT_SUM_OK; what they do, exact_sum.h says.
#ifndef EXACT_SUM_HPP
#define EXACT_SUM_HPP

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <stdexcept>
#include <vector>

#include "exact_sum.h"

namespace exact {

// What exact_sum.h reports by a status.
class Error : public std::runtime_error {
public:
    explicit Error(int status) : std::runtime_error(exact_sum_message(status)), status(status) {}
    const int status;
};

inline void check(int status) {
    if (status != EXACT_SUM_OK)
        throw Error(status);
}

// The exact sum of terms.
class Sum {
public:
    Sum() : sum EXACT_SUM_EMPTY {}
    explicit Sum(double term) : Sum() { *this += term; }
    template <class Iterator> Sum(Iterator first, Iterator last) : Sum() { add(first, last); }

    Sum &operator+=(double term) { return check(exact_sum_add(&sum, term)), *this; }
    Sum &operator-=(double term) { return check(exact_sum_subtract(&sum, term)), *this; }
    Sum &operator+=(const Sum &other) { return check(exact_sum_merge(&sum, &other.sum)), *this; }
    Sum &operator-=(const Sum &other) { return check(exact_sum_subtract_sum(&sum, &other.sum)), *this; }

    Sum &add(const double *terms, std::size_t count) { return check(exact_sum_add_array(&sum, terms, count)), *this; }
    Sum &add(const float *terms, std::size_t count) { return check(exact_sum_add_float_array(&sum, terms, count)), *this; }
    Sum &add(const double *terms, std::size_t count, std::size_t stride) {
        return check(exact_sum_add_strided(&sum, terms, count, stride)), *this;
    }
    Sum &add(const std::vector<double> &terms) { return add(terms.data(), terms.size()); }
    Sum &add(const std::vector<float> &terms) { return add(terms.data(), terms.size()); }
    template <class Iterator, class = typename std::iterator_traits<Iterator>::iterator_category>
    Sum &add(Iterator first, Iterator last) {
        for (; first != last; ++first)
            *this += static_cast<double>(*first);
        return *this;
    }

    double value() const {
        double value;
        return check(exact_sum_value(&sum, &value)), value;
    }
    float value_float() const {
        float value;
        return check(exact_sum_value_float(&sum, &value)), value;
    }
    bool is_zero() const {
        int zero;
        return check(exact_sum_is_zero(&sum, &zero)), zero != 0;
    }
    std::vector<std::uint8_t> to_bytes() const {
        std::vector<std::uint8_t> bytes(EXACT_SUM_BYTES);
        return check(exact_sum_to_bytes(&sum, bytes.data())), bytes;
    }
    static Sum from_bytes(const std::vector<std::uint8_t> &bytes) {
        Sum sum;
        return check(exact_sum_from_bytes(&sum.sum, bytes.data(), bytes.size())), sum;
    }
    // Equal totals, whatever the terms.
    friend bool operator==(const Sum &a, const Sum &b) { return a.to_bytes() == b.to_bytes(); }
    friend bool operator!=(const Sum &a, const Sum &b) { return !(a == b); }

    // For exact_sum.h and exact_sum_mpi.h.
    exact_sum *get() { return &sum; }
    const exact_sum *get() const { return &sum; }

private:
    exact_sum sum;
};

// The exact sum of products.
class Dot {
public:
    Dot() : dot EXACT_DOT_EMPTY {}

    Dot &operator+=(const Dot &other) { return check(exact_dot_merge(&dot, &other.dot)), *this; }
    Dot &operator-=(const Dot &other) { return check(exact_dot_subtract_dot(&dot, &other.dot)), *this; }
    Dot &operator+=(const Sum &sum) { return check(exact_dot_merge_sum(&dot, sum.get())), *this; }

    Dot &add(double a, double b) { return check(exact_dot_add_product(&dot, a, b)), *this; }
    Dot &subtract(double a, double b) { return check(exact_dot_subtract_product(&dot, a, b)), *this; }
    Dot &add(const double *a, const double *b, std::size_t count) {
        return check(exact_dot_add_products(&dot, a, b, count)), *this;
    }
    Dot &add(const float *a, const float *b, std::size_t count) {
        return check(exact_dot_add_float_products(&dot, a, b, count)), *this;
    }
    Dot &add(const double *a, std::size_t a_stride, const double *b, std::size_t b_stride, std::size_t count) {
        return check(exact_dot_add_strided(&dot, a, a_stride, b, b_stride, count)), *this;
    }
    Dot &subtract(const double *a, const double *b, std::size_t count) {
        return check(exact_dot_subtract_products(&dot, a, b, count)), *this;
    }
    Dot &add_squares(const double *numbers, std::size_t count) {
        return check(exact_dot_add_squares(&dot, numbers, count)), *this;
    }

    double value() const {
        double value;
        return check(exact_dot_value(&dot, &value)), value;
    }
    float value_float() const {
        float value;
        return check(exact_dot_value_float(&dot, &value)), value;
    }
    // Of squares, their Euclidean norm.
    double sqrt() const {
        double root;
        return check(exact_dot_sqrt(&dot, &root)), root;
    }
    bool is_zero() const {
        int zero;
        return check(exact_dot_is_zero(&dot, &zero)), zero != 0;
    }
    std::vector<std::uint8_t> to_bytes() const {
        std::vector<std::uint8_t> bytes(EXACT_DOT_BYTES);
        return check(exact_dot_to_bytes(&dot, bytes.data())), bytes;
    }
    static Dot from_bytes(const std::vector<std::uint8_t> &bytes) {
        Dot dot;
        return check(exact_dot_from_bytes(&dot.dot, bytes.data(), bytes.size())), dot;
    }
    friend bool operator==(const Dot &a, const Dot &b) { return a.to_bytes() == b.to_bytes(); }
    friend bool operator!=(const Dot &a, const Dot &b) { return !(a == b); }

    exact_dot *get() { return &dot; }
    const exact_dot *get() const { return &dot; }

private:
    exact_dot dot;
};

} // namespace exact

#endif
