// What a timer queue consists of. For cweir_timer_queue.c alone, as are the files that include this one.
#ifndef CWEIR_TIMER_QUEUE_STATE_H
#define CWEIR_TIMER_QUEUE_STATE_H

#include "cweir_timer_queue.h"

#define DIGIT_BITS 6
#define DIGITS (1 << DIGIT_BITS)
#define LEVELS 11 // 11 digits of 6 bits cover 64 bits
#define ARITY 4

// A bucket of up to this many timers goes to the heap as it is: 256 entries and their slots stay in the first-level
// cache. A heap that grows beyond twice as many sheds its later part.
#define HEAP_TARGET 256
#define HEAP_SHED (2 * HEAP_TARGET)

// How many timers may be moved between buckets for each that the heap sheds.
#define MOVES_WORTH 4

#define CHUNK_BITS 10
#define CHUNK_SLOTS ((size_t)1 << CHUNK_BITS)

#define NONE UINT32_MAX

// A pending or free timer. Its payload follows. Whether it waits in the heap, or in which bucket, is not stored: it
// follows from its key.
typedef struct slot {
    uint64_t key;      // the deadline, in unsigned order
    uint64_t sequence; // 0 in a free slot
    uint32_t place;    // in the heap the index, in a bucket the block and the index in it; or the next free slot
} slot_t;

typedef struct entry {
    uint64_t key;
    uint64_t sequence;
    uint32_t slot;
} entry_t;

#define BLOCK_BITS 5
#define BLOCK_SLOTS ((1 << BLOCK_BITS) - 2)

// Buckets are lists of blocks of slots, of which only the first may have gaps, at its end. Not lists of slots: those
// are all over the memory, and one can be fetched ahead only if it need not be found by way of the one before.
typedef struct block {
    uint32_t next;
    uint32_t count;
    uint32_t slots[BLOCK_SLOTS];
} block_t;

_Static_assert(sizeof(block_t) == CWEIR_CACHE_LINE, "a block is a pair of lines");

typedef struct bucket {
    uint32_t first; // block; any when the bucket is empty
    uint32_t count; // slots
} bucket_t;

// Of the keys, those up to `near_last` are in the heap. The others are in the level of the first digit in which they
// differ from `base`, in the bucket of that digit. `base` may move within the block of 64^near_level keys that ends at
// `near_last`, without moving any entry: keys outside the block differ from all keys in it in the same digit.
struct cweir_timer_queue {
    uint64_t base;
    uint64_t near_last;
    unsigned near_level;
    uint32_t levels; // bit n: level n has timers
    uint64_t last_sequence;

    entry_t *heap;
    size_t heap_count;
    size_t shed_above; // the heap's length at which shedding is worth a try

    block_t *blocks;
    uint32_t free_blocks; // the first one
    uint32_t used_blocks; // this and later blocks were never used

    unsigned char **chunks;
    size_t payload_offset;
    size_t slot_stride;
    uint32_t free_slots; // the first one
    uint32_t used_slots; // this and later slots were never used
    size_t count;
    size_t limit;
    size_t slot_capacity;
    size_t heap_capacity; // never less than slot_capacity, and there are blocks for as many: only adding can fail
    size_t chunk_capacity;

    uint64_t digits[LEVELS]; // bit n: the bucket of digit n has timers
    bucket_t buckets[LEVELS][DIGITS];
};

static uint64_t key_of(int64_t deadline) {
    return (uint64_t)deadline ^ ((uint64_t)1 << 63);
}

static int64_t deadline_of(uint64_t key) {
    return (int64_t)(key ^ ((uint64_t)1 << 63));
}

// The lowest `level` digits.
static uint64_t digits_below(unsigned level) {
    return ((uint64_t)1 << (DIGIT_BITS * level)) - 1;
}

static unsigned level_of(uint64_t key, uint64_t base) {
    return (unsigned)(63 - __builtin_clzll(key ^ base)) / DIGIT_BITS;
}

static unsigned digit_of(uint64_t key, unsigned level) {
    return (unsigned)(key >> (DIGIT_BITS * level)) & (DIGITS - 1);
}

static slot_t *slot_at(const cweir_timer_queue_t *queue, uint32_t index) {
    unsigned char *chunk = queue->chunks[index >> CHUNK_BITS];
    return (slot_t *)(void *)(chunk + (index & (CHUNK_SLOTS - 1)) * queue->slot_stride);
}

static void *payload_of(const cweir_timer_queue_t *queue, slot_t *slot) {
    return (unsigned char *)slot + queue->payload_offset;
}

#endif
