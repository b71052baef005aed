#include "json_shapes.h"
#include "json_values.h"

// Whether two texts are the same from a place on; whole words are loaded from both.
static inline __attribute__((always_inline)) bool
is_rest_same(const unsigned char *text, const unsigned char *other, uint32_t place, uint32_t length) {
    for (; place < length; place += 8) {
        const uint32_t rest = length - place;
        const uint64_t difference = cweir_word_at(text + place) ^ cweir_word_at(other + place);
        if (difference << (rest < 8 ? 64 - rest * 8 : 0) != 0) {
            return false;
        }
    }
    return true;
}

// Whether a part of a line is like a piece of a shape; notes where its value is.
static __attribute__((noinline)) bool match_piece(
    const shape_t *shape, const piece_t *piece, const unsigned char *text, uint32_t start, uint32_t end,
    uint32_t origin, cweir_slot_t *slot) {
    if (end - start < (uint32_t)piece->prefix_length + piece->suffix_length) {
        return false;
    }
    const uint32_t value = start + piece->prefix_length;
    const uint32_t value_end = end - piece->suffix_length;
    if (differ(text + start, piece->prefix_words, piece->prefix_masks) ||
        ((cweir_word_at(text + value_end) ^ piece->suffix_word) & piece->suffix_mask) != 0 ||
        !is_rest_same(text + start, shape->text + piece->prefix, 16, piece->prefix_length) ||
        !is_rest_same(text + value_end, shape->text + piece->suffix, 8, piece->suffix_length)) {
        return false;
    }
    if (!piece->has_value) {
        return value == value_end;
    }
    const uint8_t encoding = value_encoding(text + value, value_end - value);
    if (encoding == CWEIR_ABSENT) {
        return false;
    }
    const uint32_t quote = encoding == CWEIR_PLAIN || encoding == CWEIR_ESCAPED;
    *slot = (cweir_slot_t){
        .start = value + quote + origin,
        .length = value_end - value - 2 * quote,
        .encoding = encoding,
    };
    return true;
}

// As `match_piece`, of a piece with a value and with texts that fit into words: only values that are judged at once.
static inline __attribute__((always_inline)) bool match_quickly(
    const piece_t *piece, const unsigned char *text, uint32_t start, uint32_t end, uint32_t origin,
    cweir_slot_t *slot) {
    const uint32_t fixed = (uint32_t)piece->prefix_length + piece->suffix_length;
    if (end - start <= fixed || differ(text + start, piece->prefix_words, piece->prefix_masks) ||
        ((cweir_word_at(text + end - piece->suffix_length) ^ piece->suffix_word) & piece->suffix_mask) != 0) {
        return false;
    }
    const uint32_t value = start + piece->prefix_length;
    const uint32_t length = end - start - fixed;
    const unsigned char *first = text + value;
    if (*first == '"') {
        *slot = (cweir_slot_t){.start = value + 1 + origin, .length = length - 2, .encoding = CWEIR_PLAIN};
        return length > 1 && first[length - 1] == '"' && is_short_text(first + 1, length - 2);
    }
    *slot = (cweir_slot_t){.start = value + origin, .length = length, .encoding = CWEIR_BARE};
    return is_short_number(first, length);
}

// Whether a line has a shape, which has as many pieces as the line has separators; notes where its fields are.
static bool match_line(
    const shape_t *shape, const unsigned char *text, const uint32_t *separators, uint32_t end, uint32_t origin,
    cweir_slot_t *slots) {
    const uint32_t piece_count = shape->piece_count;
    uint32_t start = separators[-1] + 1;
    for (uint32_t index = 0; index < piece_count; index++) {
        const piece_t *piece = &shape->pieces[index];
        const uint32_t piece_end = index + 1 == piece_count ? end : separators[index];
        cweir_slot_t unwanted;
        cweir_slot_t *slot = piece->field < 0 ? &unwanted : slots + piece->field;
        if (!(piece->is_usual && match_quickly(piece, text, start, piece_end, origin, slot)) &&
            !match_piece(shape, piece, text, start, piece_end, origin, slot)) {
            return false;
        }
        start = piece_end;
    }
    return true;
}

// How many of some lines have a shape, from the first one on; notes where their fields are. Each of the lines has as many
// separators as the shape has pieces.
//
// One piece after the other, because what is true of a piece of a line is mostly true of that of the next line.
static size_t match_lines(
    const shape_t *shape, const unsigned char *text, const uint32_t *separators, const cweir_records_t *records,
    const cweir_row_t *rows, cweir_slot_t *slots, size_t count) {
    const uint32_t piece_count = shape->piece_count;
    const uint32_t origin = records->origin;
    for (uint32_t index = 0; index < piece_count; index++) {
        const piece_t piece = shape->pieces[index];
        // Where nothing is wanted of the value, it is noted all the same, in the same place for all lines.
        cweir_slot_t unwanted;
        cweir_slot_t *slot = piece.field < 0 ? &unwanted : slots + piece.field;
        const size_t stride = piece.field < 0 ? 0 : records->field_count;
        const uint32_t *separator = separators + index;
        for (size_t line = 0; line < count; line++) {
            // A comma belongs to the piece behind it.
            const uint32_t start = separator[-1] + (index == 0);
            const uint32_t end =
                index + 1 == piece_count ? rows[line].start - origin + rows[line].length : separator[0];
            if (!(piece.is_usual && match_quickly(&piece, text, start, end, origin, slot)) &&
                !match_piece(shape, &shape->pieces[index], text, start, end, origin, slot)) {
                count = line;
                break;
            }
            separator += piece_count;
            slot += stride;
        }
    }
    return count;
}

