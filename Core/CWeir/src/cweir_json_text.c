#include "json_values.h"

// Reads the four hexadecimal digits of an escape; returns whether they are there.
static bool read_code_unit(const unsigned char *text, size_t length, size_t place, uint32_t *unit) {
    if (length - place < 4) {
        return false;
    }
    *unit = 0;
    for (size_t index = place; index < place + 4; index++) {
        const unsigned char byte = text[index];
        uint32_t digit;
        if (byte >= '0' && byte <= '9') {
            digit = byte - '0';
        } else if ((byte | 0x20) >= 'a' && (byte | 0x20) <= 'f') {
            digit = (byte | 0x20) - 'a' + 10u;
        } else {
            return false;
        }
        *unit = *unit << 4 | digit;
    }
    return true;
}

// Passes an escape; returns where it ends, or zero when it is not valid.
static size_t pass_escape(const unsigned char *text, size_t length, size_t place) {
    if (place + 1 == length) {
        return 0;
    }
    const unsigned char kind = text[place + 1];
    place += 2;
    if (kind != 'u') {
        return memchr("\"\\/bfnrt", kind, 8) != NULL ? place : 0;
    }
    uint32_t unit;
    if (!read_code_unit(text, length, place, &unit)) {
        return 0;
    }
    place += 4;
    if (unit < 0xD800 || unit > 0xDFFF) {
        return place;
    }
    // A surrogate: the second one has to follow the first.
    if (unit > 0xDBFF || length - place < 6 || text[place] != '\\' || text[place + 1] != 'u' ||
        !read_code_unit(text, length, place + 2, &unit) || unit < 0xDC00 || unit > 0xDFFF) {
        return 0;
    }
    return place + 6;
}

uint8_t cweir_json_special_text(const unsigned char *text, size_t length) {
    bool has_high_bytes = false;
    uint8_t encoding = CWEIR_PLAIN;
    size_t place = 0;
    while (place < length) {
        const unsigned char byte = text[place];
        if (byte == '"' || byte < 0x20) {
            return CWEIR_ABSENT;
        }
        if (byte == '\\') {
            encoding = CWEIR_ESCAPED;
            place = pass_escape(text, length, place);
            if (place == 0) {
                return CWEIR_ABSENT;
            }
            continue;
        }
        has_high_bytes |= byte > 0x7F;
        place += 1;
    }
    if (has_high_bytes && cweir_utf8_valid_length(text, length) < length) {
        return CWEIR_ABSENT;
    }
    return encoding;
}
