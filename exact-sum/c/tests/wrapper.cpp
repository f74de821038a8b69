// Every function of exact_sum.hpp. Prints what is wrong.
#include <cmath>
#include <cstdio>
#include <list>
#include <string>

#include "exact_sum.hpp"

#define CHECK(condition) \
    if (!(condition)) std::printf("line %d: %s\n", __LINE__, #condition)

int main() {
    const std::vector<double> terms{1e300, 1.0, -1e300};
    const std::vector<float> floats{1e30f, 1.0f, -1e30f};
    const std::list<int> integers{1, 2, 3};

    exact::Sum sum;
    CHECK(sum.value() == 0.0 && sum.is_zero());
    sum.add(terms).add(floats).add(integers.begin(), integers.end()).add(terms.data(), 2, 2);
    CHECK(sum.value() == 8.0);
    sum += 0.5;
    sum -= 1.5;
    CHECK(sum.value() == 7.0 && sum.value_float() == 7.0f && !sum.is_zero());
    exact::Sum copy = sum;
    copy += sum;
    copy -= exact::Sum(7.0);
    CHECK(copy == sum && copy != exact::Sum());
    CHECK(exact::Sum(terms.begin(), terms.end()) == exact::Sum(1.0));
    CHECK(exact::Sum::from_bytes(sum.to_bytes()) == sum);

    const double a[] = {1e200, 3.0, 1e200}, b[] = {1e200, 0.5, -1e200};
    exact::Dot dot;
    dot.add(a, b, 3).add(a + 1, 1, b + 1, 1, 1).add(2.0, 3.0).subtract(1.0, 1.0);
    CHECK(dot.value() == 8.0 && dot.value_float() == 8.0f);
    dot += sum;
    dot += dot;
    dot -= exact::Dot().add(7.0, 2.0);
    CHECK(dot.value() == 16.0 && dot.sqrt() == 4.0);
    CHECK(exact::Dot::from_bytes(dot.to_bytes()) == dot && dot != exact::Dot());
    dot.subtract(a, b, 3).add(floats.data(), floats.data(), 3).add_squares(b + 1, 1);
    CHECK(dot.value() == 2.0 * std::pow(double(1e30f), 2));
    CHECK(exact::Dot().is_zero() && !dot.is_zero());

    try {
        exact::Sum::from_bytes(std::vector<std::uint8_t>(3));
        std::printf("damaged bytes were read\n");
    } catch (const exact::Error &error) {
        CHECK(error.status == EXACT_SUM_DAMAGED && std::string(error.what()).size() > 3);
    }
}
