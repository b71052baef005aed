#include "cbench_rings.h"

#include "CWeir.h"
#include "cbench_threads.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Inlined with a constant stride and batch, so that each case is its own code.
#define INLINE static inline __attribute__((always_inline))

typedef struct transfer {
    cweir_ring_t *ring;
    cweir_shared_ring_t *shared;
    uint64_t total;
    // What each side writes, on a line of its own.
    _Alignas(CWEIR_CACHE_LINE) int64_t start;
    _Alignas(CWEIR_CACHE_LINE) int64_t end;
    uint64_t sum;
} transfer_t;

INLINE size_t at_most(uint64_t left, size_t batch) {
    return left < batch ? (size_t)left : batch;
}

INLINE void fill(void *slots, size_t count, size_t stride, uint64_t first) {
    if (stride == sizeof(uint64_t)) {
        uint64_t *numbers = slots;
        for (size_t index = 0; index < count; index += 1) {
            numbers[index] = first + index;
        }
        return;
    }
    cbench_line_t *lines = slots;
    for (size_t index = 0; index < count; index += 1) {
        for (size_t word = 0; word < 8; word += 1) {
            lines[index].words[word] = first + index;
        }
    }
}

INLINE uint64_t sum(const void *slots, size_t count, size_t stride) {
    uint64_t result = 0;
    for (size_t index = 0; index < count; index += 1) {
        result += stride == sizeof(uint64_t) ? ((const uint64_t *)slots)[index]
                                             : ((const cbench_line_t *)slots)[index].words[0];
    }
    return result;
}

// MARK: One producer

INLINE void produce(transfer_t *transfer, size_t stride, size_t batch, bool copied) {
    cweir_ring_t *ring = transfer->ring;
    cbench_line_t array[CBENCH_BATCH];
    uint32_t tries = 0;
    transfer->start = cbench_now();
    for (uint64_t made = 0; made < transfer->total;) {
        const cweir_run_t run = cweir_ring_claim(ring, at_most(transfer->total - made, batch));
        if (run.count == 0) {
            cbench_wait(&tries);
            continue;
        }
        tries = 0;
        fill(copied ? array : run.slots, run.count, stride, made);
        if (copied) {
            memcpy(run.slots, array, run.count * stride);
        }
        cweir_ring_publish(ring, run.count);
        made += run.count;
    }
}

INLINE void consume(transfer_t *transfer, size_t stride, size_t batch, bool copied) {
    cweir_ring_t *ring = transfer->ring;
    cbench_line_t array[CBENCH_BATCH];
    uint32_t tries = 0;
    uint64_t total = 0;
    for (uint64_t taken = 0; taken < transfer->total;) {
        const cweir_run_t run = cweir_ring_peek(ring, batch);
        if (run.count == 0) {
            cbench_wait(&tries);
            continue;
        }
        tries = 0;
        if (copied) {
            memcpy(array, run.slots, run.count * stride);
            cweir_ring_release(ring, run.count);
            total += sum(array, run.count, stride);
        } else {
            total += sum(run.slots, run.count, stride);
            cweir_ring_release(ring, run.count);
        }
        taken += run.count;
    }
    transfer->end = cbench_now();
    transfer->sum = total;
}

static int64_t checked(int64_t time, uint64_t sum, uint64_t expected) {
    if (sum != expected) {
        (void)fputs("the sum of what came out of the ring is wrong\n", stderr);
        abort();
    }
    return time;
}

static int64_t finish(const transfer_t *transfer, uint64_t expected) {
    return checked(transfer->end - transfer->start, transfer->sum, expected);
}

static int64_t run_ring(void (*body)(void *context, int index), size_t stride, uint64_t total) {
    transfer_t transfer = {.ring = cweir_ring_create(CBENCH_RING_CAPACITY, stride), .total = total};
    if (transfer.ring == NULL) {
        abort();
    }
    cbench_parallel(2, body, &transfer, (const int[]){0, 1});
    cweir_ring_destroy(transfer.ring);
    return finish(&transfer, total * (total - 1) / 2);
}

