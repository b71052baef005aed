// What only Linux has.

#if defined(__linux__)

#define _GNU_SOURCE

#include "cweir_net.h"
#include "cweir_net_batch.h"
#include "cweir_net_poller.h"
#include "cweir_net_system.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

// After the headers of the C library, which it needs.
#include <linux/errqueue.h>

// From <linux/sock_diag.h>, which clashes with the C library's headers in some versions.
#ifndef SO_MEMINFO
#define SO_MEMINFO 55
#endif
enum { MEMINFO_DROPS = 8, MEMINFO_COUNT = 9 };

_Static_assert(CWEIR_NET_NO_SIGNAL == MSG_NOSIGNAL, "the flag must be the system's");

static int set_option(int socket, int name, int value) {
    return setsockopt(socket, SOL_SOCKET, name, &value, sizeof(value)) < 0 ? -errno : 0;
}

// MARK: Making

int cweir_net_make_socket(int family, int type) {
    const int made = socket(family, type | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    return made < 0 ? -errno : made;
}

int cweir_net_accept(int socket) {
    int made;
    do {
        made = accept4(socket, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
        // A connection that was given up while it waited is none; the next one may be.
    } while (made < 0 && (errno == EINTR || errno == ECONNABORTED));
    return made < 0 ? -errno : made;
}

int cweir_net_bind_private(int socket, const cweir_net_address_t *address) {
    // The file gets the mode that the socket has before it is bound.
    if (fchmod(socket, 0600) < 0) {
        return -errno;
    }
    return bind(socket, (const struct sockaddr *)address->storage, (socklen_t)address->length) < 0 ? -errno : 0;
}

bool cweir_net_group_list_has(const char *user, uint32_t first, uint32_t group) {
    gid_t groups[1024];
    int count = (int)(sizeof(groups) / sizeof(groups[0]));
    if (getgrouplist(user, (gid_t)first, groups, &count) < 0) {
        return false;
    }
    for (int index = 0; index < count; index++) {
        if (groups[index] == group) {
            return true;
        }
    }
    return false;
}

bool cweir_net_is_over(int socket) {
    struct pollfd entry = {.fd = socket, .events = POLLRDHUP};
    if (poll(&entry, 1, 0) <= 0 || (entry.revents & (POLLRDHUP | POLLHUP | POLLERR)) == 0) {
        return false;
    }
    // What arrived before the end is still there to be read.
    int rest = 0;
    return ioctl(socket, FIONREAD, &rest) < 0 || rest == 0;
}

// MARK: Options

static long grow_buffer(int socket, int wanted, int forced, int plain) {
    // The privileged call is not bounded by the sysctl; without the privilege the plain one is what there is.
    if (set_option(socket, forced, wanted) < 0) {
        const int status = set_option(socket, plain, wanted);
        if (status < 0) {
            return status;
        }
    }
    int size = 0;
    socklen_t length = sizeof(size);
    if (getsockopt(socket, SOL_SOCKET, plain, &size, &length) < 0) {
        return -errno;
    }
    // The kernel doubles what it is asked for, to pay for its own records.
    return size / 2;
}

long cweir_net_grow_receive_buffer(int socket, int wanted) {
    return grow_buffer(socket, wanted, SO_RCVBUFFORCE, SO_RCVBUF);
}

long cweir_net_grow_send_buffer(int socket, int wanted) {
    return grow_buffer(socket, wanted, SO_SNDBUFFORCE, SO_SNDBUF);
}

int cweir_net_count_drops(int socket) {
    uint32_t count = 0;
    // To ask is cheaper than to be told with each datagram; Linux before 4.12 cannot be asked.
    if (cweir_net_drops(socket, &count) == 0) {
        return 0;
    }
    const int status = set_option(socket, SO_RXQ_OVFL, 1);
    return status < 0 ? status : 1;
}

int cweir_net_drops(int socket, uint32_t *count) {
    uint32_t info[MEMINFO_COUNT + 8] = {0};
    socklen_t length = sizeof(info);
    if (getsockopt(socket, SOL_SOCKET, SO_MEMINFO, info, &length) < 0) {
        return -errno;
    }
    if (length < MEMINFO_COUNT * sizeof(uint32_t)) {
        return -EOPNOTSUPP;
    }
    *count = info[MEMINFO_DROPS];
    return 0;
}

int cweir_net_report_refusals(int socket, int family) {
    const int on = 1;
    const int status = family == CWEIR_NET_IPV6 ? setsockopt(socket, IPPROTO_IPV6, IPV6_RECVERR, &on, sizeof(on))
                                                : setsockopt(socket, IPPROTO_IP, IP_RECVERR, &on, sizeof(on));
    return status < 0 ? -errno : 0;
}

int cweir_net_take_refusals(int socket) {
    int count = 0;
    while (true) {
        union {
            char bytes[512];
            struct cmsghdr alignment;
        } control;
        struct msghdr message = {0};
        message.msg_control = control.bytes;
        message.msg_controllen = sizeof(control.bytes);
        if (recvmsg(socket, &message, MSG_ERRQUEUE | MSG_DONTWAIT) < 0) {
            if (errno == EINTR) {
                continue;
            }
            return count;
        }
        for (struct cmsghdr *at = CMSG_FIRSTHDR(&message); at != NULL; at = CMSG_NXTHDR(&message, at)) {
            const bool is_error = (at->cmsg_level == IPPROTO_IP && at->cmsg_type == IP_RECVERR)
                || (at->cmsg_level == IPPROTO_IPV6 && at->cmsg_type == IPV6_RECVERR);
            if (is_error) {
                struct sock_extended_err error;
                memcpy(&error, CMSG_DATA(at), sizeof(error));
                count += error.ee_errno == ECONNREFUSED;
            }
        }
    }
}

int cweir_net_peer(int socket, cweir_net_credentials_t *credentials) {
    struct ucred peer;
    socklen_t length = sizeof(peer);
    if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &length) < 0) {
        return -errno;
    }
    credentials->user = peer.uid;
    credentials->group = peer.gid;
    return 0;
}

