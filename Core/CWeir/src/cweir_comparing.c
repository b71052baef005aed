#include "cweir_columns.h"

#if defined(__x86_64__)
#include <emmintrin.h>

// The bits of 64 numbers, two at a time.
#define FULL_WORD(WIDE, OPERATOR)                                                                                      \
    const __m128d other = _mm_set1_pd(constant);                                                                       \
    for (size_t place = 0; place < 64; place += 2) {                                                                   \
        word |= (uint64_t)_mm_movemask_pd(WIDE(_mm_loadu_pd(values + first + place), other)) << place;                 \
    }
#else
#define FULL_WORD(WIDE, OPERATOR)                                                                                      \
    for (size_t place = 0; place < 64; place++) {                                                                      \
        word |= (uint64_t)(values[first + place] OPERATOR constant) << place;                                          \
    }
#endif

#define COMPARE(WIDE, OPERATOR)                                                                                        \
    for (; first + 64 <= count; first += 64) {                                                                         \
        uint64_t word = 0;                                                                                             \
        FULL_WORD(WIDE, OPERATOR)                                                                                      \
        bits[first >> 6] = word;                                                                                       \
    }                                                                                                                  \
    if (first < count) {                                                                                               \
        uint64_t word = 0;                                                                                             \
        for (size_t place = 0; first + place < count; place++) {                                                       \
            word |= (uint64_t)(values[first + place] OPERATOR constant) << place;                                      \
        }                                                                                                              \
        bits[first >> 6] = word;                                                                                       \
    }                                                                                                                  \
    return

void cweir_compare_doubles(
    const double *values, size_t count, cweir_comparison_t comparison, double constant, uint64_t *bits) {
    size_t first = 0;
    switch (comparison) {
    case CWEIR_EQUAL: {
        COMPARE(_mm_cmpeq_pd, ==);
    }
    case CWEIR_NOT_EQUAL: {
        COMPARE(_mm_cmpneq_pd, !=);
    }
    case CWEIR_LESS: {
        COMPARE(_mm_cmplt_pd, <);
    }
    case CWEIR_LESS_OR_EQUAL: {
        COMPARE(_mm_cmple_pd, <=);
    }
    case CWEIR_GREATER: {
        COMPARE(_mm_cmpgt_pd, >);
    }
    case CWEIR_GREATER_OR_EQUAL: {
        COMPARE(_mm_cmpge_pd, >=);
    }
    }
}
