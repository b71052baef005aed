#ifndef CWEIR_SHARED_RING_H
#define CWEIR_SHARED_RING_H

#include "cweir_base.h"

#pragma clang assume_nonnull begin

// The most slots that a shared ring has.
#define CWEIR_SHARED_RING_CAPACITY_MAX ((size_t)1 << 30)

// A bounded ring of fixed-size slots from many producers to one consumer, or to many that share the work. Slots are raw
// memory. After D. Vyukov's bounded queue, with the sequences in an array of their own so that slots stay neighbours.
//
//     cweir_shared_run_t run = cweir_shared_ring_claim(ring, 64);
//     fill(run.slots, run.count);
//     cweir_shared_ring_publish(ring, run.position, run.count);
//
// Positions are free-running 64-bit counters that may wrap; `position >> shift` is the lap, `position & mask` the slot.
// The sequence of a slot is `2 * lap` (mod 2^32) when it waits for the producer of that lap and `2 * lap + 1` when it
// waits for the consumer of that lap. (Vyukov counts `position` and `position + 1`, which cannot tell full from empty
// in a ring of one slot.) A position is taken by compare-and-swap on its 64-bit counter, which never repeats, so
// repeating sequences do no harm.
//
// Who may call what:
// - claim and publish: any number of threads. Who claims must publish, whole or piece by piece, in any order.
// - take and give_back: any number of threads, also producers that drop the oldest element to make room. Who takes must
//   give back.
// - peek and release: the ONLY consumer. From a peek to its release no other thread may take, peek or release; so a
//   ring whose producers drop the oldest may be consumed with take and give_back alone. One ring may see both pairs at
//   different times, when everything taken was given back and the change itself synchronises (a gate, a join).
// - cweir_shared_ring_count: any thread.
//
// Progress: claim and take are lock-free (a failed attempt means that another thread succeeded); the rest is wait-free.
// A producer that is preempted between claim and publish holds up the consumers behind its slot, never the other
// producers, until they come round to that slot and the ring is full; a consumer preempted between take and give_back
// holds up, likewise, only the producers that come round to its slot.
typedef struct CWEIR_NONCOPYABLE cweir_shared_ring {
    _Atomic(uint64_t) tail; // next position to claim
    CWEIR_PAD(0, sizeof(uint64_t));

    _Atomic(uint64_t) head; // next position to take, or to release
    CWEIR_PAD(1, sizeof(uint64_t));

    // Read only.
    uint64_t mask;  // capacity - 1
    uint64_t shift; // log2 of the capacity
    size_t stride;  // bytes from slot to slot
    unsigned char *slots;
    _Atomic(uint32_t) *sequences;
    CWEIR_PAD(2, 2 * sizeof(uint64_t) + sizeof(size_t) + 2 * sizeof(void *));
} cweir_shared_ring_t;

_Static_assert(offsetof(cweir_shared_ring_t, head) == CWEIR_CACHE_LINE, "head has a line of its own");
_Static_assert(offsetof(cweir_shared_ring_t, mask) == 2 * CWEIR_CACHE_LINE, "the constants have their own line");
_Static_assert(sizeof(cweir_shared_ring_t) == 3 * CWEIR_CACHE_LINE, "a shared ring is three whole lines");

// A run of `count` neighbouring slots, the first at `slots` and with the number `position`.
typedef struct cweir_shared_run {
    void *slots;
    size_t count;
    uint64_t position;
} cweir_shared_run_t;

// Returns an empty ring of `capacity` slots, a power of two not above CWEIR_SHARED_RING_CAPACITY_MAX, of `stride` bytes
// each; or NULL with `errno` set to EINVAL (bad capacity, stride zero) or ENOMEM. The caller frees it with
// cweir_shared_ring_destroy.
cweir_shared_ring_t *_Nullable cweir_shared_ring_create(size_t capacity, size_t stride);

// As cweir_shared_ring_create, with both counters starting at `position`, so that tests reach the wrap-around of
// counters and sequences.
cweir_shared_ring_t *_Nullable cweir_shared_ring_create_at(size_t capacity, size_t stride, uint64_t position);

// Frees a ring, whatever its slots hold. No thread may use it during the call or after it.
void cweir_shared_ring_destroy(cweir_shared_ring_t *_Nullable ring);

// The sequence of a slot that waits for the producer of `position`. That of its consumer is one more, and that of the
// producer one lap later two more.
CWEIR_INLINE uint32_t cweir_shared_ring_sequence(const cweir_shared_ring_t *ring, uint64_t position) {
    return (uint32_t)(position >> ring->shift) * 2;
}

// Returns the run from `position` on, up to `wanted` slots and not past the wrap, whose sequences all are `sequence`.
CWEIR_INLINE cweir_shared_run_t
cweir_shared_ring_scan(cweir_shared_ring_t *ring, uint64_t position, size_t wanted, uint32_t sequence) {
    const size_t index = (size_t)(position & ring->mask);
    const size_t neighbours = (size_t)ring->mask + 1 - index;
    const size_t limit = wanted < neighbours ? wanted : neighbours;
    size_t count = 0;
    // Acquire: pairs with the release in cweir_shared_ring_mark; the previous user of the slot is done with it.
    while (count < limit
           && atomic_load_explicit(&ring->sequences[index + count], memory_order_acquire) == sequence) {
        count += 1;
    }
    return (cweir_shared_run_t){.slots = ring->slots + index * ring->stride, .count = count, .position = position};
}

