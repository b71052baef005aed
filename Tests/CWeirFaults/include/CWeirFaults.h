#ifndef CWEIR_FAULTS_H
#define CWEIR_FAULTS_H

#include <stdbool.h>
#include <stdint.h>

// System calls that fail as they do on a bad day, for tests.
//
// A program that links this has the calls below in the place of the C library's; they pass everything on until
// `cweir_faults_begin`. From then on every call may fail, as a function of the seed, of which call it is, and of how
// many of its kind there were before. What cannot be decided so is in which order threads make their calls.
//
//     accept4  connect  send  sendmmsg  recvmsg  recvmmsg  epoll_wait  poll  pread  pwrite
//
// A fault is for the whole process: whoever begins some does it in a process of his own.
// Only on Linux; elsewhere `cweir_faults_begin` returns false.

enum {
    // EINTR, wherever a signal may come.
    CWEIR_FAULT_INTERRUPTED = 1,
    // EAGAIN though there was something, ENOBUFS for datagrams, ECONNABORTED and EMFILE at a door.
    CWEIR_FAULT_BLOCKED = 2,
    // Fewer bytes of a stream or a file, fewer messages of a batch, fewer events.
    CWEIR_FAULT_PARTIAL = 4,
    // EPIPE or ECONNRESET for whoever sends over a connection, ECONNREFUSED for whoever makes one.
    CWEIR_FAULT_BROKEN_SENDING = 8,
    // ECONNRESET for whoever receives from a connection.
    CWEIR_FAULT_BROKEN_RECEIVING = 16,
    // ENOSPC for whoever writes to a file.
    CWEIR_FAULT_DISK_FULL = 32,
};

// Begins.
//
// `kinds` is a sum of the constants above, and one call in `one_in` fails.
bool cweir_faults_begin(uint64_t seed, uint32_t kinds, uint32_t one_in);

// Ends. Returns how many calls failed.
uint64_t cweir_faults_end(void);

#endif
