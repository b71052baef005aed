#include "cweir_records.h"

#include <string.h>

// The length of the scalar at the start of a text, or zero when there is none; the table is that of the Unicode standard.
static size_t sequence_length(const unsigned char *text, size_t length) {
    const unsigned char first = text[0];
    size_t count;
    unsigned char lowest = 0x80;
    unsigned char highest = 0xBF;
    if (first < 0x80) {
        return 1;
    }
    if (first >= 0xC2 && first <= 0xDF) {
        count = 2;
    } else if (first >= 0xE0 && first <= 0xEF) {
        count = 3;
        lowest = first == 0xE0 ? 0xA0 : lowest;
        highest = first == 0xED ? 0x9F : highest;
    } else if (first >= 0xF0 && first <= 0xF4) {
        count = 4;
        lowest = first == 0xF0 ? 0x90 : lowest;
        highest = first == 0xF4 ? 0x8F : highest;
    } else {
        return 0;
    }
    if (length < count || text[1] < lowest || text[1] > highest) {
        return 0;
    }
    for (size_t place = 2; place < count; place++) {
        if ((text[place] & 0xC0) != 0x80) {
            return 0;
        }
    }
    return count;
}

size_t cweir_utf8_valid_length(const unsigned char *text, size_t length) {
    size_t place = 0;
    while (place < length) {
        uint64_t word;
        if (length - place >= sizeof(word)) {
            memcpy(&word, text + place, sizeof(word));
            if ((word & 0x8080808080808080) == 0) {
                place += sizeof(word);
                continue;
            }
        }
        const size_t count = sequence_length(text + place, length - place);
        if (count == 0) {
            return place;
        }
        place += count;
    }
    return length;
}
