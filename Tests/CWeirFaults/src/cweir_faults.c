#define _GNU_SOURCE

#include "CWeirFaults.h"

#if defined(__linux__)

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <string.h>
#include <unistd.h>

#include "cweir_log.h"

enum call {
    ACCEPT, CONNECT, SEND, SENDMMSG, RECVMSG, RECVMMSG, EPOLL_WAIT, POLL, PREAD, PWRITE,
    WRITE, FTRUNCATE, FSYNC, RENAME, OPEN, FLOCK, SOCKET, EPOLL_CREATE, EPOLL_CTL, PIPE, FALLOCATE,
    PIPE2, SPAWN, SPAWN_SETTING, CALL_COUNT
};

// Which errors each call may fail with, and by what kind of fault; the list ends with zero.
static const struct {
    uint32_t kind;
    int error;
} errors[CALL_COUNT][6] = {
    [ACCEPT] = {{CWEIR_FAULT_INTERRUPTED, EINTR}, {CWEIR_FAULT_BLOCKED, EAGAIN}, {CWEIR_FAULT_BLOCKED, ECONNABORTED},
        {CWEIR_FAULT_BLOCKED, EMFILE}},
    [CONNECT] = {{CWEIR_FAULT_INTERRUPTED, EINTR}, {CWEIR_FAULT_BLOCKED, EAGAIN},
        {CWEIR_FAULT_BROKEN_SENDING, ECONNREFUSED}},
    [SEND] = {{CWEIR_FAULT_INTERRUPTED, EINTR}, {CWEIR_FAULT_BLOCKED, EAGAIN}, {CWEIR_FAULT_BLOCKED, ENOBUFS},
        {CWEIR_FAULT_BROKEN_SENDING, EPIPE}, {CWEIR_FAULT_BROKEN_SENDING, ECONNRESET}},
    [SENDMMSG] = {{CWEIR_FAULT_INTERRUPTED, EINTR}, {CWEIR_FAULT_BLOCKED, EAGAIN}, {CWEIR_FAULT_BLOCKED, ENOBUFS},
        {CWEIR_FAULT_BROKEN_SENDING, ECONNREFUSED}},
    [RECVMSG] = {{CWEIR_FAULT_INTERRUPTED, EINTR}, {CWEIR_FAULT_BLOCKED, EAGAIN},
        {CWEIR_FAULT_BROKEN_RECEIVING, ECONNRESET}},
    [RECVMMSG] = {{CWEIR_FAULT_INTERRUPTED, EINTR}, {CWEIR_FAULT_BLOCKED, EAGAIN}},
    [EPOLL_WAIT] = {{CWEIR_FAULT_INTERRUPTED, EINTR}},
    [POLL] = {{CWEIR_FAULT_INTERRUPTED, EINTR}},
    [PREAD] = {{CWEIR_FAULT_INTERRUPTED, EINTR}, {CWEIR_FAULT_FILE, EIO}},
    [PWRITE] = {{CWEIR_FAULT_INTERRUPTED, EINTR}, {CWEIR_FAULT_DISK_FULL, ENOSPC}},
    [WRITE] = {{CWEIR_FAULT_FILE, EINTR}, {CWEIR_FAULT_FILE, ENOSPC}},
    [FTRUNCATE] = {{CWEIR_FAULT_FILE, EINTR}, {CWEIR_FAULT_FILE, EIO}},
    [FSYNC] = {{CWEIR_FAULT_FILE, EINTR}, {CWEIR_FAULT_FILE, EIO}},
    [RENAME] = {{CWEIR_FAULT_FILE, ENOSPC}},
    [OPEN] = {{CWEIR_FAULT_FILE, EINTR}, {CWEIR_FAULT_FILE, EMFILE}},
    [FLOCK] = {{CWEIR_FAULT_SHORTAGE, ENOLCK}},
    [SOCKET] = {{CWEIR_FAULT_SHORTAGE, EMFILE}, {CWEIR_FAULT_SHORTAGE, ENOBUFS}, {CWEIR_FAULT_SHORTAGE, ENOMEM}},
    [EPOLL_CREATE] = {{CWEIR_FAULT_SHORTAGE, EMFILE}},
    [EPOLL_CTL] = {{CWEIR_FAULT_SHORTAGE, ENOMEM}},
    [PIPE] = {{CWEIR_FAULT_SHORTAGE, EMFILE}},
    [FALLOCATE] = {{CWEIR_FAULT_SHORTAGE, EOPNOTSUPP}},
    [PIPE2] = {{CWEIR_FAULT_SPAWNING, EMFILE}},
    [SPAWN] = {{CWEIR_FAULT_SPAWNING, EAGAIN}, {CWEIR_FAULT_SPAWNING, ENOENT}},
    [SPAWN_SETTING] = {{CWEIR_FAULT_SPAWNING, ENOMEM}},
};

