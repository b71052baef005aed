#ifndef CWEIR_FILE_H
#define CWEIR_FILE_H

#include "cweir_base.h"

#pragma clang assume_nonnull begin

// Reads the beginning of a regular file, at most `capacity` bytes; any thread.
//
// Returns how many bytes were read: `capacity` where the file has at least as many. Returns -1 with `errno` set when it
// cannot be read; what is no regular file counts as missing (ENOENT).
long cweir_file_read(const char *path, void *buffer, size_t capacity);

#pragma clang assume_nonnull end

#endif
