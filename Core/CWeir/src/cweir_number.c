#include "cweir_number.h"

const double cweir_powers_of_ten[23] = {
    1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
    1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
};

const uint64_t cweir_integer_powers_of_ten[20] = {
    1ULL,
    10ULL,
    100ULL,
    1000ULL,
    10000ULL,
    100000ULL,
    1000000ULL,
    10000000ULL,
    100000000ULL,
    1000000000ULL,
    10000000000ULL,
    100000000000ULL,
    1000000000000ULL,
    10000000000000ULL,
    100000000000000ULL,
    1000000000000000ULL,
    10000000000000000ULL,
    100000000000000000ULL,
    1000000000000000000ULL,
    10000000000000000000ULL,
};

// The high 64 bits of a division of 128 by 64 bits whose quotient fits, and the remainder.
static inline uint64_t divide(uint64_t high, uint64_t low, uint64_t divisor, uint64_t *remainder) {
#if defined(__x86_64__)
    // The compiler calls a function for this, as it does not know that the quotient fits.
    uint64_t quotient;
    __asm__("divq %4" : "=a"(quotient), "=d"(*remainder) : "a"(low), "d"(high), "r"(divisor) : "cc");
    return quotient;
#else
    const unsigned __int128 dividend = (unsigned __int128)high << 64 | low;
    *remainder = (uint64_t)(dividend % divisor);
    return (uint64_t)(dividend / divisor);
#endif
}

double cweir_quotient(uint64_t mantissa, uint32_t scale) {
    if (mantissa == 0) {
        return 0;
    }
    // A division gives at least 63 bits of the quotient, and the remainder says whether there are more: enough to round
    // once, as the conversion to a double does.
    const int mantissa_shift = __builtin_clzll(mantissa);
    const uint64_t power = cweir_integer_powers_of_ten[scale];
    const int power_shift = __builtin_clzll(power);
    const uint64_t dividend = mantissa << mantissa_shift;
    uint64_t remainder;
    // Half of the dividend is less than the divisor, which has its highest bit set: the quotient fits.
    const uint64_t quotient = divide(dividend >> 1, dividend << 63, power << power_shift, &remainder);
    const uint64_t bits = (uint64_t)(1023 + power_shift - mantissa_shift - 63) << 52;
    double unit;
    memcpy(&unit, &bits, sizeof(unit));
    return (double)(quotient | (remainder != 0)) * unit;
}

// Passes digits, eight at a time; the value wraps around after 19 of them.
static inline size_t read_digits(const unsigned char *text, size_t length, uint64_t *value) {
    size_t place = 0;
    while (length - place >= 8) {
        const uint64_t digits = cweir_digits_of(cweir_word_at(text + place), 8);
        if (!cweir_are_digits(digits)) {
            break;
        }
        *value = *value * 100000000 + cweir_value_of(digits);
        place += 8;
    }
    while (place < length && (unsigned char)(text[place] - '0') < 10) {
        *value = *value * 10 + (unsigned char)(text[place] - '0');
        place += 1;
    }
    return place;
}

__attribute__((noinline)) bool
cweir_read_long_double(const unsigned char *text, size_t length, bool is_negative, double *value) {
    uint64_t mantissa = 0;
    size_t place = read_digits(text, length, &mantissa);
    size_t digit_count = place;
    int64_t exponent = 0;
    if (place < length && text[place] == '.') {
        place += 1;
        const size_t fraction = read_digits(text + place, length - place, &mantissa);
        place += fraction;
        digit_count += fraction;
        exponent = -(int64_t)fraction;
    }
    // 19 digits fit in 64 bits.
    if (digit_count == 0 || digit_count > 19) {
        return false;
    }
    if (place < length) {
        if ((text[place] | 0x20) != 'e') {
            return false;
        }
        place += 1;
        const bool is_below = place < length && text[place] == '-';
        place += is_below || (place < length && text[place] == '+');
        uint64_t written = 0;
        const size_t count = read_digits(text + place, length - place, &written);
        if (count == 0 || count > 4 || place + count < length) {
            return false;
        }
        exponent += is_below ? -(int64_t)written : (int64_t)written;
    }
    double magnitude;
    if (mantissa <= 1ULL << 53 && exponent >= -22 && exponent <= 22) {
        const double power = cweir_powers_of_ten[exponent < 0 ? -exponent : exponent];
        magnitude = exponent < 0 ? (double)mantissa / power : (double)mantissa * power;
    } else if (exponent >= -19 && exponent <= 0) {
        magnitude = cweir_quotient(mantissa, (uint32_t)-exponent);
    } else {
        return false;
    }
    *value = is_negative ? -magnitude : magnitude;
    return true;
}
