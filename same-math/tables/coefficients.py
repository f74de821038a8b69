#!/usr/bin/env python3
"""Coefficients of the polynomials in src/: minimax by Remez's exchange with 120 digits, rounded to doubles.

Prints every polynomial, lowest power first, and the largest error of the rounded one on its interval, as a power
of two.
"""
from mpmath import mp, mpf, cos, exp, expm1, sinh, cosh, sin, atan, asin, log, log1p, pi, sqrt, matrix, lu_solve, fabs, erf, erfc

mp.dps = 120
LN2 = log(2)


def nodes(low, high, count):
    """Where the extremes of Chebyshev's polynomial are."""
    return [(low + high) / 2 - (high - low) / 2 * cos(i * pi / (count - 1)) for i in range(count)]


def value_at(coefficients, t):
    """A polynomial by Horner's rule."""
    result = mpf(0)
    for c in reversed(coefficients):
        result = result * t + c
    return result


def minimax(function, low, high, degree, weight):
    """The polynomial whose largest weighted error is least: Remez's exchange of all points."""
    grid = [low + (high - low) * (1 - cos(pi * (i + mpf(1) / 2) / 800)) / 2 for i in range(800)]
    sampled = [(t, function(t), weight(t)) for t in grid]
    points = nodes(low + (high - low) / 10**4, high, degree + 2)
    for _ in range(8):
        rows, right = matrix(degree + 2, degree + 2), []
        for i, t in enumerate(points):
            for j in range(degree + 1):
                rows[i, j] = t**j
            rows[i, degree + 1] = (-1) ** i / weight(t)
            right.append(function(t))
        coefficients = list(lu_solve(rows, matrix(right)))[: degree + 1]
        # The largest error between two changes of its sign.
        extremes = []
        for t, value, w in sampled:
            error = (value_at(coefficients, t) - value) * w
            if extremes and (extremes[-1][1] > 0) == (error > 0):
                if fabs(error) > fabs(extremes[-1][1]):
                    extremes[-1] = (t, error)
            else:
                extremes.append((t, error))
        while len(extremes) > degree + 2:
            extremes.pop(0 if fabs(extremes[0][1]) < fabs(extremes[-1][1]) else -1)
        if len(extremes) < degree + 2:
            break
        points = [t for t, _ in extremes]
    return coefficients


def show(name, function, low, high, degree, weight):
    """Prints a polynomial; `weight` turns its error at t into an error of the result in units of the result."""
    low, high = mpf(low), mpf(high)
    rounded = [float(c) for c in minimax(function, low, high, degree, weight)]
    worst = mpf(0)
    for i in range(1001):
        t = low + (high - low) * (i + mpf(1) / 3) / 1002
        worst = max(worst, fabs((value_at(rounded, t) - function(t)) * weight(t)))
    print(f"{name}: 2^{float(log(worst) / LN2):.1f}")
    for j, c in enumerate(rounded):
        print(f"    const {name}_{j}: f64 = {c!r};")


def two_parts(name, value, bits):
    """A constant as a part of few bits and the rest."""
    scale = mpf(2) ** (bits - 1 - int(mp.floor(log(value) / LN2)))
    high = float(mp.nint(value * scale) / scale)
    print(f"    const {name}_HIGH: f64 = {high!r};\n    const {name}_LOW: f64 = {float(value - mpf(high))!r};")


