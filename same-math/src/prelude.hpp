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
