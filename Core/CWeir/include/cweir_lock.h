#ifndef CWEIR_LOCK_H
#define CWEIR_LOCK_H

#include "cweir_base.h"

#pragma clang assume_nonnull begin

// A lock for the paths that are not hot: registering, cancelling, counting rare events. A POSIX mutex, and not the
// standard library's `Mutex`, because the thread sanitizer knows it on every platform.
typedef struct cweir_lock cweir_lock_t;

// Returns an open lock, or NULL with `errno` set to ENOMEM. The caller frees it with `cweir_lock_destroy`.
cweir_lock_t *_Nullable cweir_lock_create(void);

// Frees an open lock. No other thread may use it during or after the call.
void cweir_lock_destroy(cweir_lock_t *lock);

// Waits until the lock is open and closes it. Not recursive. Thread safety: any thread.
void cweir_lock_acquire(cweir_lock_t *lock);

// Opens the lock. Thread safety: the thread that acquired it.
void cweir_lock_release(cweir_lock_t *lock);

#pragma clang assume_nonnull end

#endif
