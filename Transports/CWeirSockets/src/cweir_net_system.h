// What the files for single systems offer to the one for all.

#ifndef CWEIR_NET_SYSTEM_H
#define CWEIR_NET_SYSTEM_H

#include <stdbool.h>
#include <stdint.h>

#if defined(__linux__)
#define CWEIR_NET_NO_SIGNAL 0x4000 /* MSG_NOSIGNAL */
#else
#define CWEIR_NET_NO_SIGNAL 0 /* SO_NOSIGPIPE is set on the socket */
#endif

// Returns a socket that does not block and is closed in child processes, or a negative error number.
int cweir_net_make_socket(int family, int type);

// Whether the list of a user's groups has one.
bool cweir_net_group_list_has(const char *user, uint32_t first, uint32_t group);

// Whether the other side has ended a connection and everything was read.
bool cweir_net_is_over(int socket);

#endif
