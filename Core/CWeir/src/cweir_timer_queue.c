#include "cweir_timer_queue.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

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

// The heap.

static bool comes_before(const entry_t *one, const entry_t *other) {
    // Without branches, which would be mispredicted.
    return (one->key < other->key) | ((one->key == other->key) & (one->sequence < other->sequence));
}

static void heap_set(cweir_timer_queue_t *queue, size_t index, entry_t entry) {
    queue->heap[index] = entry;
    slot_at(queue, entry.slot)->place = (uint32_t)index;
}

static void heap_rise(cweir_timer_queue_t *queue, size_t index, entry_t entry) {
    while (index > 0) {
        const size_t parent = (index - 1) / ARITY;
        if (!comes_before(&entry, &queue->heap[parent])) {
            break;
        }
        heap_set(queue, index, queue->heap[parent]);
        index = parent;
    }
    heap_set(queue, index, entry);
}

static void heap_sink(cweir_timer_queue_t *queue, size_t index, entry_t entry) {
    for (;;) {
        const size_t first = index * ARITY + 1;
        if (first >= queue->heap_count) {
            break;
        }
        const size_t end = first + ARITY < queue->heap_count ? first + ARITY : queue->heap_count;
        size_t least = first;
        for (size_t child = first + 1; child < end; child++) {
            least = comes_before(&queue->heap[child], &queue->heap[least]) ? child : least;
        }
        if (!comes_before(&queue->heap[least], &entry)) {
            break;
        }
        heap_set(queue, index, queue->heap[least]);
        index = least;
    }
    heap_set(queue, index, entry);
}

static void heap_remove(cweir_timer_queue_t *queue, size_t index) {
    queue->heap_count -= 1;
    if (index == queue->heap_count) {
        return;
    }
    const entry_t last = queue->heap[queue->heap_count];
    if (index > 0 && comes_before(&last, &queue->heap[(index - 1) / ARITY])) {
        heap_rise(queue, index, last);
    } else {
        heap_sink(queue, index, last);
    }
}

// Puts entries in any order into the order of a heap, and sets the places of all.
static void heap_build(cweir_timer_queue_t *queue) {
    if (queue->heap_count == 0) {
        return;
    }
    for (size_t index = queue->heap_count; index > 0; index--) {
        heap_sink(queue, index - 1, queue->heap[index - 1]);
    }
    queue->shed_above = 2 * queue->heap_count > HEAP_SHED ? 2 * queue->heap_count : HEAP_SHED;
}

// The buckets.

// Returns a block of a bucket's list. There is always one: see block_capacity.
static uint32_t block_take(cweir_timer_queue_t *queue, uint32_t next) {
    uint32_t index = queue->free_blocks;
    if (index != NONE) {
        queue->free_blocks = queue->blocks[index].next;
    } else {
        index = queue->used_blocks;
        queue->used_blocks += 1;
    }
    queue->blocks[index].next = next;
    queue->blocks[index].count = 0;
    return index;
}

static void block_give_back(cweir_timer_queue_t *queue, uint32_t index) {
    queue->blocks[index].next = queue->free_blocks;
    queue->free_blocks = index;
}

// All blocks are full, but for one in each bucket and the one that is being emptied.
static size_t block_capacity(size_t slots) {
    return slots / BLOCK_SLOTS + LEVELS * DIGITS + 1;
}

static void bucket_insert(cweir_timer_queue_t *queue, uint32_t index, slot_t *slot) {
    const unsigned level = level_of(slot->key, queue->base);
    const unsigned digit = digit_of(slot->key, level);
    bucket_t *bucket = &queue->buckets[level][digit];
    if (bucket->count == 0) {
        queue->levels |= (uint32_t)1 << level;
        queue->digits[level] |= (uint64_t)1 << digit;
        bucket->first = block_take(queue, NONE);
    } else if (queue->blocks[bucket->first].count == BLOCK_SLOTS) {
        bucket->first = block_take(queue, bucket->first);
    }
    block_t *block = &queue->blocks[bucket->first];
    slot->place = bucket->first << BLOCK_BITS | block->count;
    block->slots[block->count] = index;
    block->count += 1;
    bucket->count += 1;
}

