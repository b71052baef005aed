#ifndef CBENCH_SOCKETS_H
#define CBENCH_SOCKETS_H

#include <stdint.h>

#pragma clang assume_nonnull begin

// Connects to the Unix socket at `path` and sends `count` bytes, `rounds` times. Returns 0, or -1.
int cbench_send_stream(const char *path, const void *bytes, uint64_t count, int rounds);

// Sends `count` datagrams to a port of this machine in batches of 64: each of them one of `kinds` neighbouring pieces of
// `length` bytes at `bytes`, in turn. It sends no more than `rate` a second; 0 is as many as it can. Returns how many were
// sent; -1 where the system has no batches.
int64_t cbench_send_datagrams(
    uint16_t port, const void *bytes, uint32_t length, int kinds, int64_t count, double rate);

// Listens at a Unix socket, and reads one connection to its end into one buffer of 256 KiB. Returns how many bytes came.
int cbench_listen(const char *path);
int64_t cbench_read_stream(int listener);

// Opens a port of this machine with a receive buffer of `buffer` bytes; `port` is the number that it got.
int cbench_open_port(uint32_t buffer, uint16_t *port);

// Receives in batches of 64 with recvmmsg, and looks at nothing, until half a second passes in which nothing comes.
// Returns how many datagrams came; `nanoseconds` is the time from the first one to the last one.
int64_t cbench_receive_datagrams(int socket, int64_t *nanoseconds);

// Connects to a port of this machine. Returns -1 where nobody listens.
int cbench_connect(uint16_t port);

// Sends all of the bytes. Returns 0, or -1.
int cbench_send_all(int socket, const void *bytes, uint64_t count);

// Receives into one buffer of 64 KiB and counts line ends, up to `count` or until nothing has come for ten seconds. Returns
// how many there were.
int64_t cbench_receive_lines(int socket, int64_t count);
void cbench_close(int descriptor);

#pragma clang assume_nonnull end

#endif
