#ifndef CWEIR_STACK_H
#define CWEIR_STACK_H

#include "cweir_base.h"
#include "cweir_thread.h"

#pragma clang assume_nonnull begin

// A bounded stack of fixed-size slots: last in, first out, and the oldest may be dropped from the other end. Slots are
// raw memory in a circle; between a claim or take and the call that ends it, the caller fills one slot or moves it out.
//
//     void *slot = cweir_stack_claim(stack);          void *slot = cweir_stack_take(stack);
//     fill(slot);                                     move_out(slot);
//     cweir_stack_publish(stack);                     cweir_stack_remove(stack);
//
// Not lock-free: a spin lock is held from claim to publish and from take to remove, that is while one slot is copied.
// A stack that loses elements at both ends has no simple lock-free form, and a free list (Treiber) cannot drop the
// oldest. A thread preempted there holds up the others, which spin for about a microsecond and then yield their time
// slices; no thread sleeps and no call is made under the lock.
//
// Thread safety: any number of threads may call claim and publish, take and remove, in these pairs. The count may be
// read by any thread at any time.
typedef struct CWEIR_NONCOPYABLE cweir_stack {
    _Atomic(uint32_t) lock; // 1 while a thread is inside
    uint32_t _spare;
    // Free-running positions; stored under the lock, read by any thread.
    _Atomic(uint64_t) top;    // one past the newest
    _Atomic(uint64_t) bottom; // the oldest
    _Atomic(uint64_t) pushed; // elements since the start
    _Atomic(uint64_t) peak;   // the largest count
    CWEIR_PAD(0, 5 * sizeof(uint64_t));

    // Read only.
    uint64_t mask; // capacity - 1
    size_t stride; // bytes from slot to slot
    unsigned char *slots;
    CWEIR_PAD(1, sizeof(uint64_t) + sizeof(size_t) + sizeof(unsigned char *));
} cweir_stack_t;

_Static_assert(offsetof(cweir_stack_t, mask) == CWEIR_CACHE_LINE, "the constants have a line of their own");
_Static_assert(sizeof(cweir_stack_t) == 2 * CWEIR_CACHE_LINE, "a stack is two whole lines");

// Returns an empty stack of `capacity` slots, a power of two, of `stride` bytes each; or NULL with `errno` set to
// EINVAL (capacity not a power of two, stride zero) or ENOMEM. The caller frees it with cweir_stack_destroy.
cweir_stack_t *_Nullable cweir_stack_create(size_t capacity, size_t stride);

// Frees a stack, whatever its slots hold. No thread may use it during the call or after it.
void cweir_stack_destroy(cweir_stack_t *_Nullable stack);

// Waits for the lock that another thread holds, and takes it.
void cweir_stack_wait(cweir_stack_t *stack);

CWEIR_INLINE void cweir_stack_acquire(cweir_stack_t *stack) {
    // Acquire: pairs with the release below; what the last one inside did is seen.
    if (__builtin_expect(atomic_exchange_explicit(&stack->lock, 1, memory_order_acquire) != 0, 0)) {
        cweir_stack_wait(stack);
    }
}

CWEIR_INLINE void cweir_stack_release(cweir_stack_t *stack) {
    atomic_store_explicit(&stack->lock, 0, memory_order_release);
}

// A position. Relaxed: under the lock it is in order, and elsewhere a snapshot is all that is asked for.
CWEIR_INLINE uint64_t cweir_stack_read(const _Atomic(uint64_t) *position) {
    return atomic_load_explicit(position, memory_order_relaxed);
}

CWEIR_INLINE void cweir_stack_write(_Atomic(uint64_t) *position, uint64_t value) {
    atomic_store_explicit(position, value, memory_order_relaxed);
}

CWEIR_INLINE void *cweir_stack_slot(cweir_stack_t *stack, uint64_t position) {
    return stack->slots + (size_t)(position & stack->mask) * stack->stride;
}

// Returns how many elements are on the stack; a snapshot.
CWEIR_INLINE size_t cweir_stack_count(cweir_stack_t *stack) {
    const uint64_t count = cweir_stack_read(&stack->top) - cweir_stack_read(&stack->bottom);
    // Read one after the other while both move, the difference may be off, even below zero.
    return (int64_t)count < 0 ? 0 : (size_t)(count <= stack->mask ? count : stack->mask + 1);
}

// Returns the free slot on top, for the caller to fill and to publish; or NULL when the stack is full.
CWEIR_INLINE void *_Nullable cweir_stack_claim(cweir_stack_t *stack) {
    cweir_stack_acquire(stack);
    const uint64_t top = cweir_stack_read(&stack->top);
    if (__builtin_expect(top - cweir_stack_read(&stack->bottom) > stack->mask, 0)) {
        cweir_stack_release(stack);
        return NULL;
    }
    return cweir_stack_slot(stack, top);
}

// Puts the claimed slot on top of the stack.
CWEIR_INLINE void cweir_stack_publish(cweir_stack_t *stack) {
    const uint64_t top = cweir_stack_read(&stack->top) + 1;
    const uint64_t count = top - cweir_stack_read(&stack->bottom);
    cweir_stack_write(&stack->top, top);
    cweir_stack_write(&stack->pushed, cweir_stack_read(&stack->pushed) + 1);
    if (count > cweir_stack_read(&stack->peak)) {
        cweir_stack_write(&stack->peak, count);
    }
    cweir_stack_release(stack);
}

// Returns the newest slot, for the caller to empty and to remove; or NULL when the stack is empty.
CWEIR_INLINE void *_Nullable cweir_stack_take(cweir_stack_t *stack) {
    cweir_stack_acquire(stack);
    const uint64_t top = cweir_stack_read(&stack->top);
    if (top == cweir_stack_read(&stack->bottom)) {
        cweir_stack_release(stack);
        return NULL;
    }
    return cweir_stack_slot(stack, top - 1);
}

// Removes the slot that cweir_stack_take returned.
CWEIR_INLINE void cweir_stack_remove(cweir_stack_t *stack) {
    cweir_stack_write(&stack->top, cweir_stack_read(&stack->top) - 1);
    cweir_stack_release(stack);
}

// As cweir_stack_take, for the oldest slot.
CWEIR_INLINE void *_Nullable cweir_stack_take_oldest(cweir_stack_t *stack) {
    cweir_stack_acquire(stack);
    const uint64_t bottom = cweir_stack_read(&stack->bottom);
    if (cweir_stack_read(&stack->top) == bottom) {
        cweir_stack_release(stack);
        return NULL;
    }
    return cweir_stack_slot(stack, bottom);
}

// Removes the slot that cweir_stack_take_oldest returned.
CWEIR_INLINE void cweir_stack_remove_oldest(cweir_stack_t *stack) {
    cweir_stack_write(&stack->bottom, cweir_stack_read(&stack->bottom) + 1);
    cweir_stack_release(stack);
}

#pragma clang assume_nonnull end

#endif
