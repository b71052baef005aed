#ifndef CBENCH_H
#define CBENCH_H

// What the benchmarks need of C: threads on given cores, rings without a wrapper, other programs.
#include "cbench_files.h"
#include "cbench_paced.h"
#include "cbench_rings.h"
#include "cbench_sockets.h"
#include "cbench_threads.h"

#endif
