#ifndef CWEIR_NET_TEXT_H
#define CWEIR_NET_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#pragma clang assume_nonnull begin

// What was found in some bytes.
typedef struct cweir_net_messages {
    size_t length;    // the bytes of the whole messages at the start
    uint64_t count;   // how many these are
    size_t too_long;  // the bytes of the message behind them, where that is too long; more may be still to come
} cweir_net_messages_t;

// Finds the whole lines at the start of some bytes, each with its newline, up to one that is longer than `limit` without
// it. O(n).
cweir_net_messages_t cweir_net_find_lines(const unsigned char *bytes, size_t count, size_t limit);

// The same for frames of a length in four bytes, the most significant first, and as many bytes. A frame that is too long
// may have only begun.
cweir_net_messages_t cweir_net_find_frames(const unsigned char *bytes, size_t count, size_t limit);

// The place behind the first newline, or zero where there is none.
size_t cweir_net_after_newline(const unsigned char *bytes, size_t count);

// The place behind the last newline, or zero where there is none.
size_t cweir_net_after_last_newline(const unsigned char *bytes, size_t count);

// How many newlines there are.
size_t cweir_net_count_newlines(const unsigned char *bytes, size_t count);

// How many dots there are.
size_t cweir_net_count_dots(const unsigned char *bytes, size_t count);

// How many bytes there are before the first blank or tab.
size_t cweir_net_word_length(const unsigned char *bytes, size_t count);

// Whether some bytes begin with others.
static inline bool cweir_net_starts_with(
    const unsigned char *bytes, size_t count, const unsigned char *start, size_t length
) {
    return count >= length && memcmp(bytes, start, length) == 0;
}

// The checksum CRC-32 of ISO 3309, as in Ethernet.
uint32_t cweir_net_crc32(const void *bytes, size_t count);

#pragma clang assume_nonnull end

#endif
