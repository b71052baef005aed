#ifndef CWEIR_PARKING_H
#define CWEIR_PARKING_H

#include "cweir_base.h"

#pragma clang assume_nonnull begin

// A deadline that never comes.
#define CWEIR_PARKING_FOREVER INT64_MAX

// A 32-bit word on which threads sleep in the kernel until another thread changes it and wakes them. Its owner defines
// what it means: a mailbox keeps its signals in it, a parker (below) a permit.
//
// Thread safety: any thread may sleep and wake. Progress: both are system calls; nothing here spins.
typedef struct CWEIR_NONCOPYABLE cweir_parking {
    _Atomic(uint32_t) word;
    _Atomic(uint32_t) sleeps; // calls into the kernel that were to sleep; wraps
    _Atomic(uint32_t) wakes;  // calls into the kernel that were to wake; wraps
    uint32_t _pad;
} cweir_parking_t;

CWEIR_INLINE void cweir_parking_init(cweir_parking_t *parking, uint32_t word) {
    atomic_init(&parking->word, word);
    atomic_init(&parking->sleeps, 0);
    atomic_init(&parking->wakes, 0);
    parking->_pad = 0;
}

// Sleeps while the word is `expected`, until the caller is woken or the monotonic clock reads `deadline`
// nanoseconds. May return early for no reason, so look at the word again. Returns false when the deadline has passed.
// The kernel compares the word and goes to sleep in one step as far as cweir_parking_wake can tell, so who changes the
// word first and wakes afterwards never misses a sleeper.
bool cweir_parking_sleep(cweir_parking_t *parking, uint32_t expected, int64_t deadline);

// Wakes one thread that sleeps on the word, or all; the caller has changed the word before.
void cweir_parking_wake(cweir_parking_t *parking, bool all);

// How often threads were sent to sleep on the word, and how often they were woken, since the start: for tests, which
// show with it that a burst costs one wake-up and idling none.
CWEIR_INLINE uint32_t cweir_parking_sleeps(cweir_parking_t *parking) {
    return atomic_load_explicit(&parking->sleeps, memory_order_relaxed);
}

CWEIR_INLINE uint32_t cweir_parking_wakes(cweir_parking_t *parking) {
    return atomic_load_explicit(&parking->wakes, memory_order_relaxed);
}

// One thread that parks until another one lets it go: a permit that is given at most once before it is used up.
//
//     cweir_parker_park(parking, deadline);       give_work(); cweir_parker_unpark(parking);
//     look_for_work();
//
// Thread safety: one thread parks, any thread unparks. What happened before the unpark is seen after the park.
enum {
    CWEIR_PARKER_NOBODY = 0, // no permit, and no thread is parked
    CWEIR_PARKER_PERMIT = 1, // the next park returns at once
    CWEIR_PARKER_PARKED = 2, // the thread is parked, or about to
};

// Uses up the permit, waiting for it until `deadline`. Returns false when the deadline came first.
bool cweir_parker_park(cweir_parking_t *parking, int64_t deadline);

// Gives the permit. A system call only when the thread is parked.
CWEIR_INLINE void cweir_parker_unpark(cweir_parking_t *parking) {
    // Release: pairs with the acquire in cweir_parker_park.
    if (atomic_exchange_explicit(&parking->word, CWEIR_PARKER_PERMIT, memory_order_release) == CWEIR_PARKER_PARKED) {
        cweir_parking_wake(parking, false);
    }
}

// Returns a parking place whose word is zero, or NULL with `errno` set to ENOMEM; freed with cweir_parking_destroy.
cweir_parking_t *_Nullable cweir_parking_create(void);

// Frees a parking place on which no thread sleeps.
void cweir_parking_destroy(cweir_parking_t *_Nullable parking);

#pragma clang assume_nonnull end

#endif