int cweir_net_pass_credentials(int socket) {
    return set_option(socket, SO_PASSCRED, 1);
}

long cweir_net_untaken(int descriptor) {
    int count = 0;
    struct stat status;
    if (fstat(descriptor, &status) < 0) {
        return -errno;
    }
    // Of a pipe either end tells what is in it; SIOCOUTQ has the same number as TIOCOUTQ.
    return ioctl(descriptor, S_ISFIFO(status.st_mode) ? (unsigned long)FIONREAD : (unsigned long)TIOCOUTQ, &count) < 0
        ? -errno : count;
}

int cweir_net_punch_hole(int file, int64_t offset, int64_t count) {
    const int mode = FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE;
    int status;
    do {
        status = fallocate(file, mode, (off_t)offset, (off_t)count);
    } while (status < 0 && errno == EINTR);
    return status < 0 ? -errno : 0;
}

// MARK: Batches

typedef union control {
    char bytes[CMSG_SPACE(sizeof(uint32_t)) + CMSG_SPACE(sizeof(struct ucred))];
    struct cmsghdr alignment;
} control_t;

struct cweir_net_inbox {
    size_t capacity;
    size_t used; // how many headers the kernel wrote to since they were prepared
    uint32_t details;
    uint32_t drops;
    unsigned char *arena;
    struct mmsghdr *headers;
    struct iovec *parts;
    struct sockaddr_storage *origins;
    control_t *controls;
    cweir_net_datagram_t *datagrams;
};

