#include "cweir_symbols.h"

#include "cweir_number.h"

#include <errno.h>
#include <stdlib.h>

#define MOST_SYMBOLS (1u << 28)
#define FIRST_BUCKETS 128
#define RECENT_COUNT 64

typedef struct {
    uint64_t hash;
    // The first eight bytes, with zeros behind a shorter text: most texts need no other comparison.
    uint64_t word;
    uint64_t start;
    uint32_t length;
} symbol_t;

// A short text that came lately: its bytes, with its length in the highest one, and its number.
typedef struct {
    uint64_t key;
    int32_t number;
} recent_t;

struct cweir_symbols {
    uint64_t seed;
    // By a hash that is no secret: texts that share a place here only take the way through the buckets.
    recent_t recent[RECENT_COUNT];
    size_t limit;
    size_t count;
    size_t capacity;
    symbol_t *symbols;
    // Numbers plus one, 0 where there is none; a power of two of them, at most a quarter of them used.
    uint32_t *buckets;
    size_t bucket_count;
    unsigned char *bytes;
    size_t byte_count;
    size_t byte_capacity;
};

cweir_symbols_t *cweir_symbols_create(size_t limit, uint64_t seed) {
    if (limit == 0 || limit > MOST_SYMBOLS) {
        errno = EINVAL;
        return NULL;
    }
    cweir_symbols_t *symbols = calloc(1, sizeof(cweir_symbols_t));
    uint32_t *buckets = calloc(FIRST_BUCKETS, sizeof(uint32_t));
    if (symbols == NULL || buckets == NULL) {
        free(symbols);
        free(buckets);
        errno = ENOMEM;
        return NULL;
    }
    symbols->seed = seed;
    symbols->limit = limit;
    symbols->buckets = buckets;
    symbols->bucket_count = FIRST_BUCKETS;
    return symbols;
}

void cweir_symbols_destroy(cweir_symbols_t *symbols) {
    if (symbols == NULL) {
        return;
    }
    free(symbols->symbols);
    free(symbols->buckets);
    free(symbols->bytes);
    free(symbols);
}

size_t cweir_symbols_count(const cweir_symbols_t *symbols) {
    return symbols->count;
}

const unsigned char *cweir_symbols_text(const cweir_symbols_t *symbols, int32_t number, size_t *length) {
    assert(number >= 0 && (size_t)number < symbols->count);
    const symbol_t *symbol = &symbols->symbols[number];
    *length = symbol->length;
    return symbols->bytes + symbol->start;
}

