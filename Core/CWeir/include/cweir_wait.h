#ifndef CWEIR_WAIT_H
#define CWEIR_WAIT_H

#include "cweir_base.h"
#include "cweir_thread.h"

#pragma clang assume_nonnull begin

// Who waits for whom: threads that wait for room that another thread makes say so, and are told when that would close
// a circle, in which no thread could ever go on.
//
//     cweir_wait_t wait;
//     if (!cweir_wait_begin(&wait, maker)) { give_up(); }
//     sleep_for_a_while();
//     cweir_wait_end(&wait);
//
// Thread safety: any thread; a record belongs to the thread that began the wait. For waits that are long anyway: one
// lock for the whole process, O(n) for n threads that wait.
typedef struct CWEIR_NONCOPYABLE cweir_wait {
    uintptr_t waiter;
    uintptr_t target;
    struct cweir_wait *_Nullable next;
} cweir_wait_t;

// Records that the calling thread waits for the thread `target`. Returns false, and records nothing, when `target`
// waits, directly or through others, for the calling thread. A target of zero, which is no thread, is fine.
bool cweir_wait_begin(cweir_wait_t *wait, uintptr_t target);

// Ends a wait that was begun.
void cweir_wait_end(cweir_wait_t *wait);

#pragma clang assume_nonnull end

#endif
