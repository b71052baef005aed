#ifndef CWEIR_JSON_H
#define CWEIR_JSON_H

#include "cweir_records.h"

#pragma clang assume_nonnull begin

// Lines of JSON that look like one that was read before.
//
// A shape is a line without its values. It is learned from a line that a reader has checked in full. Another line has the
// shape when all bytes between its values are the same, and each value is a valid string, number or word: then it is
// valid as well, and its fields are in the same places. This does not depend on the index being right.
//
// Thread safety: one thread at a time.
typedef struct cweir_shapes cweir_shapes_t;

// Returns an empty memory of shapes, or NULL with `errno` set to ENOMEM. It holds a few; new ones take the place of old
// ones.
cweir_shapes_t *_Nullable cweir_shapes_create(size_t field_count);

// Frees a memory of shapes.
void cweir_shapes_destroy(cweir_shapes_t *_Nullable shapes);

// Learns the shape of a valid line without its end, whose fields are at `slots`; `origin` is the place of its first byte.
// Lines that are long or have many values are not learned, nor any when lines of known shapes are rare.
void cweir_shapes_learn(
    cweir_shapes_t *shapes, const unsigned char *line, size_t length, const cweir_slot_t *slots, uint32_t origin);

// Takes lines of known shapes from an index, in order, up to the first one that the decoder has to judge.
//
// `text` is what was indexed, and has `length` bytes.
//
// Returns the number of records that were taken. Thread safety: index and shapes must be of one thread. Allocates nothing.
size_t cweir_take_json_lines(
    cweir_index_t *index, const unsigned char *text, size_t length, cweir_shapes_t *shapes, cweir_records_t *records);

#pragma clang assume_nonnull end

#endif
