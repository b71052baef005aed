#include "scan_kernels.h"

#ifdef HAS_AVX2_KERNEL

#include <immintrin.h>

#define KERNEL(name) avx2_##name
#pragma clang attribute push(__attribute__((target("avx2,bmi,popcnt,pclmul"))), apply_to = function)

typedef struct {
    __m256i low;
    __m256i high;
} avx2_block_t;

static inline avx2_block_t avx2_load(const unsigned char *text) {
    return (avx2_block_t){
        .low = _mm256_loadu_si256((const __m256i *)(const void *)text),
        .high = _mm256_loadu_si256((const __m256i *)(const void *)(text + 32)),
    };
}

static inline uint64_t avx2_equal(const avx2_block_t *block, unsigned char byte) {
    const __m256i wanted = _mm256_set1_epi8((char)byte);
    const uint32_t low = (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(block->low, wanted));
    const uint32_t high = (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(block->high, wanted));
    return (uint64_t)high << 32 | low;
}

static inline bool avx2_has_high(const avx2_block_t *block) {
    return _mm256_movemask_epi8(_mm256_or_si256(block->low, block->high)) != 0;
}

static inline uint64_t avx2_inclusive_parity(uint64_t bits) {
    const __m128i product = _mm_clmulepi64_si128(_mm_set_epi64x(0, (long long)bits), _mm_set1_epi8(-1), 0);
    return (uint64_t)_mm_cvtsi128_si64(product);
}

static inline uint32_t avx2_count_bits(uint64_t bits) {
    return (uint32_t)__builtin_popcountll(bits);
}

static inline uint32_t avx2_first_bit(uint64_t bits) {
    return (uint32_t)_tzcnt_u64(bits);
}

#include "scan_kernel_body.h"
#pragma clang attribute pop

const index_functions_t cweir_avx2_functions = {
    avx2_index_csv, avx2_index_unquoted_csv, avx2_index_json_lines};

#else
// Not an empty file, which C does not allow.
typedef int no_avx2_kernel_t;
#endif
