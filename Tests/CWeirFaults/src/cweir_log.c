#define _GNU_SOURCE

#include "cweir_log.h"

#if defined(__linux__)

#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic int log_file = -1;
static char root[4096];

// Past the functions that are logged.
static void put(const void *bytes, size_t count) {
    while (count > 0) {
        const long done = syscall(SYS_write, atomic_load(&log_file), bytes, count);
        if (done <= 0) {
            return;
        }
        bytes = (const char *)bytes + done;
        count -= (size_t)done;
    }
}

bool cweir_log_begin(const char *folder, const char *log) {
    if (strlen(folder) >= sizeof root) {
        return false;
    }
    strcpy(root, folder);
    const long file = syscall(SYS_openat, AT_FDCWD, log, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    atomic_store(&log_file, (int)file);
    return file >= 0;
}

void cweir_log_end(void) {
    pthread_mutex_lock(&lock);
    const int file = atomic_exchange(&log_file, -1);
    if (file >= 0) {
        close(file);
    }
    pthread_mutex_unlock(&lock);
}

bool cweir_log_lock(void) {
    if (atomic_load(&log_file) < 0) {
        return false;
    }
    pthread_mutex_lock(&lock);
    if (atomic_load(&log_file) < 0) {
        pthread_mutex_unlock(&lock);
        return false;
    }
    return true;
}

void cweir_log_unlock(void) { pthread_mutex_unlock(&lock); }

bool cweir_log_wants(const char *path) {
    const size_t length = strlen(root);
    return strncmp(path, root, length) == 0 && (path[length] == '/' || path[length] == 0);
}

bool cweir_log_wants_descriptor(int descriptor, char *path) {
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    const ssize_t length = readlink(link, path, 4095);
    if (length < 0) {
        return false;
    }
    path[length] = 0;
    return cweir_log_wants(path);
}

static void put_text(const void *bytes, size_t count) {
    const uint32_t length = (uint32_t)count;
    put(&length, sizeof length);
    put(bytes, count);
}

void cweir_log_note(uint8_t kind, uint64_t first, uint64_t second, const void *one, size_t one_count, const void *other,
    size_t other_count) {
    put(&kind, 1);
    put(&first, sizeof first);
    put(&second, sizeof second);
    put_text(one, one_count);
    put_text(other, other_count);
}

#else

bool cweir_log_begin(const char *folder, const char *log) {
    (void)folder;
    (void)log;
    return false;
}

void cweir_log_end(void) {}

#endif
