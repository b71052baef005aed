// O_CLOEXEC is POSIX, which -std=c11 hides unless asked for.
#define _POSIX_C_SOURCE 200809L

#include "cweir_clock.h"

#if defined(__x86_64__) && defined(__linux__)

#include <cpuid.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

// The processor's counter ticks at a constant rate that is not known. So readings lie on a line through a reading of
// the kernel's clock, with a measured slope; the first read more than a millisecond after its start draws a new line.
// In between, readings err by the error of the slope, some millionths, so by some nanoseconds.
//
// The line is guarded by a version, which is odd while it is being drawn. The fields are read with acquire and written
// with release, so who has read a field of a new line sees that the version has changed.
enum {
    FRACTION_BITS = 32,       // of a slope
    LEARNING = 2000000,       // nanoseconds from the first reading to the first line
    INTERVAL = 1000000,       // nanoseconds that a line is good for
    FORGETTING = 1000000000,  // nanoseconds after which the slope is measured from a later reading on
    TOLERANCE = 1000,         // slopes that differ by more than one part in 1000 are not those of one counter
    LONGEST = 4096,           // ticks between two readings that are taken for one moment
};

typedef struct reading {
    uint64_t ticks;
    int64_t nanoseconds;
} reading_t;

static struct {
    _Atomic(uint64_t) version;
    _Atomic(uint64_t) ticks;      // where the line begins
    _Atomic(int64_t) nanoseconds; // where the line begins
    _Atomic(uint64_t) slope;      // nanoseconds per tick
    _Atomic(uint64_t) limit;      // ticks that the line is good for; 0 when there is none
    _Atomic(int64_t) retry;       // when to try next to draw a line
    CWEIR_PAD(0, 6 * sizeof(uint64_t));
} line;

// Belongs to who has made the version odd.
static struct {
    bool is_asked;        // whether the counter can be trusted
    reading_t origins[2]; // the slope is measured from the first; the second will be the first
    uint64_t slope;       // 0 until it is known
} counter;

static _Thread_local int64_t latest;

static int64_t never_back(int64_t nanoseconds) {
    latest = nanoseconds > latest ? nanoseconds : latest;
    return latest;
}

// Whether the counter never changes its rate, and the kernel, which watches it, goes by it itself.
static bool is_trusted(void) {
    unsigned eax, ebx, ecx, edx;
    if (__get_cpuid(0x80000007, &eax, &ebx, &ecx, &edx) == 0 || (edx & (1u << 8)) == 0) {
        return false;
    }
    const int file = open("/sys/devices/system/clocksource/clocksource0/current_clocksource", O_RDONLY | O_CLOEXEC);
    if (file < 0) {
        return false;
    }
    char name[8];
    const ssize_t length = read(file, name, sizeof(name));
    (void)close(file);
    return length == 4 && memcmp(name, "tsc\n", 4) == 0;
}

// Reads both clocks at one moment, as nearly as a few attempts get them. Returns false when none did.
static bool read_both(reading_t *reading) {
    uint64_t shortest = LONGEST;
    for (int attempt = 0; attempt < 3; attempt += 1) {
        const uint64_t before = __builtin_ia32_rdtsc();
        const int64_t now = cweir_clock_monotonic();
        const uint64_t lasted = __builtin_ia32_rdtsc() - before;
        if (lasted < shortest) {
            shortest = lasted;
            *reading = (reading_t){.ticks = before + lasted / 2, .nanoseconds = now};
        }
    }
    return shortest < LONGEST;
}

static bool is_similar(uint64_t slope, uint64_t other) {
    return (slope > other ? slope - other : other - slope) <= other / TOLERANCE;
}

