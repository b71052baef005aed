#include "cweir_mailbox_control.h"

#include "cweir_clock.h"
#include "cweir_wait.h"

#include <errno.h>
#include <string.h>

cweir_mailbox_t *cweir_mailbox_create(const cweir_mailbox_bound_t *bounds, size_t stride) {
    cweir_mailbox_t *mailbox = cweir_allocate_lines(1, sizeof(cweir_mailbox_t));
    if (mailbox == NULL) {
        return NULL;
    }
    memset(mailbox, 0, sizeof(*mailbox));
    cweir_parking_init(&mailbox->signals, 0);
    atomic_init(&mailbox->consumer, 0);
    atomic_init(&mailbox->failed, 0);
    for (uint32_t lane = 0; lane < CWEIR_MAILBOX_LANES; lane += 1) {
        cweir_mailbox_lane_t *numbers = &mailbox->lanes[lane];
        const size_t capacity = bounds[lane].capacity;
        cweir_parking_init(&numbers->room, 0);
        atomic_init(&numbers->peak, 0);
        for (uint32_t cause = 0; cause < CWEIR_MAILBOX_CAUSES; cause += 1) {
            atomic_init(&numbers->dropped[cause], 0);
        }
        // A look at the length moves the producers' line: short lanes can afford one for each event.
        numbers->sampling = capacity <= 8 ? 0 : (capacity / 8 < 64 ? capacity / 8 : 64) - 1;
        void *made;
        if (lane < CWEIR_MAILBOX_LEVELS) {
            mailbox->stacks[lane] = made = cweir_stack_create(capacity, stride);
        } else {
            mailbox->queues[lane - CWEIR_MAILBOX_LEVELS] = made = cweir_shared_ring_create(capacity, stride);
            mailbox->shared |= bounds[lane].drops_oldest ? UINT64_C(1) << lane : 0;
        }
        if (made == NULL) {
            const int error = errno;
            cweir_mailbox_destroy(mailbox);
            errno = error;
            return NULL;
        }
    }
    return mailbox;
}

void cweir_mailbox_destroy(cweir_mailbox_t *mailbox) {
    if (mailbox == NULL) {
        return;
    }
    for (uint32_t level = 0; level < CWEIR_MAILBOX_LEVELS; level += 1) {
        cweir_stack_destroy(mailbox->stacks[level]);
        cweir_shared_ring_destroy(mailbox->queues[level]);
    }
    cweir_free_lines(mailbox);
}

// Sets bits of the word, and wakes the consumer when it was parked. Returns true when the consumer has ended.
bool cweir_mailbox_signal(cweir_mailbox_t *mailbox, uint32_t bits) {
    _Atomic(uint32_t) *word = &mailbox->signals.word;
    // Sequentially consistent, as all that touches the word and is not a hint.
    const uint32_t seen = atomic_fetch_or_explicit(word, bits, memory_order_seq_cst);
    if ((seen & CWEIR_MAILBOX_PARKED) == 0) {
        return (seen & CWEIR_MAILBOX_ENDED) != 0;
    }
    // Several may have seen PARKED; the one that clears it wakes: one call into the kernel for a whole burst.
    const uint32_t before = atomic_fetch_and_explicit(word, ~(uint32_t)CWEIR_MAILBOX_PARKED, memory_order_seq_cst);
    if ((before & CWEIR_MAILBOX_PARKED) != 0) {
        cweir_parking_wake(&mailbox->signals, false);
    }
    return false;
}

// Clears the bit of a lane that was found empty, unless something has been claimed in it. Returns true when the bit is
// clear: the next claim finds it missing. Consumer.
bool cweir_mailbox_settle(cweir_mailbox_t *mailbox, uint32_t lane) {
    const uint32_t bit = 1u << lane;
    mailbox->misses[lane] = 0;
    (void)atomic_fetch_and_explicit(&mailbox->signals.word, ~bit, memory_order_seq_cst);
    bool is_empty;
    if (lane < CWEIR_MAILBOX_LEVELS) {
        // Under the lock: who pushed before is counted, who pushes afterwards sees that the bit is clear.
        cweir_stack_t *stack = mailbox->stacks[lane];
        cweir_stack_acquire(stack);
        is_empty = cweir_stack_count(stack) == 0;
        cweir_stack_release(stack);
    } else {
        cweir_shared_ring_t *ring = mailbox->queues[lane - CWEIR_MAILBOX_LEVELS];
        // The tail first, sequentially consistent, against the claim. Those who drop the oldest may then move the head
        // past it: all up to the tail is taken.
        const uint64_t tail = atomic_load_explicit(&ring->tail, memory_order_seq_cst);
        const uint64_t head = atomic_load_explicit(&ring->head, memory_order_relaxed);
        is_empty = (int64_t)(tail - head) <= 0;
    }
    if (!is_empty) {
        (void)atomic_fetch_or_explicit(&mailbox->signals.word, bit, memory_order_seq_cst);
    }
    return is_empty;
}

