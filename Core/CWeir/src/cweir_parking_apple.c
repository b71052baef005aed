// Parking on Apple systems: os_sync_wait_on_address where it exists (macOS 14.4, iOS 17.4 ...), before that the calls
// that it stands on. Written from Apple's documentation and not yet compiled there.
#include "cweir_parking.h"

#if defined(__APPLE__)

#include "cweir_clock.h"

#include <errno.h>

#if __has_include(<os/os_sync_wait_on_address.h>)
#include <os/os_sync_wait_on_address.h>
#define CWEIR_HAS_OS_SYNC 1
#else
#define CWEIR_HAS_OS_SYNC 0
#endif

// From the open sources of the kernel, bsd/sys/ulock.h: not in a public header, unchanged since macOS 10.12.
extern int __ulock_wait(uint32_t operation, void *address, uint64_t value, uint32_t timeout_in_microseconds);
extern int __ulock_wake(uint32_t operation, void *address, uint64_t wake_value);

enum {
    ULOCK_COMPARE_AND_WAIT = 1,
    ULOCK_WAKE_ALL = 0x00000100,
};

static bool sleep_for(void *address, uint32_t expected, bool is_bounded, int64_t nanoseconds) {
#if CWEIR_HAS_OS_SYNC
    if (__builtin_available(macOS 14.4, iOS 17.4, tvOS 17.4, watchOS 10.4, visionOS 1.1, *)) {
        const int result =
            is_bounded
                ? os_sync_wait_on_address_with_timeout(
                      address, expected, sizeof(uint32_t), OS_SYNC_WAIT_ON_ADDRESS_NONE, OS_CLOCK_MACH_ABSOLUTE_TIME,
                      (uint64_t)nanoseconds)
                : os_sync_wait_on_address(address, expected, sizeof(uint32_t), OS_SYNC_WAIT_ON_ADDRESS_NONE);
        return result >= 0 || errno != ETIMEDOUT;
    }
#endif
    // Zero means no timeout, and 32 bits of microseconds end after 71 minutes: the caller then looks again.
    uint32_t microseconds = 0;
    if (is_bounded) {
        const int64_t wanted = nanoseconds / 1000 + 1;
        microseconds = wanted < UINT32_MAX ? (uint32_t)wanted : UINT32_MAX;
    }
    return __ulock_wait(ULOCK_COMPARE_AND_WAIT, address, expected, microseconds) >= 0 || errno != ETIMEDOUT
           || microseconds == UINT32_MAX;
}

bool cweir_parking_sleep(cweir_parking_t *parking, uint32_t expected, int64_t deadline) {
    const bool is_bounded = deadline != CWEIR_PARKING_FOREVER;
    const int64_t left = is_bounded ? deadline - cweir_clock_monotonic() : 0;
    if (is_bounded && left <= 0) {
        return false;
    }
    (void)atomic_fetch_add_explicit(&parking->sleeps, 1, memory_order_relaxed);
    return sleep_for((void *)&parking->word, expected, is_bounded, left);
}

void cweir_parking_wake(cweir_parking_t *parking, bool all) {
    (void)atomic_fetch_add_explicit(&parking->wakes, 1, memory_order_relaxed);
    void *address = (void *)&parking->word;
#if CWEIR_HAS_OS_SYNC
    if (__builtin_available(macOS 14.4, iOS 17.4, tvOS 17.4, watchOS 10.4, visionOS 1.1, *)) {
        // Fails when no thread sleeps.
        if (all) {
            (void)os_sync_wake_by_address_all(address, sizeof(uint32_t), OS_SYNC_WAKE_BY_ADDRESS_NONE);
        } else {
            (void)os_sync_wake_by_address_any(address, sizeof(uint32_t), OS_SYNC_WAKE_BY_ADDRESS_NONE);
        }
        return;
    }
#endif
    (void)__ulock_wake(ULOCK_COMPARE_AND_WAIT | (all ? ULOCK_WAKE_ALL : 0), address, 0);
}

#endif
