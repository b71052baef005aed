#include "columns_kernels.h"

#if defined(__x86_64__)

#include "cweir_number.h"

#include <immintrin.h>

#pragma clang attribute push(__attribute__((target("avx2,bmi,popcnt,pclmul"))), apply_to = function)

// Four numbers at a time, each in 64 bits of its own.

// The texts of four numbers, of 16 characters at most: the value of a digit in each byte, at the upper end of `tail` with
// zeros before them, and in `head` what comes before those eight.
typedef struct {
    __m256i head;
    __m256i tail;
    // All bits set where there is a minus sign, which stands as a zero among the digits.
    __m256i is_negative;
    // How many characters there are, the sign included.
    __m256i length;
    bool has_head;
} texts_t;

static inline __m256i words_of(const uint64_t *words) {
    return _mm256_set_epi64x((long long)words[3], (long long)words[2], (long long)words[1], (long long)words[0]);
}

// Where four texts are.
typedef struct {
    uint64_t starts[4];
    uint64_t lengths[4];
} places_t;

// Finds the next four texts; returns whether they are texts, with enough bytes from their starts on.
static inline __attribute__((always_inline)) bool
find_texts(const cweir_column_t *column, size_t first, places_t *places) {
    uint32_t others = 0;
    uint64_t last = 0;
    if (column->marks != NULL) {
        const uint32_t *separators = column->marks + first * column->stride;
        for (int lane = 0; lane < 4; lane++, separators += column->stride) {
            const uint32_t start = separators[0] + 1;
            places->starts[lane] = start + column->origin;
            places->lengths[lane] = separators[1] - start;
        }
        last = places->starts[3];
    } else {
        const cweir_slot_t *slot = column->slots + first * column->stride;
        for (int lane = 0; lane < 4; lane++, slot += column->stride) {
            places->starts[lane] = slot->start;
            places->lengths[lane] = slot->length;
            others |= (uint32_t)slot->encoding - CWEIR_PLAIN;
            last = slot->start > last ? slot->start : last;
        }
    }
    return others <= CWEIR_BARE - CWEIR_PLAIN && column->length >= last + CWEIR_NUMBER_READ;
}

static inline __attribute__((always_inline)) bool
load_texts(const cweir_column_t *column, size_t place, texts_t *texts) {
    places_t places;
    uint64_t words[4];
    if (!find_texts(column, place, &places)) {
        return false;
    }
    const uint64_t *starts = places.starts;
    const uint64_t *lengths = places.lengths;
    const uint64_t longest = lengths[0] | lengths[1] | lengths[2] | lengths[3];
    for (int lane = 0; lane < 4; lane++) {
        words[lane] = cweir_word_at(column->text + starts[lane]);
    }
    const __m256i lowest = _mm256_set1_epi64x(0xFF);
    const __m256i zeros = _mm256_set1_epi8('0');
    __m256i first = words_of(words);
    texts->is_negative = _mm256_cmpeq_epi64(_mm256_and_si256(first, lowest), _mm256_set1_epi64x('-'));
    first = _mm256_andnot_si256(_mm256_and_si256(texts->is_negative, lowest), _mm256_xor_si256(first, zeros));
    texts->length = words_of(lengths);
    texts->has_head = longest > 8;
    // Shifts by 64 bits or more leave nothing, those by less than none as well.
    const __m256i bits = _mm256_slli_epi64(texts->length, 3);
    const __m256i unused = _mm256_sub_epi64(_mm256_set1_epi64x(64), bits);
    if (!texts->has_head) {
        texts->tail = _mm256_sllv_epi64(first, unused);
        texts->head = _mm256_setzero_si256();
        return true;
    }
    for (int lane = 0; lane < 4; lane++) {
        words[lane] = cweir_word_at(column->text + starts[lane] + (lengths[lane] > 8 ? lengths[lane] - 8 : 0));
    }
    const __m256i is_long = _mm256_cmpgt_epi64(texts->length, _mm256_set1_epi64x(8));
    const __m256i end = _mm256_blendv_epi8(first, _mm256_xor_si256(words_of(words), zeros), is_long);
    texts->tail = _mm256_sllv_epi64(end, _mm256_andnot_si256(is_long, unused));
    texts->head = _mm256_sllv_epi64(first, _mm256_add_epi64(_mm256_set1_epi64x(64), unused));
    return true;
}

