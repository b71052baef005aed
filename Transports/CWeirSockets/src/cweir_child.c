// Child processes, on all systems with POSIX.

#define _GNU_SOURCE
#define _DARWIN_C_SOURCE

#include "cweir_child.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#if defined(__APPLE__)
#include <TargetConditionals.h>
#endif

// Apple's other systems have no child processes.
#if defined(__APPLE__) && !TARGET_OS_OSX
#define HAS_CHILDREN 0
#else
#define HAS_CHILDREN 1
#endif

#if HAS_CHILDREN

extern char **environ;

// Reads until there is no writer any more. Asks first: a program may want to tidy up.
static const char guard_script[] = "trap '' TERM INT HUP; read line; kill -TERM 0; sleep 2; kill -KILL 0";

static int make_pipe(int *ends) {
#if defined(__linux__)
    return pipe2(ends, O_CLOEXEC) < 0 ? -errno : 0;
#else
    if (pipe(ends) < 0) {
        return -errno;
    }
    (void)fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    (void)fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    return 0;
#endif
}

static void close_both(const int *ends) {
    (void)close(ends[0]);
    (void)close(ends[1]);
}

// Runs a script with one descriptor of this process as another one there. Returns the process, or a negative error.
static int start_shell(const char *script, int from, int to, bool has_streams, pid_t group) {
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    if (posix_spawn_file_actions_init(&actions) != 0) {
        return -ENOMEM;
    }
    if (posix_spawnattr_init(&attributes) != 0) {
        (void)posix_spawn_file_actions_destroy(&actions);
        return -ENOMEM;
    }
    // What this process ignores or blocks, a child would not expect to be ignored or blocked.
    sigset_t all;
    sigset_t none;
    (void)sigfillset(&all);
    (void)sigdelset(&all, SIGKILL);
    (void)sigdelset(&all, SIGSTOP);
    (void)sigemptyset(&none);
    short flags = POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK;
#if defined(__APPLE__)
    flags |= POSIX_SPAWN_CLOEXEC_DEFAULT;
#endif
    int error = posix_spawnattr_setflags(&attributes, flags);
    error = error != 0 ? error : posix_spawnattr_setpgroup(&attributes, group);
    error = error != 0 ? error : posix_spawnattr_setsigdefault(&attributes, &all);
    error = error != 0 ? error : posix_spawnattr_setsigmask(&attributes, &none);
    error = error != 0 ? error : posix_spawn_file_actions_adddup2(&actions, from, to);
    for (int stream = 0; stream < 3 && error == 0; stream++) {
        if (stream == to) {
            continue;
        }
        if (!has_streams || stream == 0) {
            error = posix_spawn_file_actions_addopen(&actions, stream, "/dev/null", stream == 0 ? O_RDONLY : O_WRONLY, 0);
        }
#if defined(__APPLE__)
        else {
            error = posix_spawn_file_actions_addinherit_np(&actions, stream);
        }
#endif
    }
    pid_t process = 0;
    char *const arguments[] = {(char *)"sh", (char *)"-c", (char *)script, NULL};
    error = error != 0 ? error : posix_spawn(&process, "/bin/sh", &actions, &attributes, arguments, environ);
    (void)posix_spawnattr_destroy(&attributes);
    (void)posix_spawn_file_actions_destroy(&actions);
    return error != 0 ? -error : (int)process;
}

static void reap(pid_t process) {
    while (waitpid(process, NULL, 0) < 0 && errno == EINTR) {
    }
}

int cweir_child_start(const char *command, bool writes_to_pipe, cweir_child_t *child) {
    int data[2];
    int leash[2];
    int error = make_pipe(data);
    if (error < 0) {
        return error;
    }
    error = make_pipe(leash);
    if (error < 0) {
        close_both(data);
        return error;
    }
    const int own = writes_to_pipe ? data[0] : data[1];
    const int other = writes_to_pipe ? data[1] : data[0];
    // The guard first, which has no effects: a program that cannot have one must not have run a little.
    const int guard = start_shell(guard_script, leash[0], 0, false, 0);
    const int process = guard < 0 ? guard : start_shell(command, other, writes_to_pipe ? 1 : 0, true, guard);
    if (process < 0) {
        if (guard > 0) {
            (void)kill(guard, SIGKILL);
            reap(guard);
        }
        close_both(data);
        close_both(leash);
        return process;
    }
    (void)close(other);
    (void)close(leash[0]);
    (void)fcntl(own, F_SETFL, O_NONBLOCK);
    *child = (cweir_child_t){.process = process, .guard = guard, .pipe = own, .leash = leash[1]};
    return 0;
}

void cweir_child_signal(const cweir_child_t *child, bool by_force) {
    (void)kill(-child->guard, by_force ? SIGKILL : SIGTERM);
}

int cweir_child_status(const cweir_child_t *child) {
    int status = 0;
    pid_t found;
    do {
        found = waitpid(child->process, &status, WNOHANG);
    } while (found < 0 && errno == EINTR);
    if (found == 0) {
        return -1;
    }
    // Where the program ignores the ends of its children, the system does not say how they ended.
    if (found < 0) {
        return 0;
    }
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

void cweir_child_clean_up(const cweir_child_t *child) {
    (void)kill(-child->guard, SIGKILL);
    // By its own number too: what is waited for below has to end.
    (void)kill(child->guard, SIGKILL);
    (void)close(child->leash);
    reap(child->guard);
}

#else

int cweir_child_start(const char *command, bool writes_to_pipe, cweir_child_t *child) {
    (void)command;
    (void)writes_to_pipe;
    (void)child;
    return -ENOTSUP;
}

void cweir_child_signal(const cweir_child_t *child, bool by_force) {
    (void)child;
    (void)by_force;
}

int cweir_child_status(const cweir_child_t *child) {
    (void)child;
    return 0;
}

void cweir_child_clean_up(const cweir_child_t *child) {
    (void)child;
}

#endif

void cweir_child_ignore_broken_pipes(void) {
    sigset_t broken;
    (void)sigemptyset(&broken);
    (void)sigaddset(&broken, SIGPIPE);
    (void)pthread_sigmask(SIG_BLOCK, &broken, NULL);
}
