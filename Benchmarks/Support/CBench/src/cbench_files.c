#define _GNU_SOURCE // for wait4, and for what -std=c11 hides

#include "cbench_files.h"

#include "cbench_threads.h"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { CHUNK = 256 << 10 };

extern char **environ;

static int64_t nanoseconds(struct timeval time) {
    return (int64_t)time.tv_sec * 1000000000 + (int64_t)time.tv_usec * 1000;
}

// Looks every few milliseconds at the most memory that a process had so far. What wait4 says about it is of no use on
// Linux: it includes the memory of the process that started it, which both share until the program is loaded.
typedef struct watch {
    pid_t process;
    atomic_bool is_over;
    int64_t peak_bytes;
} watch_t;

static void look(watch_t *watch) {
    char path[64];
    (void)snprintf(path, sizeof path, "/proc/%d/status", (int)watch->process);
    FILE *status = fopen(path, "r");
    if (status == NULL) {
        return;
    }
    char line[256];
    while (fgets(line, sizeof line, status) != NULL) {
        if (strncmp(line, "VmHWM:", 6) == 0) {
            watch->peak_bytes = (int64_t)strtoll(line + 6, NULL, 10) * 1024;
        }
    }
    (void)fclose(status);
}

static void *watch_memory(void *argument) {
    watch_t *watch = argument;
    while (!atomic_load(&watch->is_over)) {
        look(watch);
        (void)nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
    }
    return NULL;
}

cbench_run_t cbench_run(
    char *const *arguments, const char *output_path, const char *message_path, bool watches_memory) {
    const cbench_run_t failed = {.status = -1};
    posix_spawn_file_actions_t actions;
    if (posix_spawn_file_actions_init(&actions) != 0) {
        return failed;
    }
    const int flags = O_WRONLY | O_CREAT | O_TRUNC;
    (void)posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    (void)posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, output_path, flags, 0600);
    (void)posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, message_path, flags, 0600);
    const int64_t start = cbench_now();
    pid_t process = 0;
    const int spawned = posix_spawnp(&process, arguments[0], &actions, NULL, arguments, environ);
    (void)posix_spawn_file_actions_destroy(&actions);
    if (spawned != 0) {
        return failed;
    }
    watch_t watch = {.process = process, .peak_bytes = -1};
    atomic_init(&watch.is_over, false);
    pthread_t watcher;
    const bool is_watched = watches_memory && pthread_create(&watcher, NULL, watch_memory, &watch) == 0;
    int status = 0;
    struct rusage usage;
    const pid_t ended = wait4(process, &status, 0, &usage);
    const int64_t end = cbench_now();
    if (is_watched) {
        atomic_store(&watch.is_over, true);
        (void)pthread_join(watcher, NULL);
    }
    if (ended != process || !WIFEXITED(status)) {
        return failed;
    }
#if !defined(__linux__)
    watch.peak_bytes = watches_memory ? usage.ru_maxrss : -1;
#endif
    return (cbench_run_t){
        .status = WEXITSTATUS(status),
        .wall_nanoseconds = end - start,
        .processor_nanoseconds = nanoseconds(usage.ru_utime) + nanoseconds(usage.ru_stime),
        .peak_bytes = watch.peak_bytes,
    };
}

// Waits for the first output for at most ten seconds.
static int64_t wait_for_output(int output, int64_t start) {
    struct pollfd entry = {.fd = output, .events = POLLIN};
    char byte = 0;
    if (poll(&entry, 1, 10000) != 1 || read(output, &byte, 1) != 1) {
        return -1;
    }
    return cbench_now() - start;
}

int64_t cbench_first_output(char *const *arguments, const char *input) {
    int to_program[2];
    int from_program[2];
    if (pipe(to_program) != 0) {
        return -1;
    }
    if (pipe(from_program) != 0) {
        (void)close(to_program[0]);
        (void)close(to_program[1]);
        return -1;
    }
    posix_spawn_file_actions_t actions;
    (void)posix_spawn_file_actions_init(&actions);
    (void)posix_spawn_file_actions_adddup2(&actions, to_program[0], STDIN_FILENO);
    (void)posix_spawn_file_actions_adddup2(&actions, from_program[1], STDOUT_FILENO);
    (void)posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    const int ends[] = {to_program[0], to_program[1], from_program[0], from_program[1]};
    for (size_t index = 0; index < 4; index++) {
        (void)posix_spawn_file_actions_addclose(&actions, ends[index]);
    }
    const int64_t start = cbench_now();
    pid_t process = 0;
    const int spawned = posix_spawnp(&process, arguments[0], &actions, NULL, arguments, environ);
    (void)posix_spawn_file_actions_destroy(&actions);
    (void)close(to_program[0]);
    (void)close(from_program[1]);
    int64_t result = -1;
    const size_t length = strlen(input);
    if (spawned == 0 && write(to_program[1], input, length) == (ssize_t)length) {
        result = wait_for_output(from_program[0], start);
    }
    (void)close(to_program[1]);
    (void)close(from_program[0]);
    if (spawned == 0) {
        (void)waitpid(process, NULL, 0);
    }
    return result;
}

int64_t cbench_read_file(const char *path) {
    const int file = open(path, O_RDONLY);
    if (file < 0) {
        return -1;
    }
    char *buffer = malloc(CHUNK);
    int64_t total = 0;
    ssize_t count = -1;
    while (buffer != NULL && (count = read(file, buffer, CHUNK)) > 0) {
        total += count;
    }
    free(buffer);
    (void)close(file);
    return count < 0 ? -1 : total;
}

int64_t cbench_count_lines(const char *path) {
    const int file = open(path, O_RDONLY);
    if (file < 0) {
        return -1;
    }
    char *buffer = malloc(CHUNK);
    int64_t lines = 0;
    ssize_t count = -1;
    while (buffer != NULL && (count = read(file, buffer, CHUNK)) > 0) {
        const char *const end = buffer + count;
        for (const char *next = buffer; (next = memchr(next, '\n', (size_t)(end - next))) != NULL; next++) {
            lines++;
        }
    }
    free(buffer);
    (void)close(file);
    return count < 0 ? -1 : lines;
}
