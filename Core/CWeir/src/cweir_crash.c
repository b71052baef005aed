// siginfo_t, sigaltstack and the registers of ucontext_t are not part of C11.
#define _GNU_SOURCE
#define _DARWIN_C_SOURCE

#include "cweir_crash.h"

#include "cweir_clock.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#if defined(__linux__)
#include <sys/prctl.h>
#include <ucontext.h>
#endif

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define CWEIR_HAS_SANITIZER 1
#endif
#endif

// What a thread works on; a slot belongs to one thread at a time, others read it when the program ends.
typedef struct work {
    _Atomic(bool) is_taken;
    _Atomic(const char *) label;
    _Atomic(int64_t) since;
} work_t;

// Threads beyond that crash without a word of what they worked on.
enum { WORK_COUNT = 256 };

// More than AVX-512's registers and the handler's frames need.
enum { STACK_SIZE = 64 << 10 };

typedef struct signal_kind {
    int number;
    const char *name;
} signal_kind_t;

static const signal_kind_t fatal[] = {
    {SIGSEGV, "SIGSEGV"}, {SIGBUS, "SIGBUS"},   {SIGILL, "SIGILL"}, {SIGTRAP, "SIGTRAP"},
    {SIGFPE, "SIGFPE"},   {SIGABRT, "SIGABRT"}, {SIGSYS, "SIGSYS"},
};
enum { FATAL_COUNT = sizeof(fatal) / sizeof(fatal[0]) };

static bool is_reporting;
static bool keeps_handlers;
static const char *program = "program";
static struct sigaction earlier[FATAL_COUNT];
static work_t works[WORK_COUNT];
static _Thread_local work_t *work;
static _Thread_local void *stack;
static atomic_flag is_ending = ATOMIC_FLAG_INIT;
static _Atomic(const char *) loss;
static struct termios terminal_settings;
static _Atomic(int) terminal = -1;

// MARK: A line, written without memory or locks

typedef struct line {
    size_t length;
    char text[512];
} line_t;

static void add(line_t *line, const char *text) {
    while (*text != 0 && line->length < sizeof(line->text) - 1) {
        // Names come from people and libraries: a terminal is not to obey them, and the line is one line.
        const unsigned char byte = (unsigned char)*text++;
        line->text[line->length++] = byte < 0x20 || byte == 0x7F ? '?' : (char)byte;
    }
}

static void add_number(line_t *line, uint64_t number, unsigned base) {
    char digits[24];
    size_t place = sizeof(digits) - 1;
    digits[place] = 0;
    do {
        digits[--place] = "0123456789abcdef"[number % base];
        number /= base;
    } while (number != 0);
    add(line, digits + place);
}

static void write_line(line_t *line) {
    line->text[line->length++] = '\n';
    // A reader that does not read must not keep the program from ending.
    struct pollfd error = {.fd = STDERR_FILENO, .events = POLLOUT};
    if (poll(&error, 1, 100) > 0 && (error.revents & POLLOUT) != 0) {
        (void)!write(STDERR_FILENO, line->text, line->length);
    }
}

static void give_terminal_back(void) {
    static const char restore[] = "\033[?25h\033[?1049l";
    const int descriptor = atomic_exchange(&terminal, -1);
    if (descriptor < 0) {
        return;
    }
    (void)!write(descriptor, restore, sizeof(restore) - 1);
    (void)tcsetattr(descriptor, TCSANOW, &terminal_settings);
}

// MARK: The end

// Ends as the default action of a signal does.
static _Noreturn void die_by(int number) {
    struct sigaction action;
    memset(&action, 0, sizeof(action));
    action.sa_handler = SIG_DFL;
    (void)sigaction(number, &action, NULL);
    sigset_t signals;
    (void)sigemptyset(&signals);
    (void)sigaddset(&signals, number);
    (void)raise(number);
    (void)pthread_sigmask(SIG_UNBLOCK, &signals, NULL);
    // The first process of a container does not die by signals of its own.
    _exit(128 + number);
}

static const char *name_of(int number) {
    for (size_t index = 0; index < FATAL_COUNT; index++) {
        if (fatal[index].number == number) {
            return fatal[index].name;
        }
    }
    switch (number) {
    case SIGINT:
        return "SIGINT";
    case SIGTERM:
        return "SIGTERM";
    case SIGHUP:
        return "SIGHUP";
    default:
        return "a signal";
    }
}

