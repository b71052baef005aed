#ifndef CWEIR_GATE_H
#define CWEIR_GATE_H

#include "cweir_base.h"
#include "cweir_thread.h"

#pragma clang assume_nonnull begin

// A gate that lets one thread at a time do the work of many. A thread that finds it closed leaves its work in a ring,
// calls `cweir_gate_notify` and goes on; the thread inside does that work before it leaves. No thread waits.
//
//     if (cweir_gate_enter(&gate)) {
//         work();
//         while (!cweir_gate_leave(&gate)) { work_that_others_left(); }
//     } else {
//         leave_work_behind();
//         if (cweir_gate_notify(&gate)) {
//             do { work_that_others_left(); } while (!cweir_gate_leave(&gate));
//         }
//     }
//
// Thread safety: any thread may call enter and notify; only the thread inside may call leave.
// Progress: every function is wait-free.
typedef struct CWEIR_NONCOPYABLE cweir_gate {
    _Atomic(uintptr_t) owner; // the thread inside; zero while there is none, or just before it stores its name
    _Atomic(uint32_t) state;
    CWEIR_PAD(0, sizeof(uintptr_t) + sizeof(uint32_t));
} cweir_gate_t;

enum {
    CWEIR_GATE_OPEN = 0,     // no thread is inside and no work is left behind
    CWEIR_GATE_INSIDE = 1,   // a thread is inside
    CWEIR_GATE_NOTIFIED = 2, // a thread is inside and has to look for work before leaving
};

CWEIR_INLINE void cweir_gate_init(cweir_gate_t *gate) {
    atomic_init(&gate->owner, 0);
    atomic_init(&gate->state, CWEIR_GATE_OPEN);
}

// Relaxed: only the thread itself compares the owner with its own identity, so it reads what it wrote or what is not
// its own.
CWEIR_INLINE void cweir_gate_set_owner(cweir_gate_t *gate, uintptr_t owner) {
    atomic_store_explicit(&gate->owner, owner, memory_order_relaxed);
}

// Returns true when the caller is now inside.
CWEIR_INLINE bool cweir_gate_enter(cweir_gate_t *gate) {
    uint32_t expected = CWEIR_GATE_OPEN;
    // Acquire: pairs with the release in leave, so that the caller sees what the last one inside did.
    if (!atomic_compare_exchange_strong_explicit(
            &gate->state, &expected, CWEIR_GATE_INSIDE, memory_order_acquire, memory_order_relaxed)) {
        return false;
    }
    cweir_gate_set_owner(gate, cweir_thread_identity());
    return true;
}

// Announces work that was left behind. Returns true when no thread was inside: the caller now is, and has to do the
// work.
CWEIR_INLINE bool cweir_gate_notify(cweir_gate_t *gate) {
    // Release: the thread that leaves sees the work that was left behind. Acquire: for the case that the caller enters.
    if (atomic_exchange_explicit(&gate->state, CWEIR_GATE_NOTIFIED, memory_order_acq_rel) != CWEIR_GATE_OPEN) {
        return false;
    }
    cweir_gate_set_owner(gate, cweir_thread_identity());
    return true;
}

// Returns true when the caller has left; false when there is work to look for first.
CWEIR_INLINE bool cweir_gate_leave(cweir_gate_t *gate) {
    // Before the state opens, or the next one inside could find its own mark overwritten.
    cweir_gate_set_owner(gate, 0);
    uint32_t expected = CWEIR_GATE_INSIDE;
    // Release: pairs with the acquire in enter and notify.
    if (__builtin_expect(
            atomic_compare_exchange_strong_explicit(
                &gate->state, &expected, CWEIR_GATE_OPEN, memory_order_release, memory_order_relaxed),
            1)) {
        return true;
    }
    // Acquire: pairs with the release in notify; a notification after this one makes the next leave fail again.
    (void)atomic_exchange_explicit(&gate->state, CWEIR_GATE_INSIDE, memory_order_acquire);
    cweir_gate_set_owner(gate, cweir_thread_identity());
    return false;
}

// Returns the thread inside, or zero; at one moment.
CWEIR_INLINE uintptr_t cweir_gate_owner(cweir_gate_t *gate) {
    return atomic_load_explicit(&gate->owner, memory_order_relaxed);
}

// Returns true when the calling thread is the one inside.
CWEIR_INLINE bool cweir_gate_is_inside(cweir_gate_t *gate) {
    return atomic_load_explicit(&gate->owner, memory_order_relaxed) == cweir_thread_identity();
}

#pragma clang assume_nonnull end

#endif
