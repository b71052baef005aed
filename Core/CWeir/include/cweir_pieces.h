#ifndef CWEIR_PIECES_H
#define CWEIR_PIECES_H

#include "cweir_base.h"

#pragma clang assume_nonnull begin

// Pieces of memory with small numbers, which are taken and given back all the time. Pieces of about the same length share
// pages of 64 KiB; a page that is empty serves pieces of any length. A piece counts its holders, and is freed with the last.
//
// Thread safety: one thread at a time.
typedef struct cweir_pieces cweir_pieces_t;

// The number of no piece; those of pieces are below 2^32 - 16.
#define CWEIR_PIECE_NONE UINT32_MAX

// Returns an empty memory of pieces, or NULL with `errno` set to ENOMEM.
cweir_pieces_t *_Nullable cweir_pieces_create(void);

// Frees all pieces.
void cweir_pieces_destroy(cweir_pieces_t *_Nullable pieces);

// Returns a piece of `length` bytes with one holder; CWEIR_PIECE_NONE when there is no memory. Its bytes, whose contents
// are not set, are then at `bytes`. Allocates for a new page, and for a piece of more than 16 KiB.
uint32_t cweir_pieces_take(cweir_pieces_t *pieces, uint32_t length, unsigned char *_Nullable *_Nonnull bytes);

// The bytes of a piece; they stay where they are as long as it has a holder.
unsigned char *cweir_pieces_bytes(const cweir_pieces_t *pieces, uint32_t piece, size_t *length);

// Adds a holder.
void cweir_pieces_retain(const cweir_pieces_t *pieces, uint32_t piece);

// Removes a holder; frees the piece where it was the last one.
void cweir_pieces_release(cweir_pieces_t *pieces, uint32_t piece);

// How many pieces there are.
size_t cweir_pieces_count(const cweir_pieces_t *pieces);

// How many bytes the pages take.
size_t cweir_pieces_memory(const cweir_pieces_t *pieces);

#pragma clang assume_nonnull end

#endif
