// Written by `UPDATE_HEADER=1 cargo test -p same-math --test header` from src/; do not edit.
#pragma once
// The types that the functions below are written in: what V, B and M of src/value.rs are, for one lane.
#if defined(__CUDACC__)
#define SAME_MATH_FN static __device__ __forceinline__
#define SAME_MATH_RARE static __device__ __noinline__
#define SAME_MATH_FN_MEMBER __device__ __forceinline__
#else
#if defined(__FAST_MATH__) || (defined(__FLT_EVAL_METHOD__) && __FLT_EVAL_METHOD__ != 0)
#error "same_math needs every operation rounded to a double: no -ffast-math, -msse2 -mfpmath=sse on 32-bit x86."
#endif
#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#elif defined(__GNUC__)
#pragma GCC optimize("fp-contract=off")
#endif
#define SAME_MATH_FN static inline
#define SAME_MATH_RARE static
#define SAME_MATH_FN_MEMBER inline
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
SAME_MATH_FN Word product_high(Word a, Word b) { return __umul64hi(a, b); }
#else
SAME_MATH_FN f64 add_(f64 a, f64 b) { return a + b; }
SAME_MATH_FN f64 sub_(f64 a, f64 b) { return a - b; }
SAME_MATH_FN f64 mul_(f64 a, f64 b) { return a * b; }
SAME_MATH_FN f64 div_(f64 a, f64 b) { return a / b; }
SAME_MATH_FN f64 sqrt_(f64 a) { return __builtin_sqrt(a); }
SAME_MATH_FN Word word_(f64 a) { Word w; __builtin_memcpy(&w, &a, sizeof w); return w; }
SAME_MATH_FN f64 double_(Word a) { f64 d; __builtin_memcpy(&d, &a, sizeof d); return d; }
SAME_MATH_FN f64 nearest_(Word a) { return (f64)a; }
SAME_MATH_FN Word product_high(Word a, Word b) { return (Word)(((unsigned __int128)a * b) >> 64); }
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

