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
