#include "cweir_stack.h"

#include <errno.h>

cweir_stack_t *cweir_stack_create(size_t capacity, size_t stride) {
    const bool is_power_of_two = capacity != 0 && (capacity & (capacity - 1)) == 0;
    if (!is_power_of_two || stride == 0) {
        errno = EINVAL;
        return NULL;
    }
    cweir_stack_t *stack = cweir_allocate_lines(1, sizeof(cweir_stack_t));
    unsigned char *slots = cweir_allocate_lines(capacity, stride);
    if (stack == NULL || slots == NULL) {
        cweir_free_lines(stack);
        cweir_free_lines(slots);
        errno = ENOMEM;
        return NULL;
    }
    atomic_init(&stack->lock, 0);
    stack->_spare = 0;
    atomic_init(&stack->top, 0);
    atomic_init(&stack->bottom, 0);
    atomic_init(&stack->pushed, 0);
    atomic_init(&stack->peak, 0);
    stack->mask = capacity - 1;
    stack->stride = stride;
    stack->slots = slots;
    return stack;
}

void cweir_stack_destroy(cweir_stack_t *stack) {
    if (stack == NULL) {
        return;
    }
    cweir_free_lines(stack->slots);
    cweir_free_lines(stack);
}

void cweir_stack_wait(cweir_stack_t *stack) {
    uint32_t round = 0;
    // Looks before it tries: a look leaves the line with the thread inside.
    do {
        while (atomic_load_explicit(&stack->lock, memory_order_relaxed) != 0) {
            cweir_thread_back_off(round);
            round += 1;
        }
    } while (atomic_exchange_explicit(&stack->lock, 1, memory_order_acquire) != 0);
}
