#ifndef CWEIR_JSON_SHAPES_H
#define CWEIR_JSON_SHAPES_H

#include "cweir_json.h"

#define SHAPE_COUNT 8
// How much credit there is at most.
#define MOST_CREDIT 64
// How many lines of unknown shapes add as much as one of a known shape: an input whose lines begin to look alike later is
// learned too, and one whose lines never do pays little for that.
#define MISSES_PER_CREDIT 32
#define LEAST_ALIKE 4
#define MOST_ALIKE 512
#define MOST_PIECES 64
// The text between the values of a shape; with spare bytes, so that it can be loaded in words.
#define MOST_TEXT 2048
#define TEXT_SPARE 16

// A part of a line, from one comma outside of strings to the next: text, perhaps a value, and text.
typedef struct {
    // Where the texts are in the shape's text.
    uint16_t prefix;
    uint16_t prefix_length;
    uint16_t suffix;
    uint16_t suffix_length;
    // The first sixteen bytes of one and eight of the other, or as many as there are, and the bits that they take.
    uint64_t prefix_words[2];
    uint64_t prefix_masks[2];
    uint64_t suffix_word;
    uint64_t suffix_mask;
    bool has_value;
    // Whether it has a value, and those words are all of both texts.
    bool is_usual;
    // The field that takes the value; negative where there is none.
    int32_t field;
} piece_t;

// A field that takes something else than the value of a piece.
typedef struct {
    int32_t field;
    // The field whose value it takes as well, or negative.
    int32_t same_as;
    // Of an array or object: the piece in whose prefix it starts, and how far from the piece's start; the piece in which
    // it ends, and how far from the piece's end. Negative where the line has no such field.
    int32_t first_piece;
    uint32_t first_offset;
    int32_t last_piece;
    uint32_t last_offset;
} other_t;

typedef struct {
    uint32_t piece_count;
    uint32_t other_count;
    uint32_t text_length;
    piece_t pieces[MOST_PIECES];
    unsigned char text[MOST_TEXT + TEXT_SPARE];
    // `field_count` of them.
    other_t *others;
} shape_t;

struct cweir_shapes {
    size_t field_count;
    uint32_t count;
    // The shape of the last line that was taken, and the one whose place is taken next.
    uint32_t last;
    uint32_t next;
    // For each shape the one of the line that came behind it last.
    uint8_t followers[SHAPE_COUNT];
    // How many of the last lines have had that shape, up to a number: that many more are compared with it at a time.
    uint32_t alike;
    // How much learning is worth its while: learning takes from it, lines of known shapes add to it.
    uint32_t credit;
    // How many calls have found a line of no known shape since the last one that counted for learning.
    uint32_t misses;
    shape_t shapes[SHAPE_COUNT];
    shape_t candidate;
};

#endif
