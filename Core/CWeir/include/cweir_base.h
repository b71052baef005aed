#ifndef CWEIR_BASE_H
#define CWEIR_BASE_H

#include <assert.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Two 64-byte lines: the adjacent-line prefetcher of x86 and the 128-byte lines of some arm64 cores both move pairs.
#define CWEIR_CACHE_LINE 128

// `always_inline` and not only `inline`: the thread sanitizer sees a C function called from Swift only when its body
// ends up inside the instrumented Swift function.
#define CWEIR_INLINE static inline __attribute__((always_inline))

// A struct that holds atomics: its address is its identity, so Swift imports it as `~Copyable`.
#define CWEIR_NONCOPYABLE __attribute__((swift_attr("~Copyable")))

// Swift does not import types aligned to more than 16 bytes, so lines are kept apart with explicit padding, and the
// layout is pinned by static assertions.
#define CWEIR_PAD(index, used) unsigned char _pad##index[CWEIR_CACHE_LINE - (used)]

#pragma clang assume_nonnull begin

// A run of neighbouring slots of a ring: `count` of them, the first at `slots`.
typedef struct cweir_run {
    void *_Nullable slots;
    size_t count;
} cweir_run_t;

// Returns `count * stride` bytes aligned to a cache line, or NULL with `errno` set to ENOMEM.
void *_Nullable cweir_allocate_lines(size_t count, size_t stride);

// Asks the system for large pages, before memory that is looked up at random places is touched: in a table of many
// megabytes, finding the address of a page takes longer than fetching the line. Does nothing for small memory, nor where
// the system has no such call; the system may ignore it.
void cweir_prefer_large_pages(void *_Nullable memory, size_t size);

// Prefetches a line for a read or write that comes a little later; any address will do.
CWEIR_INLINE void cweir_prefetch(const void *_Nullable address) {
    __builtin_prefetch(address, 1);
}

// Frees what `cweir_allocate_lines` returned.
void cweir_free_lines(void *_Nullable lines);

#pragma clang assume_nonnull end

#endif
