#ifndef CWEIR_COLUMNS_H
#define CWEIR_COLUMNS_H

#include "cweir_records.h"

#pragma clang assume_nonnull begin

// Columns of values, made of one field of many records.

// A field of some records.
typedef struct cweir_column {
    // The text that the places count in, and how many bytes it has.
    const unsigned char *text;
    size_t length;
    // The slot of the first record; those of the others follow `stride` slots apart.
    const cweir_slot_t *slots;
    size_t stride;
    // Where not NULL, the slots are of no meaning: this is the first one, and each further value stands right behind the one
    // before it, as long as that and in the same encoding.
    const cweir_slot_t *_Nullable run;
    // Where not NULL, the slots are of no meaning either: each value is a plain text between two separators, this one and the
    // next one for the first value, and those `stride` further for each other; places count from `origin`.
    const uint32_t *_Nullable marks;
    uint32_t origin;
    size_t count;
    // What to read with; the processor must have it. The values are the same with each.
    cweir_kernel_t kernel;
} cweir_column_t;

// The slot of a value.
CWEIR_INLINE cweir_slot_t cweir_column_slot(const cweir_column_t *column, size_t place) {
    if (column->marks != NULL) {
        const uint32_t *separators = column->marks + place * column->stride;
        const uint32_t start = separators[0] + 1;
        return (cweir_slot_t){
            .start = start + column->origin, .length = separators[1] - start, .encoding = CWEIR_PLAIN, .scale = 0};
    }
    if (column->run == NULL) {
        return column->slots[place * column->stride];
    }
    cweir_slot_t slot = *column->run;
    slot.start += (uint32_t)place * slot.length;
    return slot;
}

// Read the values of a column. `values` has room for all of them, `valid` for a bit for each one, rounded up to whole
// words; the bit is set when the value was read. A general reader has to judge the others.
//
// Return how many were read.
// Thread safety: any thread. Allocate nothing.
size_t cweir_column_doubles(const cweir_column_t *column, double *values, uint64_t *valid);
size_t cweir_column_integers(const cweir_column_t *column, int64_t *values, uint64_t *valid);
size_t cweir_column_booleans(const cweir_column_t *column, bool *values, uint64_t *valid);

// Whole numbers times `scale`, and nanoseconds as they are.
size_t cweir_column_times(const cweir_column_t *column, int64_t scale, int64_t *values, uint64_t *valid);

// How a number compares with another one.
typedef enum cweir_comparison {
    CWEIR_EQUAL,
    CWEIR_NOT_EQUAL,
    CWEIR_LESS,
    CWEIR_LESS_OR_EQUAL,
    CWEIR_GREATER,
    CWEIR_GREATER_OR_EQUAL,
} cweir_comparison_t;

// Set a bit for each number that compares so with a constant. `bits` has room for all of them, rounded up to whole words; the
// bits behind the last number become 0.
//
// Thread safety: any thread. Allocates nothing.
void cweir_compare_doubles(
    const double *values, size_t count, cweir_comparison_t comparison, double constant, uint64_t *bits);

#pragma clang assume_nonnull end

#endif
