#ifndef CWEIR_COLUMNS_KERNELS_H
#define CWEIR_COLUMNS_KERNELS_H

#include "cweir_columns.h"

#if defined(__x86_64__)

// Read the usual texts among some values of a column, 64 at most: numbers of no more than 16 characters, without an
// exponent. `values` has room for them; what is not read there holds anything.
//
// Return a bit for each value, the first one lowest: whether it was read.
uint64_t cweir_avx2_doubles(const cweir_column_t *column, size_t first, size_t count, double *values);
uint64_t cweir_avx2_integers(const cweir_column_t *column, size_t first, size_t count, int64_t *values);

#endif

#endif