// The numbers of eight digits each: pairs, then fours, then all.
static inline __m256i values_of(__m256i digits) {
    const __m256i pairs = _mm256_maddubs_epi16(digits, _mm256_set1_epi16(10 | 1 << 8));
    const __m256i fours = _mm256_madd_epi16(pairs, _mm256_set1_epi32(100 | 1 << 16));
    return _mm256_add_epi64(_mm256_mul_epu32(fours, _mm256_set1_epi64x(10000)), _mm256_srli_epi64(fours, 32));
}

// Whole numbers below 2^52, which become the lower bits of 2^52 + themselves.
static inline __m256d as_doubles(__m256i values) {
    const __m256d unit = _mm256_set1_pd(0x1p52);
    return _mm256_sub_pd(_mm256_or_pd(_mm256_castsi256_pd(values), unit), unit);
}

// The bytes that are no digits.
static inline __m256i others_in(__m256i digits) {
    return _mm256_cmpeq_epi8(_mm256_max_epu8(digits, _mm256_set1_epi8(10)), digits);
}

// Where the point is in each of four texts.
typedef struct {
    // All bits of its byte set.
    __m256i place;
    // All bits set before it; everywhere where there is none.
    __m256i before;
    // How many there are.
    __m256i count;
    // How many characters stand behind it.
    __m256i behind;
} points_t;

static inline points_t points_in(__m256i digits) {
    const __m256i ones = _mm256_set1_epi8(1);
    const __m256i none = _mm256_setzero_si256();
    points_t points;
    points.place = _mm256_cmpeq_epi8(digits, _mm256_set1_epi8('.' ^ '0'));
    const __m256i bit = _mm256_and_si256(points.place, ones);
    points.before = _mm256_add_epi64(bit, _mm256_set1_epi64x(-1));
    points.count = _mm256_sad_epu8(bit, none);
    points.behind = _mm256_sad_epu8(_mm256_andnot_si256(_mm256_or_si256(points.before, points.place), ones), none);
    return points;
}

// The digits without the point: those before it move up.
static inline __m256i without(const points_t *points, __m256i digits, __m256i shift) {
    const __m256i moved = _mm256_sllv_epi64(_mm256_and_si256(digits, points->before), shift);
    return _mm256_or_si256(moved, _mm256_andnot_si256(_mm256_or_si256(points->before, points->place), digits));
}

// Which of four texts are numbers, if nothing else is in their bytes.
static inline __m256i are_right(const texts_t *texts, __m256i flaws, __m256i point_count) {
    const __m256i none = _mm256_setzero_si256();
    const __m256i digit_count = _mm256_sub_epi64(_mm256_add_epi64(texts->length, texts->is_negative), point_count);
    const __m256i is_wrong = _mm256_or_si256(
        _mm256_cmpgt_epi64(point_count, _mm256_set1_epi64x(1)),
        _mm256_cmpgt_epi64(texts->length, _mm256_set1_epi64x(16)));
    const __m256i is_right = _mm256_and_si256(_mm256_cmpeq_epi64(flaws, none), _mm256_cmpgt_epi64(digit_count, none));
    return _mm256_andnot_si256(is_wrong, is_right);
}

