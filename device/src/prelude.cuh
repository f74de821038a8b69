// What the code of every loop begins with. One source for two compilers: NVRTC for a GPU, and a host C++ compiler for
// the emulated device of the tests.
//
// A loop's entry is a sequence of phases. Threads of a block run a phase in any order, and all of them have ended it
// before one begins the next; what passes from phase to phase is in shared memory. On a GPU a phase is the code between
// two barriers; on the emulated device it is a loop over the block's threads, in an order drawn at random.
//
// All arithmetic is IEEE 754 double precision without contraction (--fmad=false, -ffp-contract=off).

typedef unsigned long long u64;
typedef long long i64;
typedef unsigned short u16;

static_assert(sizeof(u64) == 8 && sizeof(double) == 8 && sizeof(int) == 4, "the sizes the host counts with");

#if defined(__CUDACC__)

#define CFD_FUNCTION static __device__ __forceinline__
#define CFD_MEMBER __device__ __forceinline__
#define CFD_ENTRY(name) extern "C" __global__ void __launch_bounds__(CFD_THREADS) name(const Arguments a)
#define CFD_BEGIN const unsigned block = blockIdx.x;
#define CFD_SHARED(type, name, count) __shared__ type name[count]
#define CFD_PHASE { const unsigned thread = threadIdx.x;
#define CFD_END_PHASE } __syncthreads();

CFD_FUNCTION double cfd_sqrt(double x) { return __dsqrt_rn(x); }
CFD_FUNCTION double cfd_abs(double x) { return fabs(x); }
CFD_FUNCTION u64 cfd_bits(double x) { return (u64)__double_as_longlong(x); }
CFD_FUNCTION double cfd_from_bits(u64 x) { return __longlong_as_double((i64)x); }
CFD_FUNCTION void cfd_add_shared(int* at, int value) { atomicAdd(at, value); }
CFD_FUNCTION void cfd_add_global(u64* at, u64 value) { atomicAdd(at, value); }
CFD_FUNCTION void cfd_or_global(u64* at, u64 value) { atomicOr(at, value); }
CFD_FUNCTION void cfd_plus_atomic(double* at, double value) { atomicAdd(at, value); }
CFD_FUNCTION void cfd_plus_atomic(float* at, float value) { atomicAdd(at, value); }
CFD_FUNCTION void cfd_plus_atomic(int* at, int value) { atomicAdd(at, value); }
// The value that was there; the new one is there if that was the expected one.
CFD_FUNCTION u64 cfd_replace(u64* at, u64 expected, u64 value) { return atomicCAS(at, expected, value); }
// The loads of these values stand before this point; it waits for none of them.
CFD_FUNCTION void cfd_asked_for(double value) { asm volatile("" ::"d"(value)); }
CFD_FUNCTION void cfd_asked_for(int value) { asm volatile("" ::"r"(value)); }

#else

#define CFD_FUNCTION static inline
#define CFD_MEMBER inline
#define CFD_ENTRY(name)                                                                              \
    static void name##_block(const Arguments& a, Launch& launch, const unsigned block);              \
    extern "C" void name(const Arguments* a, unsigned blocks, u64 seed) {                            \
        Launch launch(CFD_THREADS, seed), grid(blocks, ~seed);                                       \
        grid.shuffle();                                                                              \
        for (const unsigned block : grid) name##_block(*a, launch, block);                           \
    }                                                                                                \
    static void name##_block(const Arguments& a, Launch& launch, const unsigned block)
#define CFD_BEGIN (void)block;
#define CFD_SHARED(type, name, count) Shared<type, count> name
#define CFD_PHASE { launch.shuffle(); for (const unsigned thread : launch) {
#define CFD_END_PHASE } }

// The order in which threads run a phase, or blocks a grid. Of libraries, only C's is needed.
struct Launch {
    unsigned* first;
    unsigned count;
    u64 state;
    Launch(unsigned n, u64 seed)
        : first((unsigned*)__builtin_malloc(n * sizeof(unsigned))), count(n), state(seed) {
        for (unsigned i = 0; i < n; ++i) first[i] = i;
    }
    ~Launch() { __builtin_free(first); }
    Launch(const Launch&) = delete;
    const unsigned* begin() const { return first; }
    const unsigned* end() const { return first + count; }
    void shuffle() {
        for (unsigned i = count; i > 1; --i) {
            // SplitMix64: Steele, Lea, Flood, OOPSLA 2014, DOI 10.1145/2660193.2660195.
            u64 z = (state += 0x9e3779b97f4a7c15ULL);
            z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
            z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
            const unsigned other = (unsigned)((z ^ (z >> 31)) % i);
            const unsigned kept = first[i - 1];
            first[i - 1] = first[other];
            first[other] = kept;
        }
    }
};

