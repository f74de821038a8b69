#!/usr/bin/env python3
"""Writes tests/reference.txt: arguments with the functions' values to 75 bits, for `tests/reference.rs`.

A line is a function, its arguments' bits, the nearest double's bits, and what the value is more than it, in thousandths
of an ulp. Arguments: drawn by a fixed seed from the whole range and from where the functions change; next to multiples
of pi / 2, by continued fractions; and hard cases of the literature.
"""
import math
import random
import struct
from pathlib import Path

import mpmath
from mpmath import mp, mpf

mp.prec = 400


def bits(x):
    return struct.unpack("<Q", struct.pack("<d", x))[0]


def double(b):
    return struct.unpack("<d", struct.pack("<Q", b))[0]


def cbrt(x):
    return mpmath.sign(x) * mpmath.cbrt(abs(x))


FUNCTIONS = {
    "exp": mpmath.exp,
    "exp2": lambda x: mpf(2) ** x,
    "exp_m1": mpmath.expm1,
    "ln": mpmath.log,
    "log2": lambda x: mpmath.log(x) / mpmath.log(2),
    "ln_1p": mpmath.log1p,
    "cbrt": cbrt,
    "sin": mpmath.sin,
    "cos": mpmath.cos,
    "tan": mpmath.tan,
    "atan": mpmath.atan,
    "asin": mpmath.asin,
    "acos": mpmath.acos,
    "sinh": mpmath.sinh,
    "cosh": mpmath.cosh,
    "tanh": mpmath.tanh,
    "atan2": lambda y, x: mpmath.atan2(y, x),
    "powf": lambda x, y: x**y,
    "exp10": lambda x: mpf(10) ** x,
    "log10": mpmath.log10,
    "rsqrt": lambda x: 1 / mpmath.sqrt(x),
    "sin_pi": mpmath.sinpi,
    "cos_pi": mpmath.cospi,
    "hypot": lambda x, y: mpmath.sqrt(x * x + y * y),
    "asinh": mpmath.asinh,
    "acosh": mpmath.acosh,
    "atanh": mpmath.atanh,
    "erf": mpmath.erf,
    "gamma": mpmath.gamma,
    "ln_gamma": lambda x: mpmath.log(abs(mpmath.gamma(x))) if abs(x) < 1000 else mpmath.loggamma(x),
}

# Intervals of arguments; "bits" draws an exponent first.
RANGES = {
    "exp": [(-745.1, 709.7), (-1, 1), (-745.1, -708)],
    "exp2": [(-1074, 1023.9), (-1, 1), (-1074, -1021)],
    "exp_m1": [(-40, 709.7), (-1, 1), (-0.4, 0.4)],
    "ln": [(0.5, 2), (0.99, 1.01), (1e-5, 1e5), "positive"],
    "log2": [(0.5, 2), (0.99, 1.01), (1e-5, 1e5), "positive"],
    "ln_1p": [(-0.99999, 3), (-0.01, 0.01), "positive"],
    "cbrt": [(0.5, 4), (-100, 100), "bits"],
    "sin": [(-4, 4), (-25800, 25800), (-1e6, 1e6), "bits", "quarters"],
    "cos": [(-4, 4), (-25800, 25800), (-1e6, 1e6), "bits", "quarters"],
    "tan": [(-4, 4), (-25800, 25800), (-1e6, 1e6), "bits", "quarters"],
    "atan": [(-3, 3), (0.4, 0.43), "bits"],
    "asin": [(-1, 1), (0.49, 0.51), (0.999, 1)],
    "acos": [(-1, 1), (0.49, 0.51), (0.999, 1), (-1, -0.999)],
    "sinh": [(-3, 3), (-40, 40), (-710.4, 710.4)],
    "cosh": [(-3, 3), (-40, 40), (-710.4, 710.4)],
    "tanh": [(-3, 3), (-20, 20), (-0.01, 0.01)],
    "atan2": [((-3, 3), (-3, 3)), ((0.4, 0.43), (0.99, 1.01)), "bits"],
    "powf": [((0.5, 2), (-1000, 1000)), ((0.01, 100), (-10, 10)), ((0.999, 1.001), (-1e5, 1e5)), "powers"],
    "exp10": [(-323.3, 308.25), (-1, 1), (-323.3, -307)],
    "log10": [(0.5, 2), (0.99, 1.01), (1e-5, 1e5), "positive"],
    "rsqrt": [(0.5, 4), (1e-3, 1e3), "positive"],
    "sin_pi": [(-2, 2), (-1e5, 1e5), (1e14, 1e15), "bits"],
    "cos_pi": [(-2, 2), (-1e5, 1e5), (1e14, 1e15), "bits"],
    "asinh": [(-1, 1), (-100, 100), "bits"],
    "acosh": [(1, 1.01), (1, 4), (1, 1e5), "positive"],
    "atanh": [(-1, 1), (-0.01, 0.01), (0.999, 1)],
    "erf": [(-1, 1), (0.9, 1.1), (-6, 6), "bits"],
    "gamma": [(0, 3), (-10, 10), (-184, 171.6), "integers"],
    "ln_gamma": [(0.5, 2.5), (-20, 40), (40, 1e5), "positive", "integers", "zeros"],
    "hypot": [((-3, 3), (-3, 3)), ((1, 2), (0, 1e-6)), ((1e-320, 1e-308), (1e-320, 1e-308)), "bits"],
}

