#ifndef CWEIR_MAILBOX_H
#define CWEIR_MAILBOX_H

#include "cweir_base.h"
#include "cweir_parking.h"
#include "cweir_shared_ring.h"
#include "cweir_stack.h"
#include "cweir_thread.h"

#pragma clang assume_nonnull begin

// A bounded mailbox with five levels of priority, each with a stack and a queue, from many producers to one consumer.
// A lane is one stack or one queue; lanes are numbered in the order in which the consumer empties them, which is also
// the number of their bit in the signals: all stacks before all queues, by priority within each.
//
//     cweir_mailbox_item_t item = cweir_mailbox_claim(m, lane);    cweir_mailbox_item_t item = cweir_mailbox_take(m);
//     if (item.slot != NULL) {                                     if (item.slot != NULL) {
//         fill(item.slot);                                             move_out(item.slot);
//         cweir_mailbox_publish(m, item);                              cweir_mailbox_give_back(m, item);
//     }                                                            }
//
// Signals. A lane's bit is set while the lane may hold something. A producer that finds its bit missing sets it; the
// consumer clears it when it has found the lane empty for a while, and then looks again:
//     producer: tail += 1; if (!(word & bit)) word |= bit;    consumer: word &= ~bit; if (tail != head) word |= bit;
// Both sides write, then read, sequentially consistent, so one of them sees the other: no fence is needed besides the
// exchange that claims the slot, because the look counts what is claimed and not what is published; for a slot between
// the two the consumer waits awake. It parks by changing a word without any bit to PARKED, so who sets the first bit,
// and no other thread, has to wake it. Tests/Models/mailbox.pml is checked exhaustively.
//
// The end. A put may claim its slot at the very time of a close. The consumer ends by changing a word with nothing but
// CLOSED to CLOSED and ENDED, when it has found all lanes empty; from then on it takes nothing. A producer that still
// got a slot therefore either sets its bit before that, and the consumer goes on, or finds ENDED when it sets its bit:
// then it has to take out what lies there itself, see cweir_mailbox_publish.
//
// Thread safety: claim and publish from any thread; take and give_back from one at a time, the consumer.
// Progress: on queues claim and take_oldest are lock-free and the rest wait-free; on stacks a spin lock is held while a
// slot is copied (cweir_stack.h). A producer preempted between claim and publish on a queue holds up the queue's later
// events and nothing else.
enum {
    CWEIR_MAILBOX_LEVELS = 5,
    CWEIR_MAILBOX_LANES = 2 * CWEIR_MAILBOX_LEVELS, // stacks of the levels, highest first, then their queues
    CWEIR_MAILBOX_LANE_BITS = (1 << CWEIR_MAILBOX_LANES) - 1,
    CWEIR_MAILBOX_PARKED = 1 << 10, // the consumer sleeps, or is about to
    CWEIR_MAILBOX_NUDGED = 1 << 11, // the next park returns
    CWEIR_MAILBOX_CLOSED = 1 << 12, // nothing more is let in
    CWEIR_MAILBOX_ENDED = 1 << 13,  // the consumer takes no more
    CWEIR_MAILBOX_AHEAD = 8,         // slots between the one that is claimed and the one that is fetched
    CWEIR_MAILBOX_FAR_AHEAD = 16,    // the same for the sequences, of which that many are in a line
    CWEIR_MAILBOX_PATIENCE = 16,     // looks at an empty lane before its bit is cleared, which costs producers more
};

// Why an element was dropped.
enum {
    CWEIR_MAILBOX_DROPPED_NEWEST, // its lane was full
    CWEIR_MAILBOX_DROPPED_OLDEST, // its lane was full and a newer one took its place
    CWEIR_MAILBOX_DROPPED_CLOSED, // the mailbox was closed
    CWEIR_MAILBOX_DROPPED_OWN,    // its lane was full and the consumer, who alone makes room, put it or waits for who did
    CWEIR_MAILBOX_DROPPED_LATE,   // it was let in while the mailbox closed, and the consumer had ended
    CWEIR_MAILBOX_CAUSES,
};

