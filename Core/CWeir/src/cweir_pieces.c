#include "cweir_pieces.h"

#include <errno.h>
#include <stdlib.h>

#define PAGE_SIZE (1u << 16)
#define SLOT_BITS 12
#define MOST_PAGES ((1u << (32 - SLOT_BITS)) - 1)
#define LONGEST_SHARED (1u << 14)
// 32 sizes of 16 bytes more each, then four for each doubling up to LONGEST_SHARED.
#define CLASS_COUNT 52
#define MOST_SPARE 8

typedef struct {
    uint32_t length;
    uint32_t holders;
} header_t;

typedef struct {
    unsigned char *memory;
    // The bytes of a slot with its header.
    uint32_t size;
    uint32_t slots;
    uint32_t used;
    // How many slots were ever used; those behind them are not in the list of free ones.
    uint32_t fresh;
    // The first free slot, -1 for none; its header has the next one as its length.
    int32_t free;
    // The neighbours among the pages of the class with room; of an unused page the next one.
    int32_t next;
    int32_t previous;
    int32_t class;
} page_t;

struct cweir_pieces {
    page_t *pages;
    uint32_t page_count;
    uint32_t page_capacity;
    int32_t unused;
    size_t count;
    size_t memory;
    int32_t rooms[CLASS_COUNT];
    unsigned char *spare[MOST_SPARE];
    uint32_t spare_count;
};

cweir_pieces_t *cweir_pieces_create(void) {
    cweir_pieces_t *pieces = calloc(1, sizeof(cweir_pieces_t));
    if (pieces == NULL) {
        errno = ENOMEM;
        return NULL;
    }
    pieces->unused = -1;
    for (uint32_t class = 0; class < CLASS_COUNT; class++) {
        pieces->rooms[class] = -1;
    }
    return pieces;
}

void cweir_pieces_destroy(cweir_pieces_t *pieces) {
    if (pieces == NULL) {
        return;
    }
    for (uint32_t page = 0; page < pieces->page_count; page++) {
        free(pieces->pages[page].memory);
    }
    for (uint32_t index = 0; index < pieces->spare_count; index++) {
        free(pieces->spare[index]);
    }
    free(pieces->pages);
    free(pieces);
}

// The class of pieces of a size with their header, and the size that all of them have; -1 where a piece has its own page.
static int32_t class_of(size_t size, uint32_t *rounded) {
    if (size <= 512) {
        const uint32_t units = (uint32_t)(size + 15) / 16;
        *rounded = units * 16;
        return (int32_t)units - 1;
    }
    if (size > LONGEST_SHARED) {
        *rounded = 0;
        return -1;
    }
    // The doubling that the size lies behind, in four steps.
    const uint32_t power = 31 - (uint32_t)__builtin_clz((uint32_t)size - 1);
    const uint32_t step = 1u << (power - 2);
    const uint32_t steps = ((uint32_t)size - (1u << power) + step - 1) / step;
    *rounded = (1u << power) + steps * step;
    return (int32_t)(32 + (power - 9) * 4 + steps - 1);
}

static void link_page(cweir_pieces_t *pieces, int32_t index) {
    page_t *page = &pieces->pages[index];
    page->previous = -1;
    page->next = pieces->rooms[page->class];
    if (page->next >= 0) {
        pieces->pages[page->next].previous = index;
    }
    pieces->rooms[page->class] = index;
}

static void unlink_page(cweir_pieces_t *pieces, int32_t index) {
    const page_t *page = &pieces->pages[index];
    if (page->previous >= 0) {
        pieces->pages[page->previous].next = page->next;
    } else {
        pieces->rooms[page->class] = page->next;
    }
    if (page->next >= 0) {
        pieces->pages[page->next].previous = page->previous;
    }
}