void cweir_mailbox_raise_peak(cweir_mailbox_t *mailbox, uint32_t lane, uint64_t count) {
    _Atomic(uint64_t) *peak = &mailbox->lanes[lane].peak;
    uint64_t seen = atomic_load_explicit(peak, memory_order_relaxed);
    while (count > seen
           && !atomic_compare_exchange_weak_explicit(peak, &seen, count, memory_order_relaxed, memory_order_relaxed)) {
    }
}

static uint64_t capacity_of(cweir_mailbox_t *mailbox, uint32_t lane) {
    return 1
           + (lane < CWEIR_MAILBOX_LEVELS ? mailbox->stacks[lane]->mask
                                          : mailbox->queues[lane - CWEIR_MAILBOX_LEVELS]->mask);
}

static uint64_t count_of(cweir_mailbox_t *mailbox, uint32_t lane) {
    return lane < CWEIR_MAILBOX_LEVELS ? cweir_stack_count(mailbox->stacks[lane])
                                       : cweir_shared_ring_count(mailbox->queues[lane - CWEIR_MAILBOX_LEVELS]);
}

cweir_mailbox_item_t cweir_mailbox_take_oldest(cweir_mailbox_t *mailbox, uint32_t lane) {
    // The caller needs room, so the lane is full.
    cweir_mailbox_raise_peak(mailbox, lane, capacity_of(mailbox, lane));
    if (lane < CWEIR_MAILBOX_LEVELS) {
        return (cweir_mailbox_item_t){
            .slot = cweir_stack_take_oldest(mailbox->stacks[lane]),
            .position = 0,
            .lane = lane,
        };
    }
    return cweir_mailbox_take_queued(mailbox, lane);
}

void cweir_mailbox_remove_oldest(cweir_mailbox_t *mailbox, cweir_mailbox_item_t item) {
    if (item.lane < CWEIR_MAILBOX_LEVELS) {
        cweir_stack_remove_oldest(mailbox->stacks[item.lane]);
    } else {
        cweir_shared_ring_give_back(mailbox->queues[item.lane - CWEIR_MAILBOX_LEVELS], item.position, 1);
    }
    cweir_mailbox_count_dropped(mailbox, item.lane, CWEIR_MAILBOX_DROPPED_OLDEST);
}

void cweir_mailbox_count_dropped(cweir_mailbox_t *mailbox, uint32_t lane, uint32_t cause) {
    if (cause == CWEIR_MAILBOX_DROPPED_NEWEST || cause == CWEIR_MAILBOX_DROPPED_OWN) {
        cweir_mailbox_raise_peak(mailbox, lane, capacity_of(mailbox, lane));
    }
    (void)atomic_fetch_add_explicit(&mailbox->lanes[lane].dropped[cause], 1, memory_order_relaxed);
}

static bool is_full(cweir_mailbox_t *mailbox, uint32_t lane) {
    if (lane < CWEIR_MAILBOX_LEVELS) {
        return count_of(mailbox, lane) == capacity_of(mailbox, lane);
    }
    cweir_shared_ring_t *ring = mailbox->queues[lane - CWEIR_MAILBOX_LEVELS];
    const uint64_t tail = atomic_load_explicit(&ring->tail, memory_order_relaxed);
    return cweir_shared_ring_scan(ring, tail, 1, cweir_shared_ring_sequence(ring, tail)).count == 0;
}

