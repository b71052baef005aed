#ifndef CALLOCATIONS_H
#define CALLOCATIONS_H

#include <stdint.h>

// Programs that are linked with this count their allocations, those of all libraries included: it puts itself in the
// place of malloc and its kin.

// How many allocations there were so far, on all threads; -1 where they cannot be counted: without glibc, and under a
// sanitizer, which has its own malloc.
int64_t callocations_count(void);

// How many bytes are allocated now; -1 where the library does not tell.
int64_t callocations_bytes(void);

#endif
