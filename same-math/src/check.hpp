
// A number that no compiler knows.
SAME_MATH_FN f64 given(Word bits) {
    volatile Word unknown = bits;
    return double_(unknown);
}

// Rounding to nearest, subnormal numbers, signed zeros, NaN; nothing contracted or reordered.
SAME_MATH_FN bool operations_are_exact() {
    V<N> one = given(0x3ff0000000000000), tenth = given(0x3fb999999999999a), half = given(0x3fe0000000000000);
    V<N> tiny = given(0x000fffffffffffff), nan = given(0x7ff8000000000000), zero = given(0x8000000000000000);
    V<N> large = given(0x4340000000000000), square = given(0x3f847ae147ae147c);
    return word(one + tenth) == 0x3ff199999999999a && word(-one - tenth) == 0xbff199999999999a &&
           word(tenth * tenth) == 0x3f847ae147ae147c && word(tiny * half) == 0x0008000000000000 &&
           word(tiny + tiny) == 0x001ffffffffffffe && word(tenth * tenth - square) == 0 &&
           word((one + large) - large) == 0 && word(zero - number(0.0)) == 0x8000000000000000 &&
           word(zero + number(0.0)) == 0 && !nan.eq(nan) && !nan.le(one) && !one.lt(nan);
}

