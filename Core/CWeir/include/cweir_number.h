#ifndef CWEIR_NUMBER_H
#define CWEIR_NUMBER_H

#include "cweir_base.h"

#include <string.h>

#pragma clang assume_nonnull begin

// The quick half of reading numbers in decimal: what these functions do not read, a general reader has to judge. What
// they read is exact.

// Numbers are loaded in words, from a text that goes on: that many bytes from its start must be readable.
#define CWEIR_NUMBER_READ 24

// Eight bytes of text, the first one lowest.
CWEIR_INLINE uint64_t cweir_word_at(const unsigned char *text) {
    uint64_t word;
    memcpy(&word, text, sizeof(word));
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    return word;
}

// Keeps the first `count` bytes of a word, 0 to 8, as its last ones, behind zeros; '0' becomes 0 and so on.
CWEIR_INLINE uint64_t cweir_digits_of(uint64_t word, uint32_t count) {
    const uint32_t shift = (8 - count) * 4;
    return (word ^ 0x3030303030303030) << shift << shift;
}

// Whether all bytes are digits, as `cweir_digits_of` returns them.
CWEIR_INLINE bool cweir_are_digits(uint64_t digits) {
    return (((digits + 0x7676767676767676) | digits) & 0x8080808080808080) == 0;
}

// The number of eight digits, as `cweir_digits_of` returns them: pairs, then fours, then all.
CWEIR_INLINE uint64_t cweir_value_of(uint64_t digits) {
    digits = digits * 10 + (digits >> 8);
    const uint64_t even = (digits & 0x000000FF000000FF) * (100 + (1000000ULL << 32));
    const uint64_t odd = (digits >> 16 & 0x000000FF000000FF) * (1 + (10000ULL << 32));
    return (even + odd) >> 32;
}

// A number with a sign, without a branch: signs are often as good as random.
CWEIR_INLINE double cweir_with_sign(double magnitude, bool is_negative) {
    uint64_t bits;
    memcpy(&bits, &magnitude, sizeof(bits));
    bits |= (uint64_t)is_negative << 63;
    memcpy(&magnitude, &bits, sizeof(bits));
    return magnitude;
}

extern const double cweir_powers_of_ten[23];
extern const uint64_t cweir_integer_powers_of_ten[20];

// The double nearest to `mantissa / 10^scale`, ties to even; `scale` is at most 19. Thread safety: any thread.
double cweir_quotient(uint64_t mantissa, uint32_t scale);

// A number with an exponent or many digits; see `cweir_read_double`. Of `text` only `length` bytes are read.
bool cweir_read_long_double(const unsigned char *text, size_t length, bool is_negative, double *value);

// Reads a number of at most eight characters, digits with a point perhaps; `length` is not 0.
CWEIR_INLINE bool cweir_read_short_double(const unsigned char *text, size_t length, bool is_negative, double *value) {
    const uint32_t unused = (8 - (uint32_t)length) * 8;
    uint64_t digits = (cweir_word_at(text) ^ 0x3030303030303030) << unused;
    const uint64_t others = ((digits + 0x7676767676767676) | digits) & 0x8080808080808080;
    uint32_t fraction = 0;
    if (others != 0) {
        const uint32_t point = (uint32_t)__builtin_ctzll(others) - 7;
        const bool is_point = (digits >> point & 0xFF) == ('.' ^ '0');
        if (__builtin_expect((others & (others - 1)) != 0 || !is_point || length == 1, 0)) {
            return false;
        }
        // Without the point: the digits before it move up by one.
        const uint64_t below = (1ULL << point) - 1;
        digits = (digits & below) << 8 | (digits & ~(below << 8 | 0xFF));
        fraction = (56 - point) / 8;
    }
    const uint64_t mantissa = cweir_value_of(digits);
    *value = cweir_with_sign((double)(int64_t)mantissa / cweir_powers_of_ten[fraction], is_negative);
    return true;
}

