/// The boundary between a host and a plugin that it loads at run time.
///
/// Only C data crosses it, because a library that was built apart has its own copy of everything written in Swift. A
/// library exports one function, `weir_plugin_entry`, which returns a table of functions. The host calls it once, and
/// never unloads the library.
///
/// Threads: the table and what it points to never change. Functions that take an instance are called by one thread at a
/// time for it, everything else by any thread. No function may throw, unwind or end the process; what a plugin
/// breaks in memory breaks the host too.
///
/// Growth: within a version, functions are added at the end of `weir_plugin` and `weir_host`, and nothing else changes.
/// A host does without the functions that an older library lacks, and does not look at those of a newer one; what was
/// added to `weir_host` is called only from functions that were added to `weir_plugin` with it.
#ifndef WEIR_PLUGIN_H
#define WEIR_PLUGIN_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The version of everything in this header. A host loads plugins of its own version only, whatever their size.
#define WEIR_PLUGIN_VERSION 1u

/// UTF-8 without a zero at its end. Valid during the call that it is handed to; in the table for ever.
typedef struct weir_text {
    const uint8_t *bytes;
    size_t length;
} weir_text;

/// What values an option takes.
enum {
    /// A finite number; `detail` is its unit, `minimum` the least where `has_minimum`.
    WEIR_OPTION_NUMBER = 0,
    /// A length of time such as `5m`.
    WEIR_OPTION_DURATION = 1,
    /// A whole number from `least` to `most`.
    WEIR_OPTION_INTEGER = 2,
    /// One of the words in `detail`, a line each.
    WEIR_OPTION_CHOICE = 3,
    /// Any text; `detail` stands for it in the help.
    WEIR_OPTION_TEXT = 4,
    /// Any texts, a line each; `detail` stands for one in the help.
    WEIR_OPTION_LIST = 5,
    /// `key=name,key=name`; the keys are in `detail`, a line each.
    WEIR_OPTION_MAPPING = 6,
    /// A number of bytes such as `64KiB`, from `least` to `most`.
    WEIR_OPTION_BYTE_COUNT = 7,
    /// `true` or `false`.
    WEIR_OPTION_FLAG = 8,
};

/// An option that a plugin declares.
typedef struct weir_option {
    weir_text name;
    weir_text help;
    weir_text detail;
    weir_text default_text;
    double minimum;
    int64_t least;
    int64_t most;
    uint32_t kind;
    uint32_t has_default;
    uint32_t has_minimum;
    uint32_t reserved;
} weir_option;

/// A line of the help: the arguments after `weir run`, and what they do.
typedef struct weir_example {
    weir_text arguments;
    weir_text meaning;
} weir_example;

/// An option's value, as it was given.
typedef struct weir_setting {
    weir_text name;
    weir_text value;
} weir_setting;

/// A field that is wanted of each record. At most one is the record's time: `is_time` is 1, or 2 where the plugin refuses
/// each record whose time is before that of any earlier one, or 3 where it does so within groups that it keeps apart.
typedef struct weir_field {
    weir_text name;
    uint32_t is_required;
    uint32_t is_time;
} weir_field;

/// How the bytes of a field are to be read.
enum {
    WEIR_FIELD_ABSENT = 0,
    WEIR_FIELD_NULL = 1,
    /// The text itself, or a number.
    WEIR_FIELD_PLAIN = 2,
    /// A number or a word without quotes, where the format tells numbers from text.
    WEIR_FIELD_BARE = 3,
    /// Text in which every quote is doubled.
    WEIR_FIELD_DOUBLED_QUOTES = 4,
    /// Text with JSON's backslash escapes.
    WEIR_FIELD_ESCAPED = 5,
    /// A JSON array or object.
    WEIR_FIELD_NESTED = 6,
    /// A whole number in two's complement of 1, 2, 4 or 8 bytes, the lowest first.
    WEIR_FIELD_INTEGER = 7,
    /// The same, to be divided by ten to the power of the slot's scale; 128 more in the scale is minus zero.
    WEIR_FIELD_DECIMAL = 8,
    /// A double: 8 bytes, the lowest first.
    WEIR_FIELD_FLOAT = 9,
    /// One byte: 0 is false, everything else is true.
    WEIR_FIELD_BOOLEAN = 10,
    /// Nanoseconds since the epoch: 8 bytes in two's complement, the lowest first.
    WEIR_FIELD_TIME = 11,
};

/// Where one field of one record is, counted from the start of the batch's bytes.
typedef struct weir_slot {
    uint32_t start;
    uint32_t length;
    /// The encoding in the low 8 bits, the scale of a decimal in the next 8.
    uint32_t encoding;
} weir_slot;

/// Where one record is, counted from the start of the batch's bytes; the line counts from 1.
typedef struct weir_row {
    uint64_t line;
    uint32_t start;
    uint32_t length;
} weir_row;

/// Records: `field_count` slots for each of `count` rows, one record after the other.
typedef struct weir_batch {
    const uint8_t *bytes;
    size_t byte_count;
    const weir_row *rows;
    const weir_slot *slots;
    size_t count;
    size_t field_count;
} weir_batch;

