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

// Returns whether the calling thread is the program's main thread.
// Thread safety: any thread.
bool cweir_thread_is_main(void);

// How many processors the system has at work; at least one.
int cweir_thread_processors(void);

// Starts a thread that calls `body` with `context` and ends when it returns; it need not be joined. The name, cut to
// what the system takes (15 bytes on Linux), shows in debuggers and `top`. Returns zero, or an error of `errno`.
// Thread safety: any thread.
int cweir_thread_start(const char *name, void (*_Nonnull body)(void *_Nullable context), void *_Nullable context);

// The one object that this thread keeps; NULL until `cweir_thread_keep` was called on it.
extern _Thread_local void *_Nullable cweir_thread_kept_object;

// Returns the object that this thread keeps, or NULL.
// Thread safety: any thread. Progress: wait-free, no system call.
CWEIR_INLINE void *_Nullable cweir_thread_kept(void) {
    return cweir_thread_kept_object;
}

// Makes this thread keep an object, for which `release` is called when the thread ends; not while it keeps another one.
// Returns zero, or an error of `errno`; then nothing is kept.
// Thread safety: any thread.
int cweir_thread_keep(void *object, void (*_Nonnull release)(void *object));

#pragma clang assume_nonnull end

#endif
