#include "cweir_checksum.h"

#include <string.h>

#if defined(__x86_64__)
#include <nmmintrin.h>

// Set before `main`, and read only afterwards.
static bool has_instruction = false;

__attribute__((constructor)) static void look_for_instruction(void) {
    __builtin_cpu_init();
    has_instruction = __builtin_cpu_supports("sse4.2");
}

__attribute__((target("sse4.2"))) static uint32_t
checksum(const unsigned char *bytes, size_t length, uint64_t remainder) {
    while (length >= 8) {
        uint64_t word;
        memcpy(&word, bytes, sizeof(word));
        remainder = _mm_crc32_u64(remainder, word);
        bytes += 8;
        length -= 8;
    }
    uint32_t rest = (uint32_t)remainder;
    while (length > 0) {
        rest = _mm_crc32_u8(rest, *bytes);
        bytes += 1;
        length -= 1;
    }
    return rest;
}
#endif

bool cweir_checksum(const unsigned char *bytes, size_t length, uint32_t *remainder) {
#if defined(__x86_64__)
    if (has_instruction) {
        *remainder = checksum(bytes, length, *remainder);
        return true;
    }
#endif
    (void)bytes;
    (void)length;
    (void)remainder;
    return false;
}
