#ifndef CWEIR_OUTLINE_H
#define CWEIR_OUTLINE_H

#include "cweir_base.h"

#pragma clang assume_nonnull begin

// A part of some bytes: how long it is, and a fingerprint of it.
typedef struct cweir_part {
    uint64_t fingerprint[2];
    size_t length;
} cweir_part_t;

// The length of the shortest part, but for the last one, and of the longest.
#define CWEIR_PART_LEAST 256
#define CWEIR_PART_MOST 8192

// Divides bytes into parts of about 750 bytes, at places that depend only on the 64 bytes before them and on `key`: where bytes
// are inserted or removed, the parts around them change and the others stay.
//
// The fingerprint is SipHash-2-4 with 128 bits: without the key nobody can make two parts that have the same one.
// (Muthitacharoen, Chen, Mazières, "A low-bandwidth network file system", 2001; Xia and others, "FastCDC", 2016; Aumasson,
// Bernstein, "SipHash: a fast short-input PRF", 2012.)
//
// Writes at most `capacity` parts; length / CWEIR_PART_LEAST + 1 is always enough. Returns how many there are.
// Thread safety: any thread. Complexity: O(length), no allocation.
size_t cweir_outline(
    const unsigned char *bytes, size_t length, const uint64_t *key, cweir_part_t *parts, size_t capacity
);

#pragma clang assume_nonnull end

#endif
