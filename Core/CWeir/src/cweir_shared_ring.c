#include "cweir_shared_ring.h"

#include <errno.h>

cweir_shared_ring_t *cweir_shared_ring_create(size_t capacity, size_t stride) {
    return cweir_shared_ring_create_at(capacity, stride, 0);
}

cweir_shared_ring_t *cweir_shared_ring_create_at(size_t capacity, size_t stride, uint64_t position) {
    const bool is_power_of_two = capacity != 0 && (capacity & (capacity - 1)) == 0;
    if (!is_power_of_two || capacity > CWEIR_SHARED_RING_CAPACITY_MAX || stride == 0) {
        errno = EINVAL;
        return NULL;
    }
    cweir_shared_ring_t *ring = cweir_allocate_lines(1, sizeof(cweir_shared_ring_t));
    unsigned char *slots = cweir_allocate_lines(capacity, stride);
    _Atomic(uint32_t) *sequences = cweir_allocate_lines(capacity, sizeof(*sequences));
    if (ring == NULL || slots == NULL || sequences == NULL) {
        cweir_free_lines(ring);
        cweir_free_lines(slots);
        cweir_free_lines(sequences);
        errno = ENOMEM;
        return NULL;
    }
    atomic_init(&ring->tail, position);
    atomic_init(&ring->head, position);
    ring->mask = capacity - 1;
    ring->shift = (uint64_t)__builtin_ctzll(capacity);
    ring->stride = stride;
    ring->slots = slots;
    ring->sequences = sequences;
    for (uint64_t offset = 0; offset < capacity; offset += 1) {
        const uint64_t first = position + offset; // the first position that falls on its slot
        atomic_init(&sequences[first & ring->mask], cweir_shared_ring_sequence(ring, first));
    }
    return ring;
}

void cweir_shared_ring_destroy(cweir_shared_ring_t *ring) {
    if (ring == NULL) {
        return;
    }
    cweir_free_lines(ring->slots);
    cweir_free_lines((void *)ring->sequences);
    cweir_free_lines(ring);
}
