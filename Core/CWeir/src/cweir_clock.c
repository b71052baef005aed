// clock_gettime is POSIX, which -std=c11 hides unless asked for.
#define _POSIX_C_SOURCE 200809L
#define _GNU_SOURCE
#define _DARWIN_C_SOURCE

#include "cweir_clock.h"

#include <time.h>

static int64_t read_clock(clockid_t clock) {
    struct timespec now;
    // Both clocks exist on every system that Weir builds for, and `now` is a valid address: no error is possible.
    (void)clock_gettime(clock, &now);
    return (int64_t)now.tv_sec * 1000000000 + (int64_t)now.tv_nsec;
}

int64_t cweir_clock_wall(void) {
    return read_clock(CLOCK_REALTIME);
}

int64_t cweir_clock_monotonic(void) {
    return read_clock(CLOCK_MONOTONIC);
}

int64_t cweir_clock_coarse(void) {
#if defined(CLOCK_MONOTONIC_COARSE)
    return read_clock(CLOCK_MONOTONIC_COARSE);
#elif defined(CLOCK_MONOTONIC_RAW_APPROX)
    return read_clock(CLOCK_MONOTONIC_RAW_APPROX);
#else
    return cweir_clock_monotonic();
#endif
}
