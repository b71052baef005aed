#include "cbench_paced.h"

#include "cbench_threads.h"

#include <pthread.h>
#include <stdatomic.h>

enum { CACHE_LINE = 128 };

typedef struct letterbox {
    _Alignas(CACHE_LINE) _Atomic(int64_t) number; // of the newest message; 0 before the first
    _Atomic(int64_t) sent;                        // when it was sent
    _Alignas(CACHE_LINE) pthread_mutex_t mutex;
    pthread_cond_t condition;
    int64_t *latencies;
    int64_t count;
    int64_t interval;
} letterbox_t;

void cbench_wait_until(int64_t time) {
    while (cbench_now() < time) {
    }
}

static void spin(void *context, int index) {
    letterbox_t *box = context;
    int64_t next = cbench_now() + 1000000;
    for (int64_t number = 1; number <= box->count; number += 1) {
        if (index == 0) {
            cbench_wait_until(next += box->interval);
            atomic_store_explicit(&box->sent, cbench_now(), memory_order_relaxed);
            atomic_store_explicit(&box->number, number, memory_order_release);
        } else {
            while (atomic_load_explicit(&box->number, memory_order_acquire) < number) {
            }
            box->latencies[number - 1] = cbench_now() - atomic_load_explicit(&box->sent, memory_order_relaxed);
        }
    }
}

static void sleep_and_wake(void *context, int index) {
    letterbox_t *box = context;
    int64_t next = cbench_now() + 1000000;
    for (int64_t number = 1; number <= box->count; number += 1) {
        if (index == 0) {
            cbench_wait_until(next += box->interval);
            (void)pthread_mutex_lock(&box->mutex);
            atomic_store_explicit(&box->sent, cbench_now(), memory_order_relaxed);
            atomic_store_explicit(&box->number, number, memory_order_relaxed);
            (void)pthread_mutex_unlock(&box->mutex);
            (void)pthread_cond_signal(&box->condition);
        } else {
            (void)pthread_mutex_lock(&box->mutex);
            while (atomic_load_explicit(&box->number, memory_order_relaxed) < number) {
                (void)pthread_cond_wait(&box->condition, &box->mutex);
            }
            box->latencies[number - 1] = cbench_now() - atomic_load_explicit(&box->sent, memory_order_relaxed);
            (void)pthread_mutex_unlock(&box->mutex);
        }
    }
}

static void measure(void (*body)(void *context, int index), int count, int64_t interval, int64_t *latencies) {
    letterbox_t box = {
        .mutex = PTHREAD_MUTEX_INITIALIZER,
        .condition = PTHREAD_COND_INITIALIZER,
        .latencies = latencies,
        .count = count,
        .interval = interval,
    };
    cbench_parallel(2, body, &box, (const int[]){0, 1});
}

void cbench_paced_spinning(int count, int64_t interval, int64_t *latencies) {
    measure(spin, count, interval, latencies);
}

void cbench_paced_sleeping(int count, int64_t interval, int64_t *latencies) {
    measure(sleep_and_wake, count, interval, latencies);
}
