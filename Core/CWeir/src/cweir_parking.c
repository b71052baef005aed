#include "cweir_parking.h"

cweir_parking_t *cweir_parking_create(void) {
    // A line of its own: its neighbours would be disturbed by every sleep and wake.
    cweir_parking_t *parking = cweir_allocate_lines(1, CWEIR_CACHE_LINE);
    if (parking != NULL) {
        cweir_parking_init(parking, 0);
    }
    return parking;
}

void cweir_parking_destroy(cweir_parking_t *parking) {
    cweir_free_lines(parking);
}

bool cweir_parker_park(cweir_parking_t *parking, int64_t deadline) {
    uint32_t expected = CWEIR_PARKER_NOBODY;
    // Relaxed: it promises nothing to the thread that sees it; the exchange below takes what the permit brings.
    if (atomic_compare_exchange_strong_explicit(
            &parking->word, &expected, CWEIR_PARKER_PARKED, memory_order_relaxed, memory_order_relaxed)) {
        while (atomic_load_explicit(&parking->word, memory_order_relaxed) == CWEIR_PARKER_PARKED) {
            if (!cweir_parking_sleep(parking, CWEIR_PARKER_PARKED, deadline)) {
                break;
            }
        }
    }
    // Acquire: pairs with the release in cweir_parker_unpark. The permit may have come after the deadline, so look.
    return atomic_exchange_explicit(&parking->word, CWEIR_PARKER_NOBODY, memory_order_acquire) == CWEIR_PARKER_PERMIT;
}
