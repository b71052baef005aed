#include "cweir_number.h"
#include "json_shapes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

// Learning a shape costs about as much as reading some lines.
#define LEARNING_COST 8

cweir_shapes_t *cweir_shapes_create(size_t field_count) {
    cweir_shapes_t *shapes = calloc(1, sizeof(cweir_shapes_t));
    other_t *others = calloc((SHAPE_COUNT + 1) * (field_count + 1), sizeof(other_t));
    if (shapes == NULL || others == NULL) {
        free(shapes);
        free(others);
        errno = ENOMEM;
        return NULL;
    }
    shapes->field_count = field_count;
    shapes->credit = MOST_CREDIT;
    shapes->candidate.others = others;
    for (size_t index = 0; index < SHAPE_COUNT; index++) {
        shapes->shapes[index].others = others + (index + 1) * (field_count + 1);
    }
    return shapes;
}

void cweir_shapes_destroy(cweir_shapes_t *shapes) {
    if (shapes == NULL) {
        return;
    }
    // All of them are in one block, which starts with the candidate's or, after exchanges, with another's.
    other_t *first = shapes->candidate.others;
    for (size_t index = 0; index < SHAPE_COUNT; index++) {
        first = shapes->shapes[index].others < first ? shapes->shapes[index].others : first;
    }
    free(first);
    free(shapes);
}

// A piece in the line that is learned.
typedef struct {
    uint32_t start;
    uint32_t value;
    uint32_t value_end;
    uint32_t end;
} place_t;

// Where the string ends that starts at `place`, behind its closing quote.
static uint32_t string_end(const unsigned char *line, uint32_t place) {
    for (place += 1; line[place] != '"'; place++) {
        place += line[place] == '\\';
    }
    return place + 1;
}

static bool is_blank(unsigned char byte) {
    return byte == ' ' || byte == '\t' || byte == '\r';
}

// Cuts a valid line into pieces; returns how many there are, or zero when there are too many.
static uint32_t cut(const unsigned char *line, uint32_t length, place_t *places) {
    uint32_t count = 0;
    places[0] = (place_t){0};
    uint32_t place = 0;
    while (place < length) {
        const unsigned char byte = line[place];
        uint32_t end = place + 1;
        if (byte == ',') {
            places[count].end = place;
            count += 1;
            if (count == MOST_PIECES) {
                return 0;
            }
            places[count] = (place_t){.start = place};
        } else if (byte == '"') {
            end = string_end(line, place);
            uint32_t next = end;
            while (next < length && is_blank(line[next])) {
                next += 1;
            }
            if (next == length || line[next] != ':') {
                places[count].value = place;
                places[count].value_end = end;
            }
        } else if (!is_blank(byte) && memchr("{}[]:", byte, 5) == NULL) {
            while (end < length && !is_blank(line[end]) && memchr(",}]", line[end], 3) == NULL) {
                end += 1;
            }
            places[count].value = place;
            places[count].value_end = end;
        }
        place = end;
    }
    places[count].end = length;
    return count + 1;
}

// Adds text to a shape; returns where it is.
static uint16_t add_text(shape_t *shape, const unsigned char *text, uint32_t length) {
    const uint32_t place = shape->text_length;
    memcpy(shape->text + place, text, length);
    shape->text_length += length;
    return (uint16_t)place;
}

// The bits that the first bytes of a text take in a word.
static uint64_t mask_of(uint32_t length) {
    return length < 8 ? (1ULL << (length * 8)) - 1 : ~0ULL;
}

// The piece that holds a place; the last one if none does.
static int32_t piece_at(const place_t *places, uint32_t count, uint32_t place) {
    uint32_t index = 0;
    while (index + 1 < count && places[index].end <= place) {
        index += 1;
    }
    return (int32_t)index;
}