static void bucket_mark_empty(cweir_timer_queue_t *queue, unsigned level, unsigned digit) {
    queue->digits[level] &= ~((uint64_t)1 << digit);
    if (queue->digits[level] == 0) {
        queue->levels &= ~((uint32_t)1 << level);
    }
}

// Empties a bucket, whose list the caller then has.
static bucket_t bucket_take(cweir_timer_queue_t *queue, unsigned level, unsigned digit) {
    const bucket_t bucket = queue->buckets[level][digit];
    queue->buckets[level][digit].count = 0;
    bucket_mark_empty(queue, level, digit);
    return bucket;
}

// Removes a slot by moving the last one of the bucket's first block into its place.
static void bucket_remove(cweir_timer_queue_t *queue, const slot_t *slot) {
    const unsigned level = level_of(slot->key, queue->base);
    const unsigned digit = digit_of(slot->key, level);
    bucket_t *bucket = &queue->buckets[level][digit];
    block_t *first = &queue->blocks[bucket->first];
    first->count -= 1;
    bucket->count -= 1;
    const uint32_t moved = first->slots[first->count];
    slot_at(queue, moved)->place = slot->place;
    queue->blocks[slot->place >> BLOCK_BITS].slots[slot->place & ((1 << BLOCK_BITS) - 1)] = moved;
    if (first->count == 0) {
        const uint32_t next = first->next;
        block_give_back(queue, bucket->first);
        bucket->first = next;
    }
    if (bucket->count == 0) {
        bucket_mark_empty(queue, level, digit);
    }
}

static void fetch_ahead(const cweir_timer_queue_t *queue, uint32_t index) {
    if (index == NONE) {
        return;
    }
    const block_t *block = &queue->blocks[index];
    for (uint32_t offset = 0; offset < block->count; offset++) {
        __builtin_prefetch(slot_at(queue, block->slots[offset]));
    }
}

// Between the two.

// Puts the slots of a list of blocks where they belong by now: at the end of the heap, out of order, or into buckets.
static void distribute(cweir_timer_queue_t *queue, uint32_t index) {
    fetch_ahead(queue, index);
    while (index != NONE) {
        const block_t *block = &queue->blocks[index];
        fetch_ahead(queue, block->next);
        for (uint32_t offset = 0; offset < block->count; offset++) {
            slot_t *slot = slot_at(queue, block->slots[offset]);
            if (slot->key <= queue->near_last) {
                queue->heap[queue->heap_count++] = (entry_t){slot->key, slot->sequence, block->slots[offset]};
            } else {
                bucket_insert(queue, block->slots[offset], slot);
            }
        }
        const uint32_t next = block->next;
        block_give_back(queue, index);
        index = next;
    }
}

// How many timers are in the buckets of the levels below one.
static size_t count_below(const cweir_timer_queue_t *queue, unsigned level) {
    size_t count = 0;
    for (uint32_t lower = queue->levels & (((uint32_t)1 << level) - 1); lower != 0; lower &= lower - 1) {
        const unsigned from = (unsigned)__builtin_ctz(lower);
        for (uint64_t digits = queue->digits[from]; digits != 0; digits &= digits - 1) {
            count += queue->buckets[from][__builtin_ctzll(digits)].count;
        }
    }
    return count;
}

// Moves the base back to before its block, whose keys then all differ from it in the same digit.
static void move_base_back(cweir_timer_queue_t *queue, uint64_t base) {
    const unsigned level = level_of(base, queue->base);
    queue->base = base;
    for (uint32_t lower = queue->levels & (((uint32_t)1 << level) - 1); lower != 0; lower &= lower - 1) {
        const unsigned from = (unsigned)__builtin_ctz(lower);
        for (uint64_t digits = queue->digits[from]; digits != 0; digits &= digits - 1) {
            distribute(queue, bucket_take(queue, from, (unsigned)__builtin_ctzll(digits)).first);
        }
    }
}

