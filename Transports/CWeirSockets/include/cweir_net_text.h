#ifndef CWEIR_NET_TEXT_H
#define CWEIR_NET_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

// What was found in some bytes.
typedef struct cweir_net_messages {
    size_t consumed;   // the bytes of whole messages, of which the rest is no more
    size_t kept;       // the bytes that are left of them once the long ones are taken out
    uint64_t count;    // the messages that are left
    uint64_t too_long; // the messages that were taken out
    uint64_t skip;     // for frames: how many bytes of a long one are still to come
} cweir_net_messages_t;

// Finds the whole lines at the start of some bytes, each with its newline, and takes out those that are longer than
// `limit` without it, moving the others together. O(n).
cweir_net_messages_t cweir_net_take_lines(unsigned char *bytes, size_t count, size_t limit);

// The same for frames of a length in four bytes, the most significant first, and as many bytes.
cweir_net_messages_t cweir_net_take_frames(unsigned char *bytes, size_t count, size_t limit);

// The place behind the first newline, or zero where there is none.
size_t cweir_net_after_newline(const unsigned char *bytes, size_t count);

// The place behind the last newline, or zero where there is none.
size_t cweir_net_after_last_newline(const unsigned char *bytes, size_t count);

// How many newlines there are.
size_t cweir_net_count_newlines(const unsigned char *bytes, size_t count);

// The checksum CRC-32 of ISO 3309, as in Ethernet.
uint32_t cweir_net_crc32(const void *bytes, size_t count);

#pragma clang assume_nonnull end

#endif
