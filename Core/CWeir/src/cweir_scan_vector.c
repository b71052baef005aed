#include "scan_kernels.h"

#ifdef HAS_VECTOR_KERNEL

#if defined(__x86_64__)
#include <emmintrin.h>
#else
#include <arm_neon.h>
#endif

#define KERNEL(name) vector_##name

#if defined(__x86_64__)
typedef struct {
    __m128i parts[4];
} vector_block_t;

static inline vector_block_t vector_load(const unsigned char *text) {
    vector_block_t block;
    for (int index = 0; index < 4; index++) {
        block.parts[index] = _mm_loadu_si128((const __m128i *)(const void *)(text + index * 16));
    }
    return block;
}

static inline uint64_t vector_equal(const vector_block_t *block, unsigned char byte) {
    const __m128i wanted = _mm_set1_epi8((char)byte);
    uint64_t bits = 0;
    for (int index = 0; index < 4; index++) {
        const __m128i found = _mm_cmpeq_epi8(block->parts[index], wanted);
        bits |= (uint64_t)(uint32_t)_mm_movemask_epi8(found) << (index * 16);
    }
    return bits;
}

static inline bool vector_has_high(const vector_block_t *block) {
    const __m128i *parts = block->parts;
    const __m128i all = _mm_or_si128(_mm_or_si128(parts[0], parts[1]), _mm_or_si128(parts[2], parts[3]));
    return _mm_movemask_epi8(all) != 0;
}
#else
typedef struct {
    uint8x16_t parts[4];
} vector_block_t;

static inline vector_block_t vector_load(const unsigned char *text) {
    vector_block_t block;
    for (int index = 0; index < 4; index++) {
        block.parts[index] = vld1q_u8(text + index * 16);
    }
    return block;
}

static inline uint64_t vector_equal(const vector_block_t *block, unsigned char byte) {
    const uint8x16_t wanted = vdupq_n_u8(byte);
    // The bit of each byte within its eight; adding neighbours three times gathers them.
    const uint8x16_t bit = vreinterpretq_u8_u64(vdupq_n_u64(0x8040201008040201));
    const uint8x16_t first = vandq_u8(vceqq_u8(block->parts[0], wanted), bit);
    const uint8x16_t second = vandq_u8(vceqq_u8(block->parts[1], wanted), bit);
    const uint8x16_t third = vandq_u8(vceqq_u8(block->parts[2], wanted), bit);
    const uint8x16_t fourth = vandq_u8(vceqq_u8(block->parts[3], wanted), bit);
    uint8x16_t sums = vpaddq_u8(vpaddq_u8(first, second), vpaddq_u8(third, fourth));
    sums = vpaddq_u8(sums, sums);
    return vgetq_lane_u64(vreinterpretq_u64_u8(sums), 0);
}

static inline bool vector_has_high(const vector_block_t *block) {
    const uint8x16_t *parts = block->parts;
    return vmaxvq_u8(vorrq_u8(vorrq_u8(parts[0], parts[1]), vorrq_u8(parts[2], parts[3]))) > 0x7F;
}
#endif

static inline uint64_t vector_inclusive_parity(uint64_t bits) {
    return parity_by_shifts(bits);
}

static inline uint32_t vector_count_bits(uint64_t bits) {
    return (uint32_t)__builtin_popcountll(bits);
}

static inline uint32_t vector_first_bit(uint64_t bits) {
    return first_bit_or_last(bits);
}

#include "scan_kernel_body.h"

const index_functions_t cweir_vector_functions = {
    vector_index_csv, vector_index_unquoted_csv, vector_index_json_lines};

#else
// Not an empty file, which C does not allow.
typedef int no_vector_kernel_t;
#endif
