#ifndef CWEIR_SYMBOLS_H
#define CWEIR_SYMBOLS_H

#include "cweir_columns.h"

#pragma clang assume_nonnull begin

// Texts, each of them kept once and numbered in the order in which they came first.
//
// Thread safety: one thread at a time.
typedef struct cweir_symbols cweir_symbols_t;

// What has no number: a field without a text, one whose text has quotes or escapes to resolve, and a new text when there
// are as many as there may be.
#define CWEIR_SYMBOL_NONE (-1)
#define CWEIR_SYMBOL_UNRESOLVED (-2)
#define CWEIR_SYMBOL_BEYOND (-3)

// Returns an empty table, or NULL with `errno` set: EINVAL when `limit` is 0 or above 2^28, ENOMEM. `seed` should be random
// where texts come from people who may want them to collide.
cweir_symbols_t *_Nullable cweir_symbols_create(size_t limit, uint64_t seed);

// Frees a table.
void cweir_symbols_destroy(cweir_symbols_t *_Nullable symbols);

// How many texts there are.
size_t cweir_symbols_count(const cweir_symbols_t *symbols);

// Returns the number of a text, which it gets when it is new: CWEIR_SYMBOL_BEYOND when there are `limit` others already, or
// no memory is left.
int32_t cweir_symbols_add(cweir_symbols_t *symbols, const unsigned char *text, size_t length);

// The text of a number below the count; valid until the next text is added.
const unsigned char *cweir_symbols_text(const cweir_symbols_t *symbols, int32_t number, size_t *length);

// Numbers the texts of a column; `numbers` has room for all of them. A null or absent field has none.
// Returns how many are CWEIR_SYMBOL_UNRESOLVED.
size_t cweir_column_symbols(const cweir_column_t *column, cweir_symbols_t *symbols, int32_t *numbers);

#pragma clang assume_nonnull end

#endif