static inline __attribute__((always_inline)) uint64_t
read_doubles(const cweir_column_t *column, size_t first, double *values) {
    texts_t texts;
    if (!load_texts(column, first, &texts)) {
        return 0;
    }
    const points_t points = points_in(texts.tail);
    const __m256i shift = _mm256_slli_epi64(points.count, 3);
    __m256i flaws = _mm256_andnot_si256(points.place, others_in(texts.tail));
    __m256i tail = without(&points, texts.tail, shift);
    __m256i fraction = points.behind;
    __m256i point_count = points.count;
    __m256d mantissa = _mm256_setzero_pd();
    if (texts.has_head) {
        const points_t more = points_in(texts.head);
        const __m256i more_shift = _mm256_slli_epi64(more.count, 3);
        flaws = _mm256_or_si256(flaws, _mm256_andnot_si256(more.place, others_in(texts.head)));
        // A point in the tail makes room there for the last digit of the head.
        const __m256i last = _mm256_srlv_epi64(texts.head, _mm256_sub_epi64(_mm256_set1_epi64x(64), shift));
        tail = _mm256_or_si256(tail, last);
        const __m256i head = without(&more, texts.head, _mm256_add_epi64(more_shift, shift));
        // All of the tail is behind a point in the head.
        fraction = _mm256_add_epi64(fraction, _mm256_add_epi64(more.behind, more_shift));
        point_count = _mm256_add_epi64(point_count, more.count);
        mantissa = _mm256_mul_pd(as_doubles(values_of(head)), _mm256_set1_pd(1e8));
    }
    mantissa = _mm256_add_pd(mantissa, as_doubles(values_of(tail)));
    // Up to there the sum and the product are exact, and the division rounds once: Clinger's fast path.
    const __m256d is_exact = _mm256_cmp_pd(mantissa, _mm256_set1_pd(0x1p53), _CMP_LT_OQ);
    const __m256d is_right = _mm256_castsi256_pd(are_right(&texts, flaws, point_count));
    // What is flawed may count anything, and has to stay within the table.
    const __m256i place = _mm256_and_si256(fraction, _mm256_set1_epi64x(15));
    const __m256d quotient = _mm256_div_pd(mantissa, _mm256_i64gather_pd(cweir_powers_of_ten, place, 8));
    const __m256d sign = _mm256_and_pd(_mm256_castsi256_pd(texts.is_negative), _mm256_set1_pd(-0.0));
    _mm256_storeu_pd(values, _mm256_or_pd(quotient, sign));
    return (uint64_t)_mm256_movemask_pd(_mm256_and_pd(is_right, is_exact));
}

static inline __attribute__((always_inline)) uint64_t
read_integers(const cweir_column_t *column, size_t first, int64_t *values) {
    texts_t texts;
    if (!load_texts(column, first, &texts)) {
        return 0;
    }
    __m256i flaws = others_in(texts.tail);
    __m256i value = values_of(texts.tail);
    if (texts.has_head) {
        flaws = _mm256_or_si256(flaws, others_in(texts.head));
        value = _mm256_add_epi64(value, _mm256_mul_epu32(values_of(texts.head), _mm256_set1_epi64x(100000000)));
    }
    value = _mm256_sub_epi64(_mm256_xor_si256(value, texts.is_negative), texts.is_negative);
    _mm256_storeu_si256((__m256i *)(void *)values, value);
    const __m256i is_right = are_right(&texts, flaws, _mm256_setzero_si256());
    return (uint64_t)_mm256_movemask_pd(_mm256_castsi256_pd(is_right));
}

uint64_t cweir_avx2_doubles(const cweir_column_t *column, size_t first, size_t count, double *values) {
    uint64_t read = 0;
    for (size_t place = 0; place + 4 <= count; place += 4) {
        read |= read_doubles(column, first + place, values + place) << place;
    }
    return read;
}

uint64_t cweir_avx2_integers(const cweir_column_t *column, size_t first, size_t count, int64_t *values) {
    uint64_t read = 0;
    for (size_t place = 0; place + 4 <= count; place += 4) {
        read |= read_integers(column, first + place, values + place) << place;
    }
    return read;
}

#pragma clang attribute pop

#else
// Not an empty file, which C does not allow.
typedef int no_avx2_columns_t;
#endif
