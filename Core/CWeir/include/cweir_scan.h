#ifndef CWEIR_SCAN_H
#define CWEIR_SCAN_H

#include "cweir_base.h"

#include <string.h>

#pragma clang assume_nonnull begin

// Structural indexes of text: where the separators of CSV and JSON Lines are, found 64 bytes at a time.
//
// An index says where to look, not what is right: who fills records from it checks what it finds there, and has the
// decoder judge a row that does not fit. So a mistake of an index costs time and no correctness.

// Which instructions a kernel uses. All kernels give the same index.
typedef enum cweir_kernel {
    // 64-bit words only.
    CWEIR_KERNEL_PORTABLE,
    // SSE2 on x86-64 and NEON on arm64, which all of these processors have.
    CWEIR_KERNEL_VECTOR,
    // AVX2, BMI and carry-less multiplication.
    CWEIR_KERNEL_AVX2
} cweir_kernel_t;

// Returns the fastest kernel of this processor; it was chosen when the process started.
// Thread safety: any thread. Progress: wait-free.
cweir_kernel_t cweir_kernel_best(void);

// Whether this processor runs a kernel.
// Thread safety: any thread. Progress: wait-free.
bool cweir_kernel_is_available(cweir_kernel_t kernel);

// An index of the rows at the start of a text. Rows end at line feeds outside of quotes.
//
// `marks` are the places of the separators in order, counted from the start of the text: of CSV the delimiters and line
// feeds outside of quotes, of JSON Lines the commas outside of strings and all line feeds. `row_ends` are for each row
// the ordinal of its last separator, the line feed. Both have an entry before the first, as if a row had ended before
// the text: row r has the separators row_ends[r - 1] + 1 ... row_ends[r], and starts at marks[row_ends[r - 1]] + 1.
// These sums wrap around in 32 bits.
//
// Thread safety: one thread at a time.
typedef struct cweir_index {
    uint32_t *marks;
    uint32_t *row_ends;
    // How many rows and separators it holds at most. There is room for 64 more of each, which a block may have.
    uint32_t row_limit;
    uint32_t mark_limit;
    // How many complete rows were found, and the first of them that was not taken yet.
    uint32_t row_count;
    uint32_t next_row;
    // Of CSV: whether there are quotes, doubled ones, and line feeds between quotes.
    bool has_quotes;
    bool has_doubled_quotes;
    bool has_quoted_newlines;
    // Of CSV: whether there are carriage returns.
    bool has_returns;
    // Whether bytes above 0x7F were seen.
    bool has_high_bytes;
    // Up to where the rows that were not taken are known to be valid UTF-8; zero until that was checked.
    uint32_t valid_end;
    // Whether the row behind the last one has a flaw: of CSV a quote in the wrong place, of JSON Lines a string that is
    // not closed.
    bool is_flawed;
    cweir_kernel_t kernel;
} cweir_index_t;

// Returns an empty index, or NULL with `errno` set: EINVAL when a limit is 0 or above 2^28, or the kernel is not
// available, ENOMEM.
cweir_index_t *_Nullable cweir_index_create(size_t row_limit, size_t mark_limit, cweir_kernel_t kernel);

// Frees an index.
void cweir_index_destroy(cweir_index_t *_Nullable index);

// Indexes rows of CSV from the start of a text: as many as are complete, `row_limit` at most and as the limits of the
// index allow, up to the first row with a quote in the wrong place.
//
// `length` is below 2^32. No byte beyond it is read. `delimiter` separates fields: any byte but 0, a quote, and those that
// end lines. Without `has_quotes`, a quote is a byte like any other.
//
// Complexity: O(n) for n bytes up to the last row that fits.
// Thread safety: the index must be of one thread. Allocates nothing.
void cweir_index_csv(
    cweir_index_t *index, const unsigned char *text, size_t length, size_t row_limit, unsigned char delimiter,
    bool has_quotes);

// Indexes lines of JSON from the start of a text; otherwise as `cweir_index_csv`.
void cweir_index_json_lines(cweir_index_t *index, const unsigned char *text, size_t length, size_t row_limit);

// Where the next row starts that was not taken, counted from the start of the text: at the end of the last row when all
// were taken.
CWEIR_INLINE uint32_t cweir_index_next_start(const cweir_index_t *index) {
    return index->marks[(int32_t)index->row_ends[(int64_t)index->next_row - 1]] + 1;
}

// Passes the next row without taking it, when the row behind it starts at `start`. Otherwise the index is of no use any
// more, and false is returned.
CWEIR_INLINE bool cweir_index_skip(cweir_index_t *index, size_t start) {
    if (index->next_row >= index->row_count || index->marks[index->row_ends[index->next_row]] + 1 != start) {
        return false;
    }
    index->next_row += 1;
    return true;
}

// Whether a byte is among `length` bytes.
CWEIR_INLINE bool cweir_has_byte(const void *_Nullable bytes, uint8_t byte, size_t length) {
    return length != 0 && memchr(bytes, byte, length) != NULL;
}

#pragma clang assume_nonnull end

#endif
