#ifndef CWEIR_FILE_H
#define CWEIR_FILE_H

#include "cweir_base.h"

#pragma clang assume_nonnull begin

// Reads the beginning of a regular file, at most `capacity` bytes; any thread.
//
// Returns how many bytes were read: `capacity` where the file has at least as many. Returns -1 with `errno` set when it
// cannot be read; what is no regular file counts as missing (ENOENT).
long cweir_file_read(const char *path, void *buffer, size_t capacity);

// Makes a pipe whose two ends, the one for reading first, no program inherits that this process starts.
//
// Where the system cannot do that at once, a program that another thread starts meanwhile may still inherit them: Apple's.
// Returns -1 with `errno` set where there is none. Thread safety: any thread.
int cweir_file_pipe(int *ends);

#pragma clang assume_nonnull end

#endif
