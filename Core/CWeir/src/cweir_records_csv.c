#include "cweir_records.h"

#include <string.h>

// The number of line feeds in a text.
static uint64_t count_feeds(const unsigned char *text, size_t length) {
    uint64_t count = 0;
    for (size_t place = 0; place < length; place++) {
        count += text[place] == '\n';
    }
    return count;
}

// Resolves the quotes around a field, which the index has found to be in the right places.
static inline __attribute__((always_inline)) cweir_slot_t
unquoted(const unsigned char *text, cweir_slot_t slot, bool may_have_doubled_quotes) {
    if (slot.length < 2 || text[slot.start] != '"') {
        return slot;
    }
    slot.start += 1;
    slot.length -= 2;
    if (may_have_doubled_quotes && memchr(text + slot.start, '"', slot.length) != NULL) {
        slot.encoding = CWEIR_DOUBLED_QUOTES;
    }
    return slot;
}

static inline __attribute__((always_inline)) size_t take(
    cweir_index_t *index, const unsigned char *text, uint32_t valid_end, const int32_t *columns, uint32_t column_count,
    cweir_records_t *records, bool has_quotes) {
    const uint32_t *marks = index->marks;
    const uint32_t *row_ends = index->row_ends;
    const size_t field_count = records->field_count;
    const uint32_t origin = records->origin;
    const size_t last_column = column_count - 1;
    size_t row = index->next_row;
    size_t rest = index->row_count - row;
    rest = rest < records->room ? rest : records->room;
    cweir_slot_t *slots = records->slots;
    cweir_row_t *rows = records->rows;
    uint64_t line = records->line;
    uint32_t last_end = row_ends[(ptrdiff_t)row - 1];
    size_t count = 0;
    for (; count < rest; count++, row++) {
        const uint32_t row_end = row_ends[row];
        // The separators of the row; the entry before them is the end of the row before it.
        const uint32_t *separators = marks + (int32_t)last_end + 1;
        const uint32_t start = separators[-1] + 1;
        const uint32_t feed = marks[row_end];
        const uint32_t end = feed - (feed > start && text[feed - 1] == '\r');
        if (row_end - last_end != column_count || end == start || feed - start > records->length_limit ||
            feed > valid_end) {
            break;
        }
        for (size_t field = 0; field < field_count; field++) {
            const ptrdiff_t column = columns[field];
            cweir_slot_t slot = {0};
            if (column >= 0) {
                slot.start = separators[column - 1] + 1;
                slot.length = ((size_t)column == last_column ? end : separators[column]) - slot.start;
                slot.encoding = CWEIR_PLAIN;
                if (has_quotes) {
                    slot = unquoted(text, slot, index->has_doubled_quotes);
                }
                slot.start += origin;
            }
            slots[field] = slot;
        }
        *rows++ = (cweir_row_t){.line = line, .start = start + origin, .length = end - start};
        slots += field_count;
        line += 1;
        if (has_quotes && index->has_quoted_newlines) {
            line += count_feeds(text + start, end - start);
        }
        last_end = row_end;
    }
    records->line = line;
    index->next_row = (uint32_t)row;
    return count;
}

size_t cweir_take_csv(
    cweir_index_t *index, const unsigned char *text, const int32_t *columns, uint32_t column_count,
    cweir_records_t *records) {
    if (index->next_row == index->row_count || column_count == 0) {
        return 0;
    }
    uint32_t valid_end = UINT32_MAX;
    if (index->has_high_bytes) {
        // All rows at once: a line feed is no part of a longer sequence, so each is valid where all are.
        // They are checked once, and again from behind a row with a flaw.
        const uint32_t start = cweir_index_next_start(index);
        if (start >= index->valid_end) {
            const uint32_t end = index->marks[index->row_ends[index->row_count - 1]];
            const size_t valid = cweir_utf8_valid_length(text + start, end - start);
            index->valid_end = valid < end - start ? start + (uint32_t)valid : UINT32_MAX;
        }
        valid_end = index->valid_end;
    }
    if (index->has_quotes) {
        return take(index, text, valid_end, columns, column_count, records, true);
    }
    return take(index, text, valid_end, columns, column_count, records, false);
}
