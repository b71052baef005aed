#ifndef CBENCH_PACED_H
#define CBENCH_PACED_H

#include <stdint.h>

#pragma clang assume_nonnull begin

// Each sends `count` messages from one core to another, one every `interval` nanoseconds, and writes down how many
// nanoseconds each took: the limits of latency, by hand.

// The receiver never sleeps: it looks at the sender's line over and over.
void cbench_paced_spinning(int count, int64_t interval, int64_t *latencies);
// The receiver sleeps until it is woken: a mutex and a condition.
void cbench_paced_sleeping(int count, int64_t interval, int64_t *latencies);

// Waits for a time of cbench_now, running all the while.
void cbench_wait_until(int64_t time);

#pragma clang assume_nonnull end

#endif