// Measures the slope up to a reading. Returns 0 while it is not known.
static uint64_t measure_slope(reading_t now) {
    const int64_t elapsed = now.nanoseconds - counter.origins[0].nanoseconds;
    if (counter.origins[0].ticks != 0 && now.ticks > counter.origins[0].ticks) {
        if (elapsed < LEARNING) {
            return 0;
        }
        const uint64_t ticks = now.ticks - counter.origins[0].ticks;
        const double scale = (double)(UINT64_C(1) << FRACTION_BITS);
        const uint64_t slope = (uint64_t)((double)elapsed / (double)ticks * scale);
        // Counters of less than 100 MHz or more than 16 GHz are none.
        const bool is_likely = slope >> (FRACTION_BITS - 4) != 0 && slope >> FRACTION_BITS < 10;
        if (is_likely && (counter.slope == 0 || is_similar(slope, counter.slope))) {
            if (now.nanoseconds - counter.origins[1].nanoseconds >= FORGETTING) {
                counter.origins[0] = counter.origins[1];
                counter.origins[1] = now;
            }
            counter.slope = slope;
            return slope;
        }
    }
    // The first time; or the machine slept, or moved to another, and the clocks do not agree on for how long.
    counter.origins[0] = now;
    counter.origins[1] = now;
    counter.slope = 0;
    return 0;
}

// Draws the line from now on, if it can be known; the caller has made the version odd.
static void draw_line(int64_t monotonic) {
    uint64_t slope = 0;
    reading_t now = {0, 0};
    int64_t retry = monotonic + LEARNING;
    if (!counter.is_asked) {
        counter.is_asked = true;
        if (!is_trusted()) {
            retry = INT64_MAX;
        }
    }
    if (retry != INT64_MAX && read_both(&now)) {
        slope = measure_slope(now);
    }
    if (slope != 0) {
        retry = monotonic;
    }
    const uint64_t limit = slope == 0 ? 0 : ((uint64_t)INTERVAL << FRACTION_BITS) / slope;
    atomic_store_explicit(&line.ticks, now.ticks, memory_order_release);
    atomic_store_explicit(&line.nanoseconds, now.nanoseconds, memory_order_release);
    atomic_store_explicit(&line.slope, slope, memory_order_release);
    atomic_store_explicit(&line.limit, limit, memory_order_release);
    atomic_store_explicit(&line.retry, retry, memory_order_release);
}

static int64_t read_slowly(void) {
    const int64_t now = cweir_clock_monotonic();
    uint64_t version = atomic_load_explicit(&line.version, memory_order_relaxed);
    if (now < atomic_load_explicit(&line.retry, memory_order_relaxed) || (version & 1) != 0) {
        return now;
    }
    // Acquire: pairs with the release below, so that the caller sees the counter's state.
    if (atomic_compare_exchange_strong_explicit(
            &line.version, &version, version + 1, memory_order_acquire, memory_order_relaxed)) {
        draw_line(now);
        atomic_store_explicit(&line.version, version + 2, memory_order_release);
    }
    return now;
}

int64_t cweir_clock_quick(void) {
    const uint64_t version = atomic_load_explicit(&line.version, memory_order_acquire);
    const uint64_t start = atomic_load_explicit(&line.ticks, memory_order_acquire);
    const int64_t nanoseconds = atomic_load_explicit(&line.nanoseconds, memory_order_acquire);
    const uint64_t slope = atomic_load_explicit(&line.slope, memory_order_acquire);
    const uint64_t limit = atomic_load_explicit(&line.limit, memory_order_acquire);
    // What another core counts a little behind the start wraps round, and is beyond the limit, too.
    const uint64_t ticks = __builtin_ia32_rdtsc() - start;
    const bool is_whole = atomic_load_explicit(&line.version, memory_order_relaxed) == version;
    if (__builtin_expect(ticks < limit && is_whole && (version & 1) == 0, 1)) {
        // The product is below INTERVAL << FRACTION_BITS.
        return never_back(nanoseconds + (int64_t)((ticks * slope) >> FRACTION_BITS));
    }
    return never_back(read_slowly());
}

#else

int64_t cweir_clock_quick(void) {
    return cweir_clock_monotonic();
}

#endif