static _Atomic uint32_t wanted_kinds;
static uint64_t seed_now;
static uint32_t rarity;
static _Atomic uint64_t call_counts[CALL_COUNT];
static _Atomic uint64_t fault_count;

// How many calls could fail before the only one that does; the largest number where others do too.
static uint64_t only = UINT64_MAX;
static _Atomic uint64_t chance_count;

static bool begin(uint64_t seed, uint32_t kinds) {
    seed_now = seed;
    atomic_store_explicit(&chance_count, 0, memory_order_relaxed);
    for (int call = 0; call < CALL_COUNT; call++) {
        atomic_store_explicit(&call_counts[call], 0, memory_order_relaxed);
    }
    atomic_store_explicit(&fault_count, 0, memory_order_relaxed);
    // Last: a thread that sees the kinds sees the seed as well.
    atomic_store_explicit(&wanted_kinds, kinds, memory_order_release);
    return true;
}

bool cweir_faults_begin(uint64_t seed, uint32_t kinds, uint32_t one_in) {
    only = UINT64_MAX;
    rarity = one_in == 0 ? 1 : one_in;
    return begin(seed, kinds);
}

bool cweir_faults_begin_once(uint64_t choice, uint32_t kinds, uint64_t nth) {
    only = nth;
    rarity = 1;
    return begin(choice, kinds);
}

uint64_t cweir_faults_end(void) {
    atomic_store_explicit(&wanted_kinds, 0, memory_order_release);
    return atomic_load_explicit(&fault_count, memory_order_relaxed);
}

// The finalizer of splitmix64: every bit of the result depends on every bit of the word.
static uint64_t mix(uint64_t word) {
    word = (word ^ (word >> 30)) * 0xbf58476d1ce4e5b9;
    word = (word ^ (word >> 27)) * 0x94d049bb133111eb;
    return word ^ (word >> 31);
}

typedef struct {
    int error;     // what to fail with, or zero
    size_t amount; // how much to do at most
} verdict_t;

// Decides about a call that may do `amount`, of which at least one is done.
static verdict_t decide(enum call call, size_t amount) {
    verdict_t verdict = {.error = 0, .amount = amount};
    const uint32_t kinds = atomic_load_explicit(&wanted_kinds, memory_order_acquire);
    if (kinds == 0) {
        return verdict;
    }
    const uint64_t number = atomic_fetch_add_explicit(&call_counts[call], 1, memory_order_relaxed);
    uint64_t random = mix(seed_now + mix(number * CALL_COUNT + (uint64_t)call + 1));
    if (random % rarity != 0) {
        return verdict;
    }
    int choices[7];
    int count = 0;
    for (int index = 0; errors[call][index].error != 0; index++) {
        if ((errors[call][index].kind & kinds) != 0) {
            choices[count++] = errors[call][index].error;
        }
    }
    if ((kinds & (call == WRITE ? CWEIR_FAULT_FILE : CWEIR_FAULT_PARTIAL)) != 0 && amount > 1) {
        choices[count++] = 0;
    }
    if (count == 0) {
        return verdict;
    }
    random = mix(random);
    verdict.error = choices[random % (uint64_t)count];
    if (only != UINT64_MAX) {
        // What has fewer ways to fail has failed in all of them with a smaller choice.
        if (seed_now >= (uint64_t)count || atomic_fetch_add_explicit(&chance_count, 1, memory_order_relaxed) != only) {
            verdict.error = 0;
            return verdict;
        }
        verdict.error = choices[seed_now];
    }
    if (verdict.error == 0) {
        // As often very little as nearly all.
        const uint64_t bits = mix(random + 1) % 16;
        verdict.amount = 1 + (size_t)(mix(random + 2) % (amount - 1)) % ((size_t)1 << bits);
    }
    atomic_fetch_add_explicit(&fault_count, 1, memory_order_relaxed);
    return verdict;
}

