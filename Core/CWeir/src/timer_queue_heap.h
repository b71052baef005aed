// The timers of a queue that are due first: a heap.
#ifndef CWEIR_TIMER_QUEUE_HEAP_H
#define CWEIR_TIMER_QUEUE_HEAP_H

#include "timer_queue_state.h"

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

#endif
