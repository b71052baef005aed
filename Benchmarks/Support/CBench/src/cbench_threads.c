#define _GNU_SOURCE // for the affinity of threads, and for what -std=c11 hides

#include "cbench_threads.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

enum { MOST_THREADS = 8, ROUND_TRIPS = 300000, CACHE_LINE = 128 };

int64_t cbench_now(void) {
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

int64_t cbench_processor_time(int is_thread) {
    struct timespec now;
    (void)clock_gettime(is_thread ? CLOCK_THREAD_CPUTIME_ID : CLOCK_PROCESS_CPUTIME_ID, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

typedef struct crew {
    void (*body)(void *context, int index);
    void *context;
    atomic_int missing;
} crew_t;

typedef struct worker {
    crew_t *crew;
    int index;
    int core;
    pthread_t thread;
} worker_t;

void cbench_pin(int core) {
#if defined(__linux__)
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET((size_t)core, &set);
    (void)pthread_setaffinity_np(pthread_self(), sizeof set, &set);
#else
    (void)core;
#endif
}

static void *work(void *argument) {
    const worker_t *worker = argument;
    crew_t *crew = worker->crew;
    cbench_pin(worker->core);
    (void)atomic_fetch_sub(&crew->missing, 1);
    while (atomic_load(&crew->missing) > 0) {
        (void)sched_yield();
    }
    crew->body(crew->context, worker->index);
    return NULL;
}

void cbench_parallel(int count, void (*body)(void *context, int index), void *context, const int *cores) {
    if (count > MOST_THREADS) {
        abort();
    }
    crew_t crew = {.body = body, .context = context};
    atomic_init(&crew.missing, count);
    worker_t workers[MOST_THREADS];
    for (int index = 0; index < count; index += 1) {
        workers[index] = (worker_t){.crew = &crew, .index = index, .core = cores[index]};
        if (pthread_create(&workers[index].thread, NULL, work, &workers[index]) != 0) {
            abort();
        }
    }
    for (int index = 0; index < count; index += 1) {
        (void)pthread_join(workers[index].thread, NULL);
    }
}

typedef struct table {
    _Alignas(CACHE_LINE) _Atomic(uint64_t) ping;
    _Alignas(CACHE_LINE) _Atomic(uint64_t) pong;
    _Alignas(CACHE_LINE) int64_t nanoseconds;
} table_t;

static void play(void *context, int index) {
    table_t *table = context;
    const int64_t start = cbench_now();
    for (uint64_t trip = 1; trip <= ROUND_TRIPS; trip += 1) {
        if (index == 0) {
            atomic_store_explicit(&table->ping, trip, memory_order_release);
            while (atomic_load_explicit(&table->pong, memory_order_acquire) != trip) {
            }
        } else {
            while (atomic_load_explicit(&table->ping, memory_order_acquire) != trip) {
            }
            atomic_store_explicit(&table->pong, trip, memory_order_release);
        }
    }
    if (index == 0) {
        table->nanoseconds = cbench_now() - start;
    }
}

double cbench_round_trip(void) {
    table_t table = {0};
    cbench_parallel(2, play, &table, (const int[]){0, 1});
    return (double)table.nanoseconds / (double)ROUND_TRIPS;
}

int64_t cbench_thread_time(void) {
    struct timespec time;
    (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}
