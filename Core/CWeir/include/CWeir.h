#ifndef CWEIR_H
#define CWEIR_H

// The hot path of Weir: rings, gates, hand-overs and clocks. Each header says who may call what from which thread.
#include "cweir_base.h"
#include "cweir_checksum.h"
#include "cweir_clock.h"
#include "cweir_columns.h"
#include "cweir_crash.h"
#include "cweir_gate.h"
#include "cweir_handoff.h"
#include "cweir_json.h"
#include "cweir_lock.h"
#include "cweir_mailbox.h"
#include "cweir_mailbox_control.h"
#include "cweir_decimal.h"
#include "cweir_file.h"
#include "cweir_number.h"
#include "cweir_outline.h"
#include "cweir_parking.h"
#include "cweir_pieces.h"
#include "cweir_process.h"
#include "cweir_records.h"
#include "cweir_ring.h"
#include "cweir_scan.h"
#include "cweir_shared_ring.h"
#include "cweir_snapshot.h"
#include "cweir_stack.h"
#include "cweir_symbols.h"
#include "cweir_thread.h"
#include "cweir_timer_queue.h"
#include "cweir_wait.h"

#endif
