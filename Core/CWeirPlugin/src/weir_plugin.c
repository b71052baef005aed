#include "weir_plugin.h"

// Hosts and plugins may be built with different compilers: what crosses the boundary is laid out the same for all.
_Static_assert(sizeof(weir_slot) == 12, "slots are three words");
_Static_assert(sizeof(weir_row) == 16, "rows are four words");
_Static_assert(sizeof(weir_option) == 8 * sizeof(size_t) + 40, "options have no hidden padding");
_Static_assert(sizeof(weir_node) == 4 * sizeof(size_t) + 8, "nodes have no hidden padding");
_Static_assert(offsetof(weir_plugin, partition_field) == 8 + 13 * sizeof(size_t), "the first table stays as it was");
_Static_assert(sizeof(weir_plugin) == 8 + 19 * sizeof(size_t), "the table has no hidden padding");