// Reads a finite number: a sign, digits with a point anywhere among them, an exponent. Nothing else may stand in `text`.
//
// CWEIR_NUMBER_READ bytes from `text` on must be readable, however few of them `length` counts.
//
// Returns whether it was read; if not, a general reader may yet find that it is a number.
// Thread safety: any thread. Allocates nothing.
CWEIR_INLINE bool cweir_read_double(const unsigned char *text, size_t length, double *value) {
    // What stands behind an empty text is not of it.
    const bool is_negative = (text[0] == '-') & (length > 0);
    text += is_negative;
    length -= is_negative;
    if (length - 1 < 8) {
        return cweir_read_short_double(text, length, is_negative, value) ||
            cweir_read_long_double(text, length, is_negative, value);
    }
    // Both sides of the point are read at once.
    const uint64_t word = cweir_word_at(text);
    const uint64_t difference = word ^ 0x2E2E2E2E2E2E2E2E;
    const uint64_t points = (difference - 0x0101010101010101) & ~difference & 0x8080808080808080;
    size_t whole = points == 0 ? 8 : (size_t)__builtin_ctzll(points) >> 3;
    whole = whole < length ? whole : length;
    size_t fraction = length - whole;
    // Without the point, which there is when something is left.
    fraction -= fraction > 0;
    if (__builtin_expect(length - 1 > 15 || fraction > 8 || (fraction + whole < length && text[whole] != '.'), 0)) {
        return cweir_read_long_double(text, length, is_negative, value);
    }
    const uint64_t digits = cweir_digits_of(word, (uint32_t)whole);
    const uint64_t more = cweir_digits_of(cweir_word_at(text + whole + 1), (uint32_t)fraction);
    if (__builtin_expect(!cweir_are_digits(digits) || !cweir_are_digits(more) || whole + fraction == 0, 0)) {
        return cweir_read_long_double(text, length, is_negative, value);
    }
    const uint64_t mantissa =
        cweir_value_of(digits) * cweir_integer_powers_of_ten[fraction] + cweir_value_of(more);
    if (__builtin_expect(mantissa > 1ULL << 53, 0)) {
        return cweir_read_long_double(text, length, is_negative, value);
    }
    // Clinger's fast path: both numbers are exact as doubles, so the division rounds once.
    *value = cweir_with_sign((double)(int64_t)mantissa / cweir_powers_of_ten[fraction], is_negative);
    return true;
}

// Reads a whole number of at most 16 digits: a minus sign and digits. Otherwise as `cweir_read_double`.
CWEIR_INLINE bool cweir_read_integer(const unsigned char *text, size_t length, int64_t *value) {
    // What stands behind an empty text is not of it.
    const bool is_negative = (text[0] == '-') & (length > 0);
    text += is_negative;
    length -= is_negative;
    if (length - 1 < 8) {
        const uint64_t digits = cweir_digits_of(cweir_word_at(text), (uint32_t)length);
        const int64_t magnitude = (int64_t)cweir_value_of(digits);
        *value = (magnitude ^ -(int64_t)is_negative) + is_negative;
        return cweir_are_digits(digits);
    }
    if (__builtin_expect(length - 1 > 15, 0)) {
        return false;
    }
    const size_t head = length > 8 ? length - 8 : 0;
    const uint64_t low = cweir_digits_of(cweir_word_at(text + head), (uint32_t)(length - head));
    const uint64_t high = cweir_digits_of(cweir_word_at(text), (uint32_t)head);
    if (__builtin_expect(!cweir_are_digits(low) || !cweir_are_digits(high), 0)) {
        return false;
    }
    const int64_t magnitude = (int64_t)(cweir_value_of(high) * 100000000 + cweir_value_of(low));
    *value = (magnitude ^ -(int64_t)is_negative) + is_negative;
    return true;
}

#pragma clang assume_nonnull end

#endif
