#ifndef CWEIR_CHECKSUM_H
#define CWEIR_CHECKSUM_H

#include "cweir_base.h"

#pragma clang assume_nonnull begin

// Continues a CRC-32C (Castagnoli) over some bytes with the processor's own instruction. Neither before nor after is the
// remainder inverted.
//
// Returns false, and does nothing, where the processor has no such instruction.
// Thread safety: any thread. Progress: wait-free.
bool cweir_checksum(const unsigned char *bytes, size_t length, uint32_t *remainder);

#pragma clang assume_nonnull end

#endif
