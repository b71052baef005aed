#ifndef CWEIR_RECORDS_H
#define CWEIR_RECORDS_H

#include "cweir_scan.h"

#pragma clang assume_nonnull begin

// Records in place: where the wanted fields of each row are, found with the help of an index.

// How the bytes of a field are to be read.
enum {
    CWEIR_ABSENT,
    CWEIR_NULL,
    CWEIR_PLAIN,
    CWEIR_BARE,
    CWEIR_DOUBLED_QUOTES,
    CWEIR_ESCAPED,
    CWEIR_NESTED,
    CWEIR_INTEGER,
    CWEIR_DECIMAL,
    CWEIR_FLOAT,
    CWEIR_BOOLEAN,
    CWEIR_TIME
};

// Where one field of one record is.
typedef struct cweir_slot {
    uint32_t start;
    uint32_t length;
    uint8_t encoding;
    uint8_t scale;
} cweir_slot_t;

// Where one record is.
typedef struct cweir_row {
    uint64_t line;
    uint32_t start;
    uint32_t length;
} cweir_row_t;

// Where records go.
typedef struct cweir_records {
    // The slots of the first record, those of the others behind them; and its row.
    cweir_slot_t *slots;
    cweir_row_t *rows;
    size_t field_count;
    // How many records there is room for.
    size_t room;
    // What is added to places in the text.
    uint32_t origin;
    // The longest row, in bytes.
    uint32_t length_limit;
    // The number of the line at which the next row of the index starts; counts on.
    uint64_t line;
} cweir_records_t;

// Takes rows of CSV from an index, in order, up to the first one that the decoder has to judge: one that is empty, too
// long, not valid UTF-8, or has another number of fields than there are columns.
//
// `text` is what was indexed; `columns` has for each field its column, or a negative number where there is none.
//
// Returns the number of records that were taken.
// Thread safety: the index must be of one thread. Allocates nothing.
size_t cweir_take_csv(
    cweir_index_t *index, const unsigned char *text, const int32_t *columns, uint32_t column_count,
    cweir_records_t *records);

// Takes rows of CSV from an index as their separators alone: plain fields without quotes, in lines without carriage returns.
//
// `marks` has room for `column_count` separators of each of `limit` rows and one more. It gets the separator before the first
// row, and then those of the rows: field f of row r stands behind marks[r * column_count + f], up to the next separator.
//
// Returns the number of rows; otherwise as `cweir_take_csv`, to which it leaves all other rows.
size_t cweir_take_csv_marks(
    cweir_index_t *index, const unsigned char *text, uint32_t column_count, uint32_t length_limit, size_t limit,
    uint32_t *marks);

// The place of the first byte that does not belong to valid UTF-8, or `length`.
// Thread safety: any thread. Progress: wait-free.
size_t cweir_utf8_valid_length(const unsigned char *text, size_t length);

#pragma clang assume_nonnull end

#endif
