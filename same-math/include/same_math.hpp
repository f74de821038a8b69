// Written by `UPDATE_HEADER=1 cargo test -p same-math --test header` from src/; do not edit.
#pragma once
// The types that the functions below are written in: what V, B, M and Two of src/value.rs are, for one lane.
//
// Every operation must be rounded to a double by itself. Flags that would change that are refused here, as far as a compiler
// tells; products are hidden from compilers that contract whatever a program says; and self_check() asks at run time.
// Nothing outside this file changes: what it sets, it sets back.
#if !defined(__cplusplus) || __cplusplus < 201103L
#error "same_math needs C++11."
#endif
#if defined(__CUDACC__) && !defined(__clang__)
// Devices: every operation is an intrinsic, which no flag changes.
#elif defined(__FAST_MATH__) || defined(__ASSOCIATIVE_MATH__) || defined(__RECIPROCAL_MATH__)
#error "same_math needs IEEE 754: no -ffast-math, -Ofast, -funsafe-math-optimizations, -freciprocal-math."
#elif defined(__NO_SIGNED_ZEROS__)
#error "same_math needs signed zeros: no -fno-signed-zeros."
#elif defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__
#error "same_math needs infinities and NaN: no -ffinite-math-only."
#elif (defined(__i386__) || defined(__x86_64__)) && !defined(__SSE2_MATH__)
#error "same_math needs every operation rounded to a double: -msse2 -mfpmath=sse."
#elif !defined(__i386__) && !defined(__x86_64__) && defined(__FLT_EVAL_METHOD__) && __FLT_EVAL_METHOD__ != 0
#error "same_math needs every operation rounded to a double: __FLT_EVAL_METHOD__ must be 0."
#endif

#if defined(__CUDACC__)
#define SAME_MATH_FN static __device__ __forceinline__
#define SAME_MATH_RARE static __device__ __noinline__
#define SAME_MATH_FN_MEMBER __device__ __forceinline__
#else
#define SAME_MATH_FN static inline
#define SAME_MATH_RARE static
#define SAME_MATH_FN_MEMBER inline
#endif

// An empty instruction that might have changed a double, so that no compiler joins the product before it and a sum after it.
// Who compiles with -ffp-contract=off can say so with SAME_MATH_NO_CONTRACTION; loops may then be vectorised.
#if defined(SAME_MATH_NO_CONTRACTION) || defined(__CUDACC__)
#define SAME_MATH_ROUNDED(x)
#elif defined(__i386__) || defined(__x86_64__)
#define SAME_MATH_ROUNDED(x) __asm__("" : "+x"(x))
#elif defined(__aarch64__)
#define SAME_MATH_ROUNDED(x) __asm__("" : "+w"(x))
#elif defined(__powerpc64__)
#define SAME_MATH_ROUNDED(x) __asm__("" : "+d"(x))
#elif (defined(__riscv_flen) && __riscv_flen >= 64) || defined(__s390x__) || defined(__loongarch_double_float)
#define SAME_MATH_ROUNDED(x) __asm__("" : "+f"(x))
#else
#define SAME_MATH_ROUNDED(x) __asm__("" : "+m"(x))
#endif

#if !defined(__CUDACC_RTC__)
#pragma push_macro("let")
#pragma push_macro("mut")
#undef let
#undef mut
#endif

#if defined(__clang__)
// Clang's macros do not tell of these flags; newer ones warn of a NaN where there can be none.
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wunknown-warning-option"
#pragma clang diagnostic error "-Wnan-infinity-disabled"
namespace same_math {
SAME_MATH_FN bool must_know_nan(double x) { return __builtin_isnan(x); }
} // namespace same_math
#pragma clang diagnostic pop
// `&` and `|` of lanes are those of conditions, too; and where there is no float_control, self_check() is what remains.
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wunknown-warning-option"
#pragma clang diagnostic ignored "-Wbitwise-instead-of-logical"
#pragma clang diagnostic ignored "-Wignored-pragmas"
#pragma float_control(push)
#pragma float_control(precise, on)
#pragma STDC FP_CONTRACT OFF
#endif

