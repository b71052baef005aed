#ifndef CWEIR_CLOCK_H
#define CWEIR_CLOCK_H

#include "cweir_base.h"

#pragma clang assume_nonnull begin

// Nanoseconds since the Unix epoch, as the system's wall clock shows them; may jump when the clock is set.
// Thread safety: any thread. Progress: wait-free, a call into the vDSO (about 25 ns on x86-64 Linux).
int64_t cweir_clock_wall(void);

// Nanoseconds since an unspecified point, never going back; keeps counting while the process sleeps in the kernel.
// Thread safety: any thread. Progress: wait-free, a call into the vDSO.
int64_t cweir_clock_monotonic(void);

// Like cweir_clock_monotonic, but only to the tick of the kernel's timer (1 to 10 ms), at a fifth of the cost.
// Thread safety: any thread. Progress: wait-free.
int64_t cweir_clock_coarse(void);

// Like cweir_clock_monotonic, to within a microsecond and at less than half of the cost, where the processor's counter
// can be trusted; elsewhere the same. What one thread reads never goes back; what two threads read may cross by less
// than a microsecond, even when the one has waited for the other.
// Thread safety: any thread. Progress: wait-free.
int64_t cweir_clock_quick(void);

#pragma clang assume_nonnull end

#endif
