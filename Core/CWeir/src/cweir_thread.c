// sched_yield and the names of threads are not part of C11, which -std=c11 hides unless asked for.
#define _GNU_SOURCE
#define _DARWIN_C_SOURCE

#include "cweir_thread.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

_Thread_local char cweir_thread_anchor;

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
    start.body(start.context);
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