SAME_MATH_FN V<N> select(bool m, V<N> a, V<N> b) { return m ? a : b; }
SAME_MATH_FN bool all(bool m) { return m; }
SAME_MATH_FN Word to_bits(V<N> x) { return word_(x.v); }
SAME_MATH_FN V<N> from_bits(Word b) { return double_(b); }
SAME_MATH_FN V<N> number(f64 x) { return x; }
SAME_MATH_FN Word word(V<N> x) { return word_(x.v); }
SAME_MATH_FN V<N> from_word(Word b) { return double_(b); }
SAME_MATH_FN V<N> from_integer(Word b) { return nearest_(b); }
SAME_MATH_FN Word product_low(Word a, Word b) { return a * b; }
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
SAME_MATH_FN Double<N> double_square(Double<N> a) {
    let p = two_square(a.high);
    return
ordered_sum(p.high, p.low + 2.0 * (a.high * a.low)); }
SAME_MATH_FN V<N> with_sign(V<N> magnitude, V<N> sign) { return from_bits(to_bits(magnitude) | (to_bits(sign) & 0x8000000000000000)); }
static constexpr f64 TO_INTEGER = 6755399441055744.0;
SAME_MATH_FN V<N> power_of_two(V<N> k) { return from_bits((to_bits(k + TO_INTEGER) + 1023) << 52); }
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
template <class N> struct Reduced { V<N> n; V<N> high; V<N> low; };
SAME_MATH_FN Reduced<N> reduced(V<N> n, V<N> high, V<N> low) { return {n, high, low}; }
SAME_MATH_FN Reduced<N> exp_reduced(V<N> x) {
    let n = (x * LOG2_E + TO_INTEGER) - TO_INTEGER;
    return
reduced(n, x - n * LN2_HIGH, n * LN2_LOW); }
SAME_MATH_FN V<N> exp_tail(V<N> r) {
    let r2 = r * r;
    let even = (((EXP_8 * r2 + EXP_6) * r2 + EXP_4) * r2 + EXP_2)
* r2 + EXP_0; let odd = (((EXP_9 * r2 + EXP_7) * r2 + EXP_5) * r2 + EXP_3) *
r2 + EXP_1; return odd * r + even; }
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
from_bits(to_bits(value) + (to_bits(a.n + TO_INTEGER) << 52)); return
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
f_upper * LN2_SPLIT_LOW + (f - f_upper) * LN2; let f2 = f * f; let even =
((((EXP2_10 * f2 + EXP2_8) * f2 + EXP2_6) * f2 + EXP2_4) * f2 + EXP2_2) * f2 +
EXP2_0; let odd = (((EXP2_9 * f2 + EXP2_7) * f2 + EXP2_5) * f2 + EXP2_3) * f2
+ EXP2_1; let tail = f2 * (odd * f + even); let one =
ordered_sum(number(1.0), high); return one.high +
(one.low + (tail + (rest + low * LN2 * one.high))); }
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
SAME_MATH_FN Checked<N> exp_m1_common(V<N> x) {
    let a = exp_reduced(x);
    let r = a.high - a.low;
    let r_low = (a.high - r) -
a.low; let r_upper = upper(r); let half_square = 0.5 * (r_upper * r_upper);
let rest = 0.5 * ((r - r_upper) * (r + r_upper)) + (r * r * r) * exp_tail(r);
let e = power_of_two(a.n); let constant = e - 1.0; let constant_low =
(e - constant) - 1.0; let first = ordered_sum(constant, e * r); let second =
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
template <class N> struct Parts { V<N> k; V<N> m; };
SAME_MATH_FN Parts<N> parts(V<N> k, V<N> m) { return {k, m}; }
SAME_MATH_FN Parts<N> log_parts(V<N> x, f64 places) {
    let shifted = to_bits(x) + 0x00095f619980c433;
    let k =
from_bits((shifted >> 52) | 0x4330000000000000) -
(4503599627371519.0 - places); let m =
from_bits((shifted & 0x000fffffffffffff) + 0x3fe6a09e667f3bcd); return
parts(k, m); }
template <class N> struct Series { V<N> f; V<N> half_square; V<N> rest; };
SAME_MATH_FN Series<N> series(V<N> f, V<N> half_square, V<N> rest) { return {f, half_square, rest}; }
SAME_MATH_FN Series<N> log_series(V<N> f) {
    let s = f / (2.0 + f);
    let z = s * s;
    let w = z * z;
    let even =
((LOG_6 * w + LOG_4) * w + LOG_2) * w + LOG_0; let odd = (LOG_5 * w + LOG_3) *
w + LOG_1; let tail = z * (odd * z + even); let f_upper = upper(f); let
half_square = 0.5 * (f_upper * f_upper); let half_square_low = 0.5 *
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
SAME_MATH_FN Checked<N> ln_1p_common(V<N> x) {
    let u = two_sum(number(1.0), x);
    let p = log_parts(u.high, 0.0);
    let c = u.low
* power_of_two(-p.k); let difference_from_one = p.m - 1.0; let f =
difference_from_one + c; let e = (difference_from_one - f) + c; let value =
log_total(p.k, f, e * (1.0 - f * (1.0 - f))); let result =
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
static constexpr f64 CBRT_0 = 1.781057569564023;
static constexpr f64 CBRT_1 = -1.566028273028271;
static constexpr f64 CBRT_2 = 1.2437849005598836;
static constexpr f64 CBRT_3 = -0.5978723199023349;
static constexpr f64 CBRT_4 = 0.1560713790445051;
static constexpr f64 CBRT_5 = -0.01701900525665552;
static constexpr f64 ROOT = 1.2599210498948732;
static constexpr f64 INVERSE_ROOT = 0.7937005259840998;
static constexpr f64 THIRD = 0.3333333333333333;
template <class N> struct Root { V<N> q; V<N> z; V<N> below; V<N> above; };
SAME_MATH_FN Root<N> root(V<N> q, V<N> z, V<N> below, V<N> above) { return {q, z, below, above}; }
SAME_MATH_FN Root<N> cbrt_parts(V<N> x) {
    let bits = to_bits(x.abs());
    let k =
from_bits((bits >> 52) | 0x4330000000000000) - 4503599627371519.0; let q =
(k * THIRD + TO_INTEGER) - TO_INTEGER; let remainder = k - 3.0 * q; let m =
from_bits((bits & 0x000fffffffffffff) | 0x3ff0000000000000); let z = m *
power_of_two(remainder); let m2 = m * m; let start = (CBRT_0 + CBRT_1 * m) +
m2 * ((CBRT_2 + CBRT_3 * m) + m2 * (CBRT_4 + CBRT_5 * m)); let factor =
select(remainder.lt(0.0), ROOT, select(remainder.eq(0.0), 1.0, INVERSE_ROOT));
let r0 = start * factor; let h = 1.0 - z * (r0 * r0 * r0); let r = r0 + r0 *
(h * (THIRD + h * (0.2222222222222222 + h * 0.1728395061728395))); let r2 = r
* r; let y = z * r2; let square = two_square(y); let cube =
two_product(y, square.high); let e =
((z - cube.high) - (cube.low + y * square.low)) * (r2 * THIRD); let margin = y
* 0.0000000000000000000000000000031554436208840472; return
root(q, z, y + (e - margin), y + (e + margin)); }
SAME_MATH_FN V<N> cbrt_finished(V<N> y, V<N> q, V<N> x) { return with_sign(from_bits(to_bits(y) + (to_bits(q + TO_INTEGER) << 52)), x); }
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
#undef let
#undef mut
} // namespace same_math