// How a park ended.
enum {
    CWEIR_MAILBOX_READY,     // there is something to take, or the mailbox was nudged
    CWEIR_MAILBOX_TIMED_OUT, // the deadline passed
    CWEIR_MAILBOX_FINISHED,  // closed and empty
};

// What one lane may hold.
typedef struct cweir_mailbox_bound {
    size_t capacity;
    bool drops_oldest; // whether producers may call take_oldest; taking then costs an exchange
} cweir_mailbox_bound_t;

// The numbers of one lane that are not its ring's or stack's.
typedef struct cweir_mailbox_lane {
    cweir_parking_t room; // the word is odd while producers may wait for room
    uint64_t sampling;    // the consumer looks at the length whenever `head & sampling` is zero
    _Atomic(uint64_t) peak;
    CWEIR_PAD(0, sizeof(cweir_parking_t) + 2 * sizeof(uint64_t));

    _Atomic(uint64_t) dropped[CWEIR_MAILBOX_CAUSES];
    CWEIR_PAD(1, CWEIR_MAILBOX_CAUSES * sizeof(uint64_t));
} cweir_mailbox_lane_t;

typedef struct CWEIR_NONCOPYABLE cweir_mailbox {
    // Read by every put and take, seldom written.
    cweir_parking_t signals;
    _Atomic(uintptr_t) consumer; // the thread that takes, once known
    _Atomic(uint32_t) failed;    // one more than the first lane whose overflow closed the mailbox
    uint32_t _spare;
    CWEIR_PAD(0, sizeof(cweir_parking_t) + sizeof(uintptr_t) + 2 * sizeof(uint32_t));

    // The consumer's: how often in a row it found the lane empty.
    uint32_t misses[CWEIR_MAILBOX_LANES];
    CWEIR_PAD(1, CWEIR_MAILBOX_LANES * sizeof(uint32_t));

    // Read only.
    cweir_stack_t *_Nullable stacks[CWEIR_MAILBOX_LEVELS];
    cweir_shared_ring_t *_Nullable queues[CWEIR_MAILBOX_LEVELS];
    uint64_t shared; // the bits of the queues whose producers drop the oldest
    CWEIR_PAD(2, 2 * CWEIR_MAILBOX_LEVELS * sizeof(void *) + sizeof(uint64_t));

    cweir_mailbox_lane_t lanes[CWEIR_MAILBOX_LANES];
} cweir_mailbox_t;

_Static_assert(offsetof(cweir_mailbox_t, misses) == CWEIR_CACHE_LINE, "the consumer has a line of its own");
_Static_assert(offsetof(cweir_mailbox_t, stacks) == 2 * CWEIR_CACHE_LINE, "the constants have a line of their own");

// One slot, the caller's until it is published or given back; `slot` is NULL when there is none.
typedef struct cweir_mailbox_item {
    void *_Nullable slot;
    uint64_t position; // in its queue
    uint32_t lane;
} cweir_mailbox_item_t;

// Returns an empty mailbox with CWEIR_MAILBOX_LANES `bounds` and slots of `stride` bytes; or NULL with `errno` set to
// EINVAL (a capacity is no power of two) or ENOMEM. Freed with cweir_mailbox_destroy.
cweir_mailbox_t *_Nullable cweir_mailbox_create(const cweir_mailbox_bound_t *bounds, size_t stride);

// Frees a mailbox, whatever its slots hold. No thread may use it during the call or after it.
void cweir_mailbox_destroy(cweir_mailbox_t *_Nullable mailbox);

// Rare; see cweir_mailbox.c.
bool cweir_mailbox_signal(cweir_mailbox_t *mailbox, uint32_t bits);
bool cweir_mailbox_settle(cweir_mailbox_t *mailbox, uint32_t lane);
void cweir_mailbox_make_room(cweir_mailbox_t *mailbox, uint32_t lane);
void cweir_mailbox_raise_peak(cweir_mailbox_t *mailbox, uint32_t lane, uint64_t count);