// Shared memory begins with whatever was there: here with what shows when it is used.
template <class T, int N>
struct Shared {
    T at[N];
    Shared() { __builtin_memset(at, 0xff, sizeof at); }
    operator T*() { return at; }
};

CFD_FUNCTION double cfd_sqrt(double x) { return __builtin_sqrt(x); }
CFD_FUNCTION double cfd_abs(double x) { return __builtin_fabs(x); }
CFD_FUNCTION u64 cfd_bits(double x) { u64 bits; __builtin_memcpy(&bits, &x, 8); return bits; }
CFD_FUNCTION double cfd_from_bits(u64 x) { double value; __builtin_memcpy(&value, &x, 8); return value; }
CFD_FUNCTION void cfd_add_shared(int* at, int value) { *at += value; }
CFD_FUNCTION void cfd_add_global(u64* at, u64 value) { *at += value; }
CFD_FUNCTION void cfd_or_global(u64* at, u64 value) { *at |= value; }
CFD_FUNCTION void cfd_plus_atomic(double* at, double value) { *at += value; }
CFD_FUNCTION void cfd_plus_atomic(float* at, float value) { *at += value; }
CFD_FUNCTION void cfd_plus_atomic(int* at, int value) { *at += value; }
CFD_FUNCTION u64 cfd_replace(u64* at, u64 expected, u64 value) {
    const u64 found = *at;
    if (found == expected) *at = value;
    return found;
}
CFD_FUNCTION void cfd_asked_for(double) {}
CFD_FUNCTION void cfd_asked_for(int) {}

#endif

// min is `a < b ? a : b` and max is `b < a ? a : b`, on every processor.
CFD_FUNCTION double cfd_min(double a, double b) { return a < b ? a : b; }
CFD_FUNCTION double cfd_max(double a, double b) { return b < a ? a : b; }

// The type in which a kernel computes with stored values: single precision is widened when it is loaded, and rounded to
// the nearest when it is stored.
template <class T>
struct Computed {
    typedef T type;
    enum { single = 0 };
};
template <>
struct Computed<float> {
    typedef double type;
    enum { single = 1 };
};

// The values of one operand for one element.
template <class T, int N>
struct Row {
    T at[N];
    CFD_MEMBER T& operator[](int i) { return at[i]; }
    CFD_MEMBER const T& operator[](int i) const { return at[i]; }
};

template <class T, int N>
CFD_FUNCTION Row<T, N> cfd_filled(T value) {
    Row<T, N> row;
#pragma unroll
    for (int m = 0; m < N; ++m) row.at[m] = value;
    return row;
}

// A row of a list that never changes: of a map, or places. Rows of 4, 8 and 16 bytes are read at once: lists begin at
// multiples of 256 bytes.
template <int N, class T>
CFD_FUNCTION Row<T, N> cfd_row(const T* list, i64 number) {
    Row<T, N> row;
#if defined(__CUDACC__)
    if (sizeof row == 4) {
        const unsigned whole = __ldg(reinterpret_cast<const unsigned*>(list) + number);
        memcpy(&row, &whole, sizeof row);
        return row;
    }
    if (sizeof row == 8) {
        const uint2 whole = __ldg(reinterpret_cast<const uint2*>(list) + number);
        memcpy(&row, &whole, sizeof row);
        return row;
    }
    if (sizeof row == 16) {
        const uint4 whole = __ldg(reinterpret_cast<const uint4*>(list) + number);
        memcpy(&row, &whole, sizeof row);
        return row;
    }
#endif
#pragma unroll
    for (int m = 0; m < N; ++m) row.at[m] = list[number * N + m];
    return row;
}

