// What is launched beside loops.
//
// Halo copies: rows of one dat to and from the words of messages. Component m of row r is at r * row_step +
// m * column_step; the words of number i of the listed rows begin at `at[i]`.

struct Arguments {
    // 0: double, 1: int, 2: float.
    i64 count, dim, row_step, column_step, element;
    void* values;
    const unsigned* rows;
    const unsigned* at;
    u64* words;
};

CFD_ENTRY(pack) {
    CFD_BEGIN
    CFD_PHASE
    const i64 i = (i64)block * CFD_THREADS + thread;
    if (i < a.count * a.dim) {
        const i64 number = i / a.dim, m = i % a.dim;
        const i64 place = a.rows[number] * a.row_step + m * a.column_step;
        a.words[a.at[number] + m] = a.element == 1   ? (u64)((const unsigned*)a.values)[place]
                                    : a.element == 2 ? cfd_bits((double)((const float*)a.values)[place])
                                                     : cfd_bits(((const double*)a.values)[place]);
    }
    CFD_END_PHASE
}

CFD_ENTRY(unpack) {
    CFD_BEGIN
    CFD_PHASE
    const i64 i = (i64)block * CFD_THREADS + thread;
    if (i < a.count * a.dim) {
        const i64 number = i / a.dim, m = i % a.dim;
        const i64 place = a.rows[number] * a.row_step + m * a.column_step;
        const u64 word = a.words[a.at[number] + m];
        if (a.element == 1) ((unsigned*)a.values)[place] = (unsigned)word;
        else if (a.element == 2) ((float*)a.values)[place] = (float)cfd_from_bits(word);
        else ((double*)a.values)[place] = cfd_from_bits(word);
    }
    CFD_END_PHASE
}

// Fills `count` rows from row `rows` on, which here is a number, with what shows when it is used.
CFD_ENTRY(poison) {
    CFD_BEGIN
    CFD_PHASE
    const i64 i = (i64)block * CFD_THREADS + thread;
    if (i < a.count * a.dim) {
        const i64 place = ((i64)(u64)a.rows + i / a.dim) * a.row_step + i % a.dim * a.column_step;
        if (a.element == 1) ((unsigned*)a.values)[place] = 0x80000000u;
        else if (a.element == 2) ((unsigned*)a.values)[place] = 0x7fc00000u;
        else ((double*)a.values)[place] = cfd_from_bits(0x7ff8000000000000ULL);
    }
    CFD_END_PHASE
}

// Copies `count` pairs of words: what the bandwidth of loops is compared with. A thread has several pairs on their way.
#define CFD_PAIRS 4

struct alignas(16) Pair {
    u64 first, second;
};

CFD_ENTRY(copy) {
    CFD_BEGIN
    CFD_PHASE
    const i64 from = (i64)block * CFD_PAIRS * CFD_THREADS + thread;
    const Pair* source = (const Pair*)a.values;
    Pair* target = (Pair*)a.words;
    Pair pairs[CFD_PAIRS];
#pragma unroll
    for (int k = 0; k < CFD_PAIRS; ++k) {
        if (from + k * CFD_THREADS < a.count) pairs[k] = source[from + k * CFD_THREADS];
    }
#pragma unroll
    for (int k = 0; k < CFD_PAIRS; ++k) {
        if (from + k * CFD_THREADS < a.count) target[from + k * CFD_THREADS] = pairs[k];
    }
    CFD_END_PHASE
}
