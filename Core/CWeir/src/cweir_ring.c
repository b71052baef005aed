#include "cweir_ring.h"

#include <errno.h>

cweir_ring_t *cweir_ring_create(size_t capacity, size_t stride) {
    return cweir_ring_create_at(capacity, stride, 0);
}

cweir_ring_t *cweir_ring_create_at(size_t capacity, size_t stride, uint64_t position) {
    const bool is_power_of_two = capacity != 0 && (capacity & (capacity - 1)) == 0;
    if (!is_power_of_two || stride == 0) {
        errno = EINVAL;
        return NULL;
    }
    cweir_ring_t *ring = cweir_allocate_lines(1, sizeof(cweir_ring_t));
    unsigned char *slots = cweir_allocate_lines(capacity, stride);
    if (ring == NULL || slots == NULL) {
        cweir_free_lines(ring);
        cweir_free_lines(slots);
        errno = ENOMEM;
        return NULL;
    }
    atomic_init(&ring->tail, position);
    atomic_init(&ring->head, position);
    ring->head_seen = position;
    ring->tail_seen = position;
    ring->mask = capacity - 1;
    ring->stride = stride;
    ring->slots = slots;
    return ring;
}

void cweir_ring_destroy(cweir_ring_t *ring) {
    if (ring == NULL) {
        return;
    }
    cweir_free_lines(ring->slots);
    cweir_free_lines(ring);
}