// Claims a free slot in a lane. There is none when the lane is full or the mailbox closed.
CWEIR_INLINE cweir_mailbox_item_t cweir_mailbox_claim(cweir_mailbox_t *mailbox, uint32_t lane) {
    cweir_mailbox_item_t item = {.slot = NULL, .position = 0, .lane = lane};
    // Relaxed: who closes the mailbox right now cannot say on which side of it this is.
    const uint32_t state = atomic_load_explicit(&mailbox->signals.word, memory_order_relaxed);
    if (__builtin_expect((state & CWEIR_MAILBOX_CLOSED) != 0, 0)) {
        return item;
    }
    if (lane < CWEIR_MAILBOX_LEVELS) {
        item.slot = cweir_stack_claim(mailbox->stacks[lane]);
        return item;
    }
    cweir_shared_ring_t *ring = mailbox->queues[lane - CWEIR_MAILBOX_LEVELS];
    uint64_t position = atomic_load_explicit(&ring->tail, memory_order_relaxed);
    for (;;) {
        const size_t index = (size_t)(position & ring->mask);
        // Acquire: pairs with the release in give_back; the previous user of the slot is done with it.
        const uint32_t sequence = atomic_load_explicit(&ring->sequences[index], memory_order_acquire);
        if (__builtin_expect(sequence != cweir_shared_ring_sequence(ring, position), 0)) {
            const uint64_t now = atomic_load_explicit(&ring->tail, memory_order_relaxed);
            if (now == position) {
                return item; // not ready while the tail stood on it: full
            }
            position = now;
        } else if (__builtin_expect(
                       atomic_compare_exchange_weak_explicit(
                           &ring->tail, &position, position + 1, memory_order_seq_cst, memory_order_relaxed),
                       1)) {
            // Sequentially consistent, against cweir_mailbox_settle: see above.
            // The lines of a slot come from the consumer's core. Without this the next exchange, whatever it is for,
            // would wait until they have come to be written.
            const size_t ahead = (size_t)((position + CWEIR_MAILBOX_AHEAD) & ring->mask);
            __builtin_prefetch(ring->slots + ahead * ring->stride, 1);
            const size_t far_ahead = (size_t)((position + CWEIR_MAILBOX_FAR_AHEAD) & ring->mask);
            __builtin_prefetch((const void *)&ring->sequences[far_ahead], 1);
            item.slot = ring->slots + index * ring->stride;
            item.position = position;
            return item;
        }
    }
}

// Publishes a claimed and filled slot to the consumer, and wakes it. Returns true when the consumer has ended: then the
// caller has to take out what lies there, one such thread at a time, until cweir_mailbox_is_left_empty.
CWEIR_INLINE bool cweir_mailbox_publish(cweir_mailbox_t *mailbox, cweir_mailbox_item_t item) {
    if (item.lane < CWEIR_MAILBOX_LEVELS) {
        cweir_stack_publish(mailbox->stacks[item.lane]);
    } else {
        cweir_shared_ring_publish(mailbox->queues[item.lane - CWEIR_MAILBOX_LEVELS], item.position, 1);
    }
    // Sequentially consistent: after the claim, against cweir_mailbox_settle.
    const uint32_t word = atomic_load_explicit(&mailbox->signals.word, memory_order_seq_cst);
    if (__builtin_expect((word & (1u << item.lane)) == 0, 0)) {
        return cweir_mailbox_signal(mailbox, 1u << item.lane);
    }
    return false;
}