# From the lists of worst cases of CORE-MATH (Sibidanov, Zimmermann, Glondu, "The CORE-MATH project", ARITH 2022,
# DOI 10.1109/ARITH54963.2022.00014), and the arguments of LLVM's libc whose reduction is hardest.
TRIGONOMETRIC = """0x1.6ac5b262ca1ffp+849 0x1.08087e9aad90bp+887 0x1.2b5fe88a9d8d5p+903 0x1.a880417b7b119p+1023
    0x1.6deb37da81129p+205 0x1.f6d7518808571p+1023 0x1.8bb5847d49973p+845 0x1.f08b14e1c4d0fp+890 0x1.3eec5912ea7cdp+331
    0x1.e0000000001c2p-20 0x1.921fb54442d18p+0 0x1.921fb54442d18p+1 0x1.2d97c7f3321d2p+1
    0x1p+1023 0x1.fffffffffffffp+1023"""
HARD = {
    "exp": """0x1.accfbe46b4efp-1 0x1.0122ef37212ebp-1 0x1.1cb3082a6fdc1p-1 0x1.2c5bb1feeeec9p-1 0x1.4a4de694493a9p-1
        0x1.8ca0a39e6dc16p-1 0x1.c0bc894e60d1ap-1 0x1.fedc746ddf8fap-1 0x1.083b3b9d2bb3cp+0 0x1.6c66cedb7546p+0""",
    "ln": """0x1.ac50b409c8aeep+8 0x1.a6ae5142326b5p+0 0x1.bbfff9457d5c3p+0 0x1.fd68ffa928b1ap+0 0x1.000976581ce4ep+1
        0x1.3fe609662ffe9p+1 0x1.ffcd1f1e0c16fp+1 0x1.0cd2ceb02289p+3 0x1.0092086ce40eap+27 0x1.131425b692c14p+46""",
    "cbrt": """0x1.0000000000003p+0 0x1.fffffffffffdp-1 0x1.ffffffffffffdp-1 0x1.fffffb800002dp-1 0x1.00152f57068b7p-1
        0x1.9b3b4fbdd0ccep-1 0x1.7a70553d97342p+0 0x1.0030030028024p+0 0x1.1b25f57fe0c79p+0 0x1.6bfb15d672557p+0
        0x1.3d7ecf468bd26p-1 0x1.dfffffffffffep-2 0x1p-1074 0x1.fffffffffffffp+1023""",
    "atan": """0x1.000321dec01a8p-10 0x1.000adaedb43f3p+0 0x1.0061c6a5a887fp-1 0x1.02a3ad2ef6f3cp-24
        0x1.01e031e16cc1ap+43
        0x1.02c0e7bad8ce8p+44 0x1.009d3bc8c2f47p-2 0x1.021454bb22726p-19""",
    "sin": TRIGONOMETRIC,
    "cos": TRIGONOMETRIC,
    "tan": TRIGONOMETRIC,
    "asin": "0x1.fffffffffffffp-1 0x1p-1 0x1.0000000000001p-1",
    "acos": "0x1.fffffffffffffp-1 0x1p-1 0x1.0000000000001p-1",
    "log2": "0x1.0000000000001p+0 0x1.fffffffffffffp-1 0x1.6a09e667f3bcdp+0 0x1.6a09e667f3bccp+0",
}