// Sends the later part of a heap that has become too long back to the buckets.
static void shed(cweir_timer_queue_t *queue) {
    const uint64_t block_start = queue->near_last & ~digits_below(queue->near_level);
    // Timers that were added with earlier deadlines than all before them cannot be shed before the base goes back to
    // them. That moves the timers in the lower levels, so it must be worth it: for some that are long past it is not.
    const uint64_t base = queue->heap[0].key;
    const bool is_before = base < block_start;
    const unsigned highest = is_before ? level_of(base, queue->base) : queue->near_level;
    size_t counts[LEVELS] = {0};
    size_t staying = 0;
    for (size_t index = 0; index < queue->heap_count; index++) {
        const uint64_t key = queue->heap[index].key;
        if (key <= base) {
            staying += 1;
        } else {
            counts[level_of(key, base)] += 1;
        }
    }
    unsigned level = 0;
    while (level < highest && staying + counts[level] <= HEAP_TARGET) {
        staying += counts[level];
        level += 1;
    }
    const size_t leaving = queue->heap_count - staying;
    const bool is_worth_it = is_before ? count_below(queue, highest) <= MOVES_WORTH * leaving : level < highest;
    if (leaving == 0 || !is_worth_it) {
        queue->shed_above = 2 * queue->heap_count;
        return;
    }
    if (is_before) {
        move_base_back(queue, base);
    }
    queue->base = base;
    queue->near_level = level;
    queue->near_last = base | digits_below(level);
    size_t kept = 0;
    for (size_t index = 0; index < queue->heap_count; index++) {
        const entry_t entry = queue->heap[index];
        if (entry.key <= queue->near_last) {
            queue->heap[kept++] = entry;
        } else {
            bucket_insert(queue, entry.slot, slot_at(queue, entry.slot));
        }
    }
    queue->heap_count = kept;
    heap_build(queue);
}

static void insert(cweir_timer_queue_t *queue, uint32_t index, slot_t *slot) {
    if (slot->key > queue->near_last) {
        bucket_insert(queue, index, slot);
        return;
    }
    queue->heap_count += 1;
    heap_rise(queue, queue->heap_count - 1, (entry_t){slot->key, slot->sequence, index});
    if (queue->heap_count > queue->shed_above) {
        shed(queue);
    }
}

// Fills the empty heap from the buckets; false when they are empty, too.
static bool refill(cweir_timer_queue_t *queue) {
    while (queue->levels != 0) {
        const unsigned level = (unsigned)__builtin_ctz(queue->levels);
        const unsigned digit = (unsigned)__builtin_ctzll(queue->digits[level]);
        const unsigned shift = DIGIT_BITS * level;
        const bucket_t bucket = bucket_take(queue, level, digit);

        const uint64_t above = level + 1 < LEVELS ? queue->base & ~digits_below(level + 1) : 0;
        queue->base = above | ((uint64_t)digit << shift);
        const bool goes_to_heap = bucket.count <= HEAP_TARGET || level == 0;
        queue->near_level = goes_to_heap ? level : 0;
        queue->near_last = queue->base | digits_below(queue->near_level);

        distribute(queue, bucket.first);
        if (queue->heap_count > 0) {
            heap_build(queue);
            return true;
        }
    }
    return false;
}

static void discard(cweir_timer_queue_t *queue, uint32_t index, slot_t *slot) {
    slot->sequence = 0;
    slot->place = queue->free_slots;
    queue->free_slots = index;
    queue->count -= 1;
}