// Finds the C library's function once; finding it twice at the same time does no harm.
#define REAL(name)                                                                                                     \
    static _Atomic(__typeof__(&name)) found;                                                                           \
    __typeof__(&name) real = atomic_load_explicit(&found, memory_order_relaxed);                                       \
    if (real == NULL) {                                                                                                \
        real = (__typeof__(&name))(uintptr_t)dlsym(RTLD_NEXT, #name);                                                  \
        atomic_store_explicit(&found, real, memory_order_relaxed);                                                     \
    }

#define FAIL_OR_GO_ON(verdict)                                                                                         \
    if ((verdict).error != 0) {                                                                                        \
        errno = (verdict).error;                                                                                       \
        return -1;                                                                                                     \
    }

static bool is_connected_stream(int socket) {
    int type = 0;
    socklen_t length = sizeof(type);
    return getsockopt(socket, SOL_SOCKET, SO_TYPE, &type, &length) == 0 && type == SOCK_STREAM;
}

int accept4(int socket, struct sockaddr *address, socklen_t *length, int flags) {
    REAL(accept4)
    const verdict_t verdict = decide(ACCEPT, 1);
    FAIL_OR_GO_ON(verdict)
    return real(socket, address, length, flags);
}

int connect(int socket, const struct sockaddr *address, socklen_t length) {
    REAL(connect)
    // A port has no listener to wait for.
    if (address->sa_family != AF_UNIX) {
        return real(socket, address, length);
    }
    const verdict_t verdict = decide(CONNECT, 1);
    FAIL_OR_GO_ON(verdict)
    return real(socket, address, length);
}

ssize_t send(int socket, const void *bytes, size_t count, int flags) {
    REAL(send)
    // A packet is sent whole or not at all.
    const bool is_stream = is_connected_stream(socket);
    const verdict_t verdict = decide(SEND, is_stream ? count : 1);
    FAIL_OR_GO_ON(verdict)
    return real(socket, bytes, is_stream ? verdict.amount : count, flags);
}

int sendmmsg(int socket, struct mmsghdr *messages, unsigned count, int flags) {
    REAL(sendmmsg)
    const verdict_t verdict = decide(SENDMMSG, count);
    FAIL_OR_GO_ON(verdict)
    return real(socket, messages, (unsigned)verdict.amount, flags);
}

ssize_t recvmsg(int socket, struct msghdr *message, int flags) {
    REAL(recvmsg)
    if ((flags & MSG_ERRQUEUE) != 0 || message->msg_iovlen != 1) {
        return real(socket, message, flags);
    }
    const size_t count = message->msg_iov[0].iov_len;
    const bool is_stream = is_connected_stream(socket);
    const verdict_t verdict = decide(RECVMSG, is_stream ? count : 1);
    FAIL_OR_GO_ON(verdict)
    struct iovec part = {.iov_base = message->msg_iov[0].iov_base, .iov_len = is_stream ? verdict.amount : count};
    struct iovec *const before = message->msg_iov;
    message->msg_iov = &part;
    const ssize_t received = real(socket, message, flags);
    message->msg_iov = before;
    return received;
}

int recvmmsg(int socket, struct mmsghdr *messages, unsigned count, int flags, struct timespec *timeout) {
    REAL(recvmmsg)
    const verdict_t verdict = decide(RECVMMSG, count);
    FAIL_OR_GO_ON(verdict)
    return real(socket, messages, (unsigned)verdict.amount, flags, timeout);
}

int epoll_wait(int poller, struct epoll_event *events, int count, int milliseconds) {
    REAL(epoll_wait)
    const verdict_t verdict = decide(EPOLL_WAIT, (size_t)count);
    FAIL_OR_GO_ON(verdict)
    return real(poller, events, (int)verdict.amount, milliseconds);
}

int poll(struct pollfd *entries, nfds_t count, int milliseconds) {
    REAL(poll)
    const verdict_t verdict = decide(POLL, 1);
    FAIL_OR_GO_ON(verdict)
    return real(entries, count, milliseconds);
}

ssize_t pread(int file, void *bytes, size_t count, off_t offset) {
    REAL(pread)
    const verdict_t verdict = decide(PREAD, count);
    FAIL_OR_GO_ON(verdict)
    return real(file, bytes, verdict.amount, offset);
}

ssize_t pwrite(int file, const void *bytes, size_t count, off_t offset) {
    REAL(pwrite)
    const verdict_t verdict = decide(PWRITE, count);
    FAIL_OR_GO_ON(verdict)
    return real(file, bytes, verdict.amount, offset);
}

// Whether a descriptor is a file, and none of the three that everyone has.
static bool is_file(int descriptor) {
    struct stat status;
    return descriptor > 2 && fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode);
}

