#include "cweir_sha256.h"

#include <string.h>

// The first 32 bits of the fractional parts of the cube roots of the first 64 primes.
static const uint32_t constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static inline uint32_t rotate(uint32_t word, unsigned count) {
    return (word >> count) | (word << (32 - count));
}

static void compress(uint32_t *state, const unsigned char *block) {
    uint32_t words[64];
    for (int index = 0; index < 16; index++) {
        const unsigned char *at = block + 4 * index;
        words[index] = (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
    }
    for (int index = 16; index < 64; index++) {
        const uint32_t early = words[index - 15];
        const uint32_t late = words[index - 2];
        words[index] = words[index - 16] + (rotate(early, 7) ^ rotate(early, 18) ^ (early >> 3)) + words[index - 7]
            + (rotate(late, 17) ^ rotate(late, 19) ^ (late >> 10));
    }
    uint32_t a = state[0], b = state[1], c = state[2], d = state[3];
    uint32_t e = state[4], f = state[5], g = state[6], h = state[7];
    for (int index = 0; index < 64; index++) {
        const uint32_t one = h + (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) + ((e & f) ^ (~e & g))
            + constants[index] + words[index];
        const uint32_t two = (rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
        h = g;
        g = f;
        f = e;
        e = d + one;
        d = c;
        c = b;
        b = a;
        a = one + two;
    }
    state[0] += a;
    state[1] += b;
    state[2] += c;
    state[3] += d;
    state[4] += e;
    state[5] += f;
    state[6] += g;
    state[7] += h;
}

void cweir_sha256_begin(cweir_sha256_t *hash) {
    static const uint32_t start[8] = {
        0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
    };
    memcpy(hash->state, start, sizeof(start));
    hash->count = 0;
}

void cweir_sha256_add(cweir_sha256_t *hash, const void *bytes, size_t count) {
    const unsigned char *rest = bytes;
    const size_t filled = (size_t)(hash->count % 64);
    hash->count += count;
    if (filled > 0) {
        const size_t wanted = 64 - filled;
        if (count < wanted) {
            memcpy(hash->block + filled, rest, count);
            return;
        }
        memcpy(hash->block + filled, rest, wanted);
        compress(hash->state, hash->block);
        rest += wanted;
        count -= wanted;
    }
    while (count >= 64) {
        compress(hash->state, rest);
        rest += 64;
        count -= 64;
    }
    if (count > 0) {
        memcpy(hash->block, rest, count);
    }
}

void cweir_sha256_end(cweir_sha256_t *hash, unsigned char *digest) {
    const uint64_t bits = hash->count * 8;
    unsigned char padding[72] = {0x80};
    const size_t filled = (size_t)(hash->count % 64);
    const size_t length = (filled < 56 ? 56 : 120) - filled;
    for (int index = 0; index < 8; index++) {
        padding[length + (size_t)index] = (unsigned char)(bits >> (56 - 8 * index));
    }
    cweir_sha256_add(hash, padding, length + 8);
    for (int index = 0; index < 32; index++) {
        digest[index] = (unsigned char)(hash->state[index / 4] >> (24 - 8 * (index % 4)));
    }
}

void cweir_hmac_key_make(cweir_hmac_key_t *key, const void *bytes, size_t count) {
    unsigned char block[64] = {0};
    if (count > sizeof(block)) {
        cweir_sha256_t hash;
        cweir_sha256_begin(&hash);
        cweir_sha256_add(&hash, bytes, count);
        cweir_sha256_end(&hash, block);
    } else {
        memcpy(block, bytes, count);
    }
    unsigned char inner[64];
    unsigned char outer[64];
    for (int index = 0; index < 64; index++) {
        inner[index] = block[index] ^ 0x36;
        outer[index] = block[index] ^ 0x5c;
    }
    cweir_sha256_begin(&key->inner);
    cweir_sha256_add(&key->inner, inner, sizeof(inner));
    cweir_sha256_begin(&key->outer);
    cweir_sha256_add(&key->outer, outer, sizeof(outer));
}

void cweir_hmac_sign(const cweir_hmac_key_t *key, const void *bytes, size_t count, unsigned char *code) {
    unsigned char digest[CWEIR_SHA256_LENGTH];
    cweir_sha256_t hash = key->inner;
    cweir_sha256_add(&hash, bytes, count);
    cweir_sha256_end(&hash, digest);
    hash = key->outer;
    cweir_sha256_add(&hash, digest, sizeof(digest));
    cweir_sha256_end(&hash, code);
}

bool cweir_hmac_verify(const cweir_hmac_key_t *key, const void *bytes, size_t count, const unsigned char *code) {
    unsigned char expected[CWEIR_SHA256_LENGTH];
    cweir_hmac_sign(key, bytes, count, expected);
    volatile unsigned char difference = 0;
    for (int index = 0; index < CWEIR_SHA256_LENGTH; index++) {
        difference = (unsigned char)(difference | (expected[index] ^ code[index]));
    }
    return difference == 0;
}