bool cweir_mailbox_wait_for_room(cweir_mailbox_t *mailbox, uint32_t lane, uint32_t round) {
    enum { SPINS = 64, YIELDS = 8, LONGEST = 6 };
    cweir_mailbox_raise_peak(mailbox, lane, capacity_of(mailbox, lane));
    cweir_parking_t *room = &mailbox->lanes[lane].room;
    // Sequentially consistent, as below, against cweir_mailbox_close: the waiter sees CLOSED, or the closer the waiter.
    const uint32_t word = atomic_fetch_or_explicit(&room->word, 1, memory_order_seq_cst) | 1;
    if (round < SPINS + YIELDS) {
        cweir_thread_back_off(round);
        return true;
    }
    if (cweir_mailbox_is_closed(mailbox) || !is_full(mailbox, lane)) {
        return true;
    }
    cweir_wait_t wait;
    if (!cweir_wait_begin(&wait, atomic_load_explicit(&mailbox->consumer, memory_order_relaxed))) {
        return false;
    }
    // The timeout covers a consumer that gave a slot back before it could see this request, and a lane that stays half
    // full: 1 ms, then twice as long each time, up to 64 ms.
    const uint32_t doublings = round - SPINS - YIELDS < LONGEST ? round - SPINS - YIELDS : LONGEST;
    (void)cweir_parking_sleep(room, word, cweir_clock_monotonic() + ((int64_t)1000000 << doublings));
    cweir_wait_end(&wait);
    return true;
}

// Wakes the producers that wait for room.
static void wake_waiters(cweir_parking_t *room) {
    uint32_t word = atomic_load_explicit(&room->word, memory_order_seq_cst);
    // Odd to even, and another number than ever before: who is about to sleep on the old one does not.
    if ((word & 1) != 0
        && atomic_compare_exchange_strong_explicit(
            &room->word, &word, word + 1, memory_order_seq_cst, memory_order_relaxed)) {
        cweir_parking_wake(room, true);
    }
}

// Wakes who waits for room in the lane as soon as it is half empty, so that they do not come and go one by one.
void cweir_mailbox_make_room(cweir_mailbox_t *mailbox, uint32_t lane) {
    if (count_of(mailbox, lane) <= capacity_of(mailbox, lane) / 2) {
        wake_waiters(&mailbox->lanes[lane].room);
    }
}

void cweir_mailbox_become_consumer(cweir_mailbox_t *mailbox) {
    const uintptr_t identity = cweir_thread_identity();
    // Relaxed: a thread compares it with its own identity, so it reads what it wrote itself or what is not its own.
    if (atomic_load_explicit(&mailbox->consumer, memory_order_relaxed) != identity) {
        atomic_store_explicit(&mailbox->consumer, identity, memory_order_relaxed);
    }
}

void cweir_mailbox_resign_consumer(cweir_mailbox_t *mailbox) {
    uintptr_t self = cweir_thread_identity();
    // Another thread may already have become the consumer.
    (void)atomic_compare_exchange_strong_explicit(
        &mailbox->consumer, &self, 0, memory_order_relaxed, memory_order_relaxed);
}

bool cweir_mailbox_is_consumer(cweir_mailbox_t *mailbox) {
    return atomic_load_explicit(&mailbox->consumer, memory_order_relaxed) == cweir_thread_identity();
}

// Returns true when the next take finds something in the lane, as far as the consumer can see without trying.
static bool is_ready(cweir_mailbox_t *mailbox, uint32_t lane) {
    if (lane < CWEIR_MAILBOX_LEVELS) {
        return cweir_stack_count(mailbox->stacks[lane]) > 0;
    }
    cweir_shared_ring_t *ring = mailbox->queues[lane - CWEIR_MAILBOX_LEVELS];
    const uint64_t head = atomic_load_explicit(&ring->head, memory_order_relaxed);
    return cweir_shared_ring_scan(ring, head, 1, cweir_shared_ring_sequence(ring, head) + 1).count == 1;
}

static uint32_t lanes_with_bits(cweir_mailbox_t *mailbox) {
    return atomic_load_explicit(&mailbox->signals.word, memory_order_relaxed) & CWEIR_MAILBOX_LANE_BITS;
}

static bool is_any_ready(cweir_mailbox_t *mailbox) {
    for (uint32_t bits = lanes_with_bits(mailbox); bits != 0; bits &= bits - 1) {
        if (is_ready(mailbox, (uint32_t)__builtin_ctz(bits))) {
            return true;
        }
    }
    return false;
}

