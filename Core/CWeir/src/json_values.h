#ifndef CWEIR_JSON_VALUES_H
#define CWEIR_JSON_VALUES_H

#include "cweir_number.h"
#include "cweir_records.h"

#if defined(__x86_64__)
#include <emmintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

// How many bytes from the start of the last value on may be loaded, however few of them belong to it.
#define VALUE_SPARE 32

// What of sixteen bytes needs a closer look: quotes, backslashes, control characters, and bytes above 0x7F. Bits that say
// which bytes they are, from the lowest; the number of bits for each byte is SPECIAL_BITS.
//
// `digit_bytes` says which bytes are digits, likewise.
#if defined(__x86_64__)
#define SPECIAL_BITS 1
static inline uint64_t special_bytes(const unsigned char *text) {
    const __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)text);
    const __m128i quotes = _mm_cmpeq_epi8(bytes, _mm_set1_epi8('"'));
    const __m128i backslashes = _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\\'));
    // As signed numbers the bytes above 0x7F are negative.
    const __m128i others = _mm_cmplt_epi8(bytes, _mm_set1_epi8(0x20));
    return (uint64_t)(uint32_t)_mm_movemask_epi8(_mm_or_si128(_mm_or_si128(quotes, backslashes), others));
}
static inline uint64_t digit_bytes(const unsigned char *text) {
    const __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)text);
    const __m128i values = _mm_sub_epi8(bytes, _mm_set1_epi8('0'));
    const __m128i digits = _mm_cmpeq_epi8(_mm_min_epu8(values, _mm_set1_epi8(9)), values);
    return (uint64_t)(uint32_t)_mm_movemask_epi8(digits);
}
#elif defined(__aarch64__)
#define SPECIAL_BITS 4
static inline uint64_t special_bytes(const unsigned char *text) {
    const uint8x16_t bytes = vld1q_u8(text);
    const uint8x16_t quotes = vceqq_u8(bytes, vdupq_n_u8('"'));
    const uint8x16_t backslashes = vceqq_u8(bytes, vdupq_n_u8('\\'));
    const uint8x16_t others = vcltq_s8(vreinterpretq_s8_u8(bytes), vdupq_n_s8(0x20));
    const uint8x16_t all = vorrq_u8(vorrq_u8(quotes, backslashes), others);
    return vget_lane_u64(vreinterpret_u64_u8(vshrn_n_u16(vreinterpretq_u16_u8(all), 4)), 0);
}
static inline uint64_t digit_bytes(const unsigned char *text) {
    const uint8x16_t digits = vcltq_u8(vsubq_u8(vld1q_u8(text), vdupq_n_u8('0')), vdupq_n_u8(10));
    return vget_lane_u64(vreinterpret_u64_u8(vshrn_n_u16(vreinterpretq_u16_u8(digits), 4)), 0);
}
#else
#define SPECIAL_BITS 1
static inline uint64_t special_bytes(const unsigned char *text) {
    uint64_t bits = 0;
    for (int index = 0; index < 16; index++) {
        const unsigned char byte = text[index];
        bits |= (uint64_t)(byte == '"' || byte == '\\' || byte < 0x20 || byte > 0x7F) << index;
    }
    return bits;
}
static inline uint64_t digit_bytes(const unsigned char *text) {
    uint64_t bits = 0;
    for (int index = 0; index < 16; index++) {
        bits |= (uint64_t)((unsigned char)(text[index] - '0') < 10) << index;
    }
    return bits;
}
#endif

// Whether sixteen bytes are not those of two words, in the bits of two masks that the words have no others than.
static inline __attribute__((always_inline)) bool
differ(const unsigned char *text, const uint64_t *words, const uint64_t *masks) {
#if defined(__x86_64__)
    const __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)text);
    const __m128i wanted = _mm_loadu_si128((const __m128i *)(const void *)words);
    const __m128i mask = _mm_loadu_si128((const __m128i *)(const void *)masks);
    return _mm_movemask_epi8(_mm_cmpeq_epi8(_mm_and_si128(bytes, mask), wanted)) != 0xFFFF;
#else
    return (((cweir_word_at(text) ^ words[0]) & masks[0]) | ((cweir_word_at(text + 8) ^ words[1]) & masks[1])) != 0;
#endif
}

