// How the timers of a queue move between its heap and its buckets.
#ifndef CWEIR_TIMER_QUEUE_MOVES_H
#define CWEIR_TIMER_QUEUE_MOVES_H

#include "timer_queue_buckets.h"
#include "timer_queue_heap.h"

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

#endif