// Looks for something until the time is over; true when there is.
static bool spin_for(cweir_mailbox_t *mailbox, int64_t nanoseconds) {
    enum { PAUSES = 8 };
    const int64_t end = cweir_clock_quick() + nanoseconds;
    do {
        if (is_any_ready(mailbox)) {
            return true;
        }
        const uint32_t word = atomic_load_explicit(&mailbox->signals.word, memory_order_relaxed);
        if ((word & (CWEIR_MAILBOX_NUDGED | CWEIR_MAILBOX_CLOSED)) != 0) {
            return false;
        }
        // A look moves a line that the producer writes next, so seldom: what comes meanwhile is taken in one go.
        for (int pause = 0; pause < PAUSES; pause += 1) {
            cweir_thread_back_off(0);
        }
    } while (cweir_clock_quick() < end);
    return false;
}

// Sleeps until PARKED is gone from the word; false when the deadline came first.
static bool sleep_until(cweir_mailbox_t *mailbox, int64_t deadline) {
    _Atomic(uint32_t) *word = &mailbox->signals.word;
    bool is_in_time = true;
    while (is_in_time && atomic_load_explicit(word, memory_order_seq_cst) == CWEIR_MAILBOX_PARKED) {
        is_in_time = cweir_parking_sleep(&mailbox->signals, CWEIR_MAILBOX_PARKED, deadline);
    }
    // No longer parked: a thread that has just set a bit need not wake this one.
    const uint32_t before = atomic_fetch_and_explicit(word, ~(uint32_t)CWEIR_MAILBOX_PARKED, memory_order_seq_cst);
    return is_in_time || before != CWEIR_MAILBOX_PARKED;
}

uint32_t cweir_mailbox_park(cweir_mailbox_t *mailbox, int64_t deadline, int64_t spin) {
    enum { PATIENT_ROUNDS = 256, NAP = 50000 };
    _Atomic(uint32_t) *word = &mailbox->signals.word;
    cweir_mailbox_become_consumer(mailbox);
    if ((atomic_load_explicit(word, memory_order_relaxed) & CWEIR_MAILBOX_ENDED) != 0) {
        return CWEIR_MAILBOX_FINISHED; // what lies there is not the consumer's any more
    }
    if (spin > 0 && spin_for(mailbox, spin)) {
        return CWEIR_MAILBOX_READY;
    }
    for (uint32_t round = 0;; round += 1) {
        bool is_empty = true;
        // Before the end all lanes: a put that claimed its slot before the close may not have set the bit yet.
        const bool was_closed = cweir_mailbox_is_closed(mailbox);
        uint32_t bits = was_closed ? CWEIR_MAILBOX_LANE_BITS : lanes_with_bits(mailbox);
        for (; bits != 0; bits &= bits - 1) {
            is_empty = cweir_mailbox_settle(mailbox, (uint32_t)__builtin_ctz(bits)) && is_empty;
        }
        if (!is_empty && is_any_ready(mailbox)) {
            return CWEIR_MAILBOX_READY;
        }
        uint32_t seen = atomic_load_explicit(word, memory_order_seq_cst);
        if ((seen & CWEIR_MAILBOX_NUDGED) != 0) {
            (void)atomic_fetch_and_explicit(word, ~(uint32_t)CWEIR_MAILBOX_NUDGED, memory_order_seq_cst);
            return CWEIR_MAILBOX_READY;
        }
        if (is_empty) {
            // All lanes were empty: from now on a producer that still put something has to take it out.
            uint32_t expected = CWEIR_MAILBOX_CLOSED;
            if (was_closed
                && atomic_compare_exchange_strong_explicit(
                    word, &expected, CWEIR_MAILBOX_CLOSED | CWEIR_MAILBOX_ENDED, memory_order_seq_cst,
                    memory_order_relaxed)) {
                return CWEIR_MAILBOX_FINISHED;
            }
            expected = 0;
            if (atomic_compare_exchange_strong_explicit(
                    word, &expected, CWEIR_MAILBOX_PARKED, memory_order_seq_cst, memory_order_relaxed)) {
                // Woken by a bit, a nudge or the end: all of them are told apart by looking again.
                if (!sleep_until(mailbox, deadline)) {
                    return CWEIR_MAILBOX_TIMED_OUT;
                }
                round = 0;
            }
            continue;
        }
        // A producer has claimed a slot and not yet published it, and will not wake the consumer when it does: spin at
        // first, then yield the processor to it.
        if (deadline != CWEIR_PARKING_FOREVER && cweir_clock_monotonic() >= deadline) {
            return CWEIR_MAILBOX_TIMED_OUT;
        }
        if (round < PATIENT_ROUNDS) {
            cweir_thread_back_off(round);
        } else {
            (void)cweir_parking_sleep(&mailbox->signals, seen, cweir_clock_monotonic() + NAP);
        }
    }
}