// Returns a new page, -1 when there is no memory.
static int32_t add_page(cweir_pieces_t *pieces, int32_t class, uint32_t size, size_t byte_count) {
    int32_t index = pieces->unused;
    if (index < 0) {
        if (pieces->page_count == MOST_PAGES) {
            return -1;
        }
        if (pieces->page_count == pieces->page_capacity) {
            const uint32_t capacity = pieces->page_capacity == 0 ? 16 : pieces->page_capacity * 2;
            page_t *pages = realloc(pieces->pages, capacity * sizeof(page_t));
            if (pages == NULL) {
                return -1;
            }
            pieces->pages = pages;
            pieces->page_capacity = capacity;
        }
    }
    const bool is_spare = class >= 0 && pieces->spare_count > 0;
    unsigned char *memory = is_spare ? pieces->spare[--pieces->spare_count] : malloc(byte_count);
    if (memory == NULL) {
        return -1;
    }
    if (index < 0) {
        index = (int32_t)pieces->page_count++;
    } else {
        pieces->unused = pieces->pages[index].next;
    }
    pieces->pages[index] = (page_t){
        .memory = memory,
        .size = size,
        .slots = class < 0 ? 1 : PAGE_SIZE / size,
        .free = -1,
        .next = -1,
        .previous = -1,
        .class = class,
    };
    pieces->memory += is_spare ? 0 : byte_count;
    return index;
}

static void remove_page(cweir_pieces_t *pieces, int32_t index) {
    page_t *page = &pieces->pages[index];
    if (page->class >= 0) {
        unlink_page(pieces, index);
    }
    if (page->class >= 0 && pieces->spare_count < MOST_SPARE) {
        pieces->spare[pieces->spare_count++] = page->memory;
    } else {
        const size_t byte_count =
            page->class >= 0 ? PAGE_SIZE : ((header_t *)(void *)page->memory)->length + sizeof(header_t);
        pieces->memory -= byte_count;
        free(page->memory);
    }
    page->memory = NULL;
    page->next = pieces->unused;
    pieces->unused = index;
}

static inline header_t *header_of(const cweir_pieces_t *pieces, uint32_t piece) {
    assert(piece >> SLOT_BITS < pieces->page_count);
    const page_t *page = &pieces->pages[piece >> SLOT_BITS];
    const uint32_t slot = piece & ((1u << SLOT_BITS) - 1);
    return (header_t *)(void *)(page->memory + (size_t)slot * page->size);
}

uint32_t cweir_pieces_take(cweir_pieces_t *pieces, uint32_t length, unsigned char **bytes) {
    uint32_t size = 0;
    const size_t byte_count = (size_t)length + sizeof(header_t);
    const int32_t class = class_of(byte_count, &size);
    int32_t index = class < 0 ? -1 : pieces->rooms[class];
    if (index < 0) {
        index = add_page(pieces, class, size, class < 0 ? byte_count : PAGE_SIZE);
        if (index < 0) {
            return CWEIR_PIECE_NONE;
        }
        if (class >= 0) {
            link_page(pieces, index);
        }
    }
    page_t *page = &pieces->pages[index];
    uint32_t slot = page->fresh;
    if (page->free >= 0) {
        slot = (uint32_t)page->free;
        page->free = (int32_t)((header_t *)(void *)(page->memory + (size_t)slot * size))->length;
    } else {
        page->fresh++;
    }
    page->used++;
    if (page->used == page->slots && class >= 0) {
        unlink_page(pieces, index);
    }
    pieces->count++;
    header_t *header = (header_t *)(void *)(page->memory + (size_t)slot * size);
    *header = (header_t){.length = length, .holders = 1};
    *bytes = (unsigned char *)(header + 1);
    return (uint32_t)index << SLOT_BITS | slot;
}

unsigned char *cweir_pieces_bytes(const cweir_pieces_t *pieces, uint32_t piece, size_t *length) {
    header_t *header = header_of(pieces, piece);
    assert(header->holders > 0);
    *length = header->length;
    return (unsigned char *)(header + 1);
}

void cweir_pieces_retain(const cweir_pieces_t *pieces, uint32_t piece) {
    header_of(pieces, piece)->holders++;
}

void cweir_pieces_release(cweir_pieces_t *pieces, uint32_t piece) {
    header_t *header = header_of(pieces, piece);
    assert(header->holders > 0);
    if (--header->holders > 0) {
        return;
    }
    const int32_t index = (int32_t)(piece >> SLOT_BITS);
    page_t *page = &pieces->pages[index];
    pieces->count--;
    page->used--;
    if (page->used == 0) {
        remove_page(pieces, index);
        return;
    }
    // Pages that are shared have several slots, so that one that was full is not empty now.
    if (page->used == page->slots - 1) {
        link_page(pieces, index);
    }
    header->length = (uint32_t)page->free;
    page->free = (int32_t)(piece & ((1u << SLOT_BITS) - 1));
}

size_t cweir_pieces_count(const cweir_pieces_t *pieces) {
    return pieces->count;
}

size_t cweir_pieces_memory(const cweir_pieces_t *pieces) {
    return pieces->memory;
}
