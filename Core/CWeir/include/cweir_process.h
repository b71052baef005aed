#ifndef CWEIR_PROCESS_H
#define CWEIR_PROCESS_H

#include "cweir_base.h"

#pragma clang assume_nonnull begin

// Copies of this process, which have its memory as it was at one moment. The system copies a page only once one of the two
// writes to it.

// Makes a copy of this process with one thread, the calling one. The copy has all signals blocked, ends with the thread
// that made it, is the first to go where memory runs out, and has three descriptors beside the standard streams at most:
// its end of a pipe, and `kept` where that is not negative. It must end with `cweir_process_leave`, must not start
// threads, and may find locks taken for good that other threads held.
//
// Returns the number of the copy with the reading end of the pipe in `end`; in the copy, zero, with the writing end. A
// negative number is an error of `errno`: `ENOSYS` on systems where a copy of a process with threads may only start
// another program.
//
// Thread safety: any thread.
int64_t cweir_process_copy(int32_t kept, int32_t *end);

// Ends a copy without what a process does at its end.
_Noreturn void cweir_process_leave(void);

// Returns how much processor time a process has used, in nanoseconds; negative where it is gone.
// Thread safety: any thread.
int64_t cweir_process_time(int64_t process);

// Waits until a child has ended, and kills it before where asked to. Returns its exit code, 256 plus the number of the signal
// that ended it, or a negative error of `errno`.
// Thread safety: any thread; once for each child.
int32_t cweir_process_wait(int64_t process, bool kills);

#pragma clang assume_nonnull end

#endif
