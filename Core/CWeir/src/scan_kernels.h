#ifndef CWEIR_SCAN_KERNELS_H
#define CWEIR_SCAN_KERNELS_H

#include "cweir_scan.h"

#include <string.h>

#if defined(__x86_64__) || defined(__aarch64__)
#define HAS_VECTOR_KERNEL 1
#endif
#if defined(__x86_64__)
#define HAS_AVX2_KERNEL 1
#endif

typedef void index_function_t(
    cweir_index_t *index, const unsigned char *text, size_t length, uint32_t row_limit, unsigned char delimiter);

// What indexes text with one kernel.
typedef struct {
    index_function_t *csv;
    // The same where quotes are no quotes.
    index_function_t *unquoted_csv;
    // The delimiter is a comma.
    index_function_t *json_lines;
} index_functions_t;

extern const index_functions_t cweir_portable_functions;
#ifdef HAS_VECTOR_KERNEL
extern const index_functions_t cweir_vector_functions;
#endif
#ifdef HAS_AVX2_KERNEL
extern const index_functions_t cweir_avx2_functions;
#endif

// The last bytes of a text with zeros behind them, which separate nothing.
static inline const unsigned char *copy_tail(unsigned char *tail, const unsigned char *text, size_t length) {
    memset(tail, 0, 64);
    memcpy(tail, text, length);
    return tail;
}

// For each bit the parity of those up to it: set from each odd one to before the next.
static inline uint64_t parity_by_shifts(uint64_t bits) {
    bits ^= bits << 1;
    bits ^= bits << 2;
    bits ^= bits << 4;
    bits ^= bits << 8;
    bits ^= bits << 16;
    bits ^= bits << 32;
    return bits;
}

static inline uint32_t first_bit_or_last(uint64_t bits) {
    return (uint32_t)__builtin_ctzll(bits | 1ULL << 63);
}

#endif
