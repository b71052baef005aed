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
//     write  ftruncate  fsync  rename  open  flock  socket  epoll_create1  epoll_ctl  pipe  fallocate
//     pipe2  posix_spawn  posix_spawnp  and what says how posix_spawn starts a program
//
// A fault concerns the whole process: begin faults in a process of its own.
// Only on Linux; elsewhere `cweir_faults_begin` returns false.

enum {
    // EINTR, wherever a signal may come.
    CWEIR_FAULT_INTERRUPTED = 1,
    // EAGAIN though there was something, ENOBUFS for datagrams, ECONNABORTED and EMFILE at a door.
    CWEIR_FAULT_BLOCKED = 2,
    // Fewer bytes of a stream or a file, fewer messages of a batch, fewer events.
    CWEIR_FAULT_PARTIAL = 4,
    // EPIPE or ECONNRESET for calls that send over a connection, ECONNREFUSED for calls that make one or send datagrams.
    CWEIR_FAULT_BROKEN_SENDING = 8,
    // ECONNRESET for calls that receive from a connection.
    CWEIR_FAULT_BROKEN_RECEIVING = 16,
    // ENOSPC for calls that write to a file.
    CWEIR_FAULT_DISK_FULL = 32,
    // EINTR, ENOSPC and fewer bytes for the calls of the second line, as far as they are about files; EINTR and EMFILE for
    // calls that open one; EIO for calls that read one.
    CWEIR_FAULT_FILE = 64,
    // EMFILE, ENOBUFS and ENOMEM for calls that open a descriptor, or add one to a poller; ENOLCK for those that lock a
    // file; EOPNOTSUPP for holes in files.
    CWEIR_FAULT_SHORTAGE = 128,
    // EMFILE for pipes, ENOMEM for what says how a program is started, EAGAIN and ENOENT for starting it.
    CWEIR_FAULT_SPAWNING = 256,
};

// Begins.
//
// `kinds` is a sum of the constants above, and one call in `one_in` fails.
bool cweir_faults_begin(uint64_t seed, uint32_t kinds, uint32_t one_in);

// Begins, and has one call alone fail: the one that comes after `nth` others that could.
//
// `choice` says how, from zero; what cannot fail in that many ways is not counted.
bool cweir_faults_begin_once(uint64_t choice, uint32_t kinds, uint64_t nth);

// Ends. Returns how many calls failed.
uint64_t cweir_faults_end(void);

// A log of what changes files, for tests that lose power: which calls were made, in their order.
//
// From `cweir_log_begin` on, each of the calls below that changes something in a folder, and succeeds, is written to a
// file. Each entry is: kind (1 byte), two numbers (8 bytes each), and two texts, each with its length before it (4 bytes);
// all numbers with the lowest byte first.
//
//     open      CWEIR_LOG_CREATE    the file's number, 0; its path
//     write     CWEIR_LOG_WRITE     the file's number, the place; the bytes
//     ftruncate, truncate   CWEIR_LOG_CUT   the file's number, the new length
//     fsync     CWEIR_LOG_SYNC      the file's number, 1 for a folder; the path
//     rename    CWEIR_LOG_RENAME    0, 0; the old path, the new path
//     unlink    CWEIR_LOG_UNLINK    0, 0; the path
enum {
    CWEIR_LOG_CREATE = 1,
    CWEIR_LOG_WRITE = 2,
    CWEIR_LOG_CUT = 3,
    CWEIR_LOG_SYNC = 4,
    CWEIR_LOG_RENAME = 5,
    CWEIR_LOG_UNLINK = 6,
};

// Begins, and writes to a new file at `log`; `folder` is an absolute path without a slash at its end. Returns false where
// that cannot be.
bool cweir_log_begin(const char *folder, const char *log);

// Ends.
void cweir_log_end(void);

#endif
