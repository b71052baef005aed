#include "columns_kernels.h"
#include "cweir_number.h"

// Whether a slot holds text that a number may be read from: neither quotes nor escapes in it, and enough bytes from its
// start on.
static inline bool is_text(const cweir_column_t *column, const cweir_slot_t *slot) {
    return (unsigned)slot->encoding - CWEIR_PLAIN <= CWEIR_BARE - CWEIR_PLAIN && slot->length > 0 &&
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

static inline __attribute__((always_inline)) bool
read_double(const cweir_column_t *column, const cweir_slot_t *slot, double *value) {
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

static inline __attribute__((always_inline)) bool
read_integer(const cweir_column_t *column, const cweir_slot_t *slot, int64_t *value) {
    if (is_text(column, slot)) {
        return cweir_read_integer(column->text + slot->start, slot->length, value);
    }
    if (slot->encoding == CWEIR_INTEGER || (slot->encoding == CWEIR_DECIMAL && slot->scale == 0)) {
        *value = stored_integer(column, slot);
        return true;
    }
    return false;
}

static inline __attribute__((always_inline)) bool
read_time(const cweir_column_t *column, const cweir_slot_t *slot, int64_t scale, int64_t *value) {
    if (slot->encoding == CWEIR_TIME) {
        *value = stored_integer(column, slot);
        return true;
    }
    return slot->encoding != CWEIR_DECIMAL && read_integer(column, slot, value) &&
           !__builtin_mul_overflow(*value, scale, value);
}

static inline __attribute__((always_inline)) bool
read_boolean(const cweir_column_t *column, const cweir_slot_t *slot, bool *value) {
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

// Whether the values of a block are stored alike and side by side, as in a column of the binary format; each decimal may
// have its own scale.
static inline bool is_run(const cweir_column_t *column, size_t first, size_t count) {
    if (column->marks != NULL) {
        return false;
    }
    if (column->run != NULL) {
        return column->run->encoding >= CWEIR_INTEGER && column->run->encoding <= CWEIR_TIME;
    }
    const cweir_slot_t *slot = column->slots + first * column->stride;
    const cweir_slot_t head = *slot;
    if (head.encoding < CWEIR_INTEGER || head.encoding > CWEIR_TIME) {
        return false;
    }
    uint32_t start = head.start;
    uint32_t difference = 0;
    for (size_t place = 0; place < count; place++) {
        difference |= (slot->start ^ start) | (slot->length ^ head.length) | (slot->encoding ^ (uint32_t)head.encoding);
        start += head.length;
        slot += column->stride;
    }
    return difference == 0;
}

// The numbers of a run as values of a type, unless their bytes are not in this processor's order; `VALUE` makes one of
// `number`.
#if __BYTE_ORDER__ != __ORDER_BIG_ENDIAN__
#define LOAD_RUN_AS(TYPE, VALUE)                                                                                       \
    for (size_t index = 0; index < count; index++) {                                                                   \
        TYPE number;                                                                                                   \
        memcpy(&number, place + index * sizeof(number), sizeof(number));                                               \
        values[index] = VALUE;                                                                                         \
    }                                                                                                                  \
    return true
#define LOAD_RUN(VALUE)                                                                                                \
    const unsigned char *place = column->text + head.start;                                                            \
    switch (head.length) {                                                                                             \
    case 1: LOAD_RUN_AS(int8_t, VALUE);                                                                                \
    case 2: LOAD_RUN_AS(int16_t, VALUE);                                                                               \
    case 4: LOAD_RUN_AS(int32_t, VALUE);                                                                               \
    case 8: LOAD_RUN_AS(int64_t, VALUE);                                                                               \
    default: return false;                                                                                             \
    }
#else
#define LOAD_RUN(VALUE)                                                                                                \
    (void)column, (void)head, (void)count, (void)values;                                                               \
    return false;
#endif

static bool load_run(const cweir_column_t *column, cweir_slot_t head, size_t count, int64_t *values) {
    LOAD_RUN(number)
}

// The same as doubles, rounded once.
static bool load_run_as_doubles(const cweir_column_t *column, cweir_slot_t head, size_t count, double *values) {
    LOAD_RUN((double)number)
}

// The same as quotients, which are rounded once where the numbers are exact.
static bool
load_run_as_quotients(const cweir_column_t *column, cweir_slot_t head, size_t count, double divisor, double *values) {
    LOAD_RUN((double)number / divisor)
}

// Read a block of values that are stored as such; a bit for each that was read.

static uint64_t run_of_floats(const cweir_column_t *column, cweir_slot_t head, size_t count, double *values) {
    int64_t numbers[64];
    if (head.length != 8 || !load_run(column, head, count, numbers)) {
        return 0;
    }
    uint64_t read = 0;
    memcpy(values, numbers, count * sizeof(double));
    for (size_t place = 0; place < count; place++) {
        read |= (uint64_t)((numbers[place] >> 52 & 0x7FF) != 0x7FF) << place;
    }
    return read;
}

static uint64_t run_of_decimals(
    const cweir_column_t *column, cweir_slot_t head, size_t first, size_t count, double *values) {
    // Two numbers that are exact: the division rounds once. The highest bit of a scale means minus zero.
    if (column->run != NULL && head.length < 8 && head.scale <= 19) {
        const double divisor = cweir_powers_of_ten[head.scale];
        return load_run_as_quotients(column, head, count, divisor, values) ? ~0ULL >> (64 - count) : 0;
    }
    int64_t numbers[64];
    if (!load_run(column, head, count, numbers)) {
        return 0;
    }
    uint64_t read = 0;
    for (size_t place = 0; place < count; place++) {
        const uint8_t scale = cweir_column_slot(column, first + place).scale;
        const bool is_exact = (uint64_t)numbers[place] + (1ULL << 53) <= 1ULL << 54 && scale <= 19;
        values[place] = (double)numbers[place] / cweir_powers_of_ten[is_exact ? scale : 0];
        read |= (uint64_t)is_exact << place;
    }
    return read;
}

static uint64_t run_of_doubles(const cweir_column_t *column, size_t first, size_t count, double *values) {
    const cweir_slot_t head = cweir_column_slot(column, first);
    switch (head.encoding) {
    case CWEIR_FLOAT: return run_of_floats(column, head, count, values);
    case CWEIR_DECIMAL: return run_of_decimals(column, head, first, count, values);
    case CWEIR_INTEGER: return load_run_as_doubles(column, head, count, values) ? ~0ULL >> (64 - count) : 0;
    default: return 0;
    }
}

static uint64_t
run_of_integers(const cweir_column_t *column, size_t first, size_t count, uint8_t encoding, int64_t *values) {
    const cweir_slot_t head = cweir_column_slot(column, first);
    return head.encoding == encoding && load_run(column, head, count, values) ? ~0ULL >> (64 - count) : 0;
}

// The values that are read at once; a bit for each.
static inline uint64_t
quick_doubles(const cweir_column_t *column, size_t first, size_t count, double *values) {
    if (is_run(column, first, count)) {
        return run_of_doubles(column, first, count, values);
    }
#if defined(__x86_64__)
    if (column->run == NULL && column->kernel == CWEIR_KERNEL_AVX2) {
        return cweir_avx2_doubles(column, first, count, values);
    }
#endif
    return 0;
}

static inline uint64_t
quick_integers(const cweir_column_t *column, size_t first, size_t count, int64_t *values) {
    if (is_run(column, first, count)) {
        return run_of_integers(column, first, count, CWEIR_INTEGER, values);
    }
#if defined(__x86_64__)
    if (column->run == NULL && column->kernel == CWEIR_KERNEL_AVX2) {
        return cweir_avx2_integers(column, first, count, values);
    }
#endif
    return 0;
}

static inline uint64_t
quick_times(const cweir_column_t *column, size_t first, size_t count, int64_t scale, int64_t *values) {
    if (cweir_column_slot(column, first).encoding == CWEIR_TIME) {
        return is_run(column, first, count) ? run_of_integers(column, first, count, CWEIR_TIME, values) : 0;
    }
    const uint64_t read = quick_integers(column, first, count, values);
    uint64_t too_large = 0;
    if (read != 0) {
        for (size_t place = 0; place < count; place++) {
            too_large |= (uint64_t)__builtin_mul_overflow(values[place], scale, values + place) << place;
        }
    }
    return read & ~too_large;
}

// The loop over a column, 64 values at a time. `QUICK` reads some of them at once, `READ` one; both are functions above
// with their arguments.
#define READ_COLUMN(QUICK, READ)                                                                                       \
    size_t total = 0;                                                                                                  \
    bool is_quick = true;                                                                                              \
    for (size_t first = 0; first < column->count; first += 64) {                                                       \
        const size_t count = column->count - first < 64 ? column->count - first : 64;                                  \
        uint64_t bits = is_quick ? QUICK : 0;                                                                          \
        /* Where few are, the next ones are of the same kind. */                                                       \
        is_quick = __builtin_popcountll(bits) >= 8;                                                                    \
        for (uint64_t rest = ~bits & (~0ULL >> (64 - count)); rest != 0; rest &= rest - 1) {                           \
            const size_t place = (size_t)__builtin_ctzll(rest);                                                        \
            const cweir_slot_t slot = cweir_column_slot(column, first + place);                                        \
            values[first + place] = 0;                                                                                 \
            bits |= (uint64_t)READ << place;                                                                           \
        }                                                                                                              \
        valid[first >> 6] = bits;                                                                                      \
        total += (size_t)__builtin_popcountll(bits);                                                                   \
    }                                                                                                                  \
    return total

size_t cweir_column_doubles(const cweir_column_t *column, double *values, uint64_t *valid) {
    READ_COLUMN(
        quick_doubles(column, first, count, values + first), read_double(column, &slot, values + first + place));
}

size_t cweir_column_integers(const cweir_column_t *column, int64_t *values, uint64_t *valid) {
    READ_COLUMN(
        quick_integers(column, first, count, values + first), read_integer(column, &slot, values + first + place));
}

size_t cweir_column_booleans(const cweir_column_t *column, bool *values, uint64_t *valid) {
    READ_COLUMN(0, read_boolean(column, &slot, values + first + place));
}

size_t cweir_column_times(const cweir_column_t *column, int64_t scale, int64_t *values, uint64_t *valid) {
    READ_COLUMN(
        quick_times(column, first, count, scale, values + first),
        read_time(column, &slot, scale, values + first + place));
}