#define ONE_PRODUCER(NAME, STRIDE, PRODUCED, CONSUMED, COPIED)   \
    static void NAME##_body(void *context, int index) {          \
        if (index == 0) {                                        \
            produce(context, STRIDE, PRODUCED, COPIED);          \
        } else {                                                 \
            consume(context, STRIDE, CONSUMED, COPIED);          \
        }                                                        \
    }                                                            \
    int64_t NAME(uint64_t total) {                               \
        return run_ring(NAME##_body, STRIDE, total);             \
    }

ONE_PRODUCER(cbench_ring_in_place, sizeof(uint64_t), CBENCH_BATCH, CBENCH_BATCH, false)
ONE_PRODUCER(cbench_ring_lines_in_place, sizeof(cbench_line_t), CBENCH_BATCH, CBENCH_BATCH, false)
ONE_PRODUCER(cbench_ring_copied, sizeof(uint64_t), CBENCH_BATCH, CBENCH_BATCH, true)
ONE_PRODUCER(cbench_ring_one_by_one, sizeof(uint64_t), 1, 1, false)
ONE_PRODUCER(cbench_ring_one_to_batch, sizeof(uint64_t), 1, CBENCH_BATCH, false)

// MARK: The limit of elements of a line

// A ring of two places, each half of the slots: the lines move as they do in a ring, but the sides speak to each other
// only once per half.
typedef struct handover {
    cbench_line_t halves[2][CBENCH_RING_CAPACITY / 2];
    uint64_t total;
    _Alignas(CWEIR_CACHE_LINE) _Atomic(uint64_t) filled;
    _Alignas(CWEIR_CACHE_LINE) _Atomic(uint64_t) emptied;
    _Alignas(CWEIR_CACHE_LINE) int64_t start;
    _Alignas(CWEIR_CACHE_LINE) int64_t end;
    uint64_t sum;
} handover_t;

static void hand_over(void *context, int index) {
    handover_t *handover = context;
    const size_t half = CBENCH_RING_CAPACITY / 2;
    uint32_t tries = 0;
    uint64_t result = 0;
    if (index == 0) {
        handover->start = cbench_now();
    }
    for (uint64_t number = 0, done = 0; done < handover->total; number += 1) {
        cbench_line_t *lines = handover->halves[number % 2];
        const size_t count = at_most(handover->total - done, half);
        if (index == 0) {
            while (number - atomic_load_explicit(&handover->emptied, memory_order_acquire) == 2) {
                cbench_wait(&tries);
            }
            fill(lines, count, sizeof(cbench_line_t), done);
            atomic_store_explicit(&handover->filled, number + 1, memory_order_release);
        } else {
            while (atomic_load_explicit(&handover->filled, memory_order_acquire) == number) {
                cbench_wait(&tries);
            }
            result += sum(lines, count, sizeof(cbench_line_t));
            atomic_store_explicit(&handover->emptied, number + 1, memory_order_release);
        }
        tries = 0;
        done += count;
    }
    if (index == 1) {
        handover->end = cbench_now();
        handover->sum = result;
    }
}

int64_t cbench_lines_in_halves(uint64_t total) {
    handover_t *handover = cweir_allocate_lines(1, sizeof(handover_t));
    if (handover == NULL) {
        abort();
    }
    memset(handover, 0, sizeof(*handover));
    handover->total = total;
    cbench_parallel(2, hand_over, handover, (const int[]){0, 1});
    const int64_t time = handover->end - handover->start;
    const uint64_t sum = handover->sum;
    cweir_free_lines(handover);
    return checked(time, sum, total * (total - 1) / 2);
}

// MARK: Two producers

INLINE void produce_shared(transfer_t *transfer, int index, size_t batch, bool copied) {
    cweir_shared_ring_t *ring = transfer->shared;
    uint64_t array[CBENCH_BATCH];
    const uint64_t half = transfer->total / 2;
    uint32_t tries = 0;
    if (index == 1) {
        transfer->start = cbench_now();
    }
    for (uint64_t made = 0; made < half;) {
        const cweir_shared_run_t run = cweir_shared_ring_claim(ring, at_most(half - made, batch));
        if (run.count == 0) {
            cbench_wait(&tries);
            continue;
        }
        tries = 0;
        fill(copied ? array : run.slots, run.count, sizeof(uint64_t), made);
        if (copied) {
            memcpy(run.slots, array, run.count * sizeof(uint64_t));
        }
        cweir_shared_ring_publish(ring, run.position, run.count);
        made += run.count;
    }
}

// In batches as the only consumer, one by one as one of several: what the methods of the wrapper do.
INLINE void consume_shared(transfer_t *transfer, size_t batch) {
    cweir_shared_ring_t *ring = transfer->shared;
    uint32_t tries = 0;
    uint64_t total = 0;
    for (uint64_t taken = 0; taken < transfer->total;) {
        const cweir_shared_run_t run =
            batch > 1 ? cweir_shared_ring_peek(ring, batch) : cweir_shared_ring_take(ring, 1);
        if (run.count == 0) {
            cbench_wait(&tries);
            continue;
        }
        tries = 0;
        total += sum(run.slots, run.count, sizeof(uint64_t));
        if (batch > 1) {
            cweir_shared_ring_release(ring, run.count);
        } else {
            cweir_shared_ring_give_back(ring, run.position, run.count);
        }
        taken += run.count;
    }
    transfer->end = cbench_now();
    transfer->sum = total;
}

static int64_t run_shared(void (*body)(void *context, int index), uint64_t total) {
    transfer_t transfer = {
        .shared = cweir_shared_ring_create(CBENCH_RING_CAPACITY, sizeof(uint64_t)),
        .total = total,
    };
    if (transfer.shared == NULL) {
        abort();
    }
    // The consumer has a core, the two producers share the other one.
    cbench_parallel(3, body, &transfer, (const int[]){1, 0, 0});
    cweir_shared_ring_destroy(transfer.shared);
    return finish(&transfer, (total / 2) * (total / 2 - 1));
}

#define TWO_PRODUCERS(NAME, BATCH, COPIED)                    \
    static void NAME##_body(void *context, int index) {       \
        if (index == 0) {                                     \
            consume_shared(context, BATCH);                   \
        } else {                                              \
            produce_shared(context, index, BATCH, COPIED);    \
        }                                                     \
    }                                                         \
    int64_t NAME(uint64_t total) {                            \
        return run_shared(NAME##_body, total);                \
    }

TWO_PRODUCERS(cbench_shared_in_place, CBENCH_BATCH, false)
TWO_PRODUCERS(cbench_shared_copied, CBENCH_BATCH, true)
TWO_PRODUCERS(cbench_shared_one_by_one, 1, false)