DRAWN = 120


def near_quarter():
    """A double next to a multiple of pi / 2, as near as doubles of an exponent come."""
    exponent = random.randrange(0, 1000)
    unit = mpf(2) ** exponent
    # A convergent m / n of pi / 2 / unit with m of 53 bits: m unit is near n pi / 2.
    target = mp.pi / 2 / unit
    p0, q0, p1, q1 = 0, 1, 1, 0
    value = target
    while True:
        a = int(mp.floor(value))
        p0, q0, p1, q1 = p1, q1, a * p1 + p0, a * q1 + q0
        if p1 >= 2**53:
            break
        value = 1 / (value - a)
    return float(mpf(p0) * unit) if p0 else random.uniform(1, 100)


def near_zero_of_ln_gamma():
    """Within a few doubles of a zero: 1, 2, and pairs between the poles below -2."""
    n = random.randrange(-3, 16)
    if n < 2:
        zero = random.choice((1.0, 2.0))
    else:
        lowest, pole = -n - mpf(1) / 2, -n - random.choice((0, 1))
        # On each side of the middle, |gamma| falls from the pole to less than 1.
        inner, outer = (lowest, mpf(pole))
        for _ in range(200):
            middle = (inner + outer) / 2
            if abs(mpmath.gamma(middle)) < 1:
                inner = middle
            else:
                outer = middle
        zero = float(inner)
    for _ in range(random.randrange(0, 6)):
        zero = math.nextafter(zero, random.choice((-math.inf, math.inf)))
    return zero


def draw(kind):
    if kind == "bits":
        return double((random.getrandbits(1) << 63) | (random.randrange(1, 2046) << 52) | random.getrandbits(52))
    if kind == "positive":
        return double((random.randrange(0, 2046) << 52) | random.getrandbits(52))
    if kind == "integers":
        return random.randrange(-40, 5) + random.choice((-1, 1)) * 2.0 ** random.uniform(-48, -2)
    if kind == "zeros":
        return near_zero_of_ln_gamma()
    if kind == "quarters":
        return near_quarter()
    return random.uniform(*kind)


def arguments(name):
    for hard in HARD.get(name, "").split():
        yield (float.fromhex(hard),)
        if name not in ("ln", "log2", "ln_1p"):
            yield (-float.fromhex(hard),)
    for kind in RANGES[name]:
        for _ in range(DRAWN):
            if name == "powf" and kind == "powers":
                x = draw("positive")
                yield (x, random.uniform(-1070, 1020) / float(mpmath.log(x, 2)))
            elif name in ("powf", "atan2", "hypot"):
                yield (draw(kind), draw(kind)) if kind == "bits" else (draw(kind[0]), draw(kind[1]))
            else:
                yield (draw(kind),)


def main():
    random.seed(20)
    mp.prec = 1400
    lines = []
    for name, function in FUNCTIONS.items():
        for given in arguments(name):
            value = function(*map(mpf, given))
            if isinstance(value, mpmath.mpc) or not mpmath.isfinite(value) or value == 0:
                continue
            if abs(value) >= mpf(2) ** 1024 * (1 - mpf(2) ** -54):
                continue
            exponent = max(int(mp.floor(mpmath.log(abs(value), 2))) - 52, -1074)
            unit = mpf(2) ** exponent
            whole = mp.nint(value / unit)
            nearest = float(whole * unit)
            rest = int(mp.nint((value / unit - whole) * 1000))
            places = " ".join(f"{bits(x):016x}" for x in given)
            lines.append(f"{name} {places} {bits(nearest):016x} {rest}")
    Path(__file__).with_name("reference.txt").write_text("\n".join(lines) + "\n")


main()
