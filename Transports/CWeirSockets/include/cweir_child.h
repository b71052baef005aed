#ifndef CWEIR_CHILD_H
#define CWEIR_CHILD_H

#include <stdbool.h>

#pragma clang assume_nonnull begin

// Child processes as the transports need them: a command of the shell in a process group of its own, at the other end of
// a pipe.
//
// A second process, the guard, waits for the end of this one. Whatever ends it, also a signal that nothing can catch, the
// guard then ends the group. It belongs to the group itself, so that the group's number means nothing else meanwhile.
// Thread safety: any thread; one at a time for a child.

typedef struct cweir_child {
    int process;
    int guard;
    // The end of the pipe on this side, which does not block and which the caller closes.
    int pipe;
    // Held open for the guard.
    int leash;
} cweir_child_t;

// Runs `/bin/sh -c COMMAND`, with its standard output in the pipe and nothing to read, or with the pipe as its standard
// input. Everything else is this process's. Returns 0, or a negative error number.
int cweir_child_start(const char *command, bool writes_to_pipe, cweir_child_t *child);

// Asks the child and what it started to end, or ends them.
void cweir_child_signal(const cweir_child_t *child, bool by_force);

// How a child ended: its exit status, 128 and the number of the signal that ended it, or -1 while it runs. To be called
// until it has ended, and not afterwards.
int cweir_child_status(const cweir_child_t *child);

// Ends what the child has left behind, and the guard.
void cweir_child_clean_up(const cweir_child_t *child);

// Keeps a write to a pipe without a reader from ending the process, for this thread.
void cweir_child_ignore_broken_pipes(void);

#pragma clang assume_nonnull end

#endif