static void detach(cweir_timer_queue_t *queue, const slot_t *slot) {
    if (slot->key <= queue->near_last) {
        heap_remove(queue, slot->place);
    } else {
        bucket_remove(queue, slot);
    }
}

static slot_t *find(const cweir_timer_queue_t *queue, cweir_timer_t timer) {
    if (timer.slot >= queue->used_slots || timer.sequence == 0) {
        return NULL;
    }
    slot_t *slot = slot_at(queue, timer.slot);
    return slot->sequence == timer.sequence ? slot : NULL;
}

// An empty queue looks from the key onwards, which keeps the heap's block small.
static void look_from(cweir_timer_queue_t *queue, uint64_t key) {
    queue->base = key;
    queue->near_last = key;
    queue->near_level = 0;
    queue->shed_above = HEAP_SHED;
}

// Makes room for another chunk of slots and as many entries in the heap.
static bool grow(cweir_timer_queue_t *queue) {
    const size_t capacity = queue->slot_capacity + CHUNK_SLOTS;
    if (capacity > queue->heap_capacity) {
        const size_t doubled = queue->heap_capacity * 2 > capacity ? queue->heap_capacity * 2 : capacity;
        entry_t *heap = realloc(queue->heap, doubled * sizeof(entry_t));
        if (heap == NULL) {
            return false;
        }
        queue->heap = heap;
        block_t *blocks = realloc(queue->blocks, block_capacity(doubled) * sizeof(block_t));
        if (blocks == NULL) {
            return false;
        }
        queue->blocks = blocks;
        queue->heap_capacity = doubled;
    }
    const size_t chunk = queue->slot_capacity >> CHUNK_BITS;
    if (chunk == queue->chunk_capacity) {
        const size_t doubled = chunk == 0 ? 8 : chunk * 2;
        unsigned char **chunks = realloc(queue->chunks, doubled * sizeof(unsigned char *));
        if (chunks == NULL) {
            return false;
        }
        queue->chunks = chunks;
        queue->chunk_capacity = doubled;
    }
    const size_t vacant = queue->limit - queue->slot_capacity;
    queue->chunks[chunk] = cweir_allocate_lines(vacant < CHUNK_SLOTS ? vacant : CHUNK_SLOTS, queue->slot_stride);
    if (queue->chunks[chunk] == NULL) {
        return false;
    }
    queue->slot_capacity = capacity;
    return true;
}

cweir_timer_queue_t *cweir_timer_queue_create(size_t limit, size_t size, size_t alignment) {
    const bool is_aligned = alignment != 0 && (alignment & (alignment - 1)) == 0 && alignment <= CWEIR_CACHE_LINE;
    if (limit == 0 || limit > CWEIR_TIMER_QUEUE_MOST || size > CWEIR_TIMER_QUEUE_MOST || !is_aligned) {
        errno = EINVAL;
        return NULL;
    }
    cweir_timer_queue_t *queue = calloc(1, sizeof(cweir_timer_queue_t));
    if (queue == NULL) {
        errno = ENOMEM;
        return NULL;
    }
    const size_t slot_alignment = alignment > _Alignof(slot_t) ? alignment : _Alignof(slot_t);
    queue->payload_offset = (offsetof(slot_t, place) + sizeof(uint32_t) + alignment - 1) & ~(alignment - 1);
    queue->slot_stride = (queue->payload_offset + size + slot_alignment - 1) & ~(slot_alignment - 1);
    queue->limit = limit;
    queue->free_slots = NONE;
    queue->free_blocks = NONE;
    return queue;
}

void cweir_timer_queue_destroy(cweir_timer_queue_t *queue) {
    if (queue == NULL) {
        return;
    }
    for (size_t chunk = 0; chunk < queue->slot_capacity >> CHUNK_BITS; chunk++) {
        cweir_free_lines(queue->chunks[chunk]);
    }
    free(queue->chunks);
    free(queue->blocks);
    free(queue->heap);
    free(queue);
}

