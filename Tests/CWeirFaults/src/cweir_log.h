#ifndef CWEIR_LOG_H
#define CWEIR_LOG_H

#include "CWeirFaults.h"

#include <stddef.h>
#include <stdint.h>

// Begins an entry, where a log is written: until `cweir_log_unlock`, no other call that is logged is made.
bool cweir_log_lock(void);
void cweir_log_unlock(void);

// Whether a path, or what a descriptor is open for, belongs to the folder that is logged; `path` has room for 4,096 bytes.
bool cweir_log_wants(const char *path);
bool cweir_log_wants_descriptor(int descriptor, char *path);

// Writes an entry.
void cweir_log_note(uint8_t kind, uint64_t first, uint64_t second, const void *one, size_t one_count, const void *other,
    size_t other_count);

#endif
