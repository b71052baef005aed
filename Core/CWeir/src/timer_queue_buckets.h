// The timers of a queue that are due later: buckets by the digits of their deadlines.
#ifndef CWEIR_TIMER_QUEUE_BUCKETS_H
#define CWEIR_TIMER_QUEUE_BUCKETS_H

#include "timer_queue_state.h"

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

#endif