ssize_t write(int file, const void *bytes, size_t count) {
    REAL(write)
    if (!is_file(file)) {
        return real(file, bytes, count);
    }
    const verdict_t verdict = decide(WRITE, count);
    FAIL_OR_GO_ON(verdict)
    if (!cweir_log_lock()) {
        return real(file, bytes, verdict.amount);
    }
    char path[4096];
    struct stat status;
    const bool appends = (fcntl(file, F_GETFL) & O_APPEND) != 0;
    const off_t place = fstat(file, &status) == 0 && appends ? status.st_size : lseek(file, 0, SEEK_CUR);
    const ssize_t done = real(file, bytes, verdict.amount);
    if (done > 0 && cweir_log_wants_descriptor(file, path)) {
        cweir_log_note(CWEIR_LOG_WRITE, status.st_ino, (uint64_t)place, bytes, (size_t)done, "", 0);
    }
    cweir_log_unlock();
    return done;
}

int ftruncate(int file, off_t length) {
    REAL(ftruncate)
    const verdict_t verdict = decide(FTRUNCATE, 1);
    FAIL_OR_GO_ON(verdict)
    if (!cweir_log_lock()) {
        return real(file, length);
    }
    char path[4096];
    struct stat status;
    const int result = real(file, length);
    if (result == 0 && fstat(file, &status) == 0 && cweir_log_wants_descriptor(file, path)) {
        cweir_log_note(CWEIR_LOG_CUT, status.st_ino, (uint64_t)length, "", 0, "", 0);
    }
    cweir_log_unlock();
    return result;
}

int truncate(const char *path, off_t length) {
    REAL(truncate)
    const verdict_t verdict = decide(FTRUNCATE, 1);
    FAIL_OR_GO_ON(verdict)
    if (!cweir_log_lock()) {
        return real(path, length);
    }
    struct stat status;
    const int result = real(path, length);
    if (result == 0 && stat(path, &status) == 0 && cweir_log_wants(path)) {
        cweir_log_note(CWEIR_LOG_CUT, status.st_ino, (uint64_t)length, "", 0, "", 0);
    }
    cweir_log_unlock();
    return result;
}

int fsync(int file) {
    REAL(fsync)
    const verdict_t verdict = decide(FSYNC, 1);
    FAIL_OR_GO_ON(verdict)
    if (!cweir_log_lock()) {
        return real(file);
    }
    char path[4096];
    struct stat status;
    const int result = real(file);
    if (result == 0 && fstat(file, &status) == 0 && cweir_log_wants_descriptor(file, path)) {
        cweir_log_note(CWEIR_LOG_SYNC, status.st_ino, S_ISDIR(status.st_mode) ? 1 : 0, path, strlen(path), "", 0);
    }
    cweir_log_unlock();
    return result;
}

int unlink(const char *path) {
    REAL(unlink)
    if (!cweir_log_lock()) {
        return real(path);
    }
    const int result = real(path);
    if (result == 0 && cweir_log_wants(path)) {
        cweir_log_note(CWEIR_LOG_UNLINK, 0, 0, path, strlen(path), "", 0);
    }
    cweir_log_unlock();
    return result;
}

