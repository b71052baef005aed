// What only Apple's systems have, and what they do without.

#if defined(__APPLE__)

#define _DARWIN_C_SOURCE

#include "cweir_net.h"
#include "cweir_net_batch.h"
#include "cweir_net_poller.h"
#include "cweir_net_system.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/event.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/ucred.h>
#include <sys/un.h>
#include <unistd.h>

static int prepare(int descriptor) {
    const int on = 1;
    const int flags = fcntl(descriptor, F_GETFL);
    if (flags < 0 || fcntl(descriptor, F_SETFL, flags | O_NONBLOCK) < 0 || fcntl(descriptor, F_SETFD, FD_CLOEXEC) < 0
        || setsockopt(descriptor, SOL_SOCKET, SO_NOSIGPIPE, &on, sizeof(on)) < 0) {
        const int error = errno;
        (void)close(descriptor);
        return -error;
    }
    return descriptor;
}

// MARK: Making

int cweir_net_make_socket(int family, int type) {
    const int made = socket(family, type, 0);
    return made < 0 ? -errno : prepare(made);
}

int cweir_net_accept(int socket) {
    int made;
    do {
        made = accept(socket, NULL, NULL);
    } while (made < 0 && (errno == EINTR || errno == ECONNABORTED));
    return made < 0 ? -errno : prepare(made);
}

int cweir_net_bind_private(int socket, const cweir_net_address_t *address) {
    // The mode of a socket cannot be set before there is a file. The mask is the process's: another thread that makes
    // a file in this moment makes it private too.
    const mode_t mask = umask(0177);
    const int status = bind(socket, (const struct sockaddr *)address->storage, (socklen_t)address->length);
    const int error = errno;
    (void)umask(mask);
    return status < 0 ? -error : 0;
}

bool cweir_net_group_list_has(const char *user, uint32_t first, uint32_t group) {
    int groups[1024];
    int count = (int)(sizeof(groups) / sizeof(groups[0]));
    if (getgrouplist(user, (int)first, groups, &count) < 0) {
        return false;
    }
    for (int index = 0; index < count; index++) {
        if ((uint32_t)groups[index] == group) {
            return true;
        }
    }
    return false;
}

bool cweir_net_is_over(int socket) {
    // There are no packets with connections here, so nothing that is empty but the end.
    (void)socket;
    return true;
}

// MARK: Options

static long grow_buffer(int socket, int wanted, int name) {
    // Asking for more than there may be fails here, where Linux gives what it can.
    for (int size = wanted; size >= 4096; size /= 2) {
        if (setsockopt(socket, SOL_SOCKET, name, &size, sizeof(size)) == 0) {
            return size;
        }
    }
    return -errno;
}

long cweir_net_grow_receive_buffer(int socket, int wanted) {
    return grow_buffer(socket, wanted, SO_RCVBUF);
}

long cweir_net_grow_send_buffer(int socket, int wanted) {
    return grow_buffer(socket, wanted, SO_SNDBUF);
}

int cweir_net_count_drops(int socket) {
    (void)socket;
    return -EOPNOTSUPP;
}

int cweir_net_drops(int socket, uint32_t *count) {
    (void)socket;
    (void)count;
    return -EOPNOTSUPP;
}

long cweir_net_untaken(int descriptor) {
    int count = 0;
    socklen_t length = sizeof(count);
    return getsockopt(descriptor, SOL_SOCKET, SO_NWRITE, &count, &length) < 0 ? -errno : count;
}

int cweir_net_report_refusals(int socket, int family) {
    (void)socket;
    (void)family;
    return -EOPNOTSUPP;
}

int cweir_net_take_refusals(int socket) {
    (void)socket;
    return 0;
}

int cweir_net_peer(int socket, cweir_net_credentials_t *credentials) {
    uid_t user;
    gid_t group;
    if (getpeereid(socket, &user, &group) < 0) {
        return -errno;
    }
    credentials->user = user;
    credentials->group = group;
    return 0;
}

int cweir_net_pass_credentials(int socket) {
    (void)socket;
    return -EOPNOTSUPP;
}

int cweir_net_punch_hole(int file, int64_t offset, int64_t count) {
    struct stat status;
    if (fstat(file, &status) < 0) {
        return -errno;
    }
    // Whole blocks only; the parts beside them stay until their neighbours go.
    const int64_t block = status.st_blksize > 0 ? (int64_t)status.st_blksize : 4096;
    const int64_t first = (offset + block - 1) / block * block;
    const int64_t last = (offset + count) / block * block;
    if (first >= last) {
        return 0;
    }
    fpunchhole_t hole = {.fp_offset = (off_t)first, .fp_length = (off_t)(last - first)};
    return fcntl(file, F_PUNCHHOLE, &hole) < 0 ? -errno : 0;
}

// MARK: Batches

struct cweir_net_inbox {
    size_t capacity;
    size_t limit;
    unsigned char *arena;
    cweir_net_datagram_t *datagrams;
};