// A row of a dat: component m of row r is at r * N + m, or, component by component, at m * rows + r.
template <int N, class T>
CFD_FUNCTION Row<typename Computed<T>::type, N> cfd_load(const T* values, i64 row) {
    typedef typename Computed<T>::type To;
    Row<To, N> loaded;
#if defined(__CUDACC__)
    // Two doubles at a time; rows of an even number of doubles are aligned to 16 bytes.
    if (sizeof(T) == 8 && N % 2 == 0) {
        const double2* pairs = reinterpret_cast<const double2*>(values + row * N);
#pragma unroll
        for (int m = 0; m < N / 2; ++m) {
            const double2 pair = pairs[m];
            loaded.at[2 * m] = (To)pair.x;
            loaded.at[(2 * m + 1) % N] = (To)pair.y;
        }
        return loaded;
    }
    // Four floats at a time, likewise.
    if (Computed<T>::single && N % 4 == 0) {
        const float4* fours = reinterpret_cast<const float4*>(values + row * N);
#pragma unroll
        for (int m = 0; m < N / 4; ++m) {
            const float4 four = fours[m];
            loaded.at[4 * m] = (To)four.x;
            loaded.at[(4 * m + 1) % N] = (To)four.y;
            loaded.at[(4 * m + 2) % N] = (To)four.z;
            loaded.at[(4 * m + 3) % N] = (To)four.w;
        }
        return loaded;
    }
#endif
#pragma unroll
    for (int m = 0; m < N; ++m) loaded.at[m] = values[row * N + m];
    return loaded;
}

// The same in shared memory, where rows have an odd distance.
template <int N, class T>
CFD_FUNCTION Row<T, N> cfd_load_shared(const T* values) {
    Row<T, N> loaded;
#pragma unroll
    for (int m = 0; m < N; ++m) loaded.at[m] = values[m];
    return loaded;
}

template <int N, class T>
CFD_FUNCTION void cfd_store_shared(T* values, const Row<T, N>& stored) {
#pragma unroll
    for (int m = 0; m < N; ++m) values[m] = stored.at[m];
}

template <class T, int N>
CFD_FUNCTION void cfd_asked_for(const Row<T, N>& row) {
#pragma unroll
    for (int m = 0; m < N; ++m) cfd_asked_for(row.at[m]);
}

template <int N, class T>
CFD_FUNCTION void cfd_store(T* values, i64 row, const Row<typename Computed<T>::type, N>& stored) {
#if defined(__CUDACC__)
    if (sizeof(T) == 8 && N % 2 == 0) {
        double2* pairs = reinterpret_cast<double2*>(values + row * N);
#pragma unroll
        for (int m = 0; m < N / 2; ++m) {
            pairs[m] = make_double2((double)stored.at[2 * m], (double)stored.at[(2 * m + 1) % N]);
        }
        return;
    }
    if (Computed<T>::single && N % 4 == 0) {
        float4* fours = reinterpret_cast<float4*>(values + row * N);
#pragma unroll
        for (int m = 0; m < N / 4; ++m) {
            fours[m] = make_float4((float)stored.at[4 * m], (float)stored.at[(4 * m + 1) % N],
                                   (float)stored.at[(4 * m + 2) % N], (float)stored.at[(4 * m + 3) % N]);
        }
        return;
    }
#endif
#pragma unroll
    for (int m = 0; m < N; ++m) values[row * N + m] = (T)stored.at[m];
}

template <int N, class T>
CFD_FUNCTION Row<typename Computed<T>::type, N> cfd_load_columns(const T* values, i64 rows, i64 row) {
    Row<typename Computed<T>::type, N> loaded;
#pragma unroll
    for (int m = 0; m < N; ++m) loaded.at[m] = values[m * rows + row];
    return loaded;
}

template <int N, class T>
CFD_FUNCTION void cfd_store_columns(T* values, i64 rows, i64 row,
                                    const Row<typename Computed<T>::type, N>& stored) {
#pragma unroll
    for (int m = 0; m < N; ++m) values[m * rows + row] = (T)stored.at[m];
}

// An exact sum: the significand of every term, as digits of 16 bits, added to the integers of its digits, so that no
// order of the terms changes a bit. A block keeps several copies of the digits in shared memory, so that its threads do
// not wait for each other. Unit of digit 0: 2^-1074.
#define CFD_DIGITS 132
#define CFD_COPIES 8
#define CFD_SUM (CFD_DIGITS * CFD_COPIES)
// Digits of 32 bits that the host reads, then one word that says which infinities were among the terms.
#define CFD_WORDS 66