cweir_net_inbox_t *cweir_net_inbox_create(size_t capacity, size_t limit, uint32_t details) {
    cweir_net_inbox_t *inbox = calloc(1, sizeof(*inbox));
    if (inbox == NULL) {
        return NULL;
    }
    inbox->capacity = capacity;
    inbox->used = capacity;
    inbox->details = details;
    // A line more than a multiple of lines: with a power of two all datagrams would begin in the same few sets of the
    // cache, and drive each other out.
    const size_t stride = (limit + 63) / 64 * 64 + 64;
    inbox->arena = malloc(capacity * stride);
    inbox->headers = calloc(capacity, sizeof(*inbox->headers));
    inbox->parts = calloc(capacity, sizeof(*inbox->parts));
    inbox->origins = calloc(capacity, sizeof(*inbox->origins));
    inbox->controls = calloc(capacity, sizeof(*inbox->controls));
    inbox->datagrams = calloc(capacity, sizeof(*inbox->datagrams));
    if (inbox->arena == NULL || inbox->headers == NULL || inbox->parts == NULL || inbox->origins == NULL
        || inbox->controls == NULL || inbox->datagrams == NULL) {
        cweir_net_inbox_destroy(inbox);
        return NULL;
    }
    for (size_t index = 0; index < capacity; index++) {
        inbox->parts[index] = (struct iovec){.iov_base = inbox->arena + index * stride, .iov_len = limit};
        inbox->datagrams[index].bytes = inbox->arena + index * stride;
        inbox->headers[index].msg_hdr.msg_iov = &inbox->parts[index];
        inbox->headers[index].msg_hdr.msg_iovlen = 1;
    }
    return inbox;
}

void cweir_net_inbox_destroy(cweir_net_inbox_t *inbox) {
    free(inbox->arena);
    free(inbox->headers);
    free(inbox->parts);
    free(inbox->origins);
    free(inbox->controls);
    free(inbox->datagrams);
    free(inbox);
}

static void read_origin(cweir_net_datagram_t *datagram, const struct sockaddr_storage *origin) {
    switch (origin->ss_family) {
    case AF_INET:
        datagram->family = CWEIR_NET_IPV4;
        memcpy(datagram->host, &((const struct sockaddr_in *)origin)->sin_addr, 4);
        datagram->port = ntohs(((const struct sockaddr_in *)origin)->sin_port);
        break;
    case AF_INET6:
        datagram->family = CWEIR_NET_IPV6;
        memcpy(datagram->host, &((const struct sockaddr_in6 *)origin)->sin6_addr, 16);
        datagram->port = ntohs(((const struct sockaddr_in6 *)origin)->sin6_port);
        break;
    default:
        datagram->family = CWEIR_NET_NONE;
    }
}

static void read_controls(cweir_net_inbox_t *inbox, cweir_net_datagram_t *datagram, struct msghdr *header) {
    for (struct cmsghdr *at = CMSG_FIRSTHDR(header); at != NULL; at = CMSG_NXTHDR(header, at)) {
        if (at->cmsg_level != SOL_SOCKET) {
            continue;
        }
        if (at->cmsg_type == SO_RXQ_OVFL) {
            memcpy(&inbox->drops, CMSG_DATA(at), sizeof(inbox->drops));
        } else if (at->cmsg_type == SCM_CREDENTIALS) {
            struct ucred sender;
            memcpy(&sender, CMSG_DATA(at), sizeof(sender));
            datagram->has_credentials = true;
            datagram->sender.user = sender.uid;
            datagram->sender.group = sender.gid;
        }
    }
}

int cweir_net_inbox_receive(cweir_net_inbox_t *inbox, int socket) {
    const bool wants_origins = (inbox->details & CWEIR_NET_ORIGINS) != 0;
    const bool wants_controls = (inbox->details & CWEIR_NET_CONTROLS) != 0;
    // The kernel overwrites the lengths of a header that it filled; the others are still as they were.
    for (size_t index = 0; index < inbox->used && inbox->details != 0; index++) {
        struct msghdr *header = &inbox->headers[index].msg_hdr;
        if (wants_origins) {
            header->msg_name = &inbox->origins[index];
            header->msg_namelen = sizeof(inbox->origins[index]);
        }
        if (wants_controls) {
            header->msg_control = inbox->controls[index].bytes;
            header->msg_controllen = sizeof(inbox->controls[index].bytes);
        }
    }
    inbox->used = 0;
    int count;
    do {
        count = recvmmsg(socket, inbox->headers, (unsigned)inbox->capacity, MSG_DONTWAIT, NULL);
    } while (count < 0 && errno == EINTR);
    if (count < 0) {
        return -errno;
    }
    inbox->used = (size_t)count;
    for (int index = 0; index < count; index++) {
        struct msghdr *header = &inbox->headers[index].msg_hdr;
        cweir_net_datagram_t *datagram = &inbox->datagrams[index];
        datagram->length = inbox->headers[index].msg_len;
        datagram->is_truncated = (header->msg_flags & MSG_TRUNC) != 0;
        if (wants_origins) {
            datagram->family = CWEIR_NET_NONE;
            if (header->msg_namelen > 0) {
                read_origin(datagram, &inbox->origins[index]);
            }
        }
        if (wants_controls) {
            datagram->has_credentials = false;
            read_controls(inbox, datagram, header);
        }
    }
    return count;
}

