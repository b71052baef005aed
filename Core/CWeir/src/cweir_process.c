// pipe2, prctl and close_range are not part of C11, which -std=c11 hides unless asked for.
#define _GNU_SOURCE

#include "cweir_process.h"

#include <errno.h>
#include <signal.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#if defined(__linux__)
#include <fcntl.h>
#include <pthread.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

// Closes the descriptors from one to another, both included. Systems before Linux 5.9 do not: then they stay open until the
// copy ends, which it soon does.
static void close_between(int32_t first, int32_t last) {
#if defined(SYS_close_range)
    if (first <= last) {
        (void)syscall(SYS_close_range, (unsigned)first, (unsigned)last, 0U);
    }
#endif
}

// Has the system end the copy before other processes where memory runs out.
static void offer_to_end(void) {
    int file = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
    if (file >= 0) {
        (void)!write(file, "1000", 4);
        (void)close(file);
    }
}

int64_t cweir_process_copy(int32_t kept, int32_t *end) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) {
        return -errno;
    }
    // A handler of this process, run in the copy, would speak for both.
    sigset_t all;
    sigset_t before;
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before);
    pid_t parent = getpid();
    pid_t copy = fork();
    if (copy == 0) {
        // Who ended before that call sends no signal.
        if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != parent) {
            _exit(1);
        }
        // `abort` unblocks its signal.
        (void)signal(SIGABRT, SIG_DFL);
        int32_t low = kept < ends[1] ? kept : ends[1];
        int32_t high = kept < ends[1] ? ends[1] : kept;
        if (low < 3) {
            low = 2;
        }
        close_between(3, low - 1);
        close_between(low + 1, high - 1);
        close_between(high + 1, INT32_MAX);
        offer_to_end();
        *end = ends[1];
        return 0;
    }
    int error = errno;
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    (void)close(ends[1]);
    if (copy < 0) {
        (void)close(ends[0]);
        return -error;
    }
    *end = ends[0];
    return copy;
}

int64_t cweir_process_time(int64_t process) {
    clockid_t clock;
    struct timespec time;
    if (clock_getcpuclockid((pid_t)process, &clock) != 0 || clock_gettime(clock, &time) != 0) {
        return -1;
    }
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}
#else
int64_t cweir_process_copy(int32_t kept, int32_t *end) {
    (void)kept;
    (void)end;
    return -ENOSYS;
}

int64_t cweir_process_time(int64_t process) {
    (void)process;
    return -1;
}
#endif

void cweir_process_leave(void) {
    _exit(0);
}

int32_t cweir_process_wait(int64_t process, bool kills) {
    if (kills) {
        (void)kill((pid_t)process, SIGKILL);
    }
    int status = 0;
    while (waitpid((pid_t)process, &status, 0) < 0) {
        if (errno != EINTR) {
            return -errno;
        }
    }
    return WIFSIGNALED(status) ? 256 + WTERMSIG(status) : WEXITSTATUS(status);
}
