#ifndef CWEIR_SHA256_H
#define CWEIR_SHA256_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

enum { CWEIR_SHA256_LENGTH = 32 };

// The hash function SHA-256 of FIPS 180-4, and the message authentication code HMAC of RFC 2104 with it.
// Thread safety: any thread, one at a time for a state.
typedef struct cweir_sha256 {
    uint32_t state[8];
    uint64_t count;
    unsigned char block[64];
} cweir_sha256_t;

void cweir_sha256_begin(cweir_sha256_t *hash);
void cweir_sha256_add(cweir_sha256_t *hash, const void *bytes, size_t count);
void cweir_sha256_end(cweir_sha256_t *hash, unsigned char *digest);

// A key, with the two hashes that every code begins with: a code of a short message takes four blocks otherwise, and
// two with these.
typedef struct cweir_hmac_key {
    cweir_sha256_t inner;
    cweir_sha256_t outer;
} cweir_hmac_key_t;

void cweir_hmac_key_make(cweir_hmac_key_t *key, const void *bytes, size_t count);
void cweir_hmac_sign(const cweir_hmac_key_t *key, const void *bytes, size_t count, unsigned char *code);

// Compares in a time that says nothing about where the codes differ.
bool cweir_hmac_verify(const cweir_hmac_key_t *key, const void *bytes, size_t count, const unsigned char *code);

#pragma clang assume_nonnull end

#endif
