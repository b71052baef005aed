#include "json_shapes.h"
#include "json_values.h"

// Whether two texts are the same behind their first eight bytes; whole words are loaded from both.
static inline __attribute__((always_inline)) bool
is_rest_same(const unsigned char *text, const unsigned char *other, uint32_t length) {
    for (uint32_t place = 8; place < length; place += 8) {
        const uint32_t rest = length - place;
        const uint64_t difference = cweir_word_at(text + place) ^ cweir_word_at(other + place);
        if (difference << (rest < 8 ? 64 - rest * 8 : 0) != 0) {
            return false;
        }
    }
    return true;
}

// Whether a line has a shape; notes where its fields are.
static bool match(
    const shape_t *shape, const unsigned char *text, const uint32_t *separators, uint32_t end, uint32_t origin,
    cweir_slot_t *slots) {
    uint32_t start = separators[-1] + 1;
    const uint32_t piece_count = shape->piece_count;
    for (uint32_t index = 0; index < piece_count; index++) {
        const piece_t *piece = &shape->pieces[index];
        const uint32_t piece_end = index + 1 == piece_count ? end : separators[index];
        const uint32_t fixed = (uint32_t)piece->prefix_length + piece->suffix_length;
        if (piece_end - start < fixed) {
            return false;
        }
        const uint32_t value = start + piece->prefix_length;
        const uint32_t value_end = piece_end - piece->suffix_length;
        const uint64_t before = (cweir_word_at(text + start) ^ piece->prefix_word) & piece->prefix_mask;
        const uint64_t behind = (cweir_word_at(text + value_end) ^ piece->suffix_word) & piece->suffix_mask;
        if ((before | behind) != 0 || !is_rest_same(text + start, shape->text + piece->prefix, piece->prefix_length) ||
            !is_rest_same(text + value_end, shape->text + piece->suffix, piece->suffix_length)) {
            return false;
        }
        start = piece_end;
        if (!piece->has_value) {
            if (value != value_end) {
                return false;
            }
            continue;
        }
        const uint8_t encoding = value_encoding(text + value, value_end - value);
        if (encoding == CWEIR_ABSENT) {
            return false;
        }
        if (piece->field >= 0) {
            const uint32_t quote = encoding == CWEIR_PLAIN || encoding == CWEIR_ESCAPED;
            slots[piece->field] = (cweir_slot_t){
                .start = value + quote + origin,
                .length = value_end - value - 2 * quote,
                .encoding = encoding,
            };
        }
    }
    return true;
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

// The shape of a line, or NULL; notes where its fields are.
static const shape_t *find(
    cweir_shapes_t *shapes, const unsigned char *text, const uint32_t *separators, uint32_t count, uint32_t end,
    uint32_t origin, cweir_slot_t *slots) {
    uint32_t index = shapes->last;
    for (uint32_t tries = 0; tries < shapes->count; tries++) {
        const shape_t *shape = &shapes->shapes[index];
        if (shape->piece_count == count && match(shape, text, separators, end, origin, slots)) {
            shapes->last = index;
            return shape;
        }
        index = index + 1 < shapes->count ? index + 1 : 0;
    }
    return NULL;
}

size_t cweir_take_json_lines(
    cweir_index_t *index, const unsigned char *text, size_t length, cweir_shapes_t *shapes, cweir_records_t *records) {
    const uint32_t *marks = index->marks;
    const uint32_t *row_ends = index->row_ends;
    size_t row = index->next_row;
    size_t rest = index->row_count - row;
    rest = rest < records->room ? rest : records->room;
    cweir_slot_t *slots = records->slots;
    cweir_row_t *rows = records->rows;
    uint32_t last_end = row_ends[(ptrdiff_t)row - 1];
    size_t count = 0;
    for (; count < rest; count++, row++) {
        const uint32_t row_end = row_ends[row];
        // The separators of the line; the entry before them is the end of the line before it.
        const uint32_t *separators = marks + (int32_t)last_end + 1;
        const uint32_t start = separators[-1] + 1;
        const uint32_t feed = marks[row_end];
        const uint32_t end = feed - (feed > start && text[feed - 1] == '\r');
        if (feed - start > records->length_limit || length - feed < VALUE_SPARE) {
            break;
        }
        const shape_t *shape =
            find(shapes, text, separators, row_end - last_end, end, records->origin, slots);
        if (shape == NULL) {
            break;
        }
        if (shape->other_count > 0) {
            set_others(shape, separators, end, records->origin, slots);
        }
        *rows++ = (cweir_row_t){
            .line = records->line + count, .start = start + records->origin, .length = end - start};
        slots += records->field_count;
        last_end = row_end;
    }
    records->line += count;
    index->next_row = (uint32_t)row;
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
