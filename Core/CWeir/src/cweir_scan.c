#include "cweir_scan.h"

#include "scan_kernels.h"

#include <errno.h>
#include <stdlib.h>

// The most rows or separators that a block has beyond a limit.
#define SPARE 64
#define MOST_ENTRIES (1u << 28)

static const index_functions_t *functions_of(cweir_kernel_t kernel) {
#ifdef HAS_AVX2_KERNEL
    if (kernel == CWEIR_KERNEL_AVX2) {
        return &cweir_avx2_functions;
    }
#endif
#ifdef HAS_VECTOR_KERNEL
    if (kernel == CWEIR_KERNEL_VECTOR) {
        return &cweir_vector_functions;
    }
#endif
    assert(kernel == CWEIR_KERNEL_PORTABLE);
    return &cweir_portable_functions;
}

// Set before `main`, and read only afterwards.
static cweir_kernel_t best_kernel = CWEIR_KERNEL_PORTABLE;

__attribute__((constructor)) static void choose_kernel(void) {
#ifdef HAS_VECTOR_KERNEL
    best_kernel = CWEIR_KERNEL_VECTOR;
#endif
#ifdef HAS_AVX2_KERNEL
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") && __builtin_cpu_supports("popcnt") &&
        __builtin_cpu_supports("pclmul")) {
        best_kernel = CWEIR_KERNEL_AVX2;
    }
#endif
}

cweir_kernel_t cweir_kernel_best(void) {
    return best_kernel;
}

bool cweir_kernel_is_available(cweir_kernel_t kernel) {
    // Each kernel's processors run those before it.
    return kernel <= best_kernel;
}

cweir_index_t *cweir_index_create(size_t row_limit, size_t mark_limit, cweir_kernel_t kernel) {
    if (row_limit == 0 || row_limit > MOST_ENTRIES || mark_limit == 0 || mark_limit > MOST_ENTRIES ||
        !cweir_kernel_is_available(kernel)) {
        errno = EINVAL;
        return NULL;
    }
    cweir_index_t *index = calloc(1, sizeof(cweir_index_t));
    uint32_t *marks = malloc((1 + mark_limit + SPARE + 8) * sizeof(uint32_t));
    uint32_t *row_ends = malloc((1 + row_limit + SPARE + 2) * sizeof(uint32_t));
    if (index == NULL || marks == NULL || row_ends == NULL) {
        free(index);
        free(marks);
        free(row_ends);
        errno = ENOMEM;
        return NULL;
    }
    marks[0] = UINT32_MAX;
    row_ends[0] = UINT32_MAX;
    *index = (cweir_index_t){
        .marks = marks + 1,
        .row_ends = row_ends + 1,
        .row_limit = (uint32_t)row_limit,
        .mark_limit = (uint32_t)mark_limit,
        .kernel = kernel,
    };
    return index;
}

void cweir_index_destroy(cweir_index_t *index) {
    if (index == NULL) {
        return;
    }
    free(index->marks - 1);
    free(index->row_ends - 1);
    free(index);
}

static void run(
    cweir_index_t *index, index_function_t *kernel, const unsigned char *text, size_t length, size_t limit,
    unsigned char delimiter) {
    assert(length <= UINT32_MAX);
    const uint32_t row_limit = limit < index->row_limit ? (uint32_t)limit : index->row_limit;
    index->row_count = 0;
    index->next_row = 0;
    index->has_quotes = false;
    index->has_doubled_quotes = false;
    index->has_quoted_newlines = false;
    index->is_flawed = false;
    index->valid_end = 0;
    kernel(index, text, length, row_limit, delimiter);
    if (index->row_count > row_limit) {
        index->row_count = row_limit;
    }
}

void cweir_index_csv(
    cweir_index_t *index, const unsigned char *text, size_t length, size_t row_limit, unsigned char delimiter,
    bool has_quotes) {
    assert(delimiter != 0 && delimiter != '"' && delimiter != '\n' && delimiter != '\r');
    const index_functions_t *functions = functions_of(index->kernel);
    run(index, has_quotes ? functions->csv : functions->unquoted_csv, text, length, row_limit, delimiter);
}

void cweir_index_json_lines(cweir_index_t *index, const unsigned char *text, size_t length, size_t row_limit) {
    run(index, functions_of(index->kernel)->json_lines, text, length, row_limit, ',');
}
