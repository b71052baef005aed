// Parking on Linux: a futex. `syscall` is not POSIX.
#define _GNU_SOURCE

#include "cweir_parking.h"

#if defined(__linux__)

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

bool cweir_parking_sleep(cweir_parking_t *parking, uint32_t expected, int64_t deadline) {
    struct timespec until;
    struct timespec *timeout = NULL;
    if (deadline != CWEIR_PARKING_FOREVER) {
        const int64_t moment = deadline > 0 ? deadline : 0;
        until.tv_sec = (time_t)(moment / 1000000000);
        until.tv_nsec = (long)(moment % 1000000000);
        timeout = &until;
    }
    (void)atomic_fetch_add_explicit(&parking->sleeps, 1, memory_order_relaxed);
    // FUTEX_WAIT_BITSET and not FUTEX_WAIT: its timeout is absolute, on CLOCK_MONOTONIC.
    const long result = syscall(
        SYS_futex, &parking->word, FUTEX_WAIT_BITSET | FUTEX_PRIVATE_FLAG, expected, timeout, NULL,
        FUTEX_BITSET_MATCH_ANY);
    // EAGAIN: the word had changed. EINTR: a signal. Both mean: look again.
    return result == 0 || errno != ETIMEDOUT;
}

void cweir_parking_wake(cweir_parking_t *parking, bool all) {
    (void)atomic_fetch_add_explicit(&parking->wakes, 1, memory_order_relaxed);
    (void)syscall(SYS_futex, &parking->word, FUTEX_WAKE | FUTEX_PRIVATE_FLAG, all ? INT_MAX : 1, NULL, NULL, 0);
}

#endif
