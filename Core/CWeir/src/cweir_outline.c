#include "cweir_outline.h"

#include <string.h>

// A place is the end of a part where these bits of the rolling sum are zero: one in 512. The highest bits depend on the
// most bytes.
#define END_MASK ((uint64_t)0x1FF << 55)

// How many bytes the rolling sum depends on.
#define SUM_LENGTH 64

typedef struct sip_state {
    uint64_t v0, v1, v2, v3;
} sip_state_t;

static inline uint64_t rotated(uint64_t word, int count) { return (word << count) | (word >> (64 - count)); }

static inline void sip_round(sip_state_t *state) {
    state->v0 += state->v1;
    state->v2 += state->v3;
    state->v1 = rotated(state->v1, 13) ^ state->v0;
    state->v3 = rotated(state->v3, 16) ^ state->v2;
    state->v0 = rotated(state->v0, 32);
    state->v2 += state->v1;
    state->v0 += state->v3;
    state->v1 = rotated(state->v1, 17) ^ state->v2;
    state->v3 = rotated(state->v3, 21) ^ state->v0;
    state->v2 = rotated(state->v2, 32);
}

static inline void sip_take(sip_state_t *state, uint64_t word) {
    state->v3 ^= word;
    sip_round(state);
    sip_round(state);
    state->v0 ^= word;
}

static inline uint64_t sip_end(sip_state_t *state) {
    for (int round = 0; round < 4; round += 1) sip_round(state);
    return state->v0 ^ state->v1 ^ state->v2 ^ state->v3;
}

static void fingerprint(const unsigned char *bytes, size_t length, const uint64_t *key, uint64_t *result) {
    sip_state_t state = {
        key[0] ^ UINT64_C(0x736f6d6570736575), key[1] ^ UINT64_C(0x646f72616e646f6d) ^ 0xEE,
        key[0] ^ UINT64_C(0x6c7967656e657261), key[1] ^ UINT64_C(0x7465646279746573)
    };
    size_t position = 0;
    for (; length - position >= 8; position += 8) {
        uint64_t word;
        memcpy(&word, bytes + position, sizeof(word));
        sip_take(&state, word);
    }
    uint64_t last = (uint64_t)length << 56;
    for (int shift = 0; position < length; position += 1, shift += 8) last |= (uint64_t)bytes[position] << shift;
    sip_take(&state, last);
    state.v2 ^= 0xEE;
    result[0] = sip_end(&state);
    state.v1 ^= 0xDD;
    result[1] = sip_end(&state);
}

// What each byte adds to the rolling sum: numbers of a generator that the key begins (Steele and others, "Fast splittable
// pseudorandom number generators", 2014).
static void fill(uint64_t *addends, const uint64_t *key) {
    uint64_t state = key[0] ^ rotated(key[1], 32);
    for (int byte = 0; byte < 256; byte += 1) {
        state += UINT64_C(0x9E3779B97F4A7C15);
        uint64_t mixed = state;
        mixed = (mixed ^ (mixed >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
        mixed = (mixed ^ (mixed >> 27)) * UINT64_C(0x94D049BB133111EB);
        addends[byte] = mixed ^ (mixed >> 31);
    }
}

static size_t part_length(const unsigned char *bytes, size_t length, const uint64_t *addends) {
    if (length <= CWEIR_PART_LEAST) return length;
    size_t limit = length < CWEIR_PART_MOST ? length : CWEIR_PART_MOST;
    uint64_t sum = 0;
    size_t position = CWEIR_PART_LEAST - SUM_LENGTH;
    for (; position < CWEIR_PART_LEAST; position += 1) sum = (sum << 1) + addends[bytes[position]];
    for (; position < limit; position += 1) {
        if ((sum & END_MASK) == 0) return position;
        sum = (sum << 1) + addends[bytes[position]];
    }
    return limit;
}

size_t cweir_outline(
    const unsigned char *bytes, size_t length, const uint64_t *key, cweir_part_t *parts, size_t capacity
) {
    uint64_t addends[256];
    fill(addends, key);
    size_t count = 0;
    while (length > 0 && count < capacity) {
        cweir_part_t *part = &parts[count];
        part->length = part_length(bytes, length, addends);
        fingerprint(bytes, part->length, key, part->fingerprint);
        bytes += part->length;
        length -= part->length;
        count += 1;
    }
    return count;
}
