#include "cweir_decimal.h"

#include <stdio.h>
#include <stdlib.h>

// A double, and a number halfway between two doubles, has at most 767 significant digits. More digits only say whether
// a number lies beyond such a point, and a single '1' after the others says that as well.
#define MAX_DIGITS 768

// Beyond these every number with 768 digits is infinite or zero.
#define MAX_EXPONENT 99999

double cweir_decimal_to_double(const unsigned char *text, size_t length, int64_t exponent) {
    // No '.' is ever written to the buffer: strtod takes the character for it from the locale, and nothing else.
    char buffer[MAX_DIGITS + 1 + 16];
    size_t count = 0;
    bool is_fraction = false;
    bool has_rest = false;
    for (size_t index = 0; index < length; index++) {
        const unsigned char character = text[index];
        if (character == '.') {
            is_fraction = true;
            continue;
        }
        exponent -= is_fraction ? 1 : 0;
        if (count == 0 && character == '0') {
            continue;
        }
        if (count < MAX_DIGITS) {
            buffer[count++] = (char)character;
        } else {
            has_rest = has_rest || character != '0';
            exponent += 1;
        }
    }
    if (count == 0) {
        return 0;
    }
    if (has_rest) {
        buffer[count++] = '1';
        exponent -= 1;
    }
    if (exponent > MAX_EXPONENT) {
        exponent = MAX_EXPONENT;
    } else if (exponent < -MAX_EXPONENT) {
        exponent = -MAX_EXPONENT;
    }
    (void)snprintf(buffer + count, sizeof(buffer) - count, "e%d", (int)exponent);
    return strtod(buffer, NULL);
}