int open(const char *path, int flags, ...) {
    REAL(open)
    mode_t mode = 0;
    if ((flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE) {
        va_list rest;
        va_start(rest, flags);
        mode = va_arg(rest, mode_t);
        va_end(rest);
    }
    const verdict_t verdict = decide(OPEN, 1);
    FAIL_OR_GO_ON(verdict)
    if ((flags & O_CREAT) == 0 || !cweir_log_lock()) {
        return real(path, flags, mode);
    }
    struct stat status;
    const int file = real(path, flags, mode);
    if (file >= 0 && fstat(file, &status) == 0 && cweir_log_wants(path)) {
        cweir_log_note(CWEIR_LOG_CREATE, status.st_ino, 0, path, strlen(path), "", 0);
    }
    cweir_log_unlock();
    return file;
}

int flock(int file, int operation) {
    REAL(flock)
    const verdict_t verdict = decide(FLOCK, 1);
    FAIL_OR_GO_ON(verdict)
    return real(file, operation);
}

int socket(int family, int type, int protocol) {
    REAL(socket)
    const verdict_t verdict = decide(SOCKET, 1);
    FAIL_OR_GO_ON(verdict)
    return real(family, type, protocol);
}

int epoll_create1(int flags) {
    REAL(epoll_create1)
    const verdict_t verdict = decide(EPOLL_CREATE, 1);
    FAIL_OR_GO_ON(verdict)
    return real(flags);
}

int epoll_ctl(int poller, int operation, int watched, struct epoll_event *event) {
    REAL(epoll_ctl)
    // What is watched already needs no more memory.
    if (operation != EPOLL_CTL_ADD) {
        return real(poller, operation, watched, event);
    }
    const verdict_t verdict = decide(EPOLL_CTL, 1);
    FAIL_OR_GO_ON(verdict)
    return real(poller, operation, watched, event);
}

int pipe(int ends[2]) {
    REAL(pipe)
    const verdict_t verdict = decide(PIPE, 1);
    FAIL_OR_GO_ON(verdict)
    return real(ends);
}

int fallocate(int file, int mode, off_t offset, off_t length) {
    REAL(fallocate)
    const verdict_t verdict = decide(FALLOCATE, 1);
    FAIL_OR_GO_ON(verdict)
    return real(file, mode, offset, length);
}

int pipe2(int ends[2], int flags) {
    REAL(pipe2)
    const verdict_t verdict = decide(PIPE2, 1);
    FAIL_OR_GO_ON(verdict)
    return real(ends, flags);
}

// These return the number of the error.
#define FAIL_WITH_NUMBER(call)                                                                                         \
    const verdict_t verdict = decide(call, 1);                                                                         \
    if (verdict.error != 0) {                                                                                          \
        return verdict.error;                                                                                          \
    }

int posix_spawn(pid_t *process, const char *path, const posix_spawn_file_actions_t *actions,
    const posix_spawnattr_t *attributes, char *const arguments[], char *const environment[]) {
    REAL(posix_spawn)
    FAIL_WITH_NUMBER(SPAWN)
    return real(process, path, actions, attributes, arguments, environment);
}

int posix_spawnp(pid_t *process, const char *name, const posix_spawn_file_actions_t *actions,
    const posix_spawnattr_t *attributes, char *const arguments[], char *const environment[]) {
    REAL(posix_spawnp)
    FAIL_WITH_NUMBER(SPAWN)
    return real(process, name, actions, attributes, arguments, environment);
}

int posix_spawn_file_actions_init(posix_spawn_file_actions_t *actions) {
    REAL(posix_spawn_file_actions_init)
    FAIL_WITH_NUMBER(SPAWN_SETTING)
    return real(actions);
}

int posix_spawn_file_actions_adddup2(posix_spawn_file_actions_t *actions, int from, int to) {
    REAL(posix_spawn_file_actions_adddup2)
    FAIL_WITH_NUMBER(SPAWN_SETTING)
    return real(actions, from, to);
}

int posix_spawn_file_actions_addopen(posix_spawn_file_actions_t *actions, int descriptor, const char *path, int flags,
    mode_t mode) {
    REAL(posix_spawn_file_actions_addopen)
    FAIL_WITH_NUMBER(SPAWN_SETTING)
    return real(actions, descriptor, path, flags, mode);
}

int posix_spawnattr_init(posix_spawnattr_t *attributes) {
    REAL(posix_spawnattr_init)
    FAIL_WITH_NUMBER(SPAWN_SETTING)
    return real(attributes);
}

int posix_spawnattr_setflags(posix_spawnattr_t *attributes, short flags) {
    REAL(posix_spawnattr_setflags)
    FAIL_WITH_NUMBER(SPAWN_SETTING)
    return real(attributes, flags);
}

int posix_spawnattr_setpgroup(posix_spawnattr_t *attributes, pid_t group) {
    REAL(posix_spawnattr_setpgroup)
    FAIL_WITH_NUMBER(SPAWN_SETTING)
    return real(attributes, group);
}

int posix_spawnattr_setsigmask(posix_spawnattr_t *attributes, const sigset_t *signals) {
    REAL(posix_spawnattr_setsigmask)
    FAIL_WITH_NUMBER(SPAWN_SETTING)
    return real(attributes, signals);
}

int posix_spawnattr_setsigdefault(posix_spawnattr_t *attributes, const sigset_t *signals) {
    REAL(posix_spawnattr_setsigdefault)
    FAIL_WITH_NUMBER(SPAWN_SETTING)
    return real(attributes, signals);
}

int rename(const char *old, const char *new) {
    REAL(rename)
    const verdict_t verdict = decide(RENAME, 1);
    FAIL_OR_GO_ON(verdict)
    if (!cweir_log_lock()) {
        return real(old, new);
    }
    const int result = real(old, new);
    if (result == 0 && cweir_log_wants(new)) {
        cweir_log_note(CWEIR_LOG_RENAME, 0, 0, old, strlen(old), new, strlen(new));
    }
    cweir_log_unlock();
    return result;
}

#else

bool cweir_faults_begin_once(uint64_t choice, uint32_t kinds, uint64_t nth) {
    (void)choice;
    (void)kinds;
    (void)nth;
    return false;
}

bool cweir_faults_begin(uint64_t seed, uint32_t kinds, uint32_t one_in) {
    (void)seed;
    (void)kinds;
    (void)one_in;
    return false;
}

uint64_t cweir_faults_end(void) {
    return 0;
}

#endif