/// What an operator of a plugin is.
enum {
    /// Where records enter.
    WEIR_NODE_SOURCE = 0,
    WEIR_NODE_STEP = 1,
    /// Where complex events leave.
    WEIR_NODE_SINK = 2,
};

/// An operator of a plugin; its sources are the numbers of operators that were told before, counted from 0.
typedef struct weir_node {
    weir_text label;
    const uint32_t *sources;
    size_t source_count;
    uint32_t kind;
    uint32_t reserved;
} weir_node;

/// What became of saved bytes that were given back.
enum {
    /// They cannot be read; the instance is of no use any more.
    WEIR_STATE_FAILED = 0,
    WEIR_STATE_RESTORED = 1,
    /// They do not fit, and nothing was given back.
    WEIR_STATE_MISFIT = 2,
};

/// What a plugin can tell its host during a call. `context` is handed back to each function.
typedef struct weir_host {
    void *context;
    /// Reports why something failed: the option that is at fault, if one is, and the reason.
    void (*fail)(void *context, weir_text option, weir_text reason);
    /// Takes the fields that are wanted, and how many nanoseconds a time counts that is a bare number.
    void (*take_schema)(void *context, const weir_field *fields, size_t count, int64_t time_unit);
    /// Takes complex events: `count` lines of JSON, each with its line feed.
    void (*take_lines)(void *context, weir_text lines, uint64_t count);
    /// Rejects a record of the batch.
    void (*reject)(void *context, uint64_t line, uint32_t start, uint32_t length, weir_text reason);
    /// Takes the value of a count, by its index; the name is the same in each call.
    void (*take_count)(void *context, size_t index, weir_text name, uint64_t value);
    /// Takes some bytes of a demo or of what is saved, or a name.
    void (*take_bytes)(void *context, weir_text bytes);
    /// Takes the next operator; only during `graph`.
    void (*take_node)(void *context, const weir_node *node);
    /// Takes a part of saved bytes that does not fit, with the number of elements that were in it: the part has changed, or
    /// is no longer there if `is_gone` is not 0. Only during `restore`.
    void (*take_loss)(void *context, weir_text part, uint64_t count, uint32_t is_gone);
} weir_host;

/// The functions of a plugin.
typedef struct weir_plugin {
    /// `WEIR_PLUGIN_VERSION` of the header that the plugin was built with.
    uint32_t version;
    /// `sizeof(weir_plugin)` of that header, which tells which of the functions at the end there are.
    uint32_t size;
    weir_text name;
    weir_text summary;
    const weir_option *options;
    size_t option_count;
    const weir_example *examples;
    size_t example_count;
    /// Starts an instance; calls `take_schema`, or `fail` and returns NULL.
    void *(*start)(const weir_setting *settings, size_t count, const weir_host *host);
    /// Takes the records of a batch; calls `take_lines`, `reject`, `take_count`.
    /// Returns 0 when nothing that follows can matter any more, otherwise 1.
    uint32_t (*receive)(void *instance, const weir_batch *batch, const weir_host *host);
    /// Called once at the end of the input, which failed if `failure` is not empty; calls `take_lines`, `take_count`.
    void (*finish)(void *instance, weir_text failure, const weir_host *host);
    /// Ends an instance.
    void (*release)(void *instance);
    /// Makes an input to try the plugin with: CSV with a header; calls `take_bytes`.
    void (*demo)(uint64_t seed, const weir_host *host);

    // Added later; may be NULL.

    /// Names the field whose values the plugin keeps apart completely with these settings, with `take_bytes`, if there is
    /// one: a host may then have several instances share its values.
    void (*partition_field)(const weir_setting *settings, size_t count, const weir_host *host);
    /// Lists the plugin's operators with these settings, by `take_node`.
    void (*graph)(const weir_setting *settings, size_t count, const weir_host *host);
    /// Returns how many partial matches an instance holds, for displays and metrics; `UINT64_MAX` where it has no
    /// patterns. Called after `start`, `receive` and `finish`.
    uint64_t (*partial_matches)(void *instance);
    /// Names what the bytes of `save` fit, with `take_bytes`: they are given back to an instance with the same name. Calls
    /// nothing where what the instance knows cannot be saved. Called after `start`.
    void (*state_name)(void *instance, const weir_host *host);
    /// Saves what the instance knows, with `take_bytes`, in one call or several: what another instance needs to go on with the
    /// next record as if nothing had happened. Returns 1, or calls `fail` and returns 0.
    uint32_t (*save)(void *instance, const weir_host *host);
    /// Gives what was saved to an instance that has taken no record. Where parts of it do not fit, calls `take_loss` for
    /// each, and drops them if `drops` is not 0; otherwise nothing is given back. Calls `take_count` for counts that are part
    /// of it, and `fail` before it returns `WEIR_STATE_FAILED`. Returns one of the `WEIR_STATE` values.
    uint32_t (*restore)(void *instance, weir_text bytes, uint32_t drops, const weir_host *host);
} weir_plugin;

/// The one function that a library exports.
///
/// Takes the host's `WEIR_PLUGIN_VERSION`, and returns the plugin, whatever the version: the host compares.
const weir_plugin *weir_plugin_entry(uint32_t host_version);

#ifdef __cplusplus
}
#endif

#endif