static void add_thread(line_t *line) {
    char name[64] = "";
#if defined(__linux__)
    (void)prctl(PR_GET_NAME, name, 0, 0, 0);
#elif defined(__APPLE__)
    (void)pthread_getname_np(pthread_self(), name, sizeof(name));
#endif
    add(line, " on thread '");
    add(line, name[0] == 0 ? "main" : name);
    add(line, "'");
}

// Whether an address lies where the stack of the interrupted code goes on.
static bool is_beside_stack(const void *address, void *context) {
#if defined(__linux__) && defined(__x86_64__)
    const uintptr_t top = (uintptr_t)((ucontext_t *)context)->uc_mcontext.gregs[REG_RSP];
#elif defined(__linux__) && defined(__aarch64__)
    const uintptr_t top = (uintptr_t)((ucontext_t *)context)->uc_mcontext.sp;
#elif defined(__APPLE__) && defined(__x86_64__)
    const uintptr_t top = (uintptr_t)((ucontext_t *)context)->uc_mcontext->__ss.__rsp;
#elif defined(__APPLE__) && defined(__aarch64__)
    const uintptr_t top = (uintptr_t)__darwin_arm_thread_state64_get_sp(((ucontext_t *)context)->uc_mcontext->__ss);
#else
    (void)context;
    const uintptr_t top = 0;
#endif
    const uintptr_t reach = 64 << 10;
    return top != 0 && (uintptr_t)address - (top - reach) < 2 * reach;
}

static void add_cause(line_t *line, int number, const siginfo_t *info, void *context) {
    if (info->si_code <= 0) {
        // Sent, by kill(2) or abort(3), and not raised by what the thread did.
        if (info->si_pid != 0 && info->si_pid != getpid()) {
            add(line, ", sent by process ");
            add_number(line, (uint64_t)info->si_pid, 10);
        } else if (number == SIGABRT) {
            add(line, ", an abort");
        }
        return;
    }
    if (number == SIGSEGV || number == SIGBUS) {
        if (is_beside_stack(info->si_addr, context)) {
            add(line, ", the stack is used up");
            return;
        }
        add(line, ", no access to address 0x");
        add_number(line, (uint64_t)(uintptr_t)info->si_addr, 16);
    } else if (number == SIGILL || number == SIGTRAP) {
        add(line, ", a failed check or a trap");
    }
}

static void report(int number, siginfo_t *info, void *context) {
    if (atomic_flag_test_and_set(&is_ending)) {
        // Another thread is at it, and ends this one too; meanwhile a backtracer may want to stop it by a signal.
        sigset_t none;
        (void)sigemptyset(&none);
        for (;;) {
            (void)sigsuspend(&none);
        }
    }
    give_terminal_back();
    line_t line = {.length = 0};
    add(&line, program);
    add(&line, ": crashed by ");
    add(&line, name_of(number));
    add_cause(&line, number, info, context);
    const char *label = work == NULL ? NULL : atomic_load_explicit(&work->label, memory_order_relaxed);
    if (label != NULL) {
        add(&line, ", in ");
        add(&line, label);
    }
    add_thread(&line);
    if (info->si_code > 0 || info->si_pid == getpid()) {
        if (label != NULL) {
            add(&line, "; mend it or leave it out");
        } else {
            add(&line, "; a defect in ");
            add(&line, program);
        }
        if (!keeps_handlers) {
            add(&line, "; SWIFT_BACKTRACE=enable=yes shows where");
        }
    }
    write_line(&line);
    // A backtracer reads memory that may not be there, in a process that inherits what is blocked.
    sigset_t signals;
    (void)sigemptyset(&signals);
    for (size_t index = 0; index < FATAL_COUNT; index++) {
        (void)sigaddset(&signals, fatal[index].number);
    }
    if (keeps_handlers) {
        (void)pthread_sigmask(SIG_UNBLOCK, &signals, NULL);
    }
    for (size_t index = 0; index < FATAL_COUNT && keeps_handlers; index++) {
        const struct sigaction *action = &earlier[index];
        if (fatal[index].number != number || action->sa_handler == SIG_DFL || action->sa_handler == SIG_IGN) {
            continue;
        }
        if ((action->sa_flags & SA_SIGINFO) != 0) {
            action->sa_sigaction(number, info, context);
        } else {
            action->sa_handler(number);
        }
    }
    die_by(number);
}

