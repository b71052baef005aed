#ifndef CBENCH_FILES_H
#define CBENCH_FILES_H

#include <stdbool.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

// How a program ran.
typedef struct cbench_run {
    int status;                    // its exit status; -1 when it did not run or was killed
    int64_t wall_nanoseconds;      // from its start to its end
    int64_t processor_nanoseconds; // on all cores, its own work and the kernel's for it
    int64_t peak_bytes;            // the most memory that was resident; -1 when it was not watched, or ended before
} cbench_run_t;

// Runs the program `arguments[0]`, looked up in PATH, with its output and its messages in the files of these paths.
// `arguments` ends with NULL. Watching the memory takes processor time every few milliseconds.
cbench_run_t cbench_run(
    char *_Nullable const *_Nonnull arguments,
    const char *output_path,
    const char *message_path,
    bool watches_memory);

// Starts the program `arguments[0]`, looked up in PATH, writes `input` to it, and returns how many nanoseconds after the
// start its first output came; -1 when there was none. Its input stays open until then.
int64_t cbench_first_output(char *_Nullable const *_Nonnull arguments, const char *input);

// Reads a file into one buffer of 256 KiB, over and over, and returns how many bytes it has; -1 when it cannot be read.
int64_t cbench_read_file(const char *path);

// The same, and looks for each line feed with memchr; returns how many there are, or -1.
int64_t cbench_count_lines(const char *path);

#pragma clang assume_nonnull end

#endif
