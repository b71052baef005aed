#include "cweir_columns.h"

#include "cweir_number.h"

// Whether a slot holds text that a number may be read from, empty perhaps: neither quotes nor escapes in it, and enough bytes
// from its start on.
static inline bool is_text(const cweir_column_t *column, const cweir_slot_t *slot) {
    return (unsigned)slot->encoding - CWEIR_PLAIN <= CWEIR_BARE - CWEIR_PLAIN &&
           column->length - slot->start >= CWEIR_NUMBER_READ;
}

// A whole number in two's complement, the lowest byte first.
static inline int64_t stored_integer(const cweir_column_t *column, const cweir_slot_t *slot) {
    const unsigned char *place = column->text + slot->start;
    uint64_t bits = 0;
    if (slot->length == 8) {
        return (int64_t)cweir_word_at(place);
    }
    for (uint32_t index = 0; index < slot->length; index++) {
        bits |= (uint64_t)place[index] << (index * 8);
    }
    const uint32_t unused = 64 - slot->length * 8;
    return (int64_t)(bits << unused) >> unused;
}

static inline bool read_double(const cweir_column_t *column, const cweir_slot_t *slot, double *value) {
    if (is_text(column, slot)) {
        return cweir_read_double(column->text + slot->start, slot->length, value);
    }
    if (slot->encoding == CWEIR_FLOAT) {
        const uint64_t bits = cweir_word_at(column->text + slot->start);
        memcpy(value, &bits, sizeof(bits));
        return (bits >> 52 & 0x7FF) != 0x7FF;
    }
    if (slot->encoding == CWEIR_INTEGER) {
        *value = (double)stored_integer(column, slot);
        return true;
    }
    if (slot->encoding == CWEIR_DECIMAL && slot->scale <= 19) {
        const int64_t number = stored_integer(column, slot);
        const uint64_t magnitude = number < 0 ? 0 - (uint64_t)number : (uint64_t)number;
        const double quotient = magnitude <= 1ULL << 53
            ? (double)magnitude / cweir_powers_of_ten[slot->scale]
            : cweir_quotient(magnitude, slot->scale);
        *value = number < 0 ? -quotient : quotient;
        return true;
    }
    return false;
}

static inline bool read_integer(const cweir_column_t *column, const cweir_slot_t *slot, int64_t *value) {
    if (is_text(column, slot)) {
        return cweir_read_integer(column->text + slot->start, slot->length, value);
    }
    if (slot->encoding == CWEIR_INTEGER || (slot->encoding == CWEIR_DECIMAL && slot->scale == 0)) {
        *value = stored_integer(column, slot);
        return true;
    }
    return false;
}

static inline bool
read_time(const cweir_column_t *column, const cweir_slot_t *slot, int64_t scale, int64_t *value) {
    if (slot->encoding == CWEIR_TIME) {
        *value = stored_integer(column, slot);
        return true;
    }
    return slot->encoding != CWEIR_DECIMAL && read_integer(column, slot, value) &&
           !__builtin_mul_overflow(*value, scale, value);
}

static inline bool read_boolean(const cweir_column_t *column, const cweir_slot_t *slot, bool *value) {
    const unsigned char *text = column->text + slot->start;
    if (slot->encoding == CWEIR_BOOLEAN) {
        *value = text[0] != 0;
        return true;
    }
    if (slot->encoding != CWEIR_PLAIN && slot->encoding != CWEIR_BARE) {
        return false;
    }
    *value = slot->length == 4;
    return (slot->length == 4 && memcmp(text, "true", 4) == 0) || (slot->length == 5 && memcmp(text, "false", 5) == 0);
}

// The loop over a column; `READ` is one of the functions above with its arguments.
#define READ_COLUMN(READ)                                                                                              \
    size_t total = 0;                                                                                                  \
    for (size_t first = 0; first < column->count; first += 64) {                                                       \
        const size_t count = column->count - first < 64 ? column->count - first : 64;                                  \
        uint64_t bits = 0;                                                                                             \
        for (size_t place = 0; place < count; place++) {                                                               \
            const cweir_slot_t *slot = column->slots + (first + place) * column->stride;                               \
            values[first + place] = 0;                                                                                 \
            bits |= (uint64_t)READ << place;                                                                           \
        }                                                                                                              \
        valid[first >> 6] = bits;                                                                                      \
        total += (size_t)__builtin_popcountll(bits);                                                                   \
    }                                                                                                                  \
    return total

size_t cweir_column_doubles(const cweir_column_t *column, double *values, uint64_t *valid) {
    READ_COLUMN(read_double(column, slot, values + first + place));
}

size_t cweir_column_integers(const cweir_column_t *column, int64_t *values, uint64_t *valid) {
    READ_COLUMN(read_integer(column, slot, values + first + place));
}

size_t cweir_column_booleans(const cweir_column_t *column, bool *values, uint64_t *valid) {
    READ_COLUMN(read_boolean(column, slot, values + first + place));
}

size_t cweir_column_times(const cweir_column_t *column, int64_t scale, int64_t *values, uint64_t *valid) {
    READ_COLUMN(read_time(column, slot, scale, values + first + place));
}
