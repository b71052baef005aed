#ifndef CWEIR_MAILBOX_CONTROL_H
#define CWEIR_MAILBOX_CONTROL_H

#include "cweir_mailbox.h"

#pragma clang assume_nonnull begin

// What is done with a mailbox (cweir_mailbox.h) now and then: making room, parking, closing, reading its numbers.
//
// Thread safety: any thread, but for cweir_mailbox_park, which is the consumer's.

// What one lane holds and has seen; each number by itself is right at some moment during the call.
typedef struct cweir_mailbox_numbers {
    uint64_t pending;
    uint64_t accepted; // ever put, whether taken, pending, or dropped to make room
    uint64_t peak;     // exact for stacks and for queues up to 8; else up to an eighth, and to 63, too low
    uint64_t dropped_newest, dropped_oldest, dropped_closed, dropped_own, dropped_late;
} cweir_mailbox_numbers_t;

// Takes the oldest slot of a lane, for a producer that needs room and drops it; the lane's bound has drops_oldest.
cweir_mailbox_item_t cweir_mailbox_take_oldest(cweir_mailbox_t *mailbox, uint32_t lane);

// Gives the slot that take_oldest returned, emptied, back to the producers, and counts one element as dropped.
void cweir_mailbox_remove_oldest(cweir_mailbox_t *mailbox, cweir_mailbox_item_t item);

// Counts one element as dropped.
void cweir_mailbox_count_dropped(cweir_mailbox_t *mailbox, uint32_t lane, uint32_t cause);

// Waits until a full lane may have room: spins, then yields, then sleeps, the longer the higher `round`. Producers, not
// the consumer. Returns early when the mailbox closes, or for no reason. Returns false when the consumer itself waits,
// directly or through others, for the calling thread: there will never be room.
bool cweir_mailbox_wait_for_room(cweir_mailbox_t *mailbox, uint32_t lane, uint32_t round);

// Makes the calling thread the consumer from now on; park does so, too.
void cweir_mailbox_become_consumer(cweir_mailbox_t *mailbox);

// Removes the calling thread as the consumer, if it was: another thread may get its identity.
void cweir_mailbox_resign_consumer(cweir_mailbox_t *mailbox);

// Returns true on the thread that is the consumer.
bool cweir_mailbox_is_consumer(cweir_mailbox_t *mailbox);

// After a publish that returned true: returns true when nothing is left and the next publish will return true again.
// Otherwise there is something to take, or a slot that is claimed and not yet published. One thread at a time, the one
// that takes.
bool cweir_mailbox_is_left_empty(cweir_mailbox_t *mailbox);

// Waits until there is something to take: spins for `spin` nanoseconds, then sleeps until `deadline` on the monotonic
// clock. Returns CWEIR_MAILBOX_READY, TIMED_OUT or FINISHED; after FINISHED the consumer must not take. Consumer.
uint32_t cweir_mailbox_park(cweir_mailbox_t *mailbox, int64_t deadline, int64_t spin);

// Makes the current park, or else the next one, return.
void cweir_mailbox_nudge(cweir_mailbox_t *mailbox);

// Closes the mailbox to new items, and wakes the consumer and all producers that wait for room.
void cweir_mailbox_close(cweir_mailbox_t *mailbox);

// Closes the mailbox because `lane` was full; the first lane to do so is remembered.
void cweir_mailbox_fail(cweir_mailbox_t *mailbox, uint32_t lane);

// Returns the lane whose overflow closed the mailbox, or CWEIR_MAILBOX_LANES.
uint32_t cweir_mailbox_failed_lane(cweir_mailbox_t *mailbox);

bool cweir_mailbox_is_closed(cweir_mailbox_t *mailbox);

// Returns what a lane holds and has seen.
cweir_mailbox_numbers_t cweir_mailbox_read(cweir_mailbox_t *mailbox, uint32_t lane);

// Calls into the kernel: by the consumer to sleep, by others to wake it.
uint32_t cweir_mailbox_sleeps(cweir_mailbox_t *mailbox);
uint32_t cweir_mailbox_wakes(cweir_mailbox_t *mailbox);

#pragma clang assume_nonnull end

#endif