void cweir_crash_report(const char *name, bool keeps) {
#if defined(CWEIR_HAS_SANITIZER)
    (void)name;
    (void)keeps;
    (void)report;
#else
    program = name;
    keeps_handlers = keeps;
    is_reporting = true;
    // The parent process may have blocked signals, as the threads of thread pools do: a crash would then end it
    // without a line, and a backtracer could not stop its threads.
    sigset_t none;
    (void)sigemptyset(&none);
    (void)pthread_sigmask(SIG_SETMASK, &none, NULL);
    cweir_crash_enter_thread();
    struct sigaction action;
    memset(&action, 0, sizeof(action));
    action.sa_sigaction = report;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    (void)sigfillset(&action.sa_mask);
    for (size_t index = 0; index < FATAL_COUNT; index++) {
        (void)sigaction(fatal[index].number, &action, &earlier[index]);
    }
    // Swift's backtracer takes the request for a core file too.
    struct sigaction quit;
    if (!keeps && sigaction(SIGQUIT, NULL, &quit) == 0 && quit.sa_handler != SIG_IGN) {
        (void)signal(SIGQUIT, SIG_DFL);
    }
#endif
}

void cweir_crash_tell_loss(const char *text) {
    atomic_store(&loss, text);
}

_Noreturn void cweir_crash_end_by(int number) {
    if (!atomic_flag_test_and_set(&is_ending)) {
        give_terminal_back();
        line_t line = {.length = 0};
        add(&line, program);
        add(&line, ": ended by a second signal, ");
        add(&line, name_of(number));
        add(&line, " (status ");
        add_number(&line, 128 + (uint64_t)number, 10);
        add(&line, ")");
        // The work that has lasted longest is what the first signal waits for.
        const int64_t now = cweir_clock_monotonic();
        const char *label = NULL;
        int64_t age = -1;
        for (size_t index = 0; index < WORK_COUNT; index++) {
            const char *other = atomic_load(&works[index].label);
            const int64_t other_age = now - atomic_load(&works[index].since);
            if (other != NULL && other_age > age) {
                label = other;
                age = other_age;
            }
        }
        const char *told = atomic_load(&loss);
        if (label != NULL) {
            add(&line, ": ");
            add(&line, label);
            add(&line, " has not returned for ");
            add_number(&line, (uint64_t)(age / 1000000000), 10);
            add(&line, ".");
            add_number(&line, (uint64_t)(age / 100000000 % 10), 10);
            add(&line, " s");
        }
        add(&line, "; ");
        if (told != NULL) {
            add(&line, told);
        } else {
            add(&line, label != NULL ? "what it found in this batch is lost" : "what was not yet written is lost");
        }
        write_line(&line);
    }
    die_by(number);
}

// MARK: Threads

void cweir_crash_enter_thread(void) {
    if (!is_reporting) {
        return;
    }
    stack = malloc(STACK_SIZE);
    if (stack != NULL) {
        const stack_t alternate = {.ss_sp = stack, .ss_size = STACK_SIZE, .ss_flags = 0};
        (void)sigaltstack(&alternate, NULL);
    }
    for (size_t index = 0; index < WORK_COUNT; index++) {
        bool is_taken = false;
        if (atomic_compare_exchange_strong(&works[index].is_taken, &is_taken, true)) {
            work = &works[index];
            return;
        }
    }
}

void cweir_crash_leave_thread(void) {
    if (!is_reporting) {
        return;
    }
    if (work != NULL) {
        atomic_store(&work->label, NULL);
        atomic_store(&work->is_taken, false);
        work = NULL;
    }
    if (stack != NULL) {
        const stack_t none = {.ss_sp = NULL, .ss_size = STACK_SIZE, .ss_flags = SS_DISABLE};
        (void)sigaltstack(&none, NULL);
        free(stack);
        stack = NULL;
    }
}

const char *cweir_crash_work_on(const char *label) {
    if (work == NULL) {
        return NULL;
    }
    const char *before = atomic_load_explicit(&work->label, memory_order_relaxed);
    if (label != NULL) {
        atomic_store_explicit(&work->since, cweir_clock_monotonic(), memory_order_relaxed);
    }
    atomic_store_explicit(&work->label, label, memory_order_release);
    return before;
}

// MARK: The terminal

void cweir_crash_keep_terminal(int descriptor, const void *settings) {
    memcpy(&terminal_settings, settings, sizeof(terminal_settings));
    atomic_store(&terminal, descriptor);
}

void cweir_crash_forget_terminal(void) {
    atomic_store(&terminal, -1);
}