cweir_net_inbox_t *cweir_net_inbox_create(size_t capacity, size_t limit, uint32_t details) {
    // The origin costs next to nothing beside a call for each datagram, and the rest there is not.
    (void)details;
    cweir_net_inbox_t *inbox = calloc(1, sizeof(*inbox));
    if (inbox == NULL) {
        return NULL;
    }
    inbox->capacity = capacity;
    inbox->limit = limit;
    inbox->arena = malloc(capacity * limit);
    inbox->datagrams = calloc(capacity, sizeof(*inbox->datagrams));
    if (inbox->arena == NULL || inbox->datagrams == NULL) {
        cweir_net_inbox_destroy(inbox);
        return NULL;
    }
    return inbox;
}

void cweir_net_inbox_destroy(cweir_net_inbox_t *inbox) {
    free(inbox->arena);
    free(inbox->datagrams);
    free(inbox);
}

int cweir_net_inbox_receive(cweir_net_inbox_t *inbox, int socket) {
    int count = 0;
    while ((size_t)count < inbox->capacity) {
        unsigned char *bytes = inbox->arena + (size_t)count * inbox->limit;
        struct sockaddr_storage origin = {0};
        struct iovec part = {.iov_base = bytes, .iov_len = inbox->limit};
        struct msghdr header = {0};
        header.msg_name = &origin;
        header.msg_namelen = sizeof(origin);
        header.msg_iov = &part;
        header.msg_iovlen = 1;
        const ssize_t received = recvmsg(socket, &header, MSG_DONTWAIT);
        if (received < 0) {
            if (errno == EINTR) {
                continue;
            }
            return count > 0 ? count : -errno;
        }
        cweir_net_datagram_t *datagram = &inbox->datagrams[count++];
        memset(datagram, 0, sizeof(*datagram));
        datagram->bytes = bytes;
        datagram->length = (uint32_t)received;
        datagram->is_truncated = (header.msg_flags & MSG_TRUNC) != 0;
        if (header.msg_namelen > 0 && origin.ss_family == AF_INET) {
            datagram->family = CWEIR_NET_IPV4;
            memcpy(datagram->host, &((struct sockaddr_in *)&origin)->sin_addr, 4);
            datagram->port = ntohs(((struct sockaddr_in *)&origin)->sin_port);
        } else if (header.msg_namelen > 0 && origin.ss_family == AF_INET6) {
            datagram->family = CWEIR_NET_IPV6;
            memcpy(datagram->host, &((struct sockaddr_in6 *)&origin)->sin6_addr, 16);
            datagram->port = ntohs(((struct sockaddr_in6 *)&origin)->sin6_port);
        }
    }
    return count;
}

const cweir_net_datagram_t *cweir_net_inbox_datagrams(const cweir_net_inbox_t *inbox) {
    return inbox->datagrams;
}

uint32_t cweir_net_inbox_drops(const cweir_net_inbox_t *inbox) {
    (void)inbox;
    return 0;
}

int cweir_net_send_batch(int socket, const cweir_net_parcel_t *parcels, int count) {
    int sent = 0;
    while (sent < count) {
        const ssize_t done = send(socket, parcels[sent].bytes, parcels[sent].length, MSG_DONTWAIT);
        if (done < 0 && errno == EINTR) {
            continue;
        }
        if (done < 0) {
            return sent > 0 ? sent : -errno;
        }
        sent += 1;
    }
    return sent;
}

// MARK: The poller

int cweir_net_poller_create(void) {
    const int made = kqueue();
    if (made < 0) {
        return -errno;
    }
    (void)fcntl(made, F_SETFD, FD_CLOEXEC);
    return made;
}

int cweir_net_poller_watch(int poller, int descriptor, uint64_t token, uint32_t old, uint32_t wanted) {
    struct kevent changes[2];
    int count = 0;
    const uint32_t changed = old ^ wanted;
    void *const data = (void *)(uintptr_t)token;
    if (changed & CWEIR_NET_READABLE) {
        EV_SET(&changes[count++], (uintptr_t)descriptor, EVFILT_READ,
            (wanted & CWEIR_NET_READABLE) ? EV_ADD : EV_DELETE, 0, 0, data);
    }
    if (changed & CWEIR_NET_WRITABLE) {
        EV_SET(&changes[count++], (uintptr_t)descriptor, EVFILT_WRITE,
            (wanted & CWEIR_NET_WRITABLE) ? EV_ADD : EV_DELETE, 0, 0, data);
    }
    return count > 0 && kevent(poller, changes, count, NULL, 0, NULL) < 0 ? -errno : 0;
}

int cweir_net_poller_wait(int poller, cweir_net_event_t *events, int capacity, int milliseconds) {
    struct kevent found[256];
    const struct timespec time = {.tv_sec = milliseconds / 1000, .tv_nsec = (long)(milliseconds % 1000) * 1000000};
    const int count = kevent(poller, NULL, 0, found, capacity < 256 ? capacity : 256, milliseconds < 0 ? NULL : &time);
    if (count < 0) {
        return errno == EINTR ? 0 : -errno;
    }
    for (int index = 0; index < count; index++) {
        events[index].token = (uint64_t)(uintptr_t)found[index].udata;
        events[index].ready = found[index].filter == EVFILT_READ ? CWEIR_NET_READABLE : CWEIR_NET_WRITABLE;
    }
    return count;
}

#endif
