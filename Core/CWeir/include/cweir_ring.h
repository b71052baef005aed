#ifndef CWEIR_RING_H
#define CWEIR_RING_H

#include "cweir_base.h"

#pragma clang assume_nonnull begin

// A bounded ring of fixed-size slots from one producer to one consumer. Slots are raw memory: the producer fills the
// run that it claimed and publishes it, the consumer uses the run that it peeked at and releases it.
//
//     cweir_run_t run = cweir_ring_claim(ring, 64);       cweir_run_t run = cweir_ring_peek(ring, 64);
//     fill(run.slots, run.count);                         use(run.slots, run.count);
//     cweir_ring_publish(ring, run.count);                cweir_ring_release(ring, run.count);
//
// Positions are free-running 64-bit counters that may wrap; the slot of a position is `position & mask`. Each side
// keeps a private copy of the other side's position and reads the shared one only when the copy promises too little.
// A consumer that finds little should pause before it looks again: each look moves the producer's line.
//
// Thread safety: one thread at a time may call claim and publish, one thread at a time peek and release; a side may
// pass from thread to thread if the passing itself synchronises. cweir_ring_count may be called from any thread.
// Progress: every function is wait-free; only create and destroy allocate.
typedef struct CWEIR_NONCOPYABLE cweir_ring {
    // The producer's line.
    _Atomic(uint64_t) tail; // next position to publish; stored by the producer
    uint64_t head_seen;     // the producer's copy of `head`
    CWEIR_PAD(0, 2 * sizeof(uint64_t));

    // The consumer's line.
    _Atomic(uint64_t) head; // next position to release; stored by the consumer
    uint64_t tail_seen;     // the consumer's copy of `tail`
    CWEIR_PAD(1, 2 * sizeof(uint64_t));

    // Read only.
    uint64_t mask; // capacity - 1
    size_t stride; // bytes from slot to slot
    unsigned char *slots;
    CWEIR_PAD(2, sizeof(uint64_t) + sizeof(size_t) + sizeof(unsigned char *));
} cweir_ring_t;

_Static_assert(offsetof(cweir_ring_t, head) == CWEIR_CACHE_LINE, "the consumer has a line of its own");
_Static_assert(offsetof(cweir_ring_t, mask) == 2 * CWEIR_CACHE_LINE, "the constants have a line of their own");
_Static_assert(sizeof(cweir_ring_t) == 3 * CWEIR_CACHE_LINE, "a ring is three whole lines");

// Returns an empty ring of `capacity` slots, a power of two, of `stride` bytes each; or NULL with `errno` set to EINVAL
// (capacity not a power of two, stride zero) or ENOMEM. The caller frees it with cweir_ring_destroy.
cweir_ring_t *_Nullable cweir_ring_create(size_t capacity, size_t stride);

// As cweir_ring_create, with both counters starting at `position`, so that tests reach their wrap-around.
cweir_ring_t *_Nullable cweir_ring_create_at(size_t capacity, size_t stride, uint64_t position);

// Frees a ring, whatever its slots hold. No thread may use it during the call or after it.
void cweir_ring_destroy(cweir_ring_t *_Nullable ring);

// Returns up to `wanted` free slots next to each other. The run ends where the slots wrap, so a second claim may find
// more; its count is 0 when the ring is full. Claiming again without publishing returns the same slots. Producer only.
CWEIR_INLINE cweir_run_t cweir_ring_claim(cweir_ring_t *ring, size_t wanted) {
    // Relaxed: only the caller stores it.
    const uint64_t tail = atomic_load_explicit(&ring->tail, memory_order_relaxed);
    const uint64_t capacity = ring->mask + 1;
    const uint64_t index = tail & ring->mask;
    const uint64_t limit = wanted < capacity - index ? wanted : capacity - index;
    uint64_t vacant = capacity - (tail - ring->head_seen);
    if (__builtin_expect(vacant < limit, 0)) {
        // Acquire: pairs with the release in cweir_ring_release; the consumer is done with the slots before `head`.
        ring->head_seen = atomic_load_explicit(&ring->head, memory_order_acquire);
        vacant = capacity - (tail - ring->head_seen);
    }
    return (cweir_run_t){
        .slots = ring->slots + (size_t)index * ring->stride,
        .count = (size_t)(vacant < limit ? vacant : limit),
    };
}

// Publishes the first `count` slots of the last claim, at most as many as it returned, to the consumer. Producer only.
CWEIR_INLINE void cweir_ring_publish(cweir_ring_t *ring, size_t count) {
    const uint64_t tail = atomic_load_explicit(&ring->tail, memory_order_relaxed);
    // Release: pairs with the acquire in cweir_ring_peek; who sees the new tail sees what the slots hold.
    atomic_store_explicit(&ring->tail, tail + count, memory_order_release);
}

// Returns up to `wanted` published slots next to each other, oldest first. The run ends where the slots wrap, so a
// second peek after a release may find more; its count is 0 when the ring is empty. The slots stay the consumer's until
// it releases them. Consumer only.
CWEIR_INLINE cweir_run_t cweir_ring_peek(cweir_ring_t *ring, size_t wanted) {
    // Relaxed: only the caller stores it.
    const uint64_t head = atomic_load_explicit(&ring->head, memory_order_relaxed);
    const uint64_t capacity = ring->mask + 1;
    const uint64_t index = head & ring->mask;
    const uint64_t limit = wanted < capacity - index ? wanted : capacity - index;
    uint64_t filled = ring->tail_seen - head;
    if (__builtin_expect(filled < limit, 0)) {
        // Acquire: pairs with the release in cweir_ring_publish; the slots before `tail` are filled.
        ring->tail_seen = atomic_load_explicit(&ring->tail, memory_order_acquire);
        filled = ring->tail_seen - head;
    }
    return (cweir_run_t){
        .slots = ring->slots + (size_t)index * ring->stride,
        .count = (size_t)(filled < limit ? filled : limit),
    };
}

// Gives the first `count` slots of the last peek, at most as many as it returned, back to the producer. Consumer only.
CWEIR_INLINE void cweir_ring_release(cweir_ring_t *ring, size_t count) {
    const uint64_t head = atomic_load_explicit(&ring->head, memory_order_relaxed);
    // Release: pairs with the acquire in cweir_ring_claim; the caller's reads of the slots come before.
    atomic_store_explicit(&ring->head, head + count, memory_order_release);
}

// Returns how many slots are published and not yet released. A snapshot, exact when neither side is at work.
CWEIR_INLINE size_t cweir_ring_count(cweir_ring_t *ring) {
    // Acquire, so that the tail is read after the head and the difference is never negative. It may be too large when
    // both move in between.
    const uint64_t head = atomic_load_explicit(&ring->head, memory_order_acquire);
    const uint64_t tail = atomic_load_explicit(&ring->tail, memory_order_relaxed);
    const uint64_t count = tail - head;
    return (size_t)(count <= ring->mask ? count : ring->mask + 1);
}

#pragma clang assume_nonnull end

#endif
