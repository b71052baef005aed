#include "cweir_timer_queue.h"

#include "timer_queue_moves.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

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
