#!/usr/bin/env python3
"""The constants of src/gamma.rs, by mpmath: `tables/gamma.py`.

Zeros of ln |Gamma| next to which there are doubles with a result below 2^-36, each in three parts, the slope there in
two, and half of the second derivative.
"""

import math

from mpmath import bernoulli, digamma, fac, gamma, log, mp, mpf, pi, polygamma

mp.dps = 120
LN2 = log(mpf(2))


def two_parts(name, value):
    """A constant as the nearest double and the rest."""
    high = float(value)
    print(f"    const {name}: f64 = {high!r};\n    const {name}_REST: f64 = {float(value - mpf(high))!r};")


def change_of_sign(f, low, high):
    """Where f, which has other signs at both ends, is zero."""
    rises = f(high) > 0
    for _ in range(390):
        middle = (low + high) / 2
        if (f(middle) > 0) == rises:
            high = middle
        else:
            low = middle
    return (low + high) / 2


def zeros():
    """1, 2, and pairs below -2: between two poles |Gamma| falls below 1 and rises again."""
    yield mpf(1)
    yield mpf(2)
    edge = mpf(10) ** -60
    for n in range(2, 16):
        least = change_of_sign(digamma, -n - 1 + edge, -n - edge)
        for ends in ((least, -n - edge), (-n - 1 + edge, least)):
            yield change_of_sign(lambda x: log(abs(gamma(x))), *ends)


def main():
    # ln 2 in three parts, of which products of the first two with integers up to 2^11 are exact.
    first = mp.floor(LN2 * mpf(2) ** 40) / mpf(2) ** 40
    second = mp.floor((LN2 - first) * mpf(2) ** 80) / mpf(2) ** 80
    print(f"    const LN2_FIRST: f64 = {float(first)!r};\n    const LN2_SECOND: f64 = {float(second)!r};")
    print(f"    const LN2_THIRD: f64 = {float(LN2 - first - second)!r};")
    for n in range(3, 7):
        two_parts(f"BY_FACTORIAL_{n}", 1 / fac(n))
    for n in range(7, 13):
        print(f"    const BY_FACTORIAL_{n}: f64 = {float(1 / fac(n))!r};")
    two_parts("LN_ROOT_2_PI_LESS_HALF", log(2 * pi) / 2 - mpf(1) / 2)
    print(f"    const LN_PI: f64 = {float(log(pi))!r};")
    for k in range(1, 14):
        c = bernoulli(2 * k) / (2 * k * (2 * k - 1))
        if k < 5:
            two_parts(f"STIRLING_{k}", c)
        else:
            print(f"    const STIRLING_{k}: f64 = {float(c)!r};")
    for z in zeros():
        place, slope, curve = float(z), digamma(z), polygamma(1, z) / 2
        near = [math.nextafter(place, s * math.inf) for s in (1, -1)] + [place]
        least = min(abs(log(abs(gamma(mpf(x))))) for x in near if mpf(x) != z)
        if least < mpf(2) ** -36:
            rest = float(z - mpf(place))
            slopes = [float(slope), float(slope - mpf(float(slope)))]
            values = [place, rest, float(z - mpf(place) - mpf(rest)), *slopes, float(curve)]
            print(" " * 12 + f"zero = near_zero(x, {', '.join(repr(v) for v in values)});")


main()
