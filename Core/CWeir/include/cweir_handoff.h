#ifndef CWEIR_HANDOFF_H
#define CWEIR_HANDOFF_H

#include "cweir_base.h"

#pragma clang assume_nonnull begin

// One place that holds at most one pointer: many threads put, one takes. A put replaces what was not yet taken, so
// the taker always gets the newest, whole. Channels hand over their new table of subscribers this way: the reader
// owns what it took, so nothing has to be reclaimed while it is being read.
//
// Thread safety: put, take and is_empty from any thread.
// Progress: every function is wait-free.
typedef struct CWEIR_NONCOPYABLE cweir_handoff {
    _Atomic(void *_Nullable) place;
} cweir_handoff_t;

CWEIR_INLINE void cweir_handoff_init(cweir_handoff_t *handoff) {
    atomic_init(&handoff->place, NULL);
}

// Puts `item` and returns what was there and not taken; the caller owns that now.
CWEIR_INLINE void *_Nullable cweir_handoff_put(cweir_handoff_t *handoff, void *item) {
    // Release for the taker of `item`, acquire for the caller, who gets the one before.
    return atomic_exchange_explicit(&handoff->place, item, memory_order_acq_rel);
}

// Takes what is there; the caller owns it. Returns NULL when the place is empty.
CWEIR_INLINE void *_Nullable cweir_handoff_take(cweir_handoff_t *handoff) {
    // Acquire: pairs with the release in put.
    return atomic_exchange_explicit(&handoff->place, NULL, memory_order_acquire);
}

// Returns true when there was nothing to take: one plain load, for the hot path.
CWEIR_INLINE bool cweir_handoff_is_empty(cweir_handoff_t *handoff) {
    return atomic_load_explicit(&handoff->place, memory_order_relaxed) == NULL;
}

#pragma clang assume_nonnull end

#endif