HALF = LN2 / 2 * mpf("1.0001")
show("EXP", lambda r: (expm1(r) - r - r * r / 2) / r**3, -HALF, HALF, 9, lambda r: r**2 / exp(r) + mpf(1) / 10**9)
show("EXP2", lambda f: (2**f - 1 - f * LN2) / f**2, -0.5, 0.5, 10, lambda f: f**2 / 2**f + mpf(1) / 10**9)
# atanh(s) = s + s z (R(z) / 2), z = s s, |s| <= (sqrt(2) - 1) / (sqrt(2) + 1)
TOP = mpf("0.02950")
odd_log = lambda z: log((1 + sqrt(z)) / (1 - sqrt(z)))
show("LOG", lambda z: (odd_log(z) / sqrt(z) - 2) / z, mpf("1e-12"), TOP, 6, lambda z: z / 2)
show("POW", lambda z: (odd_log(z) / sqrt(z) - 2 - z * 2 / 3) / z**2 / LN2, mpf("1e-12"), TOP, 7, lambda z: z**2 / 2)
QUARTER = (pi / 4) ** 2 * mpf("1.001")
show("SIN", lambda z: (sin(sqrt(z)) / sqrt(z) - 1) / z, mpf("1e-12"), QUARTER, 6, lambda z: z * sqrt(z) / sin(sqrt(z)))
show("COS", lambda z: (cos(sqrt(z)) - 1 + z / 2) / z**2, mpf("1e-8"), QUARTER, 5, lambda z: z**2 / cos(sqrt(z)))
EIGHTH = (sqrt(mpf(2)) - 1) ** 2 * mpf("1.001")
show("ATAN", lambda z: (atan(sqrt(z)) / sqrt(z) - 1) / z, mpf("1e-12"), EIGHTH, 10, lambda z: z)
show("ASIN", lambda z: (asin(sqrt(z)) / sqrt(z) - 1) / z, mpf("1e-12"), 0.25, 12, lambda z: z)
show("SINH", lambda z: (sinh(sqrt(z)) / sqrt(z) - 1) / z, mpf("1e-12"), HALF**2, 4, lambda z: z)
show("COSH", lambda z: (cosh(sqrt(z)) - 1 - z / 2) / z**2, mpf("1e-8"), HALF**2, 4, lambda z: z**2)
show("CBRT", lambda m: 1 / m ** (mpf(1) / 3), 1, 2, 5, lambda m: m ** (mpf(1) / 3))
TWO_BY_ROOT_PI = 2 / sqrt(pi)
BEND = mpf("0.9375")
odd_erf = lambda z: erf(sqrt(z)) / sqrt(z) - TWO_BY_ROOT_PI
show("ERF", lambda z: (odd_erf(z) / z + TWO_BY_ROOT_PI / 3) / z, mpf("1e-10"), BEND**2, 10, lambda z: z**2)
of_t = lambda t: (1 + 3 * t) / (1 - t)
scaled = lambda t: exp(of_t(t) ** 2) * erfc(of_t(t))
show("ERFC", scaled, (BEND - 1) / (BEND + 3), mpf(5) / 9, 12, lambda t: exp(-(of_t(t) ** 2)) / erf(of_t(t)))
two_parts("ERF_C", TWO_BY_ROOT_PI, 26)
two_parts("ERF_C3", TWO_BY_ROOT_PI / 3, 26)
two_parts("LN2", LN2, 32)
two_parts("LN2_SPLIT", LN2, 26)
two_parts("LOG2_E", 1 / LN2, 21)
two_parts("PI_4", pi / 4, 50)
two_parts("POW_C1", 2 / LN2, 53)
two_parts("POW_C3", 2 / LN2 / 3, 53)
rest = pi / 2
for i in range(2):
    part = mp.floor(rest * mpf(2) ** (38 + 39 * i)) / mpf(2) ** (38 + 39 * i)
    print(f"    const PI_2_{i}: f64 = {float(part)!r};")
    rest -= part
print(f"    const PI_2_2: f64 = {float(rest)!r};")
CONSTANTS = {
    "ROOT": mpf(2) ** (mpf(1) / 3),
    "INVERSE_ROOT": mpf(2) ** (-mpf(1) / 3),
    "TWO_BY_PI": 2 / pi,
    "LOG2_E": 1 / LN2,
    "LN2": LN2,
    "PI_2": pi / 2,
}
for name, value in CONSTANTS.items():
    print(f"    const {name}: f64 = {float(value)!r}; // + {float(value - mpf(float(value)))!r}")
mp.dps = 420
print("2/pi in words of 64 bits, highest first:")
fraction = 2 / pi
for i in range(20):
    fraction *= mpf(2) ** 64
    word = int(mp.floor(fraction))
    fraction -= word
    print(f"    0x{word:016x},")
