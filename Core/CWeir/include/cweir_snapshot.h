#ifndef CWEIR_SNAPSHOT_H
#define CWEIR_SNAPSHOT_H

#include "cweir_base.h"
#include "cweir_thread.h"

#pragma clang assume_nonnull begin

// A pointer that many threads read while others replace it: the dispatch table of receivers.
//
// A reader says that it is reading (one atomic addition, on a line shared with few others), loads the pointer, uses
// what it points to, and marks the end of the read. A writer replaces the pointer at once and waits for no reader; what
// was replaced is kept until no reader that could have seen it is left. That is known by counting readers in two
// phases: what was replaced during a phase may go when, after the phase has changed, its readers are all gone. (The
// idea of sleepable read-copy-update: P. E. McKenney, "Sleepable Read-Copy Update", 2006.)
//
//     cweir_reading_t reading = cweir_snapshot_enter(&snapshot, 0);
//     use(reading.pointer);
//     cweir_snapshot_leave(reading);
//
// Thread safety: enter and leave from any thread, also nested; the other functions under a lock of the caller's.
// Progress: enter, leave and replace are wait-free.
enum { CWEIR_SNAPSHOT_STRIPES = 8 };

// Counts upwards only, so that the entries count something else besides: the caller chooses by `tally` which of two
// sums an entry adds to. A channel counts in this way what is published, which would cost another atomic addition.
typedef struct cweir_snapshot_stripe {
    _Atomic(uint64_t) entered[2][2]; // how many have entered, by phase and tally
    _Atomic(uint64_t) left[2];       // how many of them have left, by the phase that they entered in
    CWEIR_PAD(0, 6 * sizeof(uint64_t));
} cweir_snapshot_stripe_t;

typedef struct CWEIR_NONCOPYABLE cweir_snapshot {
    _Atomic(void *_Nullable) current;
    _Atomic(uint32_t) phase;
    CWEIR_PAD(0, sizeof(void *) + sizeof(uint32_t) + 4);
    cweir_snapshot_stripe_t stripes[CWEIR_SNAPSHOT_STRIPES];
} cweir_snapshot_t;

// What a reader has to hand back.
typedef struct cweir_reading {
    void *_Nullable pointer;
    void *left; // the counter that the reader leaves by
} cweir_reading_t;

CWEIR_INLINE void cweir_snapshot_init(cweir_snapshot_t *snapshot, void *_Nullable pointer) {
    atomic_init(&snapshot->current, pointer);
    atomic_init(&snapshot->phase, 0);
    for (int stripe = 0; stripe < CWEIR_SNAPSHOT_STRIPES; stripe++) {
        for (int phase = 0; phase < 2; phase++) {
            atomic_init(&snapshot->stripes[stripe].entered[phase][0], 0);
            atomic_init(&snapshot->stripes[stripe].entered[phase][1], 0);
            atomic_init(&snapshot->stripes[stripe].left[phase], 0);
        }
    }
}

// The current pointer, for a look that does not follow it.
CWEIR_INLINE bool cweir_snapshot_is_empty(cweir_snapshot_t *snapshot) {
    return atomic_load_explicit(&snapshot->current, memory_order_relaxed) == NULL;
}

// Starts a read; adds one to the sum `tally`, 0 or 1.
CWEIR_INLINE cweir_reading_t cweir_snapshot_enter(cweir_snapshot_t *snapshot, uint32_t tally) {
    // Threads that run at the same time have anchors at least a page apart.
    const uintptr_t stripe = (cweir_thread_identity() >> 12) % CWEIR_SNAPSHOT_STRIPES;
    const uint32_t phase = atomic_load_explicit(&snapshot->phase, memory_order_relaxed);
    // Sequentially consistent, against the order in cweir_snapshot_advance: either the writer sees this reader, or
    // this reader sees the writer's new pointer.
    atomic_fetch_add_explicit(&snapshot->stripes[stripe].entered[phase][tally & 1], 1, memory_order_seq_cst);
    return (cweir_reading_t){
        .pointer = atomic_load_explicit(&snapshot->current, memory_order_seq_cst),
        .left = &snapshot->stripes[stripe].left[phase],
    };
}

CWEIR_INLINE void cweir_snapshot_leave(cweir_reading_t reading) {
    // Release: what the reader did comes before the writer frees what it read.
    atomic_fetch_add_explicit((_Atomic(uint64_t) *)reading.left, 1, memory_order_release);
}

// Returns how many entries have been added to the sum `tally`.
CWEIR_INLINE uint64_t cweir_snapshot_tally(cweir_snapshot_t *snapshot, uint32_t tally) {
    uint64_t sum = 0;
    for (int stripe = 0; stripe < CWEIR_SNAPSHOT_STRIPES; stripe++) {
        for (int phase = 0; phase < 2; phase++) {
            sum += atomic_load_explicit(&snapshot->stripes[stripe].entered[phase][tally & 1], memory_order_relaxed);
        }
    }
    return sum;
}

// Returns true when the readers that entered during `phase` are all gone.
CWEIR_INLINE bool cweir_snapshot_is_left(cweir_snapshot_t *snapshot, uint32_t phase) {
    for (int index = 0; index < CWEIR_SNAPSHOT_STRIPES; index++) {
        cweir_snapshot_stripe_t *stripe = &snapshot->stripes[index];
        // Count leaves first. All counters only grow and no reader leaves without having entered: so if as many have
        // entered when that is read afterwards, no reader was inside when the leaves were read.
        // Acquire pairs with the release in leave; sequential consistency with enter.
        const uint64_t left = atomic_load_explicit(&stripe->left[phase], memory_order_seq_cst);
        const uint64_t entered = atomic_load_explicit(&stripe->entered[phase][0], memory_order_seq_cst)
                                 + atomic_load_explicit(&stripe->entered[phase][1], memory_order_seq_cst);
        if (left != entered) {
            return false;
        }
    }
    return true;
}

// Replaces the pointer and returns the old one, which readers may still use.
CWEIR_INLINE void *_Nullable cweir_snapshot_replace(cweir_snapshot_t *snapshot, void *_Nullable pointer) {
    return atomic_exchange_explicit(&snapshot->current, pointer, memory_order_seq_cst);
}

// Changes the phase if the readers of the phase before the current one are all gone. When it returns true, what was
// replaced before the last time that it returned true is used by no reader.
CWEIR_INLINE bool cweir_snapshot_advance(cweir_snapshot_t *snapshot) {
    const uint32_t phase = atomic_load_explicit(&snapshot->phase, memory_order_relaxed);
    if (!cweir_snapshot_is_left(snapshot, 1 - phase)) {
        return false;
    }
    atomic_store_explicit(&snapshot->phase, 1 - phase, memory_order_seq_cst);
    return true;
}

#pragma clang assume_nonnull end

#endif
