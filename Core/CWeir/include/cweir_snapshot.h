#ifndef CWEIR_SNAPSHOT_H
#define CWEIR_SNAPSHOT_H

#include "cweir_base.h"
#include "cweir_thread.h"

#pragma clang assume_nonnull begin

// A pointer that many threads read while others replace it: the dispatch table of receivers.
//
// A reader says that it is reading (one atomic addition, on a line shared with few others), loads the pointer, uses
// what it points to, and says that it is done. A writer replaces the pointer at once and waits for nobody; what was
// replaced is kept until no reader that could have seen it is left. That is known by counting readers in two phases:
// what was replaced during a phase may go when, after the phase has changed, its readers are all gone.
// (The idea of sleepable read-copy-update: P. E. McKenney, "Sleepable Read-Copy Update", 2006.)
//
//     cweir_reading_t reading = cweir_snapshot_enter(&snapshot);
//     use(reading.pointer);
//     cweir_snapshot_leave(reading);
//
// Thread safety: enter and leave from any thread, also nested; the other functions under a lock of the caller's.
// Progress: enter, leave and replace are wait-free.
enum { CWEIR_SNAPSHOT_STRIPES = 8 };

typedef struct cweir_snapshot_stripe {
    _Atomic(uint64_t) readers[2]; // how many are reading, by the phase that they entered in
    CWEIR_PAD(0, 2 * sizeof(uint64_t));
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
    void *readers; // the counter that the reader is in
} cweir_reading_t;

CWEIR_INLINE void cweir_snapshot_init(cweir_snapshot_t *snapshot, void *_Nullable pointer) {
    atomic_init(&snapshot->current, pointer);
    atomic_init(&snapshot->phase, 0);
    for (int stripe = 0; stripe < CWEIR_SNAPSHOT_STRIPES; stripe++) {
        atomic_init(&snapshot->stripes[stripe].readers[0], 0);
        atomic_init(&snapshot->stripes[stripe].readers[1], 0);
    }
}

// The current pointer, for a look that does not follow it.
CWEIR_INLINE bool cweir_snapshot_is_empty(cweir_snapshot_t *snapshot) {
    return atomic_load_explicit(&snapshot->current, memory_order_relaxed) == NULL;
}

CWEIR_INLINE cweir_reading_t cweir_snapshot_enter(cweir_snapshot_t *snapshot) {
    // Threads that run at the same time have anchors at least a page apart.
    const uintptr_t stripe = (cweir_thread_identity() >> 12) % CWEIR_SNAPSHOT_STRIPES;
    const uint32_t phase = atomic_load_explicit(&snapshot->phase, memory_order_relaxed);
    _Atomic(uint64_t) *readers = &snapshot->stripes[stripe].readers[phase];
    // Sequentially consistent, against the order in cweir_snapshot_advance: either the writer sees this reader, or
    // this reader sees the writer's new pointer.
    atomic_fetch_add_explicit(readers, 1, memory_order_seq_cst);
    return (cweir_reading_t){
        .pointer = atomic_load_explicit(&snapshot->current, memory_order_seq_cst),
        .readers = readers,
    };
}

CWEIR_INLINE void cweir_snapshot_leave(cweir_reading_t reading) {
    // Release: what the reader did comes before the writer frees what it read.
    atomic_fetch_sub_explicit((_Atomic(uint64_t) *)reading.readers, 1, memory_order_release);
}

// Replaces the pointer and returns the old one, which readers may still use.
CWEIR_INLINE void *_Nullable cweir_snapshot_replace(cweir_snapshot_t *snapshot, void *_Nullable pointer) {
    return atomic_exchange_explicit(&snapshot->current, pointer, memory_order_seq_cst);
}

// Changes the phase if the readers of the phase before the current one are all gone. When it returns true, what was
// replaced before the last time that it returned true is used by nobody.
CWEIR_INLINE bool cweir_snapshot_advance(cweir_snapshot_t *snapshot) {
    const uint32_t phase = atomic_load_explicit(&snapshot->phase, memory_order_relaxed);
    for (int stripe = 0; stripe < CWEIR_SNAPSHOT_STRIPES; stripe++) {
        // Acquire pairs with the release in leave; sequential consistency with enter.
        if (atomic_load_explicit(&snapshot->stripes[stripe].readers[1 - phase], memory_order_seq_cst) != 0) {
            return false;
        }
    }
    atomic_store_explicit(&snapshot->phase, 1 - phase, memory_order_seq_cst);
    return true;
}

#pragma clang assume_nonnull end

#endif
