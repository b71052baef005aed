#include "scan_kernels.h"

#define KERNEL(name) portable_##name

typedef struct {
    uint64_t words[8];
} portable_block_t;

static inline portable_block_t portable_load(const unsigned char *text) {
    portable_block_t block;
    memcpy(&block, text, 64);
    return block;
}

// The high bit of each byte, gathered in eight bits; the first byte's is the lowest.
static inline uint64_t portable_gather(uint64_t word) {
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    return ((word >> 7 & 0x0101010101010101) * 0x0102040810204080) >> 56;
}

static inline uint64_t portable_equal(const portable_block_t *block, unsigned char byte) {
    const uint64_t low = 0x7F7F7F7F7F7F7F7F;
    uint64_t bits = 0;
    for (int index = 0; index < 8; index++) {
        const uint64_t difference = block->words[index] ^ byte * 0x0101010101010101;
        bits |= portable_gather(~(((difference & low) + low) | difference)) << (index * 8);
    }
    return bits;
}

static inline bool portable_has_high(const portable_block_t *block) {
    uint64_t all = 0;
    for (int index = 0; index < 8; index++) {
        all |= block->words[index];
    }
    return (all & 0x8080808080808080) != 0;
}

static inline uint64_t portable_inclusive_parity(uint64_t bits) {
    return parity_by_shifts(bits);
}

static inline uint32_t portable_count_bits(uint64_t bits) {
    return (uint32_t)__builtin_popcountll(bits);
}

static inline uint32_t portable_first_bit(uint64_t bits) {
    return first_bit_or_last(bits);
}

#include "scan_kernel_body.h"

const index_functions_t cweir_portable_functions = {
    portable_index_csv, portable_index_unquoted_csv, portable_index_json_lines};