CFD_FUNCTION void cfd_deposit(int* digits, u64* total, unsigned thread, double term) {
    const u64 bits = cfd_bits(term);
    const int exponent = (int)(bits >> 52) & 0x7ff;
    const u64 fraction = bits & 0xfffffffffffffULL;
    const bool negative = (bits >> 63) != 0;
    if (exponent == 0x7ff) {
        // 1: +infinity, 2: -infinity; a NaN counts as both.
        cfd_or_global(total + CFD_WORDS, fraction != 0 ? 3 : negative ? 2 : 1);
        return;
    }
    const u64 significand = fraction | (exponent != 0 ? 1ULL << 52 : 0);
    const int position = exponent != 0 ? exponent - 1 : 0;
    const int shift = position % 16;
    const u64 low = significand << shift;
    const u64 high = shift == 0 ? 0 : significand >> (64 - shift);
    int* at = digits + (position / 16) * CFD_COPIES + thread % CFD_COPIES;
#pragma unroll
    for (int k = 0; k < 5; ++k) {
        const int digit = (int)((k < 4 ? low >> (16 * k) : high) & 0xffff);
        if (digit != 0) cfd_add_shared(at + k * CFD_COPIES, negative ? -digit : digit);
    }
}

// Adds two neighbouring digits of all copies to the word of the whole sum.
CFD_FUNCTION void cfd_flush(const int* digits, u64* total, unsigned word) {
    i64 sum = 0;
    for (int k = 0; k < CFD_COPIES; ++k) {
        sum += (i64)digits[2 * word * CFD_COPIES + k] + ((i64)digits[(2 * word + 1) * CFD_COPIES + k]) * 65536;
    }
    if (sum != 0) cfd_add_global(total + word, (u64)sum);
}

// The place of a value in the order of minima or maxima, as an unsigned integer: NaN first, then for a minimum
// ascending with -0 before 0, for a maximum descending.
CFD_FUNCTION u64 cfd_rank_min(double value) {
    if (value != value) return 0;
    const i64 bits = (i64)cfd_bits(value);
    return (u64)(bits ^ (i64)((u64)(bits >> 63) >> 1)) ^ (1ULL << 63);
}

CFD_FUNCTION u64 cfd_rank_max(double value) {
    if (value != value) return 0;
    const i64 bits = (i64)cfd_bits(value);
    return (0 - (u64)(bits ^ (i64)((u64)(bits >> 63) >> 1))) ^ (1ULL << 63);
}

// An extremum's candidate: the rank of its value, then the lowest global id.
struct Best {
    u64 rank, id;
};

CFD_FUNCTION void cfd_improve(Best& best, const Best& candidate) {
    if (candidate.rank < best.rank || (candidate.rank == best.rank && candidate.id < best.id)) best = candidate;
}

// Integers wrap, as in Rust.
CFD_FUNCTION double cfd_plus(double a, double b) { return a + b; }
CFD_FUNCTION float cfd_plus(float a, float b) { return a + b; }
CFD_FUNCTION int cfd_plus(int a, int b) { return (int)((unsigned)a + (unsigned)b); }

// The earlier of two values in the order of minima or maxima, with one NaN for all of them. Equal numbers differ in the
// sign of zero at most.
CFD_FUNCTION double cfd_least(double a, double b) {
    if (a != a || b != b) return cfd_from_bits(0x7ff8000000000000ULL);
    if (a == b) return cfd_from_bits(cfd_bits(a) | cfd_bits(b));
    return b < a ? b : a;
}

CFD_FUNCTION double cfd_greatest(double a, double b) {
    if (a != a || b != b) return cfd_from_bits(0x7ff8000000000000ULL);
    if (a == b) return cfd_from_bits(cfd_bits(a) & cfd_bits(b));
    return a < b ? b : a;
}

// As `*at = combine(*at, value)`, for all threads at once.
#define CFD_ATOMIC(combine)                                                                          \
    CFD_FUNCTION void combine##_atomic(double* at, double value) {                                   \
        u64 expected = cfd_bits(*at);                                                                \
        while (true) {                                                                               \
            const u64 combined = cfd_bits(combine(cfd_from_bits(expected), value));                  \
            if (combined == expected) return;                                                        \
            const u64 found = cfd_replace((u64*)at, expected, combined);                             \
            if (found == expected) return;                                                           \
            expected = found;                                                                        \
        }                                                                                            \
    }
CFD_ATOMIC(cfd_least)
CFD_ATOMIC(cfd_greatest)

// A listed row carries in its highest bit whether it is executed where it is owned, where its own results count.
#define CFD_OWNED 0x80000000u
#define CFD_NOWHERE 0xffffu