// The encoding of a text between quotes that has special bytes; CWEIR_ABSENT when it is not valid.
uint8_t cweir_json_special_text(const unsigned char *text, size_t length);

// How many digits a text starts with; of no more than `length` characters, though some more may be loaded.
static inline size_t digit_run(const unsigned char *text, size_t length) {
    size_t count = 0;
    while (count < length) {
        const uint64_t digits = cweir_word_at(text + count) ^ 0x3030303030303030;
        const uint64_t others = ((digits + 0x7676767676767676) | digits) & 0x8080808080808080;
        if (others != 0) {
            count += (size_t)__builtin_ctzll(others) >> 3;
            break;
        }
        count += 8;
    }
    return count < length ? count : length;
}

static inline __attribute__((noinline)) bool is_number(const unsigned char *text, size_t length) {
    size_t place = text[0] == '-';
    size_t count = digit_run(text + place, length - place);
    if (count == 0 || (count > 1 && text[place] == '0')) {
        return false;
    }
    place += count;
    if (place < length && text[place] == '.') {
        place += 1;
        count = digit_run(text + place, length - place);
        if (count == 0) {
            return false;
        }
        place += count;
    }
    if (place < length && (text[place] | 0x20) == 'e') {
        place += 1;
        place += place < length && (text[place] == '-' || text[place] == '+');
        count = digit_run(text + place, length - place);
        if (count == 0) {
            return false;
        }
        place += count;
    }
    return place == length;
}

// Whether a text is a number without an exponent, of less than 16 characters. Others may be numbers all the same.
static inline __attribute__((always_inline)) bool is_short_number(const unsigned char *text, size_t length) {
    if (length > 15) {
        return false;
    }
    const size_t sign = text[0] == '-';
    uint64_t others = ~digit_bytes(text) & ((1ULL << (length * SPECIAL_BITS)) - 1);
    others = others >> (sign * SPECIAL_BITS) << (sign * SPECIAL_BITS);
    size_t end = length;
    if (others != 0) {
        end = (size_t)__builtin_ctzll(others) / SPECIAL_BITS;
        // One point, with a digit behind it.
        if (text[end] != '.' || others >> (end * SPECIAL_BITS) >> SPECIAL_BITS != 0 || end + 1 == length) {
            return false;
        }
    }
    return end == sign + 1 || (end > sign + 1 && text[sign] != '0');
}

// Whether a text of less than 16 characters may stand between quotes as it is: the usual case of what `value_encoding`
// judges.
static inline __attribute__((always_inline)) bool is_short_text(const unsigned char *text, size_t length) {
    return length < 16 && (special_bytes(text) & ((1ULL << (length * SPECIAL_BITS)) - 1)) == 0;
}

// The encoding of a value that is neither an array nor an object; CWEIR_ABSENT when it is not valid.
static inline __attribute__((always_inline)) uint8_t value_encoding(const unsigned char *text, size_t length) {
    if (length == 0) {
        return CWEIR_ABSENT;
    }
    const unsigned char first = text[0];
    if (first == '"') {
        if (length < 2 || text[length - 1] != '"') {
            return CWEIR_ABSENT;
        }
        const size_t content = length - 2;
        size_t place = 0;
        do {
            uint64_t special = special_bytes(text + 1 + place);
            const size_t rest = content - place;
            if (rest < 16) {
                special &= (1ULL << (rest * SPECIAL_BITS)) - 1;
            }
            if (special != 0) {
                return cweir_json_special_text(text + 1, content);
            }
            place += 16;
        } while (place < content);
        return CWEIR_PLAIN;
    }
    // Digits and the minus sign, among others.
    if (first <= '9') {
        return is_short_number(text, length) || is_number(text, length) ? CWEIR_BARE : CWEIR_ABSENT;
    }
    if (first == 't') {
        return length == 4 && memcmp(text, "true", 4) == 0 ? CWEIR_BARE : CWEIR_ABSENT;
    }
    if (first == 'f') {
        return length == 5 && memcmp(text, "false", 5) == 0 ? CWEIR_BARE : CWEIR_ABSENT;
    }
    if (first == 'n') {
        return length == 4 && memcmp(text, "null", 4) == 0 ? CWEIR_NULL : CWEIR_ABSENT;
    }
    return CWEIR_ABSENT;
}

#endif
