// The kernels, included once for each instruction set. The includer defines KERNEL(name), and by these names a type
// `block_t` of 64 bytes and the functions load, equal, has_high, inclusive_parity, count_bits and first_bit.

// Writes the places of the set bits; whole groups of eight, so that the usual number of them takes no branch.
static inline __attribute__((always_inline)) void KERNEL(write_marks)(uint32_t *marks, uint64_t bits, uint32_t offset) {
    do {
        for (int index = 0; index < 8; index++) {
            marks[index] = offset + KERNEL(first_bit)(bits);
            bits &= bits - 1;
        }
        marks += 8;
    } while (bits != 0);
}

// Adds what a block has: its separators, and which of them are line feeds.
static inline __attribute__((always_inline)) void KERNEL(add_rows)(
    cweir_index_t *index, uint32_t *mark_count, uint64_t separators, uint64_t feeds, uint32_t offset) {
    if (separators == 0) {
        return;
    }
    KERNEL(write_marks)(index->marks + *mark_count, separators, offset);
    uint32_t *row_ends = index->row_ends + index->row_count;
    index->row_count += KERNEL(count_bits)(feeds);
    while (feeds != 0) {
        for (int place = 0; place < 2; place++) {
            *row_ends++ = *mark_count + KERNEL(count_bits)(separators & ((feeds & (0 - feeds)) - 1));
            feeds &= feeds - 1;
        }
    }
    *mark_count += KERNEL(count_bits)(separators);
}

static inline __attribute__((always_inline)) void KERNEL(index_rows)(
    cweir_index_t *index, const unsigned char *text, size_t length, uint32_t row_limit, unsigned char delimiter,
    bool may_have_quotes) {
    uint32_t mark_count = 0;
    // All bits set inside of quotes.
    uint64_t inside = 0;
    // Bit 0 of each is about the first byte of the next block: whether a quoted field may start there, and whether a
    // closing quote, or such a quote and a carriage return, stand before it.
    uint64_t may_open = 1;
    uint64_t after_close = 0;
    uint64_t after_return = 0;
    uint64_t all_returns = 0;
    bool has_high_bytes = false;
    unsigned char tail[64];
    for (size_t offset = 0; offset < length && index->row_count < row_limit && mark_count < index->mark_limit;
         offset += 64) {
        const unsigned char *place = text + offset;
        uint64_t valid = ~0ULL;
        if (length - offset < 64) {
            place = copy_tail(tail, place, length - offset);
            valid = (1ULL << (length - offset)) - 1;
        }
        const KERNEL(block_t) block = KERNEL(load)(place);
        uint64_t feeds = KERNEL(equal)(&block, '\n');
        uint64_t separators = KERNEL(equal)(&block, delimiter) | feeds;
        const uint64_t quotes = may_have_quotes ? KERNEL(equal)(&block, '"') : 0;
        const uint64_t returns = KERNEL(equal)(&block, '\r');
        all_returns |= returns;
        has_high_bytes |= KERNEL(has_high)(&block);
        if ((quotes | inside | after_close | after_return) == 0) {
            may_open = separators >> 63;
            KERNEL(add_rows)(index, &mark_count, separators, feeds, (uint32_t)offset);
            continue;
        }
        // A set bit from each opening quote up to the byte before the closing one. A doubled quote closes and opens.
        const uint64_t quoted = KERNEL(inclusive_parity)(quotes) ^ inside;
        const uint64_t opening = quotes & quoted;
        const uint64_t closing = quotes & ~quoted;
        index->has_quotes = true;
        index->has_quoted_newlines |= (feeds & quoted & valid) != 0;
        feeds &= ~quoted;
        separators &= ~quoted;
        const uint64_t behind_closing = closing << 1 | after_close;
        const uint64_t behind_return = (behind_closing & returns) << 1 | after_return;
        index->has_doubled_quotes |= (opening & behind_closing) != 0;
        uint64_t flaws = opening & ~(separators << 1 | may_open | behind_closing);
        flaws |= behind_closing & ~(separators | opening | returns);
        flaws |= behind_return & ~feeds;
        flaws &= valid;
        if (flaws != 0) {
            const uint64_t before = (flaws & (0 - flaws)) - 1;
            KERNEL(add_rows)(index, &mark_count, separators & before, feeds & before, (uint32_t)offset);
            index->is_flawed = index->row_count < row_limit;
            break;
        }
        inside = 0 - (quoted >> 63);
        may_open = separators >> 63;
        after_close = closing >> 63;
        after_return = (behind_closing & returns) >> 63;
        KERNEL(add_rows)(index, &mark_count, separators, feeds, (uint32_t)offset);
    }
    index->has_returns = all_returns != 0;
    index->has_high_bytes = has_high_bytes;
}

static void KERNEL(index_csv)(
    cweir_index_t *index, const unsigned char *text, size_t length, uint32_t row_limit, unsigned char delimiter) {
    KERNEL(index_rows)(index, text, length, row_limit, delimiter, true);
}

static void KERNEL(index_unquoted_csv)(
    cweir_index_t *index, const unsigned char *text, size_t length, uint32_t row_limit, unsigned char delimiter) {
    KERNEL(index_rows)(index, text, length, row_limit, delimiter, false);
}

// The bytes behind an odd number of backslashes; `carry` is about the first byte of the next block.
static inline __attribute__((always_inline)) uint64_t KERNEL(escaped)(uint64_t backslashes, uint64_t *carry) {
    uint64_t escaped = *carry;
    backslashes &= ~escaped;
    *carry = 0;
    while (backslashes != 0) {
        const uint64_t first = backslashes & (0 - backslashes);
        escaped |= first << 1;
        *carry = first >> 63;
        backslashes &= ~(first | first << 1);
    }
    return escaped;
}

static void KERNEL(index_json_lines)(
    cweir_index_t *index, const unsigned char *text, size_t length, uint32_t row_limit, unsigned char delimiter) {
    uint32_t mark_count = 0;
    // All bits set inside of strings.
    uint64_t inside = 0;
    uint64_t escape_carry = 0;
    bool has_high_bytes = false;
    unsigned char tail[64];
    for (size_t offset = 0; offset < length && index->row_count < row_limit && mark_count < index->mark_limit;
         offset += 64) {
        const unsigned char *place = text + offset;
        if (length - offset < 64) {
            place = copy_tail(tail, place, length - offset);
        }
        const KERNEL(block_t) block = KERNEL(load)(place);
        const uint64_t feeds = KERNEL(equal)(&block, '\n');
        uint64_t quotes = KERNEL(equal)(&block, '"');
        const uint64_t backslashes = KERNEL(equal)(&block, '\\');
        has_high_bytes |= KERNEL(has_high)(&block);
        if ((backslashes | escape_carry) != 0) {
            quotes &= ~KERNEL(escaped)(backslashes, &escape_carry);
        }
        const uint64_t quoted = KERNEL(inclusive_parity)(quotes) ^ inside;
        const uint64_t separators = (KERNEL(equal)(&block, delimiter) & ~quoted) | feeds;
        // A string ends on its line.
        const uint64_t flaws = feeds & quoted;
        if (flaws != 0) {
            const uint64_t before = (flaws & (0 - flaws)) - 1;
            KERNEL(add_rows)(index, &mark_count, separators & before, feeds & before, (uint32_t)offset);
            index->is_flawed = index->row_count < row_limit;
            break;
        }
        inside = 0 - (quoted >> 63);
        KERNEL(add_rows)(index, &mark_count, separators, feeds, (uint32_t)offset);
    }
    index->has_high_bytes = has_high_bytes;
}
