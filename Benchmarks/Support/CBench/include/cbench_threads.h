#ifndef CBENCH_THREADS_H
#define CBENCH_THREADS_H

#include <sched.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

// Nanoseconds since an unspecified point.
int64_t cbench_now(void);

// How long the calling thread ran so far, in nanoseconds: its own work and the kernel's for it.
int64_t cbench_thread_time(void);

// Keeps the calling thread on a core where the system lets it be chosen.
void cbench_pin(int core);

// Nanoseconds of processor time, the kernel's included: of the process, or of the calling thread.
int64_t cbench_processor_time(int is_thread);

// Calls `body(context, index)` for each index below `count`, at most 8, each on a thread of its own that starts when
// all are there, and returns when all have returned. Thread `index` runs on core `cores[index]` where the system lets
// it be chosen.
void cbench_parallel(
    int count, void (*body)(void *_Nullable context, int index), void *_Nullable context, const int *cores);

// Nanoseconds for a cache line to go from one core to another and back: the limit of everything that crosses threads.
double cbench_round_trip(void);

// Waits for the other side: pauses at first, then lets another thread run, so that three threads get on on two cores.
static inline __attribute__((always_inline)) void cbench_wait(uint32_t *tries) {
    *tries += 1;
    if (*tries >= 64) {
        *tries = 0;
        (void)sched_yield();
        return;
    }
    for (int pause = 0; pause < 4; pause += 1) {
#if defined(__x86_64__) || defined(__i386__)
        __builtin_ia32_pause();
#elif defined(__aarch64__)
        __asm__ volatile("yield");
#endif
    }
}

#pragma clang assume_nonnull end

#endif