void *cweir_timer_queue_add(cweir_timer_queue_t *queue, int64_t deadline, cweir_timer_t *timer) {
    if (queue->count == queue->limit) {
        errno = ENOSPC;
        return NULL;
    }
    uint32_t index = queue->free_slots;
    slot_t *slot;
    if (index != NONE) {
        slot = slot_at(queue, index);
        queue->free_slots = slot->place;
    } else {
        index = queue->used_slots;
        if (index == queue->slot_capacity && !grow(queue)) {
            errno = ENOMEM;
            return NULL;
        }
        slot = slot_at(queue, index);
        queue->used_slots += 1;
    }
    slot->key = key_of(deadline);
    slot->sequence = ++queue->last_sequence;
    if (queue->count == 0) {
        look_from(queue, slot->key);
    }
    queue->count += 1;
    insert(queue, index, slot);
    *timer = (cweir_timer_t){.sequence = slot->sequence, .slot = index};
    return payload_of(queue, slot);
}

void *cweir_timer_queue_cancel(cweir_timer_queue_t *queue, cweir_timer_t timer) {
    slot_t *slot = find(queue, timer);
    if (slot == NULL) {
        return NULL;
    }
    detach(queue, slot);
    discard(queue, timer.slot, slot);
    return payload_of(queue, slot);
}

bool cweir_timer_queue_reschedule(cweir_timer_queue_t *queue, cweir_timer_t *timer, int64_t deadline) {
    slot_t *slot = find(queue, *timer);
    if (slot == NULL) {
        return false;
    }
    detach(queue, slot);
    slot->key = key_of(deadline);
    slot->sequence = ++queue->last_sequence;
    if (queue->count == 1) {
        look_from(queue, slot->key);
    }
    insert(queue, timer->slot, slot);
    timer->sequence = slot->sequence;
    return true;
}

void *cweir_timer_queue_find(cweir_timer_queue_t *queue, cweir_timer_t timer) {
    slot_t *slot = find(queue, timer);
    return slot == NULL ? NULL : payload_of(queue, slot);
}

bool cweir_timer_queue_peek(cweir_timer_queue_t *queue, int64_t *deadline) {
    if (queue->heap_count == 0 && !refill(queue)) {
        return false;
    }
    *deadline = deadline_of(queue->heap[0].key);
    return true;
}

void *cweir_timer_queue_pop(cweir_timer_queue_t *queue, int64_t latest, int64_t *deadline) {
    if (queue->heap_count == 0 && !refill(queue)) {
        return NULL;
    }
    const entry_t next = queue->heap[0];
    if (next.key > key_of(latest)) {
        return NULL;
    }
    slot_t *slot = slot_at(queue, next.slot);
    heap_remove(queue, 0);
    discard(queue, next.slot, slot);
    *deadline = deadline_of(next.key);
    return payload_of(queue, slot);
}

void cweir_timer_queue_fetch_next(const cweir_timer_queue_t *queue, size_t offset) {
    if (queue->heap_count > 0) {
        const unsigned char *payload = payload_of(queue, slot_at(queue, queue->heap[0].slot));
        const void *target;
        memcpy(&target, payload + offset, sizeof(target));
        __builtin_prefetch(target);
    }
}

void *cweir_timer_queue_remove_any(cweir_timer_queue_t *queue, uint32_t *cursor) {
    while (*cursor < queue->used_slots) {
        const uint32_t index = *cursor;
        slot_t *slot = slot_at(queue, index);
        *cursor += 1;
        if (slot->sequence != 0) {
            detach(queue, slot);
            discard(queue, index, slot);
            return payload_of(queue, slot);
        }
    }
    return NULL;
}

size_t cweir_timer_queue_count(const cweir_timer_queue_t *queue) {
    return queue->count;
}

void cweir_timer_queue_skip(cweir_timer_queue_t *queue, uint64_t added) {
    assert(queue->count == 0);
    queue->last_sequence += added;
}
