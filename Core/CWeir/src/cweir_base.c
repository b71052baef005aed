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

void cweir_free_lines(void *lines) {
    free(lines);
}
