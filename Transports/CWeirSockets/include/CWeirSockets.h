#ifndef CWEIR_SOCKETS_H
#define CWEIR_SOCKETS_H

#include "cweir_child.h"
#include "cweir_net.h"
#include "cweir_net_batch.h"
#include "cweir_net_poller.h"
#include "cweir_net_text.h"
#include "cweir_sha256.h"

#endif
