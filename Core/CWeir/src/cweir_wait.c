#include "cweir_wait.h"

#include <pthread.h>

// The waits that are going on; each thread has at most one, in its own stack.
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static cweir_wait_t *waits;

static uintptr_t target_of(uintptr_t waiter) {
    for (const cweir_wait_t *wait = waits; wait != NULL; wait = wait->next) {
        if (wait->waiter == waiter) {
            return wait->target;
        }
    }
    return 0;
}

bool cweir_wait_begin(cweir_wait_t *wait, uintptr_t target) {
    const uintptr_t self = cweir_thread_identity();
    bool closes_circle = false;
    (void)pthread_mutex_lock(&lock);
    // No circle is ever let in, so following the targets comes to an end.
    for (uintptr_t other = target; other != 0 && !closes_circle; other = target_of(other)) {
        closes_circle = other == self;
    }
    if (!closes_circle) {
        wait->waiter = self;
        wait->target = target;
        wait->next = waits;
        waits = wait;
    }
    (void)pthread_mutex_unlock(&lock);
    return !closes_circle;
}

void cweir_wait_end(cweir_wait_t *wait) {
    (void)pthread_mutex_lock(&lock);
    cweir_wait_t **place = &waits;
    while (*place != wait) {
        place = &(*place)->next;
    }
    *place = wait->next;
    (void)pthread_mutex_unlock(&lock);
}
