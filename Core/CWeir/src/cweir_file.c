// O_CLOEXEC and pipe2 are not part of C11, and -std=c11 hides them unless asked for.
#define _GNU_SOURCE
#define _DARWIN_C_SOURCE

#include "cweir_file.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

long cweir_file_read(const char *path, void *buffer, size_t capacity) {
    // A pipe without a writer would wait for one.
    const int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0) {
        return -1;
    }
    struct stat status;
    if (fstat(file, &status) != 0 || !S_ISREG(status.st_mode)) {
        close(file);
        errno = ENOENT;
        return -1;
    }
    size_t count = 0;
    while (count < capacity) {
        const ssize_t length = read(file, (char *)buffer + count, capacity - count);
        if (length < 0 && errno == EINTR) {
            continue;
        }
        if (length < 0) {
            const int error = errno;
            close(file);
            errno = error;
            return -1;
        }
        if (length == 0) {
            break;
        }
        count += (size_t)length;
    }
    close(file);
    return (long)count;
}

int cweir_file_pipe(int *ends) {
#if defined(__linux__)
    return pipe2(ends, O_CLOEXEC);
#else
    if (pipe(ends) < 0) {
        return -1;
    }
    (void)fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    (void)fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    return 0;
#endif
}
