#include "cweir_net_text.h"

#include <string.h>

cweir_net_messages_t cweir_net_find_lines(const unsigned char *bytes, size_t count, size_t limit) {
    cweir_net_messages_t found = {0};
    while (found.length < count) {
        const unsigned char *start = bytes + found.length;
        const unsigned char *newline = memchr(start, '\n', count - found.length);
        if (newline == NULL) {
            break;
        }
        const size_t length = (size_t)(newline - start);
        if (length > limit) {
            found.too_long = length + 1;
            break;
        }
        found.length += length + 1;
        found.count += 1;
    }
    return found;
}

cweir_net_messages_t cweir_net_find_frames(const unsigned char *bytes, size_t count, size_t limit) {
    cweir_net_messages_t found = {0};
    while (count - found.length >= 4) {
        const unsigned char *start = bytes + found.length;
        const size_t length = (size_t)start[0] << 24 | (size_t)start[1] << 16 | (size_t)start[2] << 8 | start[3];
        if (length > limit) {
            found.too_long = length + 4;
            break;
        }
        if (length + 4 > count - found.length) {
            break;
        }
        found.length += length + 4;
        found.count += 1;
    }
    return found;
}

size_t cweir_net_after_newline(const unsigned char *bytes, size_t count) {
    const unsigned char *newline = memchr(bytes, '\n', count);
    return newline == NULL ? 0 : (size_t)(newline - bytes) + 1;
}

size_t cweir_net_after_last_newline(const unsigned char *bytes, size_t count) {
    while (count > 0 && bytes[count - 1] != '\n') {
        count -= 1;
    }
    return count;
}

// Without branches and with a sum of one byte, so that the compiler looks at many bytes at a time.
static inline size_t count_of(unsigned char byte, const unsigned char *bytes, size_t count) {
    size_t found = 0;
    while (count > 0) {
        const size_t piece = count < UINT8_MAX ? count : UINT8_MAX;
        uint8_t sum = 0;
        for (size_t index = 0; index < piece; index++) {
            sum = (uint8_t)(sum + (bytes[index] == byte));
        }
        found += sum;
        bytes += piece;
        count -= piece;
    }
    return found;
}

size_t cweir_net_count_newlines(const unsigned char *bytes, size_t count) {
    return count_of('\n', bytes, count);
}

size_t cweir_net_count_dots(const unsigned char *bytes, size_t count) {
    return count_of('.', bytes, count);
}

// A bit in the first byte that is zero, and perhaps in bytes behind it.
static inline uint64_t zero_byte(uint64_t word) {
    return (word - 0x0101010101010101) & ~word & 0x8080808080808080;
}

size_t cweir_net_word_length(const unsigned char *bytes, size_t count) {
    size_t length = 0;
    // Most words are short: eight bytes at a time cost less than a call of memchr.
    while (count - length >= sizeof(uint64_t)) {
        uint64_t word;
        memcpy(&word, bytes + length, sizeof(word));
        if ((zero_byte(word ^ 0x2020202020202020) | zero_byte(word ^ 0x0909090909090909)) != 0) {
            break;
        }
        length += sizeof(word);
    }
    while (length < count && bytes[length] != ' ' && bytes[length] != '\t') {
        length += 1;
    }
    return length;
}

uint32_t cweir_net_crc32(const void *bytes, size_t count) {
    // The remainders of four bits; twice as many steps as with a table of 256, and nothing to set up.
    static const uint32_t remainders[16] = {
        0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac, 0x76dc4190, 0x6b6b51f4, 0x4db26158, 0x5005713c,
        0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c, 0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c,
    };
    const unsigned char *rest = bytes;
    uint32_t sum = UINT32_MAX;
    for (size_t index = 0; index < count; index++) {
        sum = (sum >> 4) ^ remainders[(sum ^ rest[index]) & 15];
        sum = (sum >> 4) ^ remainders[(sum ^ (uint32_t)(rest[index] >> 4)) & 15];
    }
    return ~sum;
}
