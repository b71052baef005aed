#include "cweir_lock.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

struct cweir_lock {
    pthread_mutex_t mutex;
};

cweir_lock_t *cweir_lock_create(void) {
    cweir_lock_t *lock = malloc(sizeof(cweir_lock_t));
    if (lock != NULL && pthread_mutex_init(&lock->mutex, NULL) != 0) {
        free(lock);
        errno = ENOMEM;
        return NULL;
    }
    return lock;
}

void cweir_lock_destroy(cweir_lock_t *lock) {
    (void)pthread_mutex_destroy(&lock->mutex);
    free(lock);
}

void cweir_lock_acquire(cweir_lock_t *lock) {
    // A default mutex fails only when it is misused.
    const int error = pthread_mutex_lock(&lock->mutex);
    assert(error == 0);
    (void)error;
}

void cweir_lock_release(cweir_lock_t *lock) {
    const int error = pthread_mutex_unlock(&lock->mutex);
    assert(error == 0);
    (void)error;
}