namespace same_math {
typedef double N;
typedef double f64;
typedef int i32;
typedef unsigned int u32;
typedef unsigned long long Word;
template <class T> using B = Word;
template <class T> using M = bool;

#if defined(__CUDACC__)
SAME_MATH_FN f64 add_(f64 a, f64 b) { return __dadd_rn(a, b); }
SAME_MATH_FN f64 sub_(f64 a, f64 b) { return __dsub_rn(a, b); }
SAME_MATH_FN f64 mul_(f64 a, f64 b) { return __dmul_rn(a, b); }
SAME_MATH_FN f64 div_(f64 a, f64 b) { return __ddiv_rn(a, b); }
SAME_MATH_FN f64 sqrt_(f64 a) { return __dsqrt_rn(a); }
SAME_MATH_FN Word word_(f64 a) { return (Word)__double_as_longlong(a); }
SAME_MATH_FN f64 double_(Word a) { return __longlong_as_double((long long)a); }
SAME_MATH_FN f64 nearest_(Word a) { return __ull2double_rn(a); }
SAME_MATH_FN float single_(u32 a) { return __uint_as_float(a); }
SAME_MATH_FN Word product_high(Word a, Word b) { return __umul64hi(a, b); }
#else
SAME_MATH_FN f64 add_(f64 a, f64 b) { return a + b; }
SAME_MATH_FN f64 sub_(f64 a, f64 b) { return a - b; }
SAME_MATH_FN f64 mul_(f64 a, f64 b) {
    f64 product = a * b;
    SAME_MATH_ROUNDED(product);
    return product;
}
SAME_MATH_FN f64 div_(f64 a, f64 b) { return a / b; }
SAME_MATH_FN f64 sqrt_(f64 a) { return __builtin_sqrt(a); }
SAME_MATH_FN Word word_(f64 a) { Word w; __builtin_memcpy(&w, &a, sizeof w); return w; }
SAME_MATH_FN f64 double_(Word a) { f64 d; __builtin_memcpy(&d, &a, sizeof d); return d; }
SAME_MATH_FN f64 nearest_(Word a) { return (f64)a; }
SAME_MATH_FN float single_(u32 a) { float f; __builtin_memcpy(&f, &a, sizeof f); return f; }
#if defined(__SIZEOF_INT128__)
__extension__ typedef unsigned __int128 LongWord;
SAME_MATH_FN Word product_high(Word a, Word b) { return (Word)(((LongWord)a * b) >> 64); }
#else
SAME_MATH_FN Word product_high(Word a, Word b) {
    Word a_low = a & 0xffffffff, a_high = a >> 32, b_low = b & 0xffffffff, b_high = b >> 32;
    Word middle = a_high * b_low + ((a_low * b_low) >> 32);
    Word rest = a_low * b_high + (middle & 0xffffffff);
    return a_high * b_high + (middle >> 32) + (rest >> 32);
}
#endif
static_assert(0.1 != (f64)0.1f, "same_math needs double constants: no -fsingle-precision-constant.");
#endif

template <class T> struct V {
    f64 v;
    SAME_MATH_FN_MEMBER V(f64 value) : v(value) {}
    SAME_MATH_FN_MEMBER V sqrt() const { return sqrt_(v); }
    SAME_MATH_FN_MEMBER V abs() const { return double_(word_(v) & 0x7fffffffffffffff); }
    SAME_MATH_FN_MEMBER bool lt(V o) const { return v < o.v; }
    SAME_MATH_FN_MEMBER bool le(V o) const { return v <= o.v; }
    SAME_MATH_FN_MEMBER bool eq(V o) const { return v == o.v; }
    friend SAME_MATH_FN_MEMBER V operator+(V a, V b) { return add_(a.v, b.v); }
    friend SAME_MATH_FN_MEMBER V operator-(V a, V b) { return sub_(a.v, b.v); }
    friend SAME_MATH_FN_MEMBER V operator*(V a, V b) { return mul_(a.v, b.v); }
    friend SAME_MATH_FN_MEMBER V operator/(V a, V b) { return div_(a.v, b.v); }
    friend SAME_MATH_FN_MEMBER V operator-(V a) { return double_(word_(a.v) ^ 0x8000000000000000); }
};

template <class T> struct Two {
    V<T> first, second;
    friend SAME_MATH_FN_MEMBER Two operator+(Two a, Two b) { return {a.first + b.first, a.second + b.second}; }
    friend SAME_MATH_FN_MEMBER Two operator-(Two a, Two b) { return {a.first - b.first, a.second - b.second}; }
    friend SAME_MATH_FN_MEMBER Two operator*(Two a, Two b) { return {a.first * b.first, a.second * b.second}; }
};

SAME_MATH_FN Two<N> two(V<N> a, V<N> b) { return {a, b}; }
SAME_MATH_FN Two<N> cubics(V<N> t, V<N> t2, f64 a0, f64 a1, f64 a2, f64 a3, f64 b0, f64 b1, f64 b2, f64 b3) {
    return {(a0 + a1 * t) + (a2 + a3 * t) * t2, (b0 + b1 * t) + (b2 + b3 * t) * t2};
}
SAME_MATH_FN V<N> select(bool m, V<N> a, V<N> b) { return m ? a : b; }
SAME_MATH_FN V<N> blend(bool m, V<N> a, V<N> b) { return m ? a : b; }
SAME_MATH_FN V<N> lesser(V<N> a, V<N> b) { return a.v < b.v ? a : b; }
SAME_MATH_FN V<N> greater(V<N> a, V<N> b) { return b.v < a.v ? a : b; }
SAME_MATH_FN bool all(bool m) { return m; }
SAME_MATH_FN Word to_bits(V<N> x) { return word_(x.v); }
SAME_MATH_FN V<N> from_bits(Word b) { return double_(b); }
SAME_MATH_FN V<N> number(f64 x) { return x; }
SAME_MATH_FN V<N> from_i32(i32 n) { return (f64)n; }
SAME_MATH_FN Word word(V<N> x) { return word_(x.v); }
SAME_MATH_FN V<N> from_integer(Word b) { return nearest_(b); }
SAME_MATH_FN Word product_low(Word a, Word b) { return a * b; }
SAME_MATH_FN Word select_word(bool m, Word a, Word b) { return m ? a : b; }
SAME_MATH_FN Word sum(Word a, Word b) { return a + b; }
SAME_MATH_FN Word difference(Word a, Word b) { return a - b; }

// The functions are in the common part of two languages; in C++ a binding is deduced.
#define let auto
#define mut
template <class N> struct Checked { V<N> value; M<N> sure; };
SAME_MATH_FN Checked<N> checked(V<N> value, M<N> sure) { return {value, sure}; }
template <class N> struct Double { V<N> high; V<N> low; };
SAME_MATH_FN Double<N> pair(V<N> high, V<N> low) { return {high, low}; }
SAME_MATH_FN V<N> upper(V<N> a) { return from_bits(to_bits(a) & 0xfffffffff8000000); }
SAME_MATH_FN Double<N> ordered_sum(V<N> a, V<N> b) {
    let high = a + b;
    return pair(high, b - (high - a));
    }
SAME_MATH_FN Double<N> two_sum(V<N> a, V<N> b) {
    let high = a + b;
    let of_b = high - a;
    return
pair(high, (a - (high - of_b)) + (b - of_b)); }
SAME_MATH_FN Double<N> double_sum(Double<N> a, Double<N> b) {
    let high = two_sum(a.high, b.high);
    let low = two_sum(a.low, b.low);
    let first
= ordered_sum(high.high, high.low + low.high); return
ordered_sum(first.high, first.low + low.low); }
SAME_MATH_FN Double<N> two_product(V<N> a, V<N> b) {
    let high = a * b;
    let a_upper = upper(a);
    let a_lower = a - a_upper;
    let
b_upper = upper(b); let b_lower = b - b_upper; return
pair(high,
(((a_upper * b_upper - high) + a_upper * b_lower) + a_lower * b_upper) +
a_lower * b_lower); }
SAME_MATH_FN Double<N> two_square(V<N> a) {
    let high = a * a;
    let a_upper = upper(a);
    let a_lower = a - a_upper;
    return
pair(high, ((a_upper * a_upper - high) + 2.0 * (a_upper * a_lower)) + a_lower
* a_lower); }
SAME_MATH_FN Double<N> double_product(Double<N> a, Double<N> b) {
    let p = two_product(a.high, b.high);
    return
ordered_sum(p.high, p.low + (a.high * b.low + a.low * b.high)); }
SAME_MATH_FN Double<N> plus_product(f64 c, f64 c_rest, Double<N> a, Double<N> b) { return double_sum(pair(number(c), number(c_rest)), double_product(a, b)); }
SAME_MATH_FN Double<N> double_square(Double<N> a) {
    let p = two_square(a.high);
    return
ordered_sum(p.high, p.low + 2.0 * (a.high * a.low)); }
SAME_MATH_FN Double<N> quotient(Double<N> a, Double<N> b) {
    let inverse = 1.0 / b.high;
    let q = upper(a.high * inverse);
    let b_upper =
upper(b.high); let b_lower = (b.high - b_upper) + b.low; return
pair(q, (((a.high - q * b_upper) - q * b_lower) + a.low) * inverse); }
SAME_MATH_FN Double<N> double_root(Double<N> a) {
    let q = a.high.sqrt();
    let square = two_square(q);
    let d =
((a.high - square.high) - square.low) + a.low; return
pair(q, d / ((q + q) + 1.0e-300)); }
SAME_MATH_FN V<N> cubic(V<N> t, V<N> t2, f64 c0, f64 c1, f64 c2, f64 c3) { return (c0 + c1 * t) + (c2 + c3 * t) * t2; }
SAME_MATH_FN Two<N> cubic_and_square(V<N> t, V<N> t2, f64 a0, f64 a1, f64 a2, f64 a3, f64 b0, f64 b1, f64 b2) { return (two(a0, b0) + two(a1, b1) * two(t, t)) + two(a2 + a3 * t, b2) *
two(t2, t2); }
SAME_MATH_FN V<N> with_sign(V<N> magnitude, V<N> sign) { return from_bits(to_bits(magnitude) | (to_bits(sign) & 0x8000000000000000)); }
static constexpr f64 TO_INTEGER = 6755399441055744.0;
SAME_MATH_FN V<N> power_of_shifted(V<N> shifted) { return from_bits((to_bits(shifted) + 1023) << 52); }
SAME_MATH_FN V<N> power_of_two(V<N> k) { return power_of_shifted(k + TO_INTEGER); }
SAME_MATH_FN V<N> scaled(V<N> a, V<N> k) {
    let half = (k * 0.5 + TO_INTEGER) - TO_INTEGER;
    return
(a * power_of_two(half)) * power_of_two(k - half); }
SAME_MATH_FN V<N> not_a_number(V<N> like) { return from_bits((to_bits(like) & 0) | 0x7ff8000000000000); }
SAME_MATH_FN V<N> infinity(V<N> like) { return from_bits((to_bits(like) & 0) | 0x7ff0000000000000); }
static constexpr f64 LOG2_E = 1.4426950408889634;
static constexpr f64 LN2_HIGH = 0.6931471806019545;
static constexpr f64 LN2_LOW = -4.2009150726810846e-11;
static constexpr f64 LN2_SPLIT_HIGH = 0.6931471824645996;
static constexpr f64 LN2_SPLIT_LOW = -1.904654299957768e-09;
static constexpr f64 LN2 = 0.6931471805599453;
static constexpr f64 EXP_0 = 0.16666666666666674;
static constexpr f64 EXP_1 = 0.04166666666666667;
static constexpr f64 EXP_2 = 0.008333333333322215;
static constexpr f64 EXP_3 = 0.0013888888888880322;
static constexpr f64 EXP_4 = 0.0001984126988656445;
static constexpr f64 EXP_5 = 2.480158733553284e-05;
static constexpr f64 EXP_6 = 2.7557242366720414e-06;
static constexpr f64 EXP_7 = 2.7557262728538607e-07;
static constexpr f64 EXP_8 = 2.5110038570654266e-08;
static constexpr f64 EXP_9 = 2.091868762816793e-09;
static constexpr f64 EXP2_0 = 0.24022650695910072;
static constexpr f64 EXP2_1 = 0.05550410866482164;
static constexpr f64 EXP2_2 = 0.009618129107628345;
static constexpr f64 EXP2_3 = 0.0013333558146402386;
static constexpr f64 EXP2_4 = 0.0001540353039363283;
static constexpr f64 EXP2_5 = 1.5252733846402678e-05;
static constexpr f64 EXP2_6 = 1.3215486590503925e-06;
static constexpr f64 EXP2_7 = 1.0178054863209206e-07;
static constexpr f64 EXP2_8 = 7.0549788169676755e-09;
static constexpr f64 EXP2_9 = 4.456170547023684e-10;
static constexpr f64 EXP2_10 = 2.5616802042769005e-11;
template <class N> struct Reduced { V<N> shifted; V<N> n; V<N> high; V<N> low; };
SAME_MATH_FN Reduced<N> reduced(V<N> shifted, V<N> n, V<N> high, V<N> low) { return {shifted, n, high, low}; }
SAME_MATH_FN Reduced<N> exp_reduced(V<N> x) {
    let shifted = x * LOG2_E + TO_INTEGER;
    let n = shifted - TO_INTEGER;
    return
reduced(shifted, n, x - n * LN2_HIGH, n * LN2_LOW); }
SAME_MATH_FN V<N> exp_tail(V<N> r) {
    let r2 = r * r;
    let r4 = r2 * r2;
    let both =
cubics(r, r2, EXP_0, EXP_1, EXP_2, EXP_3, EXP_4, EXP_5, EXP_6, EXP_7); return
both.first + (both.second + (EXP_8 + EXP_9 * r) * r4) * r4; }
SAME_MATH_FN V<N> exp_of_reduced(Reduced<N> a) {
    let r = a.high - a.low;
    let r2 = r * r;
    let tail = r2 * 0.5 + (r2 * r) *
exp_tail(r); let one = ordered_sum(number(1.0), a.high); return one.high +
(one.low + (tail - a.low)); }
SAME_MATH_FN Checked<N> exp_common(V<N> x) {
    let a = exp_reduced(x);
    let value = exp_of_reduced(a);
    let scaled_value =
from_bits(to_bits(value) + (to_bits(a.shifted) << 52)); return
checked(scaled_value, x.abs().le(708.0)); }
SAME_MATH_RARE V<f64> exp_rare(V<f64> x) { if (all(x.lt(-746.0))) { return number(0.0); } if (all(x.le(710.0)))
{ let a = exp_reduced(x); return scaled(exp_of_reduced(a), a.n); } if
(all(x.eq(x))) { return infinity(x); } return not_a_number(x); }
SAME_MATH_FN f64 sm_exp(f64 x) {
    let result = exp_common(V<N>(x));
    if (result.sure) { return result.value.v;
    } return exp_rare(V<N>(x)).v;
    }
SAME_MATH_FN V<N> exp2_of_fraction(V<N> f, V<N> low) {
    let f_upper = upper(f);
    let high = f_upper * LN2_SPLIT_HIGH;
    let rest =
f_upper * LN2_SPLIT_LOW + (f - f_upper) * LN2; let f2 = f * f; let f4 = f2 *
f2; let both =
cubics(f, f2, EXP2_0, EXP2_1, EXP2_2, EXP2_3, EXP2_4, EXP2_5, EXP2_6, EXP2_7);
let back = both.second + ((EXP2_8 + EXP2_9 * f) + EXP2_10 * f2) * f4; let tail
= f2 * (both.first + back * f4); let one = ordered_sum(number(1.0), high);
return one.high + (one.low + (tail + (rest + low * LN2 * one.high))); }
SAME_MATH_FN Checked<N> exp2_common(V<N> x) {
    let shifted = x + TO_INTEGER;
    let value =
exp2_of_fraction(x - (shifted - TO_INTEGER), number(0.0)); return
checked(from_bits(to_bits(value) + (to_bits(shifted) << 52)),
x.abs().le(1021.0)); }
SAME_MATH_RARE V<f64> exp2_rare(V<f64> x) { if (all(x.lt(-1080.0))) { return number(0.0); } if (all(x.lt(1024.0)))
{
    let n = (x + TO_INTEGER) - TO_INTEGER; return
    scaled(exp2_of_fraction(x - n, number(0.0)), n);
} if (all(x.eq(x))) { return infinity(x); } return not_a_number(x); }
SAME_MATH_FN f64 sm_exp2(f64 x) {
    let result = exp2_common(V<N>(x));
    if (result.sure) { return result.value.v;
    } return exp2_rare(V<N>(x)).v;
    }
static constexpr f64 LOG2_10 = 3.321928094887362;
static constexpr f64 LOG10_2_HIGH = 0.30102999566395283;
static constexpr f64 LOG10_2_LOW = 2.8363394551044964e-14;
static constexpr f64 LN10 = 2.302585092994046;
static constexpr f64 LN10_REST = -2.1707562233822494e-16;
SAME_MATH_FN Reduced<N> exp10_reduced(V<N> x) {
    let shifted = x * LOG2_10 + TO_INTEGER;
    let n = shifted - TO_INTEGER;
    let r =
x - n * LOG10_2_HIGH; let product = two_product(r, number(LN10)); return
reduced(shifted, n, product.high, n * (LOG10_2_LOW * LN10) -
(product.low + r * LN10_REST)); }
SAME_MATH_FN Checked<N> exp10_common(V<N> x) {
    let a = exp10_reduced(x);
    let value = exp_of_reduced(a);
    let scaled_value =
from_bits(to_bits(value) + (to_bits(a.shifted) << 52)); return
checked(scaled_value, x.abs().le(307.0)); }
SAME_MATH_RARE V<f64> exp10_rare(V<f64> x) { if (all(x.lt(-325.0))) { return number(0.0); } if (all(x.le(309.0)))
{ let a = exp10_reduced(x); return scaled(exp_of_reduced(a), a.n); } if
(all(x.eq(x))) { return infinity(x); } return not_a_number(x); }
SAME_MATH_FN f64 sm_exp10(f64 x) {
    let result = exp10_common(V<N>(x));
    if (result.sure) { return result.value.v;
    } return exp10_rare(V<N>(x)).v;
    }
SAME_MATH_FN Checked<N> exp_m1_common(V<N> x) {
    let a = exp_reduced(x);
    let r = a.high - a.low;
    let r_low = (a.high - r) -
a.low; let r_upper = upper(r); let half_square = 0.5 * (r_upper * r_upper);
let rest = 0.5 * ((r - r_upper) * (r + r_upper)) + (r * r * r) * exp_tail(r);
let e = power_of_shifted(a.shifted); let constant = e - 1.0; let constant_low
= (e - constant) - 1.0; let first = ordered_sum(constant, e * r); let second =
ordered_sum(first.high, e * half_square); let low = (second.low + first.low) +
(constant_low + e * (rest + r_low * (1.0 + r))); let value =
select(x.abs().lt(0.00000000000000001), x, second.high + low); return
checked(value, x.abs().le(708.0)); }
SAME_MATH_RARE V<f64> exp_m1_rare(V<f64> x) { if (all(x.lt(0.0))) { return number(-1.0); } return exp_rare(x); }
SAME_MATH_FN f64 sm_expm1(f64 x) {
    let result = exp_m1_common(V<N>(x));
    if (result.sure) { return result.value.v;
    } return exp_m1_rare(V<N>(x)).v;
    }
static constexpr f64 LOG_0 = 0.6666666666666735;
static constexpr f64 LOG_1 = 0.3999999999940701;
static constexpr f64 LOG_2 = 0.2857142874425772;
static constexpr f64 LOG_3 = 0.2222219836559642;
static constexpr f64 LOG_4 = 0.18183575881156705;
static constexpr f64 LOG_5 = 0.1531373632862304;
static constexpr f64 LOG_6 = 0.14799271202136;
static constexpr f64 LOG2_E_HIGH = 1.4426946640014648;
static constexpr f64 LOG2_E_LOW = 3.768874985636099e-07;
template <class N> struct Parts { V<N> k; V<N> m; V<N> inverse; };
SAME_MATH_FN Parts<N> parts(V<N> k, V<N> m, V<N> inverse) { return {k, m, inverse}; }
SAME_MATH_FN Parts<N> log_parts(V<N> x, f64 places) {
    let shifted = to_bits(x) + 0x00095f619980c433;
    let k =
from_bits((shifted >> 52) | 0x4330000000000000) -
(4503599627371519.0 - places); let m =
from_bits((shifted & 0x000fffffffffffff) + 0x3fe6a09e667f3bcd); let inverse =
from_bits((to_bits(m) & 0) + 0x7fe0000000000000 -
(shifted & 0xfff0000000000000)); return parts(k, m, inverse); }
template <class N> struct Series { V<N> f; V<N> half_square; V<N> rest; };
SAME_MATH_FN Series<N> series(V<N> f, V<N> half_square, V<N> rest) { return {f, half_square, rest}; }
SAME_MATH_FN Series<N> log_series(V<N> f) {
    let s = f / (2.0 + f);
    let z = s * s;
    let z2 = z * z;
    let after =
cubic(z, z2, LOG_1, LOG_2, LOG_3, LOG_4) + (LOG_5 + LOG_6 * z) * (z2 * z2);
let tail = z * (LOG_0 + z * after); let f_upper = upper(f); let half_square =
0.5 * (f_upper * f_upper); let half_square_low = 0.5 *
((f - f_upper) * (f + f_upper)); let rest = s *
((half_square + half_square_low) + tail) - half_square_low; return
series(f, half_square, rest); }
SAME_MATH_FN V<N> log_total(V<N> k, V<N> f, V<N> more) {
    let a = log_series(f);
    let first = ordered_sum(k * LN2_HIGH, a.f);
    let second
= ordered_sum(first.high, -a.half_square); return second.high +
(((second.low + first.low) + (a.rest + k * LN2_LOW)) + more); }
SAME_MATH_FN M<N> is_normal_positive(V<N> x) { return number(2.2250738585072014e-308).le(x) & x.le(1.7976931348623157e308); }
SAME_MATH_FN Checked<N> ln_common(V<N> x) {
    let p = log_parts(x, 0.0);
    return
checked(log_total(p.k, p.m - 1.0, number(0.0)), is_normal_positive(x)); }
SAME_MATH_RARE V<f64> ln_rare(V<f64> x) { if (all(x.eq(0.0))) { return -infinity(x); } if
(all(x.lt(0.0)) | !all(x.eq(x))) { return not_a_number(x); } if
(all(x.eq(infinity(x)))) { return x; } let p =
log_parts(x * 18014398509481984.0, -54.0); return
log_total(p.k, p.m - 1.0, number(0.0)); }
SAME_MATH_FN f64 sm_log(f64 x) {
    let result = ln_common(V<N>(x));
    if (result.sure) { return result.value.v;
    } return ln_rare(V<N>(x)).v;
    }
SAME_MATH_FN V<N> log2_total(V<N> k, V<N> f) {
    let a = log_series(f);
    let both = ordered_sum(a.f, -a.half_square);
    let high =
from_bits(to_bits(both.high) & 0xffffffff00000000); let low =
(both.high - high) + (both.low + a.rest); let product = high * LOG2_E_HIGH;
let rest = (low + high) * LOG2_E_LOW + low * LOG2_E_HIGH; let total =
ordered_sum(k, product); return total.high + (total.low + rest); }
SAME_MATH_FN Checked<N> log2_common(V<N> x) {
    let p = log_parts(x, 0.0);
    return
checked(log2_total(p.k, p.m - 1.0), is_normal_positive(x)); }
SAME_MATH_RARE V<f64> log2_rare(V<f64> x) { if (all(x.eq(0.0))) { return -infinity(x); } if
(all(x.lt(0.0)) | !all(x.eq(x))) { return not_a_number(x); } if
(all(x.eq(infinity(x)))) { return x; } let p =
log_parts(x * 18014398509481984.0, -54.0); return log2_total(p.k, p.m - 1.0); }
SAME_MATH_FN f64 sm_log2(f64 x) {
    let result = log2_common(V<N>(x));
    if (result.sure) { return result.value.v;
    } return log2_rare(V<N>(x)).v;
    }
static constexpr f64 LOG10_E_HIGH = 0.4342944818781689;
static constexpr f64 LOG10_E_LOW = 2.5082946711645275e-11;
SAME_MATH_FN V<N> log10_total(V<N> k, V<N> f) {
    let a = log_series(f);
    let both = ordered_sum(a.f, -a.half_square);
    let high =
from_bits(to_bits(both.high) & 0xffffffff00000000); let low =
(both.high - high) + (both.low + a.rest); let product = high * LOG10_E_HIGH;
let rest = (low + high) * LOG10_E_LOW + low * LOG10_E_HIGH; let total =
ordered_sum(k * LOG10_2_HIGH, product); return total.high +
(total.low + (rest + k * LOG10_2_LOW)); }
SAME_MATH_FN Checked<N> log10_common(V<N> x) {
    let p = log_parts(x, 0.0);
    return
checked(log10_total(p.k, p.m - 1.0), is_normal_positive(x)); }
SAME_MATH_RARE V<f64> log10_rare(V<f64> x) { if (all(x.eq(0.0))) { return -infinity(x); } if
(all(x.lt(0.0)) | !all(x.eq(x))) { return not_a_number(x); } if
(all(x.eq(infinity(x)))) { return x; } let p =
log_parts(x * 18014398509481984.0, -54.0); return log10_total(p.k, p.m - 1.0); }
SAME_MATH_FN f64 sm_log10(f64 x) {
    let result = log10_common(V<N>(x));
    if (result.sure) { return result.value.v;
    } return log10_rare(V<N>(x)).v;
    }
template <class N> struct OneAnd { V<N> k; V<N> f; V<N> e; V<N> inverse; };
SAME_MATH_FN OneAnd<N> one_and(V<N> k, V<N> f, V<N> e, V<N> inverse) { return {k, f, e, inverse}; }
SAME_MATH_FN OneAnd<N> log_one_and(V<N> x) {
    let u = two_sum(number(1.0), x);
    let p = log_parts(u.high, 0.0);
    let c = u.low
* p.inverse; let difference_from_one = p.m - 1.0; let f = difference_from_one
+ c; return one_and(p.k, f, (difference_from_one - f) + c, p.inverse); }
SAME_MATH_FN V<N> log_of_parts(OneAnd<N> a, V<N> e) { return log_total(a.k, a.f, e * (1.0 - a.f * (1.0 - a.f))); }
SAME_MATH_FN V<N> log_of_one_and(Double<N> x) {
    let a = log_one_and(x.high);
    return log_of_parts(a, a.e + x.low * a.inverse);
    }
SAME_MATH_FN Checked<N> ln_1p_common(V<N> x) {
    let a = log_one_and(x);
    let value = log_of_parts(a, a.e);
    let result =
select(x.abs().lt(0.00000000000000001), x, value); return
checked(result, number(-1.0).lt(x) & x.lt(1.0e300)); }
SAME_MATH_RARE V<f64> ln_1p_rare(V<f64> x) { if (all(x.eq(-1.0))) { return -infinity(x); } if
(all(x.lt(-1.0)) | !all(x.eq(x))) { return not_a_number(x); } if
(all(x.eq(infinity(x)))) { return x; } return ln_common(x).value; }
SAME_MATH_FN f64 sm_log1p(f64 x) {
    let result = ln_1p_common(V<N>(x));
    if (result.sure) { return result.value.v;
    } return ln_1p_rare(V<N>(x)).v;
    }
static constexpr f64 CBRT_0 = 0.4259272866741085;
static constexpr f64 CBRT_1 = 1.0557842834555178;
static constexpr f64 CBRT_2 = -0.8895513236734277;
static constexpr f64 CBRT_3 = 0.6450164395874838;
static constexpr f64 CBRT_4 = -0.32376146090023533;
static constexpr f64 CBRT_5 = 0.1044549115617742;
static constexpr f64 CBRT_6 = -0.01946093079702026;
static constexpr f64 CBRT_7 = 0.0015908185985660048;
static constexpr f64 ROOT_1 = 0.2331102619553867;
static constexpr f64 ROOT_2 = 0.026810787939486547;
static constexpr f64 THIRD = 0.3333333333333333;
template <class N> struct Root { B<N> q; V<N> z; V<N> below; V<N> above; };
SAME_MATH_FN Root<N> root(B<N> q, V<N> z, V<N> below, V<N> above) { return {q, z, below, above}; }
SAME_MATH_FN Root<N> cbrt_parts(V<N> x) {
    let bits = to_bits(x.abs());
    let k =
from_bits((bits >> 52) | 0x4330000000000000) - 4503599627371519.0; let shifted
= k * THIRD + TO_INTEGER; let q = to_bits(shifted); let m =
from_bits((bits & 0x000fffffffffffff) | 0x3ff0000000000000); let z =
from_bits(bits - ((q + (q + q)) << 52)); let j = k - (shifted - TO_INTEGER) *
3.0; let m2 = m * m; let both =
cubics(m, m2, CBRT_0, CBRT_1, CBRT_2, CBRT_3, CBRT_4, CBRT_5, CBRT_6, CBRT_7);
let y =
upper((both.first + both.second * (m2 * m2)) *
(1.0 + j * (ROOT_1 + j * ROOT_2))); let square = y * y; let square_upper =
upper(square); let d = (z - square_upper * y) - (square - square_upper) * y;
let e = (d * y) / (z * 3.0 - (d + d)); let margin = 8.470329472543003e-22;
return root(q, z, y + (e - margin), y + (e + margin)); }
SAME_MATH_FN V<N> cbrt_finished(V<N> y, B<N> q, V<N> x) { return with_sign(from_bits(to_bits(y) + (q << 52)), x); }
SAME_MATH_FN Checked<N> cbrt_common(V<N> x) {
    let a = cbrt_parts(x);
    let size = x.abs();
    let normal =
number(2.2250738585072014e-308).le(size) & size.le(1.7976931348623157e308);
return checked(cbrt_finished(a.below, a.q, x), normal & a.below.eq(a.above)); }
SAME_MATH_RARE V<f64> nearer_root(V<f64> z, V<f64> below, V<f64> above) {
    let middle = (((word(below) & 0x000fffffffffffff) | 0x0010000000000000) << 1)
| 1; let whole = (word(z) & 0x000fffffffffffff) | 0x0010000000000000; let
places = difference(sum(word(z) >> 52, 107), 1023); let more =
select(below.lt(1.0), 3.0, 0.0); let shift =
difference(sum(places, word(more + 4503599627370496.0) & 15), 64); let
square_low = product_low(middle, middle); let square_high =
product_high(middle, middle); let cube_1 = product_high(square_low, middle);
let cube_2 = product_high(square_high, middle); let upper_1 =
product_low(square_high, middle); let word_1 = sum(cube_1, upper_1); let mut
word_2 = cube_2; if (word_1 < cube_1) { word_2 = sum(word_2, 1); } let z_2 =
whole >> difference(64, shift); let z_1 = whole << shift; if (word_2 > z_2)
{ return below; } if (word_2 < z_2) { return above; } if (word_1 < z_1)
{ return above; } return below; }
SAME_MATH_RARE V<f64> cbrt_of_normal(V<f64> x) {
    let a = cbrt_parts(x);
    if (all(a.below.eq(a.above)))
{ return cbrt_finished(a.below, a.q, x); } return
cbrt_finished(nearer_root(a.z, a.below, a.above), a.q, x); }
SAME_MATH_RARE V<f64> cbrt_rare(V<f64> x) { if (!all(x.eq(x))) { return not_a_number(x); } if
(all(x.eq(0.0)) | all(x.abs().eq(infinity(x)))) { return x; } if
(all(x.abs().lt(2.2250738585072014e-308)))
{ return cbrt_of_normal(x * 18014398509481984.0) * 0.000003814697265625; }
return cbrt_of_normal(x); }
SAME_MATH_FN f64 sm_cbrt(f64 x) {
    let result = cbrt_common(V<N>(x));
    if (result.sure) { return result.value.v;
    } return cbrt_rare(V<N>(x)).v;
    }
static constexpr f64 TWO_BY_PI = 0.6366197723675814;
static constexpr f64 PI_2_0 = 1.5707963267923333;
static constexpr f64 PI_2_1 = 2.5633441515905732e-12;
static constexpr f64 PI_2_2 = 3.9455541665632055e-24;
static constexpr f64 PI_2 = 1.5707963267948966;
static constexpr f64 PI_2_REST = 6.123233995736766e-17;
template <class N> struct Angle { B<N> quarters; V<N> r; V<N> low; };
SAME_MATH_FN Angle<N> angle(B<N> quarters, V<N> r, V<N> low) { return {quarters, r, low}; }
SAME_MATH_FN Angle<N> angle_common(V<N> x) {
    let shifted = x * TWO_BY_PI + TO_INTEGER;
    let n = shifted - TO_INTEGER;
    let
first = x - n * PI_2_0; let second = two_sum(first, -(n * PI_2_1)); return
angle(to_bits(shifted), second.high, second.low - n * PI_2_2); }
SAME_MATH_RARE Word digits_of_two_by_pi(Word i) { if (i == 1) { return 0xa2f9836e4e441529; } if (i == 2)
{ return 0xfc2757d1f534ddc0; } if (i == 3) { return 0xdb6295993c439041; } if
(i == 4) { return 0xfe5163abdebbc561; } if (i == 5)
{ return 0xb7246e3a424dd2e0; } if (i == 6) { return 0x06492eea09d1921c; } if
(i == 7) { return 0xfe1deb1cb129a73e; } if (i == 8)
{ return 0xe88235f52ebb4484; } if (i == 9) { return 0xe99c7026b45f7e41; } if
(i == 10) { return 0x3991d639835339f4; } if (i == 11)
{ return 0x9c845f8bbdf9283b; } if (i == 12) { return 0x1ff897ffde05980f; } if
(i == 13) { return 0xef2f118b5a0a6d1f; } if (i == 14)
{ return 0x6d367ecf27cb09b7; } if (i == 15) { return 0x4f463f669e5fea2d; } if
(i == 16) { return 0x7527bac7ebe5f17b; } if (i == 17)
{ return 0x3d0739f78a5292ea; } if (i == 18) { return 0x6bfb5fb11f8d5d08; } if
(i == 19) { return 0x56033046fc7b6bab; } return 0; }
SAME_MATH_RARE Angle<f64> angle_rare(V<f64> x) {
    let magnitude = word(x) & 0x7fffffffffffffff;
    let m =
(magnitude & 0x000fffffffffffff) | 0x0010000000000000; let at =
difference(magnitude >> 52, 1013); let i = at >> 6; let up = at & 63; let down
= difference(63, up); let d0 = digits_of_two_by_pi(i); let d1 =
digits_of_two_by_pi(sum(i, 1)); let d2 = digits_of_two_by_pi(sum(i, 2)); let
d3 = digits_of_two_by_pi(sum(i, 3)); let f2 = (d0 << up) |
((d1 >> 1) >> down); let f1 = (d1 << up) | ((d2 >> 1) >> down); let f0 =
(d2 << up) | ((d3 >> 1) >> down); let p0 = product_low(f0, m); let p1_low =
product_high(f0, m); let p1 = sum(p1_low, product_low(f1, m)); let mut p2 =
sum(product_high(f1, m), product_low(f2, m)); if (p1 < p1_low)
{ p2 = sum(p2, 1); } let quarters = sum(p2, 0x2000000000000000) >> 62; let mut
u2 = (p2 << 2) | (p1 >> 62); let mut u1 = (p1 << 2) | (p0 >> 62); let mut u0 =
p0 << 2; let mut sign = number(1.0); if ((u2 >> 63) != 0)
{
    sign = number(-1.0); let borrow_1 = select_word(u0 != 0, 1, 0); let
    borrow_2 = select_word((u0 | u1) != 0, 1, 0); u0 = difference(0, u0); u1 =
    difference(difference(0, u1), borrow_1); u2 =
    difference(difference(0, u2), borrow_2);
} let h0 = from_integer(u2 >> 32) * 2.3283064365386963e-10; let h1 =
from_integer(u2 & 0xffffffff) * 5.421010862427522e-20; let h2 =
from_integer(u1 >> 32) * 1.262177448353619e-29; let h3 =
from_integer(u1 & 0xffffffff) * 2.938735877055719e-39; let h4 =
from_integer(u0 >> 32) * 6.842277657836021e-49; let front =
ordered_sum(h0, h1); let fraction =
ordered_sum(front.high, (front.low + h2) + (h3 + h4)); let r =
double_product(fraction, pair(number(PI_2), number(PI_2_REST))); let side =
sign * select(x.lt(0.0), -1.0, 1.0); let n = from_integer(quarters) *
select(x.lt(0.0), -1.0, 1.0); return
angle(to_bits(n + TO_INTEGER), r.high * side, r.low * side); }
static constexpr f64 SIN_0 = -0.16666666666666666;
static constexpr f64 SIN_1 = 0.008333333333333323;
static constexpr f64 SIN_2 = -0.00019841269841254725;
static constexpr f64 SIN_3 = 2.7557319214025154e-06;
static constexpr f64 SIN_4 = -2.505210487134952e-08;
static constexpr f64 SIN_5 = 1.6058361806465589e-10;
static constexpr f64 SIN_6 = -7.578471952611398e-13;
static constexpr f64 COS_0 = 0.04166666666666665;
static constexpr f64 COS_1 = -0.001388888888888281;
static constexpr f64 COS_2 = 2.4801587294602085e-05;
static constexpr f64 COS_3 = -2.7557315729188357e-07;
static constexpr f64 COS_4 = 2.0875896223133832e-09;
static constexpr f64 COS_5 = -1.1367892732172352e-11;
static constexpr f64 TRIG_LIMIT = 25735.0;
template <class N> struct Square { V<N> z; V<N> half; V<N> half_rest; };
SAME_MATH_FN Square<N> square(V<N> z, V<N> half, V<N> half_rest) { return {z, half, half_rest}; }
SAME_MATH_FN Square<N> square_of(V<N> r) {
    let upper_r = upper(r);
    return
square(r * r, 0.5 * (upper_r * upper_r), 0.5 *
((r - upper_r) * (r + upper_r))); }
SAME_MATH_FN Double<N> cos_parts(Angle<N> a, Square<N> s, V<N> series) {
    let one = ordered_sum(number(1.0), -s.half);
    return
pair(one.high, one.low +
(((s.z * s.z) * series - a.r * a.low) - s.half_rest)); }
SAME_MATH_FN V<N> wave_of(Angle<N> a, M<N> sine) {
    let s = square_of(a.r);
    let z2 = s.z * s.z;
    let z4 = z2 * z2;
    let front =
select(sine, SIN_1, COS_1) + select(sine, SIN_2, COS_2) * s.z; let middle =
select(sine, SIN_3, COS_3) + select(sine, SIN_4, COS_4) * s.z; let back =
select(sine, SIN_5, COS_5) + blend(sine, SIN_6, 0.0) * s.z; let series =
select(sine, SIN_0, COS_0) + s.z * ((front + middle * z2) + back * z4); let c
= cos_parts(a, s, series); let sin_rest = (a.r * s.z) * series + a.low *
(1.0 - s.half); return blend(sine, a.r + sin_rest, c.high + c.low); }
SAME_MATH_FN V<N> quarter_bits(B<N> quarters) { return from_bits(quarters << 62); }
SAME_MATH_FN V<N> sin_of(Angle<N> a) {
    let quarters = quarter_bits(a.quarters);
    return
from_bits(to_bits(wave_of(a, quarters.eq(0.0))) ^
(to_bits(quarters) & 0x8000000000000000)); }
SAME_MATH_FN V<N> cos_of(Angle<N> a) {
    let quarters = quarter_bits(a.quarters + 1);
    return
from_bits(to_bits(wave_of(a, quarters.eq(0.0))) ^
(to_bits(quarters) & 0x8000000000000000)); }
static constexpr f64 SIN_0_HIGH = -0.1666666641831398;
static constexpr f64 SIN_0_LOW = -2.4835268563894175e-09;
SAME_MATH_FN Double<N> long_sin(Angle<N> a, V<N> z, V<N> after) {
    let r_upper = upper(a.r);
    let r_lower = a.r - r_upper;
    let square = r_upper *
r_upper; let square_upper = upper(square); let square_lower =
(square - square_upper) + r_lower * (a.r + r_upper); let cube =
upper(a.r * z); let cube_lower = (r_upper * square_upper - cube) +
(r_lower * square_upper + a.r * square_lower); let first =
ordered_sum(a.r, cube * SIN_0_HIGH); let rest =
(cube * (SIN_0_LOW + after) + cube_lower * (SIN_0 + after)) + a.low *
(1.0 - 0.5 * square); return ordered_sum(first.high, first.low + rest); }
SAME_MATH_FN V<N> tan_of(Angle<N> a) {
    let even = quarter_bits(a.quarters).eq(0.0);
    let z = a.r * a.r;
    let z2 = z *
z; let z4 = z2 * z2; let both =
cubics(z, z2, SIN_1, SIN_2, SIN_3, SIN_4, COS_1, COS_2, COS_3, COS_4); let s =
long_sin(a, z, z * (both.first + (SIN_5 + SIN_6 * z) * z4)); let series =
COS_0 + z * (both.second + COS_5 * z4); let parts =
cos_parts(a, square_of(a.r), series); let c =
ordered_sum(parts.high, parts.low); let above =
pair(blend(even, s.high, -c.high), blend(even, s.low, -c.low)); let below =
pair(blend(even, c.high, s.high), blend(even, c.low, s.low)); let value =
quotient(above, below); return value.high + value.low; }
SAME_MATH_FN Checked<N> sin_common(V<N> x) {
    let value = select(x.eq(0.0), x, sin_of(angle_common(x)));
    return
checked(value, x.abs().le(TRIG_LIMIT)); }
SAME_MATH_RARE V<f64> sin_rare(V<f64> x) { if (all(x.abs().lt(infinity(x)))) { return sin_of(angle_rare(x)); } return
not_a_number(x); }
SAME_MATH_FN f64 sm_sin(f64 x) {
    let result = sin_common(V<N>(x));
    if (result.sure) { return result.value.v;
    } return sin_rare(V<N>(x)).v;
    }
SAME_MATH_FN Checked<N> cos_common(V<N> x) { return checked(cos_of(angle_common(x)), x.abs().le(TRIG_LIMIT)); }
SAME_MATH_RARE V<f64> cos_rare(V<f64> x) { if (all(x.abs().lt(infinity(x)))) { return cos_of(angle_rare(x)); } return
not_a_number(x); }
SAME_MATH_FN f64 sm_cos(f64 x) {
    let result = cos_common(V<N>(x));
    if (result.sure) { return result.value.v;
    } return cos_rare(V<N>(x)).v;
    }
SAME_MATH_FN Checked<N> tan_common(V<N> x) {
    let value =
select(x.abs().lt(3.725290298461914e-9), x, tan_of(angle_common(x))); return
checked(value, x.abs().le(TRIG_LIMIT)); }
SAME_MATH_RARE V<f64> tan_rare(V<f64> x) { if (all(x.abs().lt(infinity(x)))) { return tan_of(angle_rare(x)); } return
not_a_number(x); }
SAME_MATH_FN f64 sm_tan(f64 x) {
    let result = tan_common(V<N>(x));
    if (result.sure) { return result.value.v;
    } return tan_rare(V<N>(x)).v;
    }
static constexpr f64 ATAN_0 = -0.333333333333332;
static constexpr f64 ATAN_1 = 0.19999999999953663;
static constexpr f64 ATAN_2 = -0.14285714280204045;
static constexpr f64 ATAN_3 = 0.11111110783814938;
static constexpr f64 ATAN_4 = -0.09090897767090082;
static constexpr f64 ATAN_5 = 0.07692060362085973;
static constexpr f64 ATAN_6 = -0.06663105461140305;
static constexpr f64 ATAN_7 = 0.05847897449310383;
static constexpr f64 ATAN_8 = -0.050393311659798226;
static constexpr f64 ATAN_9 = 0.038064965399898586;
static constexpr f64 ATAN_10 = -0.01790735719533335;
static constexpr f64 ASIN_0 = 0.16666666666666763;
static constexpr f64 ASIN_1 = 0.07499999999970261;
static constexpr f64 ASIN_2 = 0.044642857175121196;
static constexpr f64 ASIN_3 = 0.030381942683618456;
static constexpr f64 ASIN_4 = 0.02237221565988742;
static constexpr f64 ASIN_5 = 0.017351600103855325;
static constexpr f64 ASIN_6 = 0.013980961271656052;
static constexpr f64 ASIN_7 = 0.011397777640056925;
static constexpr f64 ASIN_8 = 0.010786519218435986;
static constexpr f64 ASIN_9 = 0.0036830801138423453;
static constexpr f64 ASIN_10 = 0.02176340592706115;
static constexpr f64 ASIN_11 = -0.02107716150154832;
static constexpr f64 ASIN_12 = 0.03267680949176345;
static constexpr f64 PI_4_HIGH = 0.7853981633974483;
static constexpr f64 PI_4_LOW = 3.061616997868383e-17;
template <class N> struct Arc { V<N> quarters; V<N> t; V<N> rest; };
SAME_MATH_FN Arc<N> arc(V<N> quarters, V<N> t, V<N> rest) { return {quarters, t, rest}; }
SAME_MATH_FN Arc<N> arc_of(V<N> a, V<N> b) {
    let near_one = (b * 0.4142135623730951).lt(a);
    let less = ordered_sum(-b, a);
let more = ordered_sum(b, a); let above =
pair(blend(near_one, less.high, a), blend(near_one, less.low, 0.0)); let below
= pair(blend(near_one, more.high, b), blend(near_one, more.low, 0.0)); let q =
quotient(above, below); let t = q.high + q.low; let z = t * t; let z2 = z * z;
let z4 = z2 * z2; let both =
cubics(z, z2, ATAN_0, ATAN_1, ATAN_2, ATAN_3, ATAN_4, ATAN_5, ATAN_6, ATAN_7);
let back = both.second + ((ATAN_8 + ATAN_9 * z) + ATAN_10 * z2) * z4; let
series = both.first + back * z4; return
arc(blend(near_one, 1.0, 0.0), q.high, (t * z) * series + q.low); }
SAME_MATH_FN V<N> arc_sum(Arc<N> a) {
    let total = ordered_sum(a.quarters * PI_4_HIGH, a.t);
    return total.high +
(total.low + (a.rest + a.quarters * PI_4_LOW)); }
SAME_MATH_FN Arc<N> turned(Arc<N> a, f64 turn, M<N> mask) {
    let sign = to_bits(blend(mask, -0.0, 0.0));
    return
arc(blend(mask, turn - a.quarters, a.quarters),
from_bits(to_bits(a.t) ^ sign), from_bits(to_bits(a.rest) ^ sign)); }
SAME_MATH_FN Checked<N> atan_common(V<N> x) {
    let size = x.abs();
    let limited = lesser(size, number(1.0e300));
    let over =
number(1.0).lt(limited); let first =
arc_of(lesser(number(1.0), limited), greater(limited, number(1.0))); let value
= with_sign(arc_sum(turned(first, 2.0, over)), x); return
checked(value, x.eq(x)); }
SAME_MATH_RARE V<f64> atan_rare(V<f64> x) { return not_a_number(x); }
SAME_MATH_FN f64 sm_atan(f64 x) {
    let result = atan_common(V<N>(x));
    if (result.sure) { return result.value.v;
    } return atan_rare(V<N>(x)).v;
    }
SAME_MATH_FN V<N> atan2_of(V<N> y, V<N> x) {
    let size_x = x.abs();
    let size_y = y.abs();
    let over = size_x.lt(size_y);
    let
left = with_sign(number(1.0), x).lt(0.0); let first =
arc_of(lesser(size_x, size_y), greater(size_y, size_x)); return
with_sign(arc_sum(turned(turned(first, 2.0, over), 4.0, left)), y); }
SAME_MATH_FN Checked<N> atan2_common(V<N> y, V<N> x) {
    let size_x = x.abs();
    let size_y = y.abs();
    let less = lesser(size_x, size_y);
let more = greater(size_y, size_x); let usual = number(1.0e-150).le(more) &
more.le(1.0e150) & (number(1.0e-150).le(less) | less.eq(0.0)); return
checked(atan2_of(y, x), usual); }
SAME_MATH_RARE V<f64> atan2_rare(V<f64> y, V<f64> x) {
    if (!all(x.eq(x) & y.eq(y))) { return not_a_number(x);
    } let size_x = x.abs();
let size_y = y.abs(); let zero = number(0.0); let one = number(1.0); if
(all(size_x.eq(infinity(x))))
{
    return
    atan2_of(with_sign(select(size_y.eq(size_x), one, zero), y),
    with_sign(one, x));
} if (all(size_y.eq(infinity(x))))
{ return atan2_of(with_sign(one, y), zero); } if (all(size_y.eq(0.0)))
{ return atan2_of(with_sign(zero, y), with_sign(one, x)); } if
(all(size_y.lt(size_x * 3.872591914849318e-121)))
{
    if (all(zero.lt(x))) { return with_sign(size_y / size_x, y); } return
    atan2_of(with_sign(zero, y), with_sign(one, x));
} if (all(size_x.lt(size_y * 3.872591914849318e-121)))
{ return atan2_of(with_sign(one, y), zero); } let greater =
select(size_x.lt(size_y), size_y, size_x); let scale =
select(one.lt(greater), 2.409919865102884e-181, 4.149515568880993e180); return
atan2_of(y * scale, x * scale); }
SAME_MATH_FN f64 sm_atan2(f64 x, f64 y) {
    let result = atan2_common(V<N>(x), V<N>(y));
    if (result.sure) { return result.value.v;
    } return atan2_rare(V<N>(x), V<N>(y)).v;
    }
template <class N> struct ArcSine { M<N> beyond; V<N> s; V<N> rest; };
SAME_MATH_FN ArcSine<N> arc_sine(M<N> beyond, V<N> s, V<N> rest) { return {beyond, s, rest}; }
SAME_MATH_FN ArcSine<N> arc_sine_of(V<N> x) {
    let size = x.abs();
    let beyond = number(0.5).lt(size);
    let z =
blend(beyond, (1.0 - size) * 0.5, size * size); let root = z.sqrt(); let
root_high = upper(root); let root_low = (z - root_high * root_high) /
((root_high + root) + 1.0e-300); let s = blend(beyond, root, size); let s_high
= blend(beyond, root_high, size); let s_low = blend(beyond, root_low, 0.0);
let z2 = z * z; let z4 = z2 * z2; let back =
cubic(z, z2, ASIN_8, ASIN_9, ASIN_10, ASIN_11) + ASIN_12 * z4; let both =
cubics(z, z2, ASIN_0, ASIN_1, ASIN_2, ASIN_3, ASIN_4, ASIN_5, ASIN_6, ASIN_7);
let series = both.first + (both.second + back * z4) * z4; return
arc_sine(beyond, s_high, (s * z) * series + s_low); }
SAME_MATH_FN Checked<N> asin_common(V<N> x) {
    let a = arc_sine_of(x);
    let factor = blend(a.beyond, -2.0, 1.0);
    let total =
ordered_sum(blend(a.beyond, PI_2, 0.0), factor * a.s); let value = total.high
+ (total.low + (factor * a.rest + blend(a.beyond, PI_2_REST, 0.0))); return
checked(with_sign(value, x), x.abs().le(1.0)); }
SAME_MATH_RARE V<f64> outside_of_range(V<f64> x) { return not_a_number(x); }
SAME_MATH_FN f64 sm_asin(f64 x) {
    let result = asin_common(V<N>(x));
    if (result.sure) { return result.value.v;
    } return outside_of_range(V<N>(x)).v;
    }
SAME_MATH_FN Checked<N> acos_common(V<N> x) {
    let a = arc_sine_of(x);
    let left = x.lt(0.0);
    let factor =
blend(a.beyond, blend(left, -2.0, 2.0), blend(left, 1.0, -1.0)); let quarters
= blend(a.beyond, blend(left, 2.0, 0.0), 1.0); let total =
ordered_sum(quarters * PI_2, factor * a.s); let value = total.high +
(total.low + (factor * a.rest + quarters * PI_2_REST)); return
checked(value, x.abs().le(1.0)); }
SAME_MATH_FN f64 sm_acos(f64 x) {
    let result = acos_common(V<N>(x));
    if (result.sure) { return result.value.v;
    } return outside_of_range(V<N>(x)).v;
    }
static constexpr f64 SINH_0 = 0.16666666666666677;
static constexpr f64 SINH_1 = 0.008333333333321615;
static constexpr f64 SINH_2 = 0.000198412698861604;
static constexpr f64 SINH_3 = 2.755724418005491e-06;
static constexpr f64 SINH_4 = 2.5109045530859753e-08;
static constexpr f64 COSH_0 = 0.04166666666666667;
static constexpr f64 COSH_1 = 0.0013888888888880938;
static constexpr f64 COSH_2 = 2.4801587333963164e-05;
static constexpr f64 COSH_3 = 2.755726430543036e-07;
static constexpr f64 COSH_4 = 2.091814092790222e-09;
template <class N> struct Catenary { V<N> grown; V<N> shrunk; V<N> r; V<N> r_low; V<N> cosh_rest; V<N> sinh_rest; };
SAME_MATH_FN Catenary<N> catenary(V<N> grown, V<N> shrunk, V<N> r, V<N> r_low, V<N> cosh_rest, V<N> sinh_rest) { return {grown, shrunk, r, r_low, cosh_rest, sinh_rest}; }
SAME_MATH_FN Catenary<N> catenary_of(V<N> size) {
    let a = exp_reduced(size);
    let r = a.high - a.low;
    let r_low = (a.high - r) -
a.low; let z = r * r; let z2 = z * z; let both =
cubics(z, z2, SINH_0, SINH_1, SINH_2, SINH_3, COSH_0, COSH_1, COSH_2, COSH_3);
let s = both.first + SINH_4 * (z2 * z2); let c = both.second + COSH_4 *
(z2 * z2); let grown = (to_bits(a.shifted) + 1022) << 52; let shrunk =
(grown & 0) + 0x7fc0000000000000 - grown; return
catenary(from_bits(grown), from_bits(shrunk), r, r_low, 0.5 * z + z2 * c, r *
z * s); }
SAME_MATH_FN Double<N> hyperbolic_sum(Catenary<N> a, V<N> e) {
    let constant = a.grown - e;
    let constant_low = (a.grown - constant) - e;
    let
slope = a.grown + e; let first = ordered_sum(constant, a.grown * a.r); let
second = ordered_sum(first.high, e * a.r); let curved = constant *
(a.cosh_rest + a.r * a.r_low) + slope * (a.sinh_rest + a.r_low); return
pair(second.high, (second.low + first.low) + (constant_low + curved)); }
template <class N> struct Sums { Two<N> high; Two<N> low; };
SAME_MATH_FN Sums<N> sums(Two<N> high, Two<N> low) { return {high, low}; }
SAME_MATH_FN Sums<N> both_sums(Catenary<N> a) {
    let e = two(a.shrunk, -a.shrunk);
    let grown = two(a.grown, a.grown);
    let
constant = grown - e; let constant_low = (grown - constant) - e; let slope =
grown + e; let greater_slope = a.grown * a.r; let rising =
two(greater_slope, greater_slope); let falling = e * two(a.r, a.r); let first
= constant + rising; let first_low = rising - (first - constant); let second =
first + falling; let second_low = falling - (second - first); let cosh_rest =
a.cosh_rest + a.r * a.r_low; let sinh_rest = a.sinh_rest + a.r_low; let curved
= constant * two(cosh_rest, cosh_rest) + slope * two(sinh_rest, sinh_rest);
return sums(second, (second_low + first_low) + (constant_low + curved)); }
SAME_MATH_FN Checked<N> sinh_common(V<N> x) {
    let size = x.abs();
    let a = catenary_of(size);
    let value =
hyperbolic_sum(a, a.shrunk); let result =
select(size.lt(3.725290298461914e-9), x,
with_sign(value.high + value.low, x)); return checked(result, size.le(708.0)); }
SAME_MATH_FN Checked<N> cosh_common(V<N> x) {
    let a = catenary_of(x.abs());
    let value = hyperbolic_sum(a, -a.shrunk);
    return
checked(value.high + value.low, x.abs().le(708.0)); }
SAME_MATH_RARE V<f64> cosh_rare(V<f64> x) {
    let size = x.abs();
    if (all(size.lt(712.0)))
{ let a = exp_reduced(size); return scaled(exp_of_reduced(a), a.n - 1.0); } if
(all(x.eq(x))) { return infinity(x); } return not_a_number(x); }
SAME_MATH_RARE V<f64> sinh_rare(V<f64> x) { if (all(x.lt(0.0))) { return -cosh_rare(x); } return cosh_rare(x); }
SAME_MATH_FN f64 sm_sinh(f64 x) {
    let result = sinh_common(V<N>(x));
    if (result.sure) { return result.value.v;
    } return sinh_rare(V<N>(x)).v;
    }
SAME_MATH_FN f64 sm_cosh(f64 x) {
    let result = cosh_common(V<N>(x));
    if (result.sure) { return result.value.v;
    } return cosh_rare(V<N>(x)).v;
    }
SAME_MATH_FN Checked<N> tanh_common(V<N> x) {
    let size = x.abs();
    let both =
both_sums(catenary_of(lesser(size, number(20.0)))); let high = both.high +
both.low; let low = both.low - (high - both.high); let value =
quotient(pair(high.first, low.first), pair(high.second, low.second)); let
result =
select(size.lt(3.725290298461914e-9), x,
with_sign(value.high + value.low, x)); return checked(result, x.eq(x)); }
SAME_MATH_RARE V<f64> tanh_rare(V<f64> x) { return not_a_number(x); }
SAME_MATH_FN f64 sm_tanh(f64 x) {
    let result = tanh_common(V<N>(x));
    if (result.sure) { return result.value.v;
    } return tanh_rare(V<N>(x)).v;
    }
static constexpr f64 POW_0 = 0.5770780163555853;
static constexpr f64 POW_1 = 0.4121985831111959;
static constexpr f64 POW_2 = 0.32059889794806196;
static constexpr f64 POW_3 = 0.26230819455848814;
static constexpr f64 POW_4 = 0.22195253182632876;
static constexpr f64 POW_5 = 0.1923919898170842;
static constexpr f64 POW_6 = 0.16862646396584202;
static constexpr f64 POW_7 = 0.17147528626182812;
static constexpr f64 POW_C1_HIGH = 2.8853900817779268;
static constexpr f64 POW_C1_LOW = 4.0710547481862066e-17;
static constexpr f64 POW_C3_HIGH = 0.9617966939259756;
static constexpr f64 POW_C3_LOW = 5.0577616648125907e-17;
static constexpr f64 POW_0_HIGH = 0.5770780146121979;
static constexpr f64 POW_0_LOW = 1.7433874344163769e-09;
SAME_MATH_FN Double<N> long_log2(V<N> x, f64 places) {
    let p = log_parts(x, places);
    let f = p.m - 1.0;
    let below =
ordered_sum(number(2.0), f); let inverse = 1.0 / below.high; let below_high =
upper(below.high); let below_low = (below.high - below_high) + below.low; let
s = f * inverse; let s_high = upper(s); let s_low =
((f - s_high * below_high) - s_high * below_low) * inverse; let square =
s_high * s_high; let z_high = upper(square); let z_low = (square - z_high) +
s_low * (s_high + s); let z = s * s; let w = z * z; let both =
cubic_and_square(z, w, POW_1, POW_2, POW_3, POW_4, POW_5, POW_6, POW_7); let
series = both.first + both.second * (w * w); let fifth = z_high * POW_0_HIGH;
let third = upper(POW_C3_HIGH + fifth); let third_low =
(w * series + (z_high * POW_0_LOW + z_low * POW_0)) +
(POW_C3_LOW + (fifth - (third - POW_C3_HIGH))); let curved = z_high * third;
let first = upper(POW_C1_HIGH + curved); let first_low =
(z * third_low + z_low * third) +
(POW_C1_LOW + (curved - (first - POW_C1_HIGH))); let fraction = s_high *
first; let total = upper(p.k + fraction); return
pair(total, (s * first_low + s_low * first) + (fraction - (total - p.k))); }
template <class N> struct Power { V<N> shifted; V<N> k; V<N> value; V<N> exponent; };
SAME_MATH_FN Power<N> power(V<N> shifted, V<N> k, V<N> value, V<N> exponent) { return {shifted, k, value, exponent}; }
SAME_MATH_FN Power<N> power_of(Double<N> logarithm, V<N> y) {
    let y_high = upper(y);
    let product = y_high * logarithm.high;
    let product_low
= (y - y_high) * logarithm.high + y * logarithm.low; let exponent = product +
product_low; let shifted = exponent + TO_INTEGER; let k = shifted -
TO_INTEGER; let f = two_sum(product - k, product_low); return
power(shifted, k, exp2_of_fraction(f.high, f.low), exponent); }
SAME_MATH_FN Checked<N> powf_common(V<N> x, V<N> y) {
    let a = power_of(long_log2(x, 0.0), y);
    let value =
from_bits(to_bits(a.value) + (to_bits(a.shifted) << 52)); return
checked(value, is_normal_positive(x) & a.exponent.abs().le(1021.0) &
y.abs().lt(1.0e300)); }
SAME_MATH_RARE bool is_integer(V<f64> y) {
    let size = y.abs();
    return
all(number(4503599627370496.0).le(size) |
((size + 4503599627370496.0) - 4503599627370496.0).eq(size)); }
SAME_MATH_RARE V<f64> powf_rare(V<f64> x, V<f64> y) {
    let zero = number(0.0);
    let one = number(1.0);
    if (all(y.eq(0.0) | x.eq(1.0)))
{ return one; } if (!all(x.eq(x) & y.eq(y))) { return not_a_number(x); } let
size = x.abs(); let odd = is_integer(y) & !is_integer(y * 0.5); let mut
result_sign = one; if (odd) { result_sign = with_sign(one, x); } if
(all(size.eq(0.0) | size.eq(infinity(x))))
{
    if (all(size.eq(0.0)) == all(zero.lt(y))) { return zero * result_sign; }
    return infinity(x) * result_sign;
} if (all(y.abs().eq(infinity(x))))
{
    if (all(size.eq(1.0))) { return one; } if
    (all(one.lt(size)) == all(zero.lt(y))) { return infinity(x); } return
    zero;
} if (all(x.lt(0.0))) { if (!is_integer(y)) { return not_a_number(x); } } let
limited = with_sign(select(y.abs().lt(1.0e300), y.abs(), 1.0e300), y); let mut
logarithm = long_log2(size, 0.0); if (all(size.lt(2.2250738585072014e-308)))
{ logarithm = long_log2(size * 18014398509481984.0, -54.0); } let exponent =
limited * logarithm.high; if (all(number(1025.0).lt(exponent)))
{ return infinity(x) * result_sign; } if (all(exponent.lt(-1080.0)))
{ return zero * result_sign; } let a = power_of(logarithm, limited); return
scaled(a.value, a.k) * result_sign; }
SAME_MATH_FN f64 sm_pow(f64 x, f64 y) {
    let result = powf_common(V<N>(x), V<N>(y));
    if (result.sure) { return result.value.v;
    } return powf_rare(V<N>(x), V<N>(y)).v;
    }
SAME_MATH_FN Double<N> product_power(V<N> x, i32 n) {
    let mut result = pair(x, number(0.0));
    let mut square = two_square(x);
    if
((n & 2) != 0)
{
    if ((n & 1) != 0) { result = double_product(result, square); } else
    { result = square; }
} if (n >= 4)
{
    square = double_square(square); if ((n & 4) != 0)
    {
        if ((n & 3) != 0) { result = double_product(result, square); } else
        { result = square; }
    }
} if (n >= 8)
{
    square = double_square(square); if ((n & 8) != 0)
    {
        if ((n & 7) != 0) { result = double_product(result, square); } else
        { result = square; }
    }
} if (n >= 16) { result = double_square(square); } return result; }
SAME_MATH_FN Checked<N> powi_common(V<N> x, i32 n) { if (n == 0) { return checked(number(1.0), x.eq(x) | !x.eq(x)); } if (n == 1)
{ return checked(x, x.eq(x)); } if (n == 2)
{ return checked(x * x, x.eq(x)); } if (n == -1)
{ return checked(1.0 / x, x.eq(x)); } let size = x.abs(); let mut sign =
number(0.0); if ((n & 1) != 0) { sign = x; } if (n >= -16)
{
    if (n <= 16)
    {
        let usual = number(8.673617379884035e-19).le(size) &
        size.le(1152921504606846976.0); if (n > 0)
        {
            return
            checked(with_sign(product_power(size, n).high, sign), usual);
        } let value =
        quotient(pair(number(1.0), number(0.0)), product_power(size, -n));
        return checked(with_sign(value.high + value.low, sign), usual);
    }
} let result = powf_common(size, from_i32(n)); return
checked(with_sign(result.value, sign), result.sure); }
SAME_MATH_RARE V<f64> powi_rare(V<f64> x, i32 n) {
    if (!all(x.eq(x))) { return not_a_number(x);
    } let result =
powf_common(x.abs(), from_i32(n)); if (!all(result.sure))
{ return powf_rare(x, from_i32(n)); } let mut sign = number(0.0); if
((n & 1) != 0) { sign = x; } return with_sign(result.value, sign); }
SAME_MATH_FN f64 sm_powi(f64 x, i32 n) {
    let result = powi_common(V<N>(x), n);
    if (result.sure) { return result.value.v;
    } return powi_rare(V<N>(x), n).v;
    }
SAME_MATH_FN V<N> rsqrt_of(V<N> x) {
    let s = x.sqrt();
    let square = two_square(s);
    let d = (x - square.high) -
square.low; let inverse = 1.0 / s; let one = two_product(inverse, s); let rest
= (1.0 - one.high) - one.low; return inverse + inverse *
(rest - 0.5 * (d * (inverse * inverse))); }
SAME_MATH_FN Checked<N> rsqrt_common(V<N> x) { return checked(rsqrt_of(x), number(1.0e-280).le(x) & x.le(1.0e300)); }
SAME_MATH_RARE V<f64> rsqrt_rare(V<f64> x) { if (all(x.eq(0.0))) { return with_sign(infinity(x), x); } if
(all(x.lt(0.0)) | !all(x.eq(x))) { return not_a_number(x); } if
(all(x.eq(infinity(x)))) { return number(0.0); } if (all(x.lt(1.0)))
{ return rsqrt_of(x * 1.6069380442589903e+60) * 1.2676506002282294e+30; }
return rsqrt_of(x * 6.223015277861142e-61) * 7.888609052210118e-31; }
SAME_MATH_FN f64 sm_rsqrt(f64 x) {
    let result = rsqrt_common(V<N>(x));
    if (result.sure) { return result.value.v;
    } return rsqrt_rare(V<N>(x)).v;
    }
SAME_MATH_FN V<N> length_of(V<N> a, V<N> b) {
    let a2 = two_square(a);
    let b2 = two_square(b);
    let sum =
ordered_sum(a2.high, b2.high); let low = sum.low + (a2.low + b2.low); let root
= double_root(pair(sum.high, low)); return root.high + root.low; }
SAME_MATH_FN Checked<N> hypot_common(V<N> x, V<N> y) {
    let swapped = x.abs().lt(y.abs());
    let a = select(swapped, y.abs(), x.abs());
let b = select(swapped, x.abs(), y.abs()); return
checked(length_of(a, b), number(1.0e-130).le(a) & a.le(1.0e150) & y.eq(y) &
x.eq(x)); }
SAME_MATH_RARE V<f64> hypot_rare(V<f64> x, V<f64> y) { if (all(x.abs().eq(infinity(x))) | all(y.abs().eq(infinity(x))))
{ return infinity(x); } if (!all(x.eq(x)) | !all(y.eq(y)))
{ return not_a_number(x); } let swapped = x.abs().lt(y.abs()); let a =
select(swapped, y.abs(), x.abs()); let b = select(swapped, x.abs(), y.abs());
if (all(a.eq(0.0))) { return a; } if (all(a.lt(1.0)))
{
    return length_of(a * 4.149515568880993e+180, b * 4.149515568880993e+180) *
    2.409919865102884e-181;
} return length_of(a * 2.409919865102884e-181, b * 2.409919865102884e-181) *
4.149515568880993e+180; }
SAME_MATH_FN f64 sm_hypot(f64 x, f64 y) {
    let result = hypot_common(V<N>(x), V<N>(y));
    if (result.sure) { return result.value.v;
    } return hypot_rare(V<N>(x), V<N>(y)).v;
    }
static constexpr f64 PI_HIGH = 3.141592653589793;
static constexpr f64 PI_REST = 1.2246467991473532e-16;
SAME_MATH_FN Angle<N> turn(V<N> x) {
    let shifted = x * 2.0 + TO_INTEGER;
    let r = x - 0.5 * (shifted - TO_INTEGER);
let product = two_product(r, number(PI_HIGH)); return
angle(to_bits(shifted), product.high, product.low + r * PI_REST); }
SAME_MATH_FN V<N> sin_pi_of(V<N> x, V<N> sign) {
    let value = sin_of(turn(x));
    return
select(value.eq(0.0), with_sign(number(0.0), sign), value); }
SAME_MATH_FN V<N> cos_pi_of(V<N> x) { return cos_of(turn(x)) + 0.0; }
SAME_MATH_FN V<N> less_whole_turns(V<N> x) {
    let half = 0.5 * x.abs();
    return x.abs() - 2.0 *
((half + 4503599627370496.0) - 4503599627370496.0); }
SAME_MATH_FN Checked<N> sin_pi_common(V<N> x) { return
checked(sin_pi_of(x, x), number(1.0e-280).le(x.abs()) &
x.abs().le(1125899906842624.0)); }
SAME_MATH_RARE V<f64> sin_pi_rare(V<f64> x) { if (all(x.eq(0.0))) { return x; } if (all(x.abs().lt(1.0e-270)))
{
    let product = two_product(x * 1.6069380442589903e+60, number(PI_HIGH));
    return
    (product.high + (product.low + x * 1.6069380442589903e+60 * PI_REST)) *
    6.223015277861142e-61;
} if (all(x.abs().lt(9007199254740992.0)))
{
    let value = sin_pi_of(less_whole_turns(x), number(1.0)); return
    from_bits(to_bits(value) ^ (to_bits(x) & 0x8000000000000000));
} if (all(x.abs().lt(infinity(x)))) { return with_sign(number(0.0), x); }
return not_a_number(x); }
SAME_MATH_FN f64 sm_sinpi(f64 x) {
    let result = sin_pi_common(V<N>(x));
    if (result.sure) { return result.value.v;
    } return sin_pi_rare(V<N>(x)).v;
    }
SAME_MATH_FN Checked<N> cos_pi_common(V<N> x) { return checked(cos_pi_of(x), x.abs().le(1125899906842624.0)); }
SAME_MATH_RARE V<f64> cos_pi_rare(V<f64> x) { if (all(x.abs().lt(9007199254740992.0)))
{ return cos_pi_of(less_whole_turns(x)); } if (all(x.abs().lt(infinity(x))))
{ return number(1.0); } return not_a_number(x); }
SAME_MATH_FN f64 sm_cospi(f64 x) {
    let result = cos_pi_common(V<N>(x));
    if (result.sure) { return result.value.v;
    } return cos_pi_rare(V<N>(x)).v;
    }
SAME_MATH_RARE V<f64> log_of_double(V<f64> size) {
    if (all(size.eq(infinity(size)))) { return size;
    } let p =
log_parts(size, 1.0); return log_total(p.k, p.m - 1.0, number(0.0)); }
SAME_MATH_FN Checked<N> asinh_common(V<N> x) {
    let size = x.abs();
    let square = two_square(size);
    let above =
two_sum(number(1.0), square.high); let root =
double_root(pair(above.high, above.low + square.low)); let below =
two_sum(number(1.0), root.high); let halves =
quotient(square, pair(below.high, below.low + root.low)); let rest =
ordered_sum(halves.high, halves.low); let f = ordered_sum(size, rest.high);
let value = log_of_one_and(pair(f.high, f.low + rest.low)); return
checked(select(size.lt(3.725290298461914e-9), x, with_sign(value, x)),
size.le(1.0e150)); }
SAME_MATH_RARE V<f64> asinh_rare(V<f64> x) { if (!all(x.eq(x))) { return not_a_number(x); } return
with_sign(log_of_double(x.abs()), x); }
SAME_MATH_FN f64 sm_asinh(f64 x) {
    let result = asinh_common(V<N>(x));
    if (result.sure) { return result.value.v;
    } return asinh_rare(V<N>(x)).v;
    }
SAME_MATH_FN Checked<N> acosh_common(V<N> x) {
    let t = ordered_sum(x, number(-1.0));
    let square = double_square(t);
    let sum =
two_sum(square.high, 2.0 * t.high); let root =
double_root(pair(sum.high, sum.low + (square.low + 2.0 * t.low))); let f =
ordered_sum(root.high, t.high); let value =
log_of_one_and(pair(f.high, f.low + (root.low + t.low))); return
checked(value, number(1.0).le(x) & x.le(1.0e150)); }
SAME_MATH_RARE V<f64> acosh_rare(V<f64> x) { if (all(x.lt(1.0)) | !all(x.eq(x))) { return not_a_number(x); } return
log_of_double(x); }
SAME_MATH_FN f64 sm_acosh(f64 x) {
    let result = acosh_common(V<N>(x));
    if (result.sure) { return result.value.v;
    } return acosh_rare(V<N>(x)).v;
    }
SAME_MATH_FN Checked<N> atanh_common(V<N> x) {
    let size = x.abs();
    let halves =
quotient(pair(size + size, number(0.0)), ordered_sum(number(1.0), -size)); let
value = 0.5 * log_of_one_and(ordered_sum(halves.high, halves.low)); return
checked(select(size.lt(3.725290298461914e-9), x, with_sign(value, x)),
size.lt(1.0)); }
SAME_MATH_RARE V<f64> atanh_rare(V<f64> x) { if (all(x.abs().eq(1.0))) { return with_sign(infinity(x), x); } return
not_a_number(x); }
SAME_MATH_FN f64 sm_atanh(f64 x) {
    let result = atanh_common(V<N>(x));
    if (result.sure) { return result.value.v;
    } return atanh_rare(V<N>(x)).v;
    }
static constexpr f64 ERF_0 = 0.11283791670955125;
static constexpr f64 ERF_1 = -0.02686617064513014;
static constexpr f64 ERF_2 = 0.005223977625411643;
static constexpr f64 ERF_3 = -0.0008548327019554299;
static constexpr f64 ERF_4 = 0.0001205533270376719;
static constexpr f64 ERF_5 = -1.4925638161973991e-05;
static constexpr f64 ERF_6 = 1.6461768511544554e-06;
static constexpr f64 ERF_7 = -1.6359367607477754e-07;
static constexpr f64 ERF_8 = 1.4727308057904132e-08;
static constexpr f64 ERF_9 = -1.1661612246665656e-09;
static constexpr f64 ERF_10 = 6.496515130915017e-11;
static constexpr f64 ERFC_0 = 0.427583576155807;
static constexpr f64 ERFC_1 = -1.0928480591355942;
static constexpr f64 ERFC_2 = 1.3770969228149743;
static constexpr f64 ERFC_3 = -1.2234841074807996;
static constexpr f64 ERFC_4 = 0.7239166810270286;
static constexpr f64 ERFC_5 = -0.22394682368082328;
static constexpr f64 ERFC_6 = -0.02237167315134099;
static constexpr f64 ERFC_7 = 0.04264272310247421;
static constexpr f64 ERFC_8 = -0.002189848783933255;
static constexpr f64 ERFC_9 = -0.008329239149799418;
static constexpr f64 ERFC_10 = 9.994664153676236e-06;
static constexpr f64 ERFC_11 = 0.0027347658181336902;
static constexpr f64 ERFC_12 = -0.0007867496932568679;
static constexpr f64 ERF_C_HIGH = 1.1283791661262512;
static constexpr f64 ERF_C_LOW = 9.692613531930338e-10;
static constexpr f64 ERF_C3_HIGH = 0.37612638622522354;
static constexpr f64 ERF_C3_LOW = 2.806613983372287e-09;
static constexpr f64 ERF_C3 = 0.37612638903183754;
SAME_MATH_FN V<N> erf_near(V<N> x) {
    let square = two_square(x);
    let z = square.high;
    let z2 = z * z;
    let z4 = z2 *
z2; let back = cubic(z, z2, ERF_4, ERF_5, ERF_6, ERF_7) +
((ERF_8 + ERF_9 * z) + ERF_10 * z2) * z4; let series = z2 *
(cubic(z, z2, ERF_0, ERF_1, ERF_2, ERF_3) + back * z4); let z_upper =
upper(z); let second = ((z - z_upper) + square.low) * ERF_C3 + z_upper *
ERF_C3_LOW; let slope =
ordered_sum(number(ERF_C_HIGH), -(z_upper * ERF_C3_HIGH)); let slope_low =
slope.low + (ERF_C_LOW + (series - second)); let slope_upper =
upper(slope.high); let x_upper = upper(x); let rest = x *
((slope.high - slope_upper) + slope_low) + (x - x_upper) * slope_upper; return
x_upper * slope_upper + rest; }
SAME_MATH_FN V<N> erf_far(V<N> x) {
    let square = two_square(x);
    let a = exp_reduced(-square.high);
    let value =
exp_of_reduced(reduced(a.shifted, a.n, a.high, a.low + square.low)); let e =
value * power_of_shifted(a.shifted); let t = (x - 1.0) / (x + 3.0); let t2 = t
* t; let t4 = t2 * t2; let last =
cubic(t, t2, ERFC_8, ERFC_9, ERFC_10, ERFC_11) + ERFC_12 * t4; let back =
cubic(t, t2, ERFC_4, ERFC_5, ERFC_6, ERFC_7) + last * t4; let r =
cubic(t, t2, ERFC_0, ERFC_1, ERFC_2, ERFC_3) + back * t4; let e_upper =
upper(e); let r_upper = upper(r); let front =
ordered_sum(number(1.0), -(e_upper * r_upper)); return front.high +
(front.low - ((r - r_upper) * e + (e - e_upper) * r_upper)); }
SAME_MATH_FN Checked<N> erf_common(V<N> x) {
    let size = x.abs();
    let limited = select(size.lt(6.0), size, 6.0);
    let value =
select(size.lt(0.9375), erf_near(limited), erf_far(limited)); return
checked(with_sign(value, x), number(1.0e-280).le(size) | size.eq(0.0)); }
SAME_MATH_RARE V<f64> erf_rare(V<f64> x) { if (!all(x.eq(x))) { return not_a_number(x); } return
with_sign(erf_near(x.abs() * 1.6069380442589903e+60) * 6.223015277861142e-61,
x); }
SAME_MATH_FN f64 sm_erf(f64 x) {
    let result = erf_common(V<N>(x));
    if (result.sure) { return result.value.v;
    } return erf_rare(V<N>(x)).v;
    }
static constexpr f64 LN2_FIRST = 0.6931471805592082;
static constexpr f64 LN2_SECOND = 7.371002565161996e-13;
static constexpr f64 LN2_THIRD = 5.8029889835956905e-25;
static constexpr f64 BY_FACTORIAL_3 = 0.16666666666666666;
static constexpr f64 BY_FACTORIAL_3_REST = 9.25185853854297e-18;
static constexpr f64 BY_FACTORIAL_4 = 0.041666666666666664;
static constexpr f64 BY_FACTORIAL_4_REST = 2.3129646346357427e-18;
static constexpr f64 BY_FACTORIAL_5 = 0.008333333333333333;
static constexpr f64 BY_FACTORIAL_5_REST = 1.1564823173178714e-19;
static constexpr f64 BY_FACTORIAL_6 = 0.001388888888888889;
static constexpr f64 BY_FACTORIAL_6_REST = -5.300543954373577e-20;
static constexpr f64 BY_FACTORIAL_7 = 0.0001984126984126984;
static constexpr f64 BY_FACTORIAL_8 = 2.48015873015873e-05;
static constexpr f64 BY_FACTORIAL_9 = 2.7557319223985893e-06;
static constexpr f64 BY_FACTORIAL_10 = 2.755731922398589e-07;
static constexpr f64 BY_FACTORIAL_11 = 2.505210838544172e-08;
static constexpr f64 BY_FACTORIAL_12 = 2.08767569878681e-09;
static constexpr f64 LN_ROOT_2_PI_LESS_HALF = 0.4189385332046727;
static constexpr f64 LN_ROOT_2_PI_LESS_HALF_REST = 1.6728209650585413e-17;
static constexpr f64 LN_PI = 1.1447298858494002;
static constexpr f64 STIRLING_1 = 0.08333333333333333;
static constexpr f64 STIRLING_1_REST = 4.625929269271485e-18;
static constexpr f64 STIRLING_2 = -0.002777777777777778;
static constexpr f64 STIRLING_2_REST = 1.0601087908747154e-19;
static constexpr f64 STIRLING_3 = 0.0007936507936507937;
static constexpr f64 STIRLING_3_REST = 6.883823317368282e-22;
static constexpr f64 STIRLING_4 = -0.0005952380952380953;
static constexpr f64 STIRLING_4_REST = 5.36938218754726e-20;
static constexpr f64 STIRLING_5 = 0.0008417508417508417;
static constexpr f64 STIRLING_6 = -0.0019175269175269176;
static constexpr f64 STIRLING_7 = 0.00641025641025641;
static constexpr f64 STIRLING_8 = -0.029550653594771242;
static constexpr f64 STIRLING_9 = 0.17964437236883057;
static constexpr f64 STIRLING_10 = -1.3924322169059011;
static constexpr f64 STIRLING_11 = 13.402864044168393;
static constexpr f64 STIRLING_12 = -156.84828462600203;
static constexpr f64 STIRLING_13 = 2193.1033333333335;
template <class N> struct Exponential { V<N> k; Double<N> value; };
SAME_MATH_FN Exponential<N> exponential(V<N> k, Double<N> value) { return {k, value}; }
SAME_MATH_RARE Double<f64> doubled(Double<f64> q) { return double_sum(pair(2.0 * q.high, 2.0 * q.low), double_square(q)); }
SAME_MATH_RARE Exponential<f64> double_exp(Double<f64> a) {
    let k = (a.high * LOG2_E + TO_INTEGER) - TO_INTEGER;
    let main =
two_sum(a.high - k * LN2_FIRST, -(k * LN2_SECOND)); let r =
double_sum(main, two_sum(a.low, -(k * LN2_THIRD))); let s =
pair(r.high * 0.015625, r.low * 0.015625); let t = s.high; let t2 = t * t; let
back =
cubic(t, t2, BY_FACTORIAL_7, BY_FACTORIAL_8, BY_FACTORIAL_9, BY_FACTORIAL_10);
let tail = t * (back + (BY_FACTORIAL_11 + BY_FACTORIAL_12 * t) * (t2 * t2));
let sixth =
double_sum(pair(number(BY_FACTORIAL_6), number(BY_FACTORIAL_6_REST)),
pair(tail, number(0.0))); let fifth =
plus_product(BY_FACTORIAL_5, BY_FACTORIAL_5_REST, s, sixth); let fourth =
plus_product(BY_FACTORIAL_4, BY_FACTORIAL_4_REST, s, fifth); let third =
plus_product(BY_FACTORIAL_3, BY_FACTORIAL_3_REST, s, fourth); let second =
plus_product(0.5, 0.0, s, third); let q =
double_sum(s, double_product(double_square(s), second)); let last =
doubled(doubled(doubled(doubled(doubled(doubled(q)))))); return
exponential(k, double_sum(pair(number(1.0), number(0.0)), last)); }
SAME_MATH_RARE Double<f64> double_ln(Double<f64> a) {
    let y = ln_common(a.high).value;
    let e = double_exp(pair(-y, number(0.0)));
let scale = power_of_two(e.k); let ratio =
double_product(e.value, pair(a.high * scale, a.low * scale)); let d =
ratio.high - 1.0; return
double_sum(pair(y, number(0.0)), two_sum(d, ratio.low - 0.5 * (d * d))); }
SAME_MATH_RARE Double<f64> stirling(Double<f64> y) {
    let inverse = 1.0 / y.high;
    let one = two_product(inverse, y.high);
    let w =
ordered_sum(inverse, inverse *
(((1.0 - one.high) - one.low) - inverse * y.low)); let z = double_square(w);
let t = z.high; let t2 = t * t; let t4 = t2 * t2; let back =
cubic(t, t2, STIRLING_9, STIRLING_10, STIRLING_11, STIRLING_12) + STIRLING_13
* t4; let tail = t *
(cubic(t, t2, STIRLING_5, STIRLING_6, STIRLING_7, STIRLING_8) + back * t4);
let fourth =
double_sum(pair(number(STIRLING_4), number(STIRLING_4_REST)),
pair(tail, number(0.0))); let third =
plus_product(STIRLING_3, STIRLING_3_REST, z, fourth); let second =
plus_product(STIRLING_2, STIRLING_2_REST, z, third); let series =
double_product(w, plus_product(STIRLING_1, STIRLING_1_REST, z, second)); let
constant =
pair(number(LN_ROOT_2_PI_LESS_HALF), number(LN_ROOT_2_PI_LESS_HALF_REST)); let
factor = double_sum(y, pair(number(-0.5), number(0.0))); let logarithm =
double_sum(double_ln(y), pair(number(-1.0), number(0.0))); return
double_sum(double_product(factor, logarithm), double_sum(constant, series)); }
template <class N> struct Shifted { Double<N> y; Double<N> product; V<N> k; };
SAME_MATH_FN Shifted<N> shifted(Double<N> y, Double<N> product, V<N> k) { return {y, product, k}; }
SAME_MATH_RARE Shifted<f64> shifted_up(V<f64> x) {
    let mut y = pair(x, number(0.0));
    let mut product =
pair(number(1.0), number(0.0)); let mut k = number(0.0); let mut n =
number(0.0); while (all(y.high.lt(32.0)))
{
    product = double_product(product, y); if
    (all(number(1.0e200).lt(product.high.abs())))
    {
        product =
        pair(product.high * 3.8725919148493183e-121, product.low *
        3.8725919148493183e-121); k = k + 400.0;
    } n = n + 1.0; y = two_sum(x, n);
} return shifted(y, product, k); }
SAME_MATH_RARE bool is_pole(V<f64> x) { return all(x.le(0.0)) & is_integer(x); }
SAME_MATH_FN Checked<N> never(V<N> x) { return checked(x, x.lt(x)); }
SAME_MATH_RARE V<f64> gamma_rare(V<f64> x) { if (all(x.eq(0.0))) { return with_sign(infinity(x), x); } if
(!all(x.eq(x)) | is_pole(x)) { return not_a_number(x); } if
(all(x.abs().lt(8.673617379884035e-19))) { return 1.0 / x; } if
(all(number(172.0).lt(x))) { return infinity(x); } if (all(x.lt(-185.0)))
{ return with_sign(number(0.0), sin_pi_rare(x)); } let s = shifted_up(x); let
e = double_exp(stirling(s.y)); let ratio = quotient(e.value, s.product);
return scaled(ratio.high + ratio.low, e.k - s.k); }
SAME_MATH_FN f64 sm_tgamma(f64 x) {
    let result = never(V<N>(x));
    if (result.sure) { return result.value.v;
    } return gamma_rare(V<N>(x)).v;
    }
SAME_MATH_RARE Checked<f64> near_zero(V<f64> x, f64 zero, f64 zero_rest, f64 zero_last, f64 slope, f64 slope_rest, f64 half_curvature) {
    let distance = two_sum(x - zero, number(-zero_rest));
    let d =
pair(distance.high, distance.low - zero_last); let first =
double_product(d, pair(number(slope), number(slope_rest))); let value =
first.high + (first.low + half_curvature * (d.high * d.high)); return
checked(value, first.high.abs().lt(1.4551915228366852e-11)); }
SAME_MATH_RARE Checked<f64> ln_gamma_near_zeros(V<f64> x) {
    let mut zero =
near_zero(x, 1.0, 0.0, 0.0, -0.5772156649015329, 4.942915152430645e-18,
0.8224670334241132); if (!all(zero.sure))
{
    zero =
    near_zero(x, 2.0, 0.0, 0.0, 0.42278433509846713, 4.942915152430645e-18,
    0.3224670334241132);
} if (!all(zero.sure))
{
    zero =
    near_zero(x, -2.4570247382208006, -3.7075610815513266e-17,
    -1.3622663121726005e-33, 1.5156034480216574, -4.0695290379659363e-17,
    4.8583209516339965);
} if (!all(zero.sure))
{
    zero =
    near_zero(x, -2.7476826467274127, 9.055340329338315e-17,
    3.322761057167369e-33, -1.9143501856115988, -6.288473508186805e-17,
    9.575189475709667);
} if (!all(zero.sure))
{
    zero =
    near_zero(x, -3.14358088834998, -2.1818179852331714e-16,
    -1.1246581285745781e-32, 7.781884658131351, -1.2366266971852707e-16,
    25.831338372387957);
} if (!all(zero.sure))
{
    zero =
    near_zero(x, -3.955294284858598, -1.999428391746348e-17,
    6.2357435447617e-34, -20.725060845803707, 1.4319348367658305e-15,
    251.7146825868894);
} if (!all(zero.sure))
{
    zero =
    near_zero(x, -4.039361839740537, 2.1143995503980602e-16,
    -3.5961421111626576e-33, 26.790480886140593, 7.29303362861673e-16,
    324.25532293784715);
} if (!all(zero.sure))
{
    zero =
    near_zero(x, -4.991544640560048, 1.5174411760571722e-16,
    -9.643515906617392e-34, -116.53578161624363, -5.71604654736871e-15,
    6995.235954894064);
} if (!all(zero.sure))
{
    zero =
    near_zero(x, -5.0082181683225935, -4.3926353491015815e-17,
    -2.68183947324466e-33, 123.3621845633534, -1.7685712092825869e-15,
    7404.762432228682);
} if (!all(zero.sure))
{
    zero =
    near_zero(x, -5.998607480080875, -3.311862478893795e-16,
    3.4720224807210337e-33, -716.2454304275473, -2.978324292002825e-14,
    257851.58963956262);
} if (!all(zero.sure))
{
    zero =
    near_zero(x, -6.001385294453155, 6.415847287933042e-17,
    -1.116080967205309e-33, 723.7366299252801, 1.1249184125179834e-14,
    260548.41030309396);
} if (!all(zero.sure))
{
    zero =
    near_zero(x, -6.999801507890638, 1.0550130037400023e-17,
    -4.08696427365735e-34, -5035.967373768125, -3.431412146498085e-13,
    12690641.16604718);
} if (!all(zero.sure))
{
    zero =
    near_zero(x, -7.000198333407325, 2.504354173632409e-16,
    2.413795840298293e-32, 5044.029941110829, 2.1055091809068177e-13,
    12710958.833951395);
} if (!all(zero.sure))
{
    zero =
    near_zero(x, -7.999975197095821, -5.261737128572354e-17,
    -2.0441803623138533e-33, -40315.71854218779, -1.3528231836249092e-12,
    812764889.3354839);
} return zero; }
SAME_MATH_RARE V<f64> ln_gamma_rare(V<f64> x) {
    if (!all(x.eq(x))) { return not_a_number(x);
    } let size = x.abs();
    if
(all(size.eq(infinity(x))) | is_pole(x)) { return infinity(x); } if
(all(number(2.5599833278516383e305).lt(x))) { return infinity(x); } let
logarithm = ln_common(size); if (all(size.lt(8.673617379884035e-19)))
{
    if (all(logarithm.sure)) { return -logarithm.value; } return
    -ln_rare(size);
} if (all(x.lt(-64.0)))
{
    let sine = sin_pi_of(less_whole_turns(x), number(1.0)).abs(); let less =
    (LN_PI - ln_common(sine).value) - logarithm.value; let total =
    stirling(pair(size, number(0.0))); let value = two_sum(less, -total.high);
    return value.high + (value.low - total.low);
} let zero = ln_gamma_near_zeros(x); if (all(zero.sure))
{ return zero.value + 0.0; } let s = shifted_up(x); let total = stirling(s.y);
if (all(number(32.0).le(x))) { return total.high + total.low; } let rest =
select(s.product.high.lt(0.0), -s.product.low, s.product.low); let less =
double_ln(pair(s.product.high.abs(), rest)); let value =
double_sum(total, pair(-less.high, -less.low)); return value.high + value.low; }
SAME_MATH_FN f64 sm_lgamma(f64 x) {
    let result = never(V<N>(x));
    if (result.sure) { return result.value.v;
    } return ln_gamma_rare(V<N>(x)).v;
    }
SAME_MATH_FN void sm_sincos(f64 x, f64 *sine, f64 *cosine) { *sine = sm_sin(x); *cosine = sm_cos(x); }
SAME_MATH_FN float rounded(f64 y) { return y == y ? (float)y : single_(0x7fc00000u); }
SAME_MATH_FN float sm_expf(float x) { return rounded(sm_exp((f64)x)); }
SAME_MATH_FN float sm_exp2f(float x) { return rounded(sm_exp2((f64)x)); }
SAME_MATH_FN float sm_exp10f(float x) { return rounded(sm_exp10((f64)x)); }
SAME_MATH_FN float sm_expm1f(float x) { return rounded(sm_expm1((f64)x)); }
SAME_MATH_FN float sm_logf(float x) { return rounded(sm_log((f64)x)); }
SAME_MATH_FN float sm_log2f(float x) { return rounded(sm_log2((f64)x)); }
SAME_MATH_FN float sm_log10f(float x) { return rounded(sm_log10((f64)x)); }
SAME_MATH_FN float sm_log1pf(float x) { return rounded(sm_log1p((f64)x)); }
SAME_MATH_FN float sm_cbrtf(float x) { return rounded(sm_cbrt((f64)x)); }
SAME_MATH_FN float sm_rsqrtf(float x) { return rounded(sm_rsqrt((f64)x)); }
SAME_MATH_FN float sm_sinf(float x) { return rounded(sm_sin((f64)x)); }
SAME_MATH_FN float sm_cosf(float x) { return rounded(sm_cos((f64)x)); }
SAME_MATH_FN float sm_tanf(float x) { return rounded(sm_tan((f64)x)); }
SAME_MATH_FN float sm_sinpif(float x) { return rounded(sm_sinpi((f64)x)); }
SAME_MATH_FN float sm_cospif(float x) { return rounded(sm_cospi((f64)x)); }
SAME_MATH_FN float sm_atanf(float x) { return rounded(sm_atan((f64)x)); }
SAME_MATH_FN float sm_asinf(float x) { return rounded(sm_asin((f64)x)); }
SAME_MATH_FN float sm_acosf(float x) { return rounded(sm_acos((f64)x)); }
SAME_MATH_FN float sm_sinhf(float x) { return rounded(sm_sinh((f64)x)); }
SAME_MATH_FN float sm_coshf(float x) { return rounded(sm_cosh((f64)x)); }
SAME_MATH_FN float sm_tanhf(float x) { return rounded(sm_tanh((f64)x)); }
SAME_MATH_FN float sm_asinhf(float x) { return rounded(sm_asinh((f64)x)); }
SAME_MATH_FN float sm_acoshf(float x) { return rounded(sm_acosh((f64)x)); }
SAME_MATH_FN float sm_atanhf(float x) { return rounded(sm_atanh((f64)x)); }
SAME_MATH_FN float sm_erff(float x) { return rounded(sm_erf((f64)x)); }
SAME_MATH_FN float sm_tgammaf(float x) { return rounded(sm_tgamma((f64)x)); }
SAME_MATH_FN float sm_lgammaf(float x) { return rounded(sm_lgamma((f64)x)); }
SAME_MATH_FN float sm_atan2f(float y, float x) { return rounded(sm_atan2((f64)y, (f64)x)); }
SAME_MATH_FN float sm_powf(float x, float y) { return rounded(sm_pow((f64)x, (f64)y)); }
SAME_MATH_FN float sm_hypotf(float x, float y) { return rounded(sm_hypot((f64)x, (f64)y)); }
SAME_MATH_FN float sm_powif(float x, i32 n) { return rounded(sm_powi((f64)x, n)); }

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

SAME_MATH_FN bool self_check() {
    bool right = operations_are_exact();
    right = right && word_(sm_exp(given(0x3ff8000000000000))) == 0x4011ed3fe64fc541;
    right = right && word_(sm_exp(given(0xc087200000000000))) == 0x0000000000000055;
    right = right && word_(sm_exp(given(0x7ff8000000000000))) == 0x7ff8000000000000;
    right = right && word_(sm_exp2(given(0x3fd3333333333333))) == 0x3ff3b2c47bff8329;
    right = right && word_(sm_expm1(given(0x3ee4f8b588e368f1))) == 0x3ee4f8bc681cdfb6;
    right = right && word_(sm_log(given(0x4024000000000000))) == 0x40026bb1bbb55516;
    right = right && word_(sm_log(given(0x00000000000007e8))) == 0xc087069e3078e52d;
    right = right && word_(sm_log2(given(0x4008000000000000))) == 0x3ff95c01a39fbd68;
    right = right && word_(sm_log1p(given(0xbfb999999999999a))) == 0xbfbaf8e8210a415e;
    right = right && word_(sm_cbrt(given(0x4000000000000000))) == 0x3ff428a2f98d728b;
    right = right && word_(sm_cbrt(given(0x00000000000007e8))) == 0x29c94c7f15ef7ddf;
    right = right && word_(sm_sin(given(0x4480f0cf064dd592))) == 0xbfeb453ab76bf397;
    right = right && word_(sm_sin(given(0x8000000000000000))) == 0x8000000000000000;
    right = right && word_(sm_cos(given(0x4000000000000000))) == 0xbfdaa22657537205;
    right = right && word_(sm_tan(given(0x3ff8000000000000))) == 0x402c33ed50b88777;
    right = right && word_(sm_atan(given(0x3fe6666666666666))) == 0x3fe38b112d7bd4ad;
    right = right && word_(sm_asin(given(0x3fe3333333333333))) == 0x3fe4978fa3269ee1;
    right = right && word_(sm_acos(given(0xbfd3333333333333))) == 0x3ffe0200bbc96ad8;
    right = right && word_(sm_sinh(given(0x3fc999999999999a))) == 0x3fc9c560cd35ef81;
    right = right && word_(sm_cosh(given(0x4008000000000000))) == 0x402422a497d6185e;
    right = right && word_(sm_tanh(given(0x3fd999999999999a))) == 0x3fd8511573c242d6;
    right = right && word_(sm_atan2(given(0x3ff0000000000000), given(0xc000000000000000))) == 0x40056c6e7397f5ae;
    right = right && word_(sm_pow(given(0x3fe0000000000000), given(0x4090ba0000000000))) == 0x000000000000000b;
    right = right && word_(sm_tgamma(given(0x4012000000000000))) == 0x40274371e7866c65;
    right = right && word_(sm_lgamma(given(0xc003a7fc9600f86c))) == 0x3c90323b6d1fe86d;
    right = right && word_(sm_pow(given(0x3ffb333333333333), given(0x7ff0000000000000))) == 0x7ff0000000000000;
    return right;
}
#undef let
#undef mut
} // namespace same_math

#if !defined(__CUDACC_RTC__)
#pragma pop_macro("let")
#pragma pop_macro("mut")
#endif
#if defined(__clang__)
#pragma float_control(pop)
#pragma clang diagnostic pop
#endif
