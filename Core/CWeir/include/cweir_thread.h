#ifndef CWEIR_THREAD_H
#define CWEIR_THREAD_H

#include "cweir_base.h"

#pragma clang assume_nonnull begin

// Only its address is used: it differs from thread to thread.
extern _Thread_local char cweir_thread_anchor;

// Returns a number that no other living thread has; never zero.
// Thread safety: any thread. Progress: wait-free, no system call.
CWEIR_INLINE uintptr_t cweir_thread_identity(void) {
    return (uintptr_t)&cweir_thread_anchor;
}

// Waits a moment for another thread to get on: a pause instruction for the first rounds, then lets others run.
// Thread safety: any thread.
void cweir_thread_back_off(uint32_t round);

#pragma clang assume_nonnull end

#endif
