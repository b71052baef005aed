#ifndef CWEIR_NET_POLLER_H
#define CWEIR_NET_POLLER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

// What a descriptor is watched for and ready for. A hang-up or an error counts as all three, so that reading or writing
// finds it. To watch for hang-ups alone takes Linux; elsewhere a write finds them.
enum {
    CWEIR_NET_READABLE = 1,
    CWEIR_NET_WRITABLE = 2,
    CWEIR_NET_HUNG_UP = 4,
};

typedef struct cweir_net_event {
    uint64_t token;
    uint32_t ready;
} cweir_net_event_t;

// An event loop's list of descriptors: epoll on Linux, kqueue on Apple's systems. Level-triggered.
// Thread safety: one thread at a time.

// Returns a descriptor, which the caller closes, or a negative error number.
int cweir_net_poller_create(void);

// Changes what a descriptor is watched for, from `old` to `wanted`, both of the bits above; zero is nothing at all. A
// descriptor that is closed is no longer watched.
int cweir_net_poller_watch(int poller, int descriptor, uint64_t token, uint32_t old, uint32_t wanted);

// Waits until something is ready. Returns how many events there are; zero after the time, or a signal.
int cweir_net_poller_wait(int poller, cweir_net_event_t *events, int capacity, int milliseconds);

#pragma clang assume_nonnull end

#endif
