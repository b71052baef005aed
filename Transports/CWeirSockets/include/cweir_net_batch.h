#ifndef CWEIR_NET_BATCH_H
#define CWEIR_NET_BATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cweir_net.h"

#pragma clang assume_nonnull begin

// A datagram as it arrived; valid until the next batch is received.
typedef struct cweir_net_datagram {
    const unsigned char *bytes;
    uint32_t length;
    uint8_t family;         // of `host`: 4, 6, or 0 where the sender has no number
    bool is_truncated;      // there was more than the limit
    bool has_credentials;
    uint8_t reserved;
    uint16_t port;          // of `host`
    unsigned char host[16];
    cweir_net_credentials_t sender;
} cweir_net_datagram_t;

typedef struct cweir_net_inbox cweir_net_inbox_t;

// What is wanted of a datagram beside its bytes. Each costs time for every datagram, so it has to be asked for.
enum {
    CWEIR_NET_ORIGINS = 1,  // where it comes from
    CWEIR_NET_CONTROLS = 2, // who sent it, and what was dropped before it
};

// Returns memory for batches of up to `capacity` datagrams of up to `limit` bytes, or NULL.
cweir_net_inbox_t *_Nullable cweir_net_inbox_create(size_t capacity, size_t limit, uint32_t details);
void cweir_net_inbox_destroy(cweir_net_inbox_t *inbox);

// Receives what is there: as many datagrams as fit a batch, in one system call where the system has one for that.
// Returns how many there are, `-EAGAIN` where there are none. Thread safety: one thread at a time for an inbox.
int cweir_net_inbox_receive(cweir_net_inbox_t *inbox, int socket);
const cweir_net_datagram_t *cweir_net_inbox_datagrams(const cweir_net_inbox_t *inbox);

// Writes the host and port that a datagram comes from, and a zero at the end. Returns false where they are not known.
bool cweir_net_describe_origin(const cweir_net_datagram_t *datagram, char *text, size_t size);

// How many datagrams the kernel says that it dropped before the last one, modulo 2^32.
uint32_t cweir_net_inbox_drops(const cweir_net_inbox_t *inbox);

// A datagram to send.
typedef struct cweir_net_parcel {
    const unsigned char *bytes;
    size_t length;
} cweir_net_parcel_t;

enum { CWEIR_NET_LARGEST_BATCH = 64 };

// Sends up to `CWEIR_NET_LARGEST_BATCH` datagrams over a connected socket. Returns how many were sent, or an error
// where none was.
int cweir_net_send_batch(int socket, const cweir_net_parcel_t *parcels, int count);

#pragma clang assume_nonnull end

#endif