bool cweir_mailbox_is_left_empty(cweir_mailbox_t *mailbox) {
    bool is_empty = true;
    for (uint32_t bits = lanes_with_bits(mailbox); bits != 0; bits &= bits - 1) {
        is_empty = cweir_mailbox_settle(mailbox, (uint32_t)__builtin_ctz(bits)) && is_empty;
    }
    return is_empty;
}

void cweir_mailbox_nudge(cweir_mailbox_t *mailbox) {
    (void)cweir_mailbox_signal(mailbox, CWEIR_MAILBOX_NUDGED);
}

void cweir_mailbox_close(cweir_mailbox_t *mailbox) {
    (void)cweir_mailbox_signal(mailbox, CWEIR_MAILBOX_CLOSED);
    for (uint32_t lane = 0; lane < CWEIR_MAILBOX_LANES; lane += 1) {
        wake_waiters(&mailbox->lanes[lane].room);
    }
}

void cweir_mailbox_fail(cweir_mailbox_t *mailbox, uint32_t lane) {
    uint32_t expected = 0;
    // Release: pairs with the acquire in cweir_mailbox_failed_lane; before the mailbox closes.
    (void)atomic_compare_exchange_strong_explicit(
        &mailbox->failed, &expected, lane + 1, memory_order_release, memory_order_relaxed);
    cweir_mailbox_close(mailbox);
}

uint32_t cweir_mailbox_failed_lane(cweir_mailbox_t *mailbox) {
    const uint32_t failed = atomic_load_explicit(&mailbox->failed, memory_order_acquire);
    return failed == 0 ? CWEIR_MAILBOX_LANES : failed - 1;
}

bool cweir_mailbox_is_closed(cweir_mailbox_t *mailbox) {
    return (atomic_load_explicit(&mailbox->signals.word, memory_order_seq_cst) & CWEIR_MAILBOX_CLOSED) != 0;
}

cweir_mailbox_numbers_t cweir_mailbox_read(cweir_mailbox_t *mailbox, uint32_t lane) {
    cweir_mailbox_lane_t *numbers = &mailbox->lanes[lane];
    cweir_mailbox_numbers_t result;
    result.pending = count_of(mailbox, lane);
    result.peak = atomic_load_explicit(&numbers->peak, memory_order_relaxed);
    uint64_t peak = result.pending; // the consumer may not have looked since it became that long
    if (lane < CWEIR_MAILBOX_LEVELS) {
        result.accepted = cweir_stack_read(&mailbox->stacks[lane]->pushed);
        const uint64_t highest = cweir_stack_read(&mailbox->stacks[lane]->peak);
        peak = highest > peak ? highest : peak;
    } else {
        // The ring started at zero.
        result.accepted =
            atomic_load_explicit(&mailbox->queues[lane - CWEIR_MAILBOX_LEVELS]->tail, memory_order_relaxed);
    }
    result.peak = peak > result.peak ? peak : result.peak;
    result.dropped_newest =
        atomic_load_explicit(&numbers->dropped[CWEIR_MAILBOX_DROPPED_NEWEST], memory_order_relaxed);
    result.dropped_oldest =
        atomic_load_explicit(&numbers->dropped[CWEIR_MAILBOX_DROPPED_OLDEST], memory_order_relaxed);
    result.dropped_closed =
        atomic_load_explicit(&numbers->dropped[CWEIR_MAILBOX_DROPPED_CLOSED], memory_order_relaxed);
    result.dropped_own = atomic_load_explicit(&numbers->dropped[CWEIR_MAILBOX_DROPPED_OWN], memory_order_relaxed);
    result.dropped_late = atomic_load_explicit(&numbers->dropped[CWEIR_MAILBOX_DROPPED_LATE], memory_order_relaxed);
    return result;
}

uint32_t cweir_mailbox_sleeps(cweir_mailbox_t *mailbox) {
    return cweir_parking_sleeps(&mailbox->signals);
}

uint32_t cweir_mailbox_wakes(cweir_mailbox_t *mailbox) {
    return cweir_parking_wakes(&mailbox->signals);
}
