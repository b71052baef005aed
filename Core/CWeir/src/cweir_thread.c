// sched_yield is POSIX, which -std=c11 hides unless asked for.
#define _POSIX_C_SOURCE 200809L

#include "cweir_thread.h"

#include <sched.h>

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