// Notes where a field is; returns whether that can be said of other lines as well.
static bool add_field(shape_t *shape, const place_t *places, int32_t field, cweir_slot_t slot, uint32_t origin) {
    other_t other = {.field = field, .same_as = -1, .first_piece = -1, .last_piece = -1};
    if (slot.encoding != CWEIR_ABSENT) {
        const uint32_t start = slot.start - origin;
        const uint32_t end = start + slot.length;
        const int32_t piece = piece_at(places, shape->piece_count, start);
        const place_t place = places[piece];
        if (slot.encoding == CWEIR_NESTED) {
            // The end may be just behind the piece that it is in.
            const int32_t last = piece_at(places, shape->piece_count, end - 1);
            other.first_piece = piece;
            other.first_offset = start - place.start;
            other.last_piece = last;
            other.last_offset = places[last].end - end;
            if (start >= place.start + shape->pieces[piece].prefix_length ||
                (shape->pieces[last].has_value && end <= places[last].value_end)) {
                return false;
            }
        } else {
            const bool has_quotes = slot.encoding == CWEIR_PLAIN || slot.encoding == CWEIR_ESCAPED;
            if (place.value_end == 0 || start != place.value + has_quotes) {
                return false;
            }
            if (shape->pieces[piece].field < 0) {
                shape->pieces[piece].field = field;
                return true;
            }
            other.same_as = shape->pieces[piece].field;
        }
    }
    shape->others[shape->other_count++] = other;
    return true;
}

static bool are_equal(const shape_t *one, const shape_t *other) {
    return one->piece_count == other->piece_count && one->other_count == other->other_count &&
           one->text_length == other->text_length && memcmp(one->text, other->text, one->text_length) == 0 &&
           memcmp(one->pieces, other->pieces, one->piece_count * sizeof(piece_t)) == 0;
}

static bool learn(
    shape_t *shape, size_t field_count, const unsigned char *line, uint32_t length, const cweir_slot_t *slots,
    uint32_t origin) {
    place_t places[MOST_PIECES];
    shape->piece_count = cut(line, length, places);
    shape->other_count = 0;
    shape->text_length = 0;
    if (shape->piece_count == 0) {
        return false;
    }
    // Compared byte by byte, so the padding has to be the same.
    memset(shape->pieces, 0, sizeof(shape->pieces));
    for (uint32_t index = 0; index < shape->piece_count; index++) {
        const place_t place = places[index];
        piece_t *piece = &shape->pieces[index];
        piece->has_value = place.value_end > 0;
        piece->field = -1;
        piece->prefix_length = (uint16_t)((piece->has_value ? place.value : place.end) - place.start);
        piece->prefix = add_text(shape, line + place.start, piece->prefix_length);
        piece->suffix_length = (uint16_t)(piece->has_value ? place.end - place.value_end : 0);
        piece->suffix = add_text(shape, line + place.end - piece->suffix_length, piece->suffix_length);
        for (uint32_t word = 0; word < 2; word++) {
            const uint32_t length = piece->prefix_length;
            piece->prefix_masks[word] = mask_of(length > word * 8 ? length - word * 8 : 0);
            piece->prefix_words[word] =
                cweir_word_at(shape->text + piece->prefix + word * 8) & piece->prefix_masks[word];
        }
        piece->is_usual = piece->has_value && piece->prefix_length <= 16 && piece->suffix_length <= 8;
        piece->suffix_mask = mask_of(piece->suffix_length);
        piece->suffix_word = cweir_word_at(shape->text + piece->suffix) & piece->suffix_mask;
    }
    for (size_t field = 0; field < field_count; field++) {
        if (!add_field(shape, places, (int32_t)field, slots[field], origin)) {
            return false;
        }
    }
    return true;
}

void cweir_shapes_learn(
    cweir_shapes_t *shapes, const unsigned char *line, size_t length, const cweir_slot_t *slots, uint32_t origin) {
    if (shapes->credit < LEARNING_COST || length == 0 || length > MOST_TEXT) {
        return;
    }
    shapes->credit -= LEARNING_COST;
    shape_t *candidate = &shapes->candidate;
    if (!learn(candidate, shapes->field_count, line, (uint32_t)length, slots, origin)) {
        return;
    }
    for (uint32_t index = 0; index < shapes->count; index++) {
        if (are_equal(&shapes->shapes[index], candidate)) {
            return;
        }
    }
    shape_t *place = &shapes->shapes[shapes->next];
    other_t *others = place->others;
    *place = *candidate;
    candidate->others = others;
    shapes->next = (shapes->next + 1) % SHAPE_COUNT;
    shapes->count += shapes->count < SHAPE_COUNT;
}
