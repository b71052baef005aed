#include "CAllocations.h"

#include <errno.h>
#if defined(__linux__)
#include <malloc.h>
#endif
#include <stdatomic.h>
#include <stdlib.h>

#if defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
#define HAS_SANITIZER 1
#endif
#endif

#if defined(__GLIBC__) && !defined(HAS_SANITIZER)

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

static _Atomic(int64_t) allocations;

static void count_one(void) {
    // Relaxed: the count orders nothing, and who reads it has joined the threads it asks about.
    (void)atomic_fetch_add_explicit(&allocations, 1, memory_order_relaxed);
}

void *malloc(size_t size) {
    count_one();
    return __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
    count_one();
    return __libc_calloc(count, size);
}

void *realloc(void *memory, size_t size) {
    count_one();
    return __libc_realloc(memory, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
    count_one();
    return __libc_memalign(alignment, size);
}

void *memalign(size_t alignment, size_t size);
void *memalign(size_t alignment, size_t size) {
    count_one();
    return __libc_memalign(alignment, size);
}

int posix_memalign(void **memory, size_t alignment, size_t size);
int posix_memalign(void **memory, size_t alignment, size_t size) {
    count_one();
    void *allocated = __libc_memalign(alignment, size);
    if (allocated == NULL) {
        return ENOMEM;
    }
    *memory = allocated;
    return 0;
}

int64_t callocations_count(void) {
    return atomic_load_explicit(&allocations, memory_order_relaxed);
}

int64_t callocations_bytes(void) {
    struct mallinfo2 now = mallinfo2();
    return (int64_t)(now.uordblks + now.hblkhd);
}

#else

int64_t callocations_count(void) {
    return -1;
}

int64_t callocations_bytes(void) {
    return -1;
}

#endif