// Takes the oldest slot of a queue: as its only consumer or, where producers drop the oldest, from among all takers.
CWEIR_INLINE cweir_mailbox_item_t cweir_mailbox_take_queued(cweir_mailbox_t *mailbox, uint32_t lane) {
    cweir_mailbox_item_t item = {.slot = NULL, .position = 0, .lane = lane};
    cweir_shared_ring_t *ring = mailbox->queues[lane - CWEIR_MAILBOX_LEVELS];
    const bool is_shared = ((mailbox->shared >> lane) & 1) != 0;
    uint64_t head = atomic_load_explicit(&ring->head, memory_order_relaxed);
    for (;;) {
        const size_t index = (size_t)(head & ring->mask);
        // Acquire: pairs with the release in publish; the slot is filled.
        const uint32_t sequence = atomic_load_explicit(&ring->sequences[index], memory_order_acquire);
        if (sequence != cweir_shared_ring_sequence(ring, head) + 1) {
            const uint64_t now = atomic_load_explicit(&ring->head, memory_order_relaxed);
            if (now == head) {
                return item;
            }
            head = now;
        } else if (!is_shared
                   || atomic_compare_exchange_weak_explicit(
                       &ring->head, &head, head + 1, memory_order_relaxed, memory_order_relaxed)) {
            item.slot = ring->slots + index * ring->stride;
            item.position = head;
            return item;
        }
    }
}

// Takes the next event: the newest of the first stack that has any, or else the oldest of the first queue. Consumer.
CWEIR_INLINE cweir_mailbox_item_t cweir_mailbox_take(cweir_mailbox_t *mailbox) {
    // Relaxed: a bit only says where to look.
    uint32_t bits = atomic_load_explicit(&mailbox->signals.word, memory_order_relaxed) & CWEIR_MAILBOX_LANE_BITS;
    while (bits != 0) {
        const uint32_t lane = (uint32_t)__builtin_ctz(bits);
        cweir_mailbox_item_t item = {.slot = NULL, .position = 0, .lane = lane};
        if (lane >= CWEIR_MAILBOX_LEVELS) {
            item = cweir_mailbox_take_queued(mailbox, lane);
        } else if (cweir_stack_count(mailbox->stacks[lane]) > 0) {
            item.slot = cweir_stack_take(mailbox->stacks[lane]);
        }
        if (item.slot != NULL) {
            mailbox->misses[lane] = 0;
            return item;
        }
        mailbox->misses[lane] += 1;
        if (mailbox->misses[lane] >= CWEIR_MAILBOX_PATIENCE) {
            (void)cweir_mailbox_settle(mailbox, lane);
        }
        bits &= bits - 1;
    }
    return (cweir_mailbox_item_t){.slot = NULL, .position = 0, .lane = 0};
}

// Gives a taken and emptied slot back to the producers. Consumer.
CWEIR_INLINE void cweir_mailbox_give_back(cweir_mailbox_t *mailbox, cweir_mailbox_item_t item) {
    cweir_mailbox_lane_t *lane = &mailbox->lanes[item.lane];
    if (item.lane < CWEIR_MAILBOX_LEVELS) {
        cweir_stack_remove(mailbox->stacks[item.lane]);
    } else {
        cweir_shared_ring_t *ring = mailbox->queues[item.lane - CWEIR_MAILBOX_LEVELS];
        if (__builtin_expect((item.position & lane->sampling) == 0, 0)) {
            const uint64_t tail = atomic_load_explicit(&ring->tail, memory_order_relaxed);
            if (tail - item.position > atomic_load_explicit(&lane->peak, memory_order_relaxed)) {
                cweir_mailbox_raise_peak(mailbox, item.lane, tail - item.position);
            }
        }
        if (((mailbox->shared >> item.lane) & 1) == 0) {
            // Relaxed: producers go by the sequences.
            atomic_store_explicit(&ring->head, item.position + 1, memory_order_relaxed);
        }
        cweir_shared_ring_give_back(ring, item.position, 1);
    }
    // Relaxed, not ordered after the above: a producer that asks right now may be missed. It spins for microseconds
    // between asking and sleeping, and sleeps with a timeout; an exchange here would cost every event.
    if (__builtin_expect((atomic_load_explicit(&lane->room.word, memory_order_relaxed) & 1) != 0, 0)) {
        cweir_mailbox_make_room(mailbox, item.lane);
    }
}

#pragma clang assume_nonnull end

#endif