// Folds the product of two words, in which each bit depends on all of both.
static inline uint64_t mix(uint64_t one, uint64_t other) {
    const unsigned __int128 product = (unsigned __int128)one * other;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

// The first eight bytes of a text, with zeros behind a shorter one. At least `readable` bytes can be loaded.
static inline __attribute__((always_inline)) uint64_t
first_word(const unsigned char *text, size_t length, size_t readable) {
    if (length >= 8) {
        return cweir_word_at(text);
    }
    if (readable >= 8) {
        return cweir_word_at(text) & ((1ULL << (length * 8)) - 1);
    }
    unsigned char bytes[8] = {0};
    memcpy(bytes, text, length);
    return cweir_word_at(bytes);
}

static inline __attribute__((always_inline)) uint64_t
hash_of(const cweir_symbols_t *symbols, const unsigned char *text, size_t length, uint64_t word) {
    uint64_t hash = symbols->seed ^ (length * 0x9E3779B97F4A7C15) ^ word;
    if (length > 8) {
        for (size_t place = 8; place + 8 < length; place += 8) {
            hash = mix(hash, 0xD6E8FEB86659FD93) ^ cweir_word_at(text + place);
        }
        hash = mix(hash, 0xD6E8FEB86659FD93) ^ cweir_word_at(text + length - 8);
    }
    return mix(hash, symbols->seed | 1);
}

static bool grow_buckets(cweir_symbols_t *symbols) {
    const size_t count = symbols->bucket_count * 2;
    uint32_t *buckets = calloc(count, sizeof(uint32_t));
    if (buckets == NULL) {
        return false;
    }
    for (size_t number = 0; number < symbols->count; number++) {
        size_t bucket = symbols->symbols[number].hash & (count - 1);
        while (buckets[bucket] != 0) {
            bucket = (bucket + 1) & (count - 1);
        }
        buckets[bucket] = (uint32_t)number + 1;
    }
    free(symbols->buckets);
    symbols->buckets = buckets;
    symbols->bucket_count = count;
    return true;
}

static bool make_room(cweir_symbols_t *symbols, size_t length) {
    if (symbols->count == symbols->capacity) {
        const size_t capacity = symbols->capacity == 0 ? 32 : symbols->capacity * 2;
        symbol_t *larger = realloc(symbols->symbols, capacity * sizeof(symbol_t));
        if (larger == NULL) {
            return false;
        }
        symbols->symbols = larger;
        symbols->capacity = capacity;
    }
    if (symbols->byte_capacity - symbols->byte_count < length + 1) {
        const size_t capacity = (symbols->byte_count + length + 1) * 2;
        unsigned char *larger = realloc(symbols->bytes, capacity);
        if (larger == NULL) {
            return false;
        }
        symbols->bytes = larger;
        symbols->byte_capacity = capacity;
    }
    return (symbols->count + 1) * 4 <= symbols->bucket_count || grow_buckets(symbols);
}

static __attribute__((noinline)) int32_t
add_new(cweir_symbols_t *symbols, uint64_t hash, uint64_t word, const unsigned char *text, size_t length) {
    if (symbols->count == symbols->limit || length > UINT32_MAX || !make_room(symbols, length)) {
        return CWEIR_SYMBOL_BEYOND;
    }
    size_t bucket = hash & (symbols->bucket_count - 1);
    while (symbols->buckets[bucket] != 0) {
        bucket = (bucket + 1) & (symbols->bucket_count - 1);
    }
    memcpy(symbols->bytes + symbols->byte_count, text, length);
    symbols->symbols[symbols->count] =
        (symbol_t){.hash = hash, .word = word, .start = symbols->byte_count, .length = (uint32_t)length};
    symbols->byte_count += length;
    symbols->count += 1;
    symbols->buckets[bucket] = (uint32_t)symbols->count;
    return (int32_t)symbols->count - 1;
}

static inline __attribute__((always_inline)) int32_t
find_or_add(cweir_symbols_t *symbols, const unsigned char *text, size_t length, size_t readable) {
    const uint64_t word = first_word(text, length, readable);
    const uint64_t hash = hash_of(symbols, text, length, word);
    const size_t mask = symbols->bucket_count - 1;
    for (size_t bucket = hash & mask; symbols->buckets[bucket] != 0; bucket = (bucket + 1) & mask) {
        const symbol_t *symbol = &symbols->symbols[symbols->buckets[bucket] - 1];
        if (symbol->hash == hash && symbol->word == word && symbol->length == length &&
            (length <= 8 || memcmp(symbols->bytes + symbol->start + 8, text + 8, length - 8) == 0)) {
            return (int32_t)symbols->buckets[bucket] - 1;
        }
    }
    return add_new(symbols, hash, word, text, length);
}

int32_t cweir_symbols_add(cweir_symbols_t *symbols, const unsigned char *text, size_t length) {
    return find_or_add(symbols, text, length, length);
}

// As `find_or_add`, of at least eight bytes that can be loaded.
static inline __attribute__((always_inline)) int32_t
find_recent(cweir_symbols_t *symbols, const unsigned char *text, size_t length, size_t readable) {
    // Texts of one to seven bytes, so that no key is zero.
    if (length - 1 >= 7) {
        return find_or_add(symbols, text, length, readable);
    }
    const uint64_t key = (cweir_word_at(text) & ((1ULL << (length * 8)) - 1)) | (uint64_t)length << 56;
    recent_t *recent = &symbols->recent[key * 0x9E3779B97F4A7C15 >> 58];
    if (recent->key != key) {
        const int32_t number = find_or_add(symbols, text, length, readable);
        if (number < 0) {
            return number;
        }
        *recent = (recent_t){.key = key, .number = number};
    }
    return recent->number;
}

size_t cweir_column_symbols(const cweir_column_t *column, cweir_symbols_t *symbols, int32_t *numbers) {
    size_t unresolved = 0;
    for (size_t index = 0; index < column->count; index++) {
        const cweir_slot_t place = cweir_column_slot(column, index);
        const cweir_slot_t *slot = &place;
        if (slot->encoding == CWEIR_PLAIN || slot->encoding == CWEIR_BARE || slot->encoding == CWEIR_NESTED) {
            const unsigned char *text = column->text + slot->start;
            const size_t readable = column->length - slot->start;
            numbers[index] = readable < 8 ? find_or_add(symbols, text, slot->length, readable)
                                          : find_recent(symbols, text, slot->length, readable);
        } else if (slot->encoding == CWEIR_ABSENT || slot->encoding == CWEIR_NULL) {
            numbers[index] = CWEIR_SYMBOL_NONE;
        } else {
            numbers[index] = CWEIR_SYMBOL_UNRESOLVED;
            unresolved += 1;
        }
    }
    return unresolved;
}
