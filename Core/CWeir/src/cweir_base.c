#ifdef __linux__
#define _DEFAULT_SOURCE // for madvise
#include <sys/mman.h>
#endif

#include "cweir_base.h"

#include <errno.h>
#include <stdlib.h>

void *cweir_allocate_lines(size_t count, size_t stride) {
    if (stride != 0 && count > (SIZE_MAX - CWEIR_CACHE_LINE) / stride) {
        errno = ENOMEM;
        return NULL;
    }
    const size_t mask = CWEIR_CACHE_LINE - 1;
    const size_t size = (count * stride + mask) & ~mask;
    return aligned_alloc(CWEIR_CACHE_LINE, size == 0 ? CWEIR_CACHE_LINE : size);
}

void cweir_prefer_large_pages(void *memory, size_t size) {
#ifdef MADV_HUGEPAGE
    const uintptr_t page = 4096;
    const uintptr_t large_page = 2 << 20;
    const uintptr_t start = ((uintptr_t)memory + page - 1) & ~(page - 1);
    const uintptr_t end = ((uintptr_t)memory + size) & ~(page - 1);
    if (memory != NULL && size >= 2 * large_page) {
        (void)madvise((void *)start, end - start, MADV_HUGEPAGE);
    }
#else
    (void)memory;
    (void)size;
#endif
}

void cweir_free_lines(void *lines) {
    free(lines);
}
