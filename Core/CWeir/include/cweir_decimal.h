#ifndef CWEIR_DECIMAL_H
#define CWEIR_DECIMAL_H

#include "cweir_base.h"

#pragma clang assume_nonnull begin

// The double nearest to a decimal number (ties to even): its digits times ten to the power `exponent`. Infinite when the
// number is too large.
//
// `text` holds `length` characters: decimal digits, with at most one '.' among them.
//
// Thread safety: may be called from any thread. Allocates nothing and does not depend on the locale.
double cweir_decimal_to_double(const unsigned char *text, size_t length, int64_t exponent);

#pragma clang assume_nonnull end

#endif