// Sets the sequences of the `count` slots from `position` on, all of one run.
CWEIR_INLINE void
cweir_shared_ring_mark(cweir_shared_ring_t *ring, uint64_t position, size_t count, uint32_t sequence) {
    const size_t index = (size_t)(position & ring->mask);
    // Last slot first: a thread that waits for the first slot then finds the whole run at once.
    for (size_t left = count; left > 0; left -= 1) {
        // Release: pairs with the acquire in cweir_shared_ring_scan.
        atomic_store_explicit(&ring->sequences[index + left - 1], sequence, memory_order_release);
    }
}

// Moves `counter` over a run of up to `wanted` slots whose sequences are those of their position plus `waiting`.
CWEIR_INLINE cweir_shared_run_t cweir_shared_ring_advance(
    cweir_shared_ring_t *ring, _Atomic(uint64_t) *counter, size_t wanted, uint32_t waiting) {
    // Relaxed, here and in the exchange: the counter only hands out numbers, the sequences order the slots.
    uint64_t position = atomic_load_explicit(counter, memory_order_relaxed);
    for (;;) {
        const uint32_t sequence = cweir_shared_ring_sequence(ring, position) + waiting;
        const cweir_shared_run_t run = cweir_shared_ring_scan(ring, position, wanted, sequence);
        if (run.count == 0) {
            // The acquire in the scan keeps this load behind it. A counter that has not moved means that the slot was
            // not ready while the counter stood on it: full, or empty.
            const uint64_t now = atomic_load_explicit(counter, memory_order_relaxed);
            if (now == position || wanted == 0) {
                return run;
            }
            position = now;
        } else if (__builtin_expect(
                       atomic_compare_exchange_weak_explicit(
                           counter, &position, position + run.count, memory_order_relaxed, memory_order_relaxed),
                       1)) {
            // Nobody else can have had these slots since the scan: that takes moving the counter.
            return run;
        }
    }
}

// Claims up to `wanted` free slots next to each other; the run ends where the slots wrap, so a second claim may get
// more. Its count is 0 when the ring is full. The slots are the caller's until it publishes them.
CWEIR_INLINE cweir_shared_run_t cweir_shared_ring_claim(cweir_shared_ring_t *ring, size_t wanted) {
    return cweir_shared_ring_advance(ring, &ring->tail, wanted, 0);
}

// Publishes `count` claimed slots from `position` on to the consumers.
CWEIR_INLINE void cweir_shared_ring_publish(cweir_shared_ring_t *ring, uint64_t position, size_t count) {
    cweir_shared_ring_mark(ring, position, count, cweir_shared_ring_sequence(ring, position) + 1);
}

// Takes up to `wanted` published slots next to each other, oldest first, from among several consumers; the run ends
// where the slots wrap. Its count is 0 when the ring is empty or its oldest slot is claimed and not yet published. The
// slots are the caller's until it gives them back.
CWEIR_INLINE cweir_shared_run_t cweir_shared_ring_take(cweir_shared_ring_t *ring, size_t wanted) {
    return cweir_shared_ring_advance(ring, &ring->head, wanted, 1);
}

// Gives `count` taken slots from `position` on back to the producers.
CWEIR_INLINE void cweir_shared_ring_give_back(cweir_shared_ring_t *ring, uint64_t position, size_t count) {
    cweir_shared_ring_mark(ring, position, count, cweir_shared_ring_sequence(ring, position) + 2);
}

// Returns what cweir_shared_ring_take would take, and leaves it in the ring until it is released. Only consumer.
CWEIR_INLINE cweir_shared_run_t cweir_shared_ring_peek(cweir_shared_ring_t *ring, size_t wanted) {
    // Relaxed: only the caller stores it.
    const uint64_t head = atomic_load_explicit(&ring->head, memory_order_relaxed);
    return cweir_shared_ring_scan(ring, head, wanted, cweir_shared_ring_sequence(ring, head) + 1);
}

// Gives the first `count` slots of the last peek back to the producers. Only consumer.
CWEIR_INLINE void cweir_shared_ring_release(cweir_shared_ring_t *ring, size_t count) {
    const uint64_t head = atomic_load_explicit(&ring->head, memory_order_relaxed);
    cweir_shared_ring_give_back(ring, head, count);
    // Relaxed: producers go by the sequences; only counts read it from other threads.
    atomic_store_explicit(&ring->head, head + count, memory_order_relaxed);
}

// Returns how many slots are claimed and not yet taken or released. A snapshot, exact while no thread uses the ring.
CWEIR_INLINE size_t cweir_shared_ring_count(cweir_shared_ring_t *ring) {
    // Acquire, so that the tail is read after the head. Both counters are relaxed elsewhere, so the difference may
    // still be off, either way, while they move.
    const uint64_t head = atomic_load_explicit(&ring->head, memory_order_acquire);
    const uint64_t tail = atomic_load_explicit(&ring->tail, memory_order_relaxed);
    const int64_t count = (int64_t)(tail - head);
    if (count < 0) {
        return 0;
    }
    return (uint64_t)count <= ring->mask ? (size_t)count : (size_t)ring->mask + 1;
}

#pragma clang assume_nonnull end

#endif
