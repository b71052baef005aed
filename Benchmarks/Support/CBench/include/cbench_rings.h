#ifndef CBENCH_RINGS_H
#define CBENCH_RINGS_H

#include <stdint.h>

#pragma clang assume_nonnull begin

enum { CBENCH_RING_CAPACITY = 4096, CBENCH_BATCH = 64 };

// An element of one cache line.
typedef struct cbench_line {
    uint64_t words[8];
} cbench_line_t;

// Each moves the numbers from 0 to `total`, a multiple of 128, over a ring of CBENCH_RING_CAPACITY slots to another
// thread, which sums them up, and returns the nanoseconds that it took. Aborts when the sum is wrong.

// One producer, batches of CBENCH_BATCH, filled and read where they are in the ring.
int64_t cbench_ring_in_place(uint64_t total);
// The same with elements of a cache line each.
int64_t cbench_ring_lines_in_place(uint64_t total);
// The limit of that: no ring, but two halves of as many lines that the sides fill and read in turn.
int64_t cbench_lines_in_halves(uint64_t total);
// One producer, batches of CBENCH_BATCH, copied in from an array and copied out into one.
int64_t cbench_ring_copied(uint64_t total);
// One producer, published one by one, taken one by one.
int64_t cbench_ring_one_by_one(uint64_t total);
// One producer, published one by one, taken in batches.
int64_t cbench_ring_one_to_batch(uint64_t total);
// Two producers, which share a core, batches of CBENCH_BATCH, filled and read in place.
int64_t cbench_shared_in_place(uint64_t total);
// The same, copied in from an array.
int64_t cbench_shared_copied(uint64_t total);
// Two producers, published and taken one by one.
int64_t cbench_shared_one_by_one(uint64_t total);

#pragma clang assume_nonnull end

#endif
