// sched_yield and the names of threads are not part of C11, which -std=c11 hides unless asked for.
#define _GNU_SOURCE
#define _DARWIN_C_SOURCE

#include "cweir_thread.h"

#include "cweir_crash.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#if !defined(__APPLE__)
#include <sys/syscall.h>
#endif

_Thread_local char cweir_thread_anchor;
_Thread_local void *cweir_thread_kept_object;

void cweir_thread_back_off(uint32_t round) {
    if (round >= 64) {
        (void)sched_yield();
        return;
    }
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

int cweir_thread_processors(void) {
    const long count = sysconf(_SC_NPROCESSORS_ONLN);
    return count < 1 ? 1 : count > 1024 ? 1024 : (int)count;
}

bool cweir_thread_is_main(void) {
#if defined(__APPLE__)
    return pthread_main_np() != 0;
#else
    return syscall(SYS_gettid) == getpid();
#endif
}

// What a new thread needs to know; it frees it.
typedef struct start {
    char name[16];
    void (*body)(void *context);
    void *context;
} start_t;

static void *run(void *argument) {
    start_t start = *(start_t *)argument;
    free(argument);
#if defined(__APPLE__)
    (void)pthread_setname_np(start.name);
#elif defined(__linux__)
    (void)pthread_setname_np(pthread_self(), start.name);
#endif
    cweir_crash_enter_thread();
    start.body(start.context);
    cweir_crash_leave_thread();
    return NULL;
}

int cweir_thread_start(const char *name, void (*body)(void *context), void *context) {
    start_t *start = calloc(1, sizeof(start_t));
    if (start == NULL) {
        return ENOMEM;
    }
    strncpy(start->name, name, sizeof(start->name) - 1);
    start->body = body;
    start->context = context;
    pthread_attr_t attributes;
    int error = pthread_attr_init(&attributes);
    if (error == 0) {
        (void)pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
        pthread_t thread;
        error = pthread_create(&thread, &attributes, run, start);
        (void)pthread_attr_destroy(&attributes);
    }
    if (error != 0) {
        free(start);
    }
    return error;
}

// An object that a thread keeps, and how to release it.
typedef struct kept {
    void *object;
    void (*release)(void *object);
} kept_t;

static pthread_once_t kept_once = PTHREAD_ONCE_INIT;
static pthread_key_t kept_key;
static int kept_error;

// Runs when a thread ends. Should letting go make the thread keep another object, the system calls this once more.
static void let_go(void *argument) {
    kept_t kept = *(kept_t *)argument;
    free(argument);
    cweir_thread_kept_object = NULL;
    kept.release(kept.object);
}

static void make_kept_key(void) {
    kept_error = pthread_key_create(&kept_key, let_go);
}

int cweir_thread_keep(void *object, void (*release)(void *object)) {
    (void)pthread_once(&kept_once, make_kept_key);
    if (kept_error != 0) {
        return kept_error;
    }
    kept_t *kept = malloc(sizeof(kept_t));
    if (kept == NULL) {
        return ENOMEM;
    }
    *kept = (kept_t){.object = object, .release = release};
    int error = pthread_setspecific(kept_key, kept);
    if (error != 0) {
        free(kept);
        return error;
    }
    cweir_thread_kept_object = object;
    return 0;
}
