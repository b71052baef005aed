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

// What is known of rows that are to be taken.
typedef struct rows {
    // The ordinal of the last separator before them, and how many there are.
    uint32_t last_end;
    size_t count;
    // Whether any ends with a carriage return and a line feed.
    bool have_returns;
} rows_t;

// Finds out how many of the next rows can be taken, and writes where they are.
static rows_t find_rows(
    const cweir_index_t *index, const unsigned char *text, uint32_t valid_end, uint32_t column_count,
    const cweir_records_t *records) {
    const uint32_t *marks = index->marks;
    const uint32_t *row_ends = index->row_ends + index->next_row;
    const uint32_t origin = records->origin;
    const uint32_t length_limit = records->length_limit;
    const size_t rest = index->row_count - index->next_row;
    const size_t limit = rest < records->room ? rest : records->room;
    cweir_row_t *rows = records->rows;
    uint64_t line = records->line;
    uint32_t last_end = row_ends[-1];
    rows_t found = {.last_end = last_end};
    uint32_t start = marks[(int32_t)last_end] + 1;
    uint32_t return_count = 0;
    size_t count = 0;
    for (; count < limit; count++) {
        const uint32_t row_end = row_ends[count];
        const uint32_t feed = marks[row_end];
        const uint32_t has_return = feed > start && text[feed - 1] == '\r';
        const uint32_t length = feed - start - has_return;
        if (row_end - last_end != column_count || length == 0 || feed - start > length_limit || feed > valid_end) {
            break;
        }
        rows[count] = (cweir_row_t){.line = line++, .start = start + origin, .length = length};
        return_count += has_return;
        last_end = row_end;
        start = feed + 1;
    }
    found.count = count;
    found.have_returns = return_count > 0;
    return found;
}

// Writes where a field of rows is: of the rows that were found each has as many separators.
static void take_column(
    const cweir_index_t *index, const rows_t *found, size_t column, uint32_t column_count, uint32_t origin,
    cweir_slot_t *slots, size_t stride) {
    // The separator before the field, and that behind it.
    const uint32_t *separators = index->marks + (int32_t)found->last_end + (ptrdiff_t)column;
    for (size_t count = found->count; count > 0; count--) {
        const uint32_t start = separators[0] + 1;
        *slots = (cweir_slot_t){
            .start = start + origin,
            .length = separators[1] - start,
            .encoding = CWEIR_PLAIN,
        };
        separators += column_count;
        slots += stride;
    }
}

// Ends the fields of the last column where their rows end.
static void drop_returns(const rows_t *found, const cweir_row_t *rows, cweir_slot_t *slots, size_t stride) {
    for (size_t row = 0; row < found->count; row++) {
        slots[row * stride].length = rows[row].start + rows[row].length - slots[row * stride].start;
    }
}

// Resolves the quotes of a column; its line feeds are counted with the rows.
static void resolve_quotes(
    const cweir_index_t *index, const unsigned char *text, const rows_t *found, uint32_t origin, cweir_slot_t *slots,
    size_t stride) {
    for (size_t row = 0; row < found->count; row++, slots += stride) {
        cweir_slot_t slot = *slots;
        slot.start -= origin;
        slot = unquoted(text, slot, index->has_doubled_quotes);
        slot.start += origin;
        *slots = slot;
    }
}

// Counts the line feeds within rows.
static void count_lines(const unsigned char *text, const rows_t *found, uint32_t origin, cweir_records_t *records) {
    uint64_t line = records->line;
    for (size_t row = 0; row < found->count; row++) {
        cweir_row_t *place = &records->rows[row];
        place->line = line;
        line += 1 + count_feeds(text + (place->start - origin), place->length);
    }
    records->line = line;
}

// One field after the other, because the rows that are taken all have the same columns: loops without a branch.
static size_t take(
    cweir_index_t *index, const unsigned char *text, uint32_t valid_end, const int32_t *columns, uint32_t column_count,
    cweir_records_t *records) {
    const rows_t found = find_rows(index, text, valid_end, column_count, records);
    const size_t stride = records->field_count;
    for (size_t field = 0; field < stride; field++) {
        cweir_slot_t *slots = records->slots + field;
        if (columns[field] < 0) {
            for (size_t row = 0; row < found.count; row++) {
                slots[row * stride] = (cweir_slot_t){0};
            }
            continue;
        }
        const size_t column = (size_t)columns[field];
        take_column(index, &found, column, column_count, records->origin, slots, stride);
        if (found.have_returns && column == column_count - 1) {
            drop_returns(&found, records->rows, slots, stride);
        }
        if (index->has_quotes) {
            resolve_quotes(index, text, &found, records->origin, slots, stride);
        }
    }
    if (index->has_quoted_newlines) {
        count_lines(text, &found, records->origin, records);
    } else {
        records->line += found.count;
    }
    index->next_row += (uint32_t)found.count;
    return found.count;
}

// Up to where the next rows are valid UTF-8.
static uint32_t valid_end_of(cweir_index_t *index, const unsigned char *text) {
    if (!index->has_high_bytes) {
        return UINT32_MAX;
    }
    // All rows at once: a line feed is no part of a longer sequence, so each is valid where all are.
    // They are checked once, and again from behind a row with a flaw.
    const uint32_t start = cweir_index_next_start(index);
    if (start >= index->valid_end) {
        const uint32_t end = index->marks[index->row_ends[index->row_count - 1]];
        const size_t valid = cweir_utf8_valid_length(text + start, end - start);
        index->valid_end = valid < end - start ? start + (uint32_t)valid : UINT32_MAX;
    }
    return index->valid_end;
}

size_t cweir_take_csv(
    cweir_index_t *index, const unsigned char *text, const int32_t *columns, uint32_t column_count,
    cweir_records_t *records) {
    if (index->next_row == index->row_count || column_count == 0) {
        return 0;
    }
    return take(index, text, valid_end_of(index, text), columns, column_count, records);
}

size_t cweir_take_csv_marks(
    cweir_index_t *index, const unsigned char *text, uint32_t column_count, uint32_t length_limit, size_t limit,
    uint32_t *marks) {
    if (index->next_row == index->row_count || column_count == 0 || index->has_quotes || index->has_returns) {
        return 0;
    }
    const uint32_t valid_end = valid_end_of(index, text);
    const uint32_t *row_ends = index->row_ends + index->next_row;
    const size_t rest = index->row_count - index->next_row;
    limit = limit < rest ? limit : rest;
    const uint32_t last_end = row_ends[-1];
    const uint32_t *separators = index->marks + (int32_t)last_end;
    uint32_t row_end = last_end;
    uint32_t before = separators[0];
    const uint32_t *feed = separators;
    size_t count = 0;
    for (; count < limit; count++) {
        row_end += column_count;
        feed += column_count;
        if (row_ends[count] != row_end || *feed - before - 2 >= length_limit || *feed > valid_end) {
            break;
        }
        before = *feed;
    }
    memcpy(marks, separators, (count * column_count + 1) * sizeof(*marks));
    index->next_row += (uint32_t)count;
    return count;
}
