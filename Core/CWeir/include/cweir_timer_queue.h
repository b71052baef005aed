#ifndef CWEIR_TIMER_QUEUE_H
#define CWEIR_TIMER_QUEUE_H

#include "cweir_base.h"

#pragma clang assume_nonnull begin

// Timers in the order of their deadlines, equal ones in the order in which they were added. Each has a payload of fixed
// size in raw memory, which stays where it is while the timer is pending.
//
//     cweir_timer_t timer;
//     Job *job = cweir_timer_queue_add(queue, deadline, &timer);       // NULL: full, or no memory
//     *job = ...;
//     Job *cancelled = cweir_timer_queue_cancel(queue, timer);         // NULL: popped or cancelled before
//     while ((job = cweir_timer_queue_pop(queue, now, &deadline)))     // all that are due
//         run(*job);
//
// Timers that are far away wait unsorted, in 11 levels of 64 buckets: a level per 6-bit digit of the deadline, the
// timer in the level of the first digit in which it differs from the present. The next ones stand in a 4-ary heap that
// is kept short enough to stay in the cache: when it is empty it gets the next bucket (a long one is spread over the
// lower levels first), when it is too long its later part goes back to buckets. Only the heap decides on the order, so
// the order is exact.
//
// Thread safety: confined; one thread at a time, and passing the queue on must synchronise.
typedef struct cweir_timer_queue cweir_timer_queue_t;

// Names a timer of one queue, for ever: no other timer of the queue gets the same name. All zero names none.
typedef struct cweir_timer {
    uint64_t sequence;
    uint32_t slot;
} cweir_timer_t;

// The most timers that a queue can be asked to hold.
#define CWEIR_TIMER_QUEUE_MOST ((size_t)1 << 31)

// Returns an empty queue for up to `limit` timers with payloads of `size` bytes at multiples of `alignment`; or NULL
// with `errno` set to EINVAL (limit 0 or above CWEIR_TIMER_QUEUE_MOST, size above 2³¹, alignment not a power of two up
// to CWEIR_CACHE_LINE) or ENOMEM. Memory grows with the timers, in steps of 1024. The caller frees the queue with
// cweir_timer_queue_destroy.
cweir_timer_queue_t *_Nullable cweir_timer_queue_create(size_t limit, size_t size, size_t alignment);

// Frees a queue, whatever its payloads hold.
void cweir_timer_queue_destroy(cweir_timer_queue_t *_Nullable queue);

// Adds a timer, says its name, and returns the memory for its payload, which the caller fills; or NULL with `errno` set
// to ENOSPC (the queue is full) or ENOMEM. O(1) amortised.
void *_Nullable cweir_timer_queue_add(cweir_timer_queue_t *queue, int64_t deadline, cweir_timer_t *timer);

// Removes a pending timer and returns its payload, valid until the next add; or NULL when the timer is not pending.
// O(1), or O(log n) in the heap.
void *_Nullable cweir_timer_queue_cancel(cweir_timer_queue_t *queue, cweir_timer_t timer);

// Moves a pending timer to another deadline, as if it had been cancelled and added, and renames it; its payload stays.
// Returns false when the timer is not pending. O(1) amortised, no allocation.
bool cweir_timer_queue_reschedule(cweir_timer_queue_t *queue, cweir_timer_t *timer, int64_t deadline);

// Returns the payload of a pending timer; or NULL when the timer is not pending. O(1).
void *_Nullable cweir_timer_queue_find(cweir_timer_queue_t *queue, cweir_timer_t timer);

// Gets the earliest deadline. Returns false when no timer is pending. O(1) amortised.
bool cweir_timer_queue_peek(cweir_timer_queue_t *queue, int64_t *deadline);

// Removes the next timer if its deadline is not after `latest`, says the deadline and returns the payload, valid until
// the next add; or NULL when no timer is due. O(log h) amortised, with h timers in the heap, 512 unless more deadlines
// than that are equal or past.
void *_Nullable cweir_timer_queue_pop(cweir_timer_queue_t *queue, int64_t latest, int64_t *deadline);

// Prefetches what the pointer at `offset` in the payload of the next timer points to, be it valid or
// not. Does nothing when the next timer is not known. O(1).
void cweir_timer_queue_fetch_next(const cweir_timer_queue_t *queue, size_t offset);

// Removes any pending timer, in no order, and returns its payload, valid until the next add; or NULL when none is
// pending. `cursor` starts at 0 and belongs to the function until the queue is empty. O(1) amortised.
void *_Nullable cweir_timer_queue_remove_any(cweir_timer_queue_t *queue, uint32_t *cursor);

// Returns how many timers are pending. O(1).
size_t cweir_timer_queue_count(const cweir_timer_queue_t *queue);

// As if `added` timers had been added before, so that tests reach large sequence numbers. Only for an empty queue.
void cweir_timer_queue_skip(cweir_timer_queue_t *queue, uint64_t added);

#pragma clang assume_nonnull end

#endif
