// The common stream in C, for programs that read files, and what must come out of them, by plain loops.
//
//     stream csv|jsonl|bits COUNT      writes the first events
//     stream short-csv|short-jsonl COUNT  the same with values of six decimals
//     stream reference WORKLOAD COUNT  prints how many results there are and their checksum
//     stream read WORKLOAD FILE.csv    the same from a file: what reading numbers takes at least
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    uint64_t time, key;
    unsigned type;
    double value;
} event_t;

static uint64_t state = 42;

static event_t next_event(uint64_t index) {
    uint64_t r = state += 0x9E3779B97F4A7C15u;
    r = (r ^ (r >> 30)) * 0xBF58476D1CE4E5B9u;
    r = (r ^ (r >> 27)) * 0x94D049BB133111EBu;
    r ^= r >> 31;
    return (event_t){index, r % 1000, (unsigned)(r >> 32) & 3, (double)(r >> 11) * 0x1p-53};
}

// What a value is that is written with six decimals.
static double shortened(double value) { return (double)(uint64_t)(value * 1e6) / 1e6; }

static uint64_t count;
static double sum, sums[1000];

// What the value is multiplied with in w1, and in filter.
static double factor_of(const char *workload) { return strcmp(workload, "w1") == 0 ? 2 : 1; }

static int is_by_key(const char *workload) { return strcmp(workload, "w4") == 0; }

static inline void take_by_key(uint64_t key, double value) {
    count++;
    sum += sums[key] += value;
}

static inline void take(double value, double factor) {
    if (value > 0.5) {
        count++;
        sum += value * factor;
    }
}

// The mean of each second, which is a thousand events.
static void means(uint64_t events) {
    double of_second = 0;
    for (uint64_t index = 0; index < events; index++) {
        of_second += next_event(index).value;
        if (index % 1000 == 999 || index + 1 == events) {
            count++;
            sum += of_second / (double)(index % 1000 + 1);
            of_second = 0;
        }
    }
}

// The greatest value of the last 10 s, at the end of each second in which one of those 10 s has an event.
static void hopping_maxima(uint64_t events) {
    double seconds[10] = {0}; // the greatest of each, the newest at its number modulo 10
    const uint64_t last = (events + 999) / 1000;
    for (uint64_t second = 0; second < last + 9; second++) {
        double greatest = 0;
        for (uint64_t index = second * 1000; index < (second + 1) * 1000 && index < events; index++) {
            double value = next_event(index).value;
            if (value > greatest) greatest = value;
        }
        seconds[second % 10] = greatest;
        greatest = 0;
        for (int at = 0; at < 10; at++) {
            if (seconds[at] > greatest) greatest = seconds[at];
        }
        count++;
        sum += greatest;
    }
}

// A, then the next B, then the next C of the key within 10 s; every A starts a match of its own.
static uint64_t sequences(uint64_t events) {
    typedef struct { uint64_t a, b; int has_b; } partial_t;
    typedef struct { partial_t *items; size_t count, room; } list_t;
    static list_t lists[1000];
    uint64_t checksum = 0;
    for (uint64_t index = 0; index < events; index++) {
        event_t event = next_event(index);
        list_t *list = &lists[event.key];
        size_t kept = 0;
        for (size_t at = 0; at < list->count; at++) {
            partial_t partial = list->items[at];
            if (event.time - partial.a >= 10000) continue;
            if (event.type == 1 && !partial.has_b) {
                partial.b = event.time;
                partial.has_b = 1;
            } else if (event.type == 2 && partial.has_b) {
                count++;
                checksum += 31 * partial.a + 17 * partial.b + event.time;
                continue;
            }
            list->items[kept++] = partial;
        }
        list->count = kept;
        if (event.type == 0) {
            if (list->count == list->room) {
                list->room = list->room * 2 + 8;
                list->items = realloc(list->items, list->room * sizeof(partial_t));
                if (!list->items) exit(1);
            }
            list->items[list->count++] = (partial_t){event.time, 0, 0};
        }
    }
    return checksum;
}

static int read_file(const char *workload, const char *path) {
    FILE *file = fopen(path, "r");
    char line[256];
    if (!file || !fgets(line, sizeof line, file)) return 1;
    const int by_key = is_by_key(workload);
    const double factor = factor_of(workload);
    while (fgets(line, sizeof line, file)) {
        char *at;
        strtoull(line, &at, 10);
        uint64_t key = strtoull(at + 1, &at, 10);
        double value = strtod(at + 3, NULL);
        if (by_key) take_by_key(key % 1000, value);
        else take(value, factor);
    }
    fclose(file);
    printf("%" PRIu64 " %.17g\n", count, sum);
    return 0;
}

int main(int argc, char **argv) {
    if (argc == 4 && strcmp(argv[1], "read") == 0) return read_file(argv[2], argv[3]);
    if (argc == 4 && strcmp(argv[1], "reference") == 0) {
        uint64_t events = strtoull(argv[3], NULL, 10);
        if (strcmp(argv[2], "w6") == 0) {
            uint64_t checksum = sequences(events);
            printf("%" PRIu64 " %" PRIu64 "\n", count, checksum);
            return 0;
        }
        const double factor = factor_of(argv[2]);
        if (strcmp(argv[2], "w3t") == 0) {
            means(events);
        } else if (strcmp(argv[2], "w5") == 0) {
            hopping_maxima(events);
        } else if (strcmp(argv[2], "numbers") == 0 || strcmp(argv[2], "table") == 0) {
            const int has_all = strcmp(argv[2], "table") == 0;
            uint64_t others = 0;
            for (uint64_t index = 0; index < events; index++) {
                event_t event = next_event(index);
                take(shortened(event.value), factor);
                others += event.key + (event.type == 0);
            }
            if (has_all) sum += (double)others;
        } else if (is_by_key(argv[2])) {
            for (uint64_t index = 0; index < events; index++) {
                event_t event = next_event(index);
                take_by_key(event.key, event.value);
            }
        } else {
            for (uint64_t index = 0; index < events; index++) take(next_event(index).value, factor);
        }
        printf("%" PRIu64 " %.17g\n", count, sum);
        return 0;
    }
    if (argc != 3) return fprintf(stderr, "usage: see the first lines of stream.c\n"), 2;
    uint64_t events = strtoull(argv[2], NULL, 10);
    const int is_short = strncmp(argv[1], "short-", 6) == 0;
    if (is_short) argv[1] += 6;
    if (strcmp(argv[1], "csv") == 0) puts("time,key,type,value");
    for (uint64_t index = 0; index < events; index++) {
        event_t event = next_event(index);
        char value[32];
        if (is_short) snprintf(value, sizeof value, "%.6f", shortened(event.value));
        else snprintf(value, sizeof value, "%.17g", event.value);
        if (strcmp(argv[1], "csv") == 0) {
            printf("%" PRIu64 ",%" PRIu64 ",%c,%s\n", event.time, event.key, "ABCD"[event.type], value);
        } else if (strcmp(argv[1], "jsonl") == 0) {
            printf("{\"time\":%" PRIu64 ",\"key\":%" PRIu64 ",\"type\":\"%c\",\"value\":%s}\n", event.time,
                event.key, "ABCD"[event.type], value);
        } else {
            uint64_t bits;
            memcpy(&bits, &event.value, sizeof bits);
            printf("%" PRIu64 " %" PRIu64 " %u %" PRIx64 "\n", event.time, event.key, event.type, bits);
        }
    }
    return 0;
}