const cweir_net_datagram_t *cweir_net_inbox_datagrams(const cweir_net_inbox_t *inbox) {
    return inbox->datagrams;
}

uint32_t cweir_net_inbox_drops(const cweir_net_inbox_t *inbox) {
    return inbox->drops;
}

int cweir_net_send_batch(int socket, const cweir_net_parcel_t *parcels, int count) {
    struct mmsghdr headers[CWEIR_NET_LARGEST_BATCH];
    struct iovec parts[CWEIR_NET_LARGEST_BATCH];
    const int limit = count < CWEIR_NET_LARGEST_BATCH ? count : CWEIR_NET_LARGEST_BATCH;
    for (int index = 0; index < limit; index++) {
        parts[index].iov_base = (void *)(uintptr_t)parcels[index].bytes;
        parts[index].iov_len = parcels[index].length;
        memset(&headers[index], 0, sizeof(headers[index]));
        headers[index].msg_hdr.msg_iov = &parts[index];
        headers[index].msg_hdr.msg_iovlen = 1;
    }
    int sent;
    do {
        sent = sendmmsg(socket, headers, (unsigned)limit, MSG_DONTWAIT | MSG_NOSIGNAL);
    } while (sent < 0 && errno == EINTR);
    return sent < 0 ? -errno : sent;
}

// MARK: The poller

int cweir_net_poller_create(void) {
    const int made = epoll_create1(EPOLL_CLOEXEC);
    return made < 0 ? -errno : made;
}

int cweir_net_poller_watch(int poller, int descriptor, uint64_t token, uint32_t old, uint32_t wanted) {
    if (old == wanted) {
        return 0;
    }
    struct epoll_event event = {0};
    event.data.u64 = token;
    event.events = ((wanted & CWEIR_NET_READABLE) ? (uint32_t)EPOLLIN : 0)
        | ((wanted & CWEIR_NET_WRITABLE) ? (uint32_t)EPOLLOUT : 0);
    const int operation = old == 0 ? EPOLL_CTL_ADD : wanted == 0 ? EPOLL_CTL_DEL : EPOLL_CTL_MOD;
    return epoll_ctl(poller, operation, descriptor, &event) < 0 ? -errno : 0;
}

int cweir_net_poller_wait(int poller, cweir_net_event_t *events, int capacity, int milliseconds) {
    struct epoll_event found[256];
    const int limit = capacity < 256 ? capacity : 256;
    const int count = epoll_wait(poller, found, limit, milliseconds);
    if (count < 0) {
        return errno == EINTR ? 0 : -errno;
    }
    for (int index = 0; index < count; index++) {
        const uint32_t bits = found[index].events;
        const bool is_over = (bits & (EPOLLHUP | EPOLLERR)) != 0;
        events[index].token = found[index].data.u64;
        events[index].ready = ((bits & EPOLLIN) || is_over ? (uint32_t)CWEIR_NET_READABLE : 0)
            | ((bits & EPOLLOUT) || is_over ? (uint32_t)CWEIR_NET_WRITABLE : 0)
            | (is_over ? (uint32_t)CWEIR_NET_HUNG_UP : 0);
    }
    return count;
}

#endif
