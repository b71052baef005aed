#ifndef CWEIR_CRASH_H
#define CWEIR_CRASH_H

#include "cweir_base.h"

#pragma clang assume_nonnull begin

// What happens when the program crashes: one line on standard error, and the end by the signal, at once, on whatever
// thread. For programs, which own their signals; nothing of this does anything before `cweir_crash_report`.

// Starts reporting fatal signals (SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGFPE, SIGABRT, SIGSYS): the line says which
// signal, on which thread, and during which work; then the signal's default action ends the program. Handlers that were
// there before, such as those of Swift's backtracer, are run after the line if `keeps_handlers` is true. Does nothing in
// programs that are built with a sanitizer, which reports better.
// Thread safety: the main thread, once, before others are started.
void cweir_crash_report(const char *program, bool keeps_handlers);

// Gives this thread what it needs to report a crash of its own, such as a stack for when its stack is used up, and takes
// it back. Called for threads of `cweir_thread_start`; on others, a stack that overflows ends the program without a line.
void cweir_crash_enter_thread(void);
void cweir_crash_leave_thread(void);

// Names what this thread works on until the next call, such as "plugin 'shake'"; NULL for nothing. The text must stay
// where it is for as long as the program runs. Returns what it was before.
// Thread safety: any thread. Progress: wait-free, no system call.
const char *_Nullable cweir_crash_work_on(const char *_Nullable label);

// Says what `cweir_crash_end_by` costs, where that is something else than what was found and not written. The text must stay
// where it is for as long as the program runs.
// Thread safety: any thread.
void cweir_crash_tell_loss(const char *text);

// Ends the program by a signal, as its default action does, after a line that says which work has not returned.
// Thread safety: any thread, also in a signal handler.
_Noreturn void cweir_crash_end_by(int number);

// Remembers how a terminal was, so that a crash gives it back: the descriptor, and a `struct termios`; and forgets it.
// Thread safety: one thread at a time.
void cweir_crash_keep_terminal(int descriptor, const void *settings);
void cweir_crash_forget_terminal(void);

#pragma clang assume_nonnull end

#endif