// Notes where the fields are that are not the value of a piece.
static void set_others(
    const shape_t *shape, const uint32_t *separators, uint32_t end, uint32_t origin, cweir_slot_t *slots) {
    for (uint32_t index = 0; index < shape->other_count; index++) {
        const other_t *other = &shape->others[index];
        cweir_slot_t slot = {0};
        if (other->same_as >= 0) {
            slot = slots[other->same_as];
        } else if (other->first_piece >= 0) {
            const uint32_t first = other->first_piece == 0 ? separators[-1] + 1 : separators[other->first_piece - 1];
            const uint32_t last =
                (uint32_t)other->last_piece + 1 == shape->piece_count ? end : separators[other->last_piece];
            slot.start = first + other->first_offset + origin;
            slot.length = last - other->last_offset - first - other->first_offset;
            slot.encoding = CWEIR_NESTED;
        }
        slots[other->field] = slot;
    }
}

// Writes where the next lines are that have a number of separators.
//
// Returns how many there are, `limit` at most, up to the first one that the decoder has to judge.
static size_t find_lines(
    const cweir_index_t *index, const unsigned char *text, size_t length, const cweir_records_t *records, size_t taken,
    uint32_t separator_count, size_t limit) {
    const uint32_t *row_ends = index->row_ends + index->next_row + taken;
    cweir_row_t *rows = records->rows + taken;
    uint32_t last_end = row_ends[-1];
    uint32_t start = index->marks[(int32_t)last_end] + 1;
    size_t count = 0;
    for (; count < limit; count++) {
        const uint32_t row_end = row_ends[count];
        const uint32_t feed = index->marks[row_end];
        if (row_end - last_end != separator_count || feed - start > records->length_limit ||
            length - feed < VALUE_SPARE) {
            break;
        }
        const uint32_t end = feed - (feed > start && text[feed - 1] == '\r');
        rows[count] = (cweir_row_t){
            .line = records->line + taken + count, .start = start + records->origin, .length = end - start};
        last_end = row_end;
        start = feed + 1;
    }
    return count;
}

// Takes the next lines of a shape, a number of them at most; returns how many they are.
static size_t take_lines(
    cweir_index_t *index, const unsigned char *text, size_t length, const shape_t *shape,
    const cweir_records_t *records, size_t taken, size_t limit) {
    const size_t found = find_lines(index, text, length, records, taken, shape->piece_count, limit);
    if (found == 0) {
        return 0;
    }
    // The separators of the first line; the entry before them is the end of the line before it.
    const uint32_t *separators = index->marks + (int32_t)index->row_ends[(ptrdiff_t)(index->next_row + taken) - 1] + 1;
    const cweir_row_t *rows = records->rows + taken;
    cweir_slot_t *slots = records->slots + taken * records->field_count;
    const uint32_t first_end = rows->start - records->origin + rows->length;
    const size_t count = found == 1
        ? match_line(shape, text, separators, first_end, records->origin, slots)
        : match_lines(shape, text, separators, records, rows, slots, found);
    if (shape->other_count > 0) {
        for (size_t line = 0; line < count; line++) {
            const uint32_t end = rows[line].start - records->origin + rows[line].length;
            set_others(
                shape, separators + line * shape->piece_count, end, records->origin,
                slots + line * records->field_count);
        }
    }
    return count;
}

size_t cweir_take_json_lines(
    cweir_index_t *index, const unsigned char *text, size_t length, cweir_shapes_t *shapes, cweir_records_t *records) {
    size_t rest = index->row_count - index->next_row;
    rest = rest < records->room ? rest : records->room;
    size_t count = 0;
    while (count < rest && shapes->count > 0) {
        // Lines one by one, until some in a row have had the same shape.
        const size_t stretch = shapes->alike < LEAST_ALIKE ? 1 : shapes->alike;
        const size_t limit = rest - count < stretch ? rest - count : stretch;
        size_t taken = 0;
        // First the shape that came behind the last one the time before.
        const uint32_t likely = shapes->followers[shapes->last];
        for (uint32_t tries = 0; tries < shapes->count && taken == 0; tries++) {
            const uint32_t number = (likely + tries) % shapes->count;
            const bool is_same = number == shapes->last;
            taken = take_lines(
                index, text, length, &shapes->shapes[number], records, count, is_same && tries == 0 ? limit : 1);
            if (taken > 0) {
                const size_t alike = (is_same ? shapes->alike : 0) + taken;
                shapes->alike = alike < MOST_ALIKE ? (uint32_t)alike : MOST_ALIKE;
                shapes->followers[shapes->last] = (uint8_t)number;
                shapes->last = number;
            }
        }
        if (taken == 0) {
            break;
        }
        count += taken;
    }
    records->line += count;
    index->next_row += (uint32_t)count;
    size_t credit = shapes->credit + count;
    if (count == 0 && rest > 0) {
        shapes->misses += 1;
        if (shapes->misses == MISSES_PER_CREDIT) {
            shapes->misses = 0;
            credit += 1;
        }
    }
    shapes->credit = credit < MOST_CREDIT ? (uint32_t)credit : MOST_CREDIT;
    return count;
}
