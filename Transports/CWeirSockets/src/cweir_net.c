// What is the same on all systems with POSIX.

#define _GNU_SOURCE
#define _DARWIN_C_SOURCE

#include "cweir_net.h"
#include "cweir_net_batch.h"

#include "cweir_net_system.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

_Static_assert(sizeof(struct sockaddr_storage) <= sizeof(((cweir_net_address_t *)0)->storage), "any address must fit");

static int result(int status) {
    return status < 0 ? -errno : status;
}

static const struct sockaddr *raw(const cweir_net_address_t *address) {
    return (const struct sockaddr *)address->storage;
}

static int set_option(int socket, int level, int name, int value) {
    return result(setsockopt(socket, level, name, &value, sizeof(value)));
}

// MARK: Addresses

int cweir_net_resolve(const char *host, const char *port, cweir_net_address_t *address) {
    struct addrinfo hints = {0};
    hints.ai_family = AF_UNSPEC;
    hints.ai_socktype = SOCK_DGRAM;
    struct addrinfo *list = NULL;
    const int error = getaddrinfo(host, port, &hints, &list);
    if (error != 0) {
        return error;
    }
    memset(address, 0, sizeof(*address));
    memcpy(address->storage, list->ai_addr, list->ai_addrlen);
    address->length = (uint32_t)list->ai_addrlen;
    freeaddrinfo(list);
    return 0;
}

const char *cweir_net_resolve_error(int error) {
    return gai_strerror(error);
}

int cweir_net_unix_address(const char *path, size_t length, bool is_abstract, cweir_net_address_t *address) {
    memset(address, 0, sizeof(*address));
    struct sockaddr_un *target = (struct sockaddr_un *)address->storage;
    target->sun_family = AF_UNIX;
    if (length + 1 > sizeof(target->sun_path)) {
        return -ENAMETOOLONG;
    }
    if (is_abstract) {
#if defined(__linux__)
        memcpy(target->sun_path + 1, path, length);
#else
        return -EOPNOTSUPP;
#endif
    } else {
        memcpy(target->sun_path, path, length);
    }
    address->length = (uint32_t)(offsetof(struct sockaddr_un, sun_path) + length + 1);
    return 0;
}

int cweir_net_family(const cweir_net_address_t *address) {
    switch (raw(address)->sa_family) {
    case AF_INET: return CWEIR_NET_IPV4;
    case AF_INET6: return CWEIR_NET_IPV6;
    case AF_UNIX: return CWEIR_NET_UNIX;
    default: return CWEIR_NET_NONE;
    }
}

bool cweir_net_is_multicast(const cweir_net_address_t *address) {
    switch (raw(address)->sa_family) {
    case AF_INET: return (ntohl(((const struct sockaddr_in *)address->storage)->sin_addr.s_addr) >> 28) == 14;
    case AF_INET6: return ((const struct sockaddr_in6 *)address->storage)->sin6_addr.s6_addr[0] == 0xff;
    default: return false;
    }
}

uint16_t cweir_net_port(const cweir_net_address_t *address) {
    switch (raw(address)->sa_family) {
    case AF_INET: return ntohs(((const struct sockaddr_in *)address->storage)->sin_port);
    case AF_INET6: return ntohs(((const struct sockaddr_in6 *)address->storage)->sin6_port);
    default: return 0;
    }
}

void cweir_net_set_port(cweir_net_address_t *address, uint16_t port) {
    switch (raw(address)->sa_family) {
    case AF_INET: ((struct sockaddr_in *)address->storage)->sin_port = htons(port); break;
    case AF_INET6: ((struct sockaddr_in6 *)address->storage)->sin6_port = htons(port); break;
    default: break;
    }
}

void cweir_net_describe(const cweir_net_address_t *address, char *text, size_t size) {
    const void *host = NULL;
    switch (raw(address)->sa_family) {
    case AF_INET: host = &((const struct sockaddr_in *)address->storage)->sin_addr; break;
    case AF_INET6: host = &((const struct sockaddr_in6 *)address->storage)->sin6_addr; break;
    default: break;
    }
    if (host == NULL || inet_ntop(raw(address)->sa_family, host, text, (socklen_t)size) == NULL) {
        text[0] = 0;
    }
}

bool cweir_net_describe_origin(const cweir_net_datagram_t *datagram, char *text, size_t size) {
    char host[INET6_ADDRSTRLEN];
    const bool is_ipv6 = datagram->family == CWEIR_NET_IPV6;
    if (datagram->family == CWEIR_NET_NONE
        || inet_ntop(is_ipv6 ? AF_INET6 : AF_INET, datagram->host, host, sizeof(host)) == NULL) {
        return false;
    }
    return snprintf(text, size, is_ipv6 ? "[%s]:%u" : "%s:%u", host, (unsigned)datagram->port) > 0;
}

int cweir_net_host_number(const cweir_net_address_t *address, unsigned char *bytes) {
    switch (raw(address)->sa_family) {
    case AF_INET:
        memcpy(bytes, &((const struct sockaddr_in *)address->storage)->sin_addr, 4);
        return CWEIR_NET_IPV4;
    case AF_INET6:
        memcpy(bytes, &((const struct sockaddr_in6 *)address->storage)->sin6_addr, 16);
        return CWEIR_NET_IPV6;
    default: return CWEIR_NET_NONE;
    }
}

int cweir_net_parse_number(const char *text, unsigned char *bytes) {
    if (inet_pton(AF_INET, text, bytes) == 1) {
        return CWEIR_NET_IPV4;
    }
    return inet_pton(AF_INET6, text, bytes) == 1 ? CWEIR_NET_IPV6 : CWEIR_NET_NONE;
}

// MARK: Making

int cweir_net_socket(const cweir_net_address_t *address, int kind) {
    const int type = kind == CWEIR_NET_STREAM ? SOCK_STREAM : kind == CWEIR_NET_DATAGRAM ? SOCK_DGRAM : SOCK_SEQPACKET;
    const int made = cweir_net_make_socket(raw(address)->sa_family, type);
    if (made >= 0 && raw(address)->sa_family == AF_INET6) {
        // An address of IPv6 means IPv6: listening on all of both takes two sources.
        (void)set_option(made, IPPROTO_IPV6, IPV6_V6ONLY, 1);
    }
    return made;
}

int cweir_net_bind(int socket, const cweir_net_address_t *address) {
    return result(bind(socket, raw(address), (socklen_t)address->length));
}

int cweir_net_listen(int socket) {
    return result(listen(socket, SOMAXCONN));
}

int cweir_net_connect(int socket, const cweir_net_address_t *address) {
    int status;
    do {
        status = result(connect(socket, raw(address), (socklen_t)address->length));
    } while (status == -EINTR);
    return status;
}

int cweir_net_error(int socket) {
    int error = 0;
    socklen_t length = sizeof(error);
    return getsockopt(socket, SOL_SOCKET, SO_ERROR, &error, &length) < 0 ? -errno : -error;
}

int cweir_net_local_address(int socket, cweir_net_address_t *address) {
    memset(address, 0, sizeof(*address));
    socklen_t length = sizeof(address->storage);
    const int status = result(getsockname(socket, (struct sockaddr *)address->storage, &length));
    address->length = (uint32_t)length;
    return status;
}

void cweir_net_close(int descriptor) {
    // Not retried: where a signal interrupts it, the descriptor is closed all the same.
    (void)close(descriptor);
}

int cweir_net_adopt(int descriptor) {
    int type = 0;
    socklen_t length = sizeof(type);
    if (getsockopt(descriptor, SOL_SOCKET, SO_TYPE, &type, &length) < 0) {
        return -errno;
    }
    const int flags = fcntl(descriptor, F_GETFL);
    if (flags < 0 || fcntl(descriptor, F_SETFL, flags | O_NONBLOCK) < 0 || fcntl(descriptor, F_SETFD, FD_CLOEXEC) < 0) {
        return -errno;
    }
    return type == SOCK_STREAM ? CWEIR_NET_STREAM : type == SOCK_DGRAM ? CWEIR_NET_DATAGRAM : CWEIR_NET_SEQPACKET;
}

int cweir_net_duplicate(int descriptor) {
    return result(fcntl(descriptor, F_DUPFD_CLOEXEC, 0));
}

bool cweir_net_is_listening(int socket) {
    int listens = 0;
    socklen_t length = sizeof(listens);
    return getsockopt(socket, SOL_SOCKET, SO_ACCEPTCONN, &listens, &length) == 0 && listens != 0;
}

// MARK: Options

int cweir_net_reuse_address(int socket) {
    return set_option(socket, SOL_SOCKET, SO_REUSEADDR, 1);
}

void cweir_net_prepare_connection(int socket) {
    // Neither changes what arrives, so failing is no reason to give up a connection.
    (void)set_option(socket, IPPROTO_TCP, TCP_NODELAY, 1);
    (void)set_option(socket, SOL_SOCKET, SO_KEEPALIVE, 1);
}

int cweir_net_share_port(int socket) {
    return set_option(socket, SOL_SOCKET, SO_REUSEPORT, 1);
}

static unsigned interface_index(const char *name) {
    return name == NULL ? 0 : if_nametoindex(name);
}

int cweir_net_join(int socket, const cweir_net_address_t *group, const char *interface) {
    const unsigned index = interface_index(interface);
    if (interface != NULL && index == 0) {
        return -ENODEV;
    }
    struct group_req request = {0};
    request.gr_interface = index;
    memcpy(&request.gr_group, group->storage, group->length);
    const int level = raw(group)->sa_family == AF_INET6 ? IPPROTO_IPV6 : IPPROTO_IP;
    return result(setsockopt(socket, level, MCAST_JOIN_GROUP, &request, sizeof(request)));
}

int cweir_net_send_multicast(int socket, int family, const char *interface, int hops) {
    const unsigned index = interface_index(interface);
    if (interface != NULL && index == 0) {
        return -ENODEV;
    }
    if (family == CWEIR_NET_IPV6) {
        const int status = set_option(socket, IPPROTO_IPV6, IPV6_MULTICAST_HOPS, hops);
        return status < 0 || index == 0 ? status : set_option(socket, IPPROTO_IPV6, IPV6_MULTICAST_IF, (int)index);
    }
    const int status = set_option(socket, IPPROTO_IP, IP_MULTICAST_TTL, hops);
    if (status < 0 || index == 0) {
        return status;
    }
    struct ip_mreqn request = {0};
    request.imr_ifindex = (int)index;
    return result(setsockopt(socket, IPPROTO_IP, IP_MULTICAST_IF, &request, sizeof(request)));
}

int cweir_net_permit_broadcast(int socket) {
    return set_option(socket, SOL_SOCKET, SO_BROADCAST, 1);
}

// MARK: Who is there

static bool parse_identity(const char *text, uint32_t *identity) {
    uint64_t value = 0;
    if (*text == 0) {
        return false;
    }
    for (; *text != 0; text++) {
        if (*text < '0' || *text > '9' || (value = value * 10 + (uint64_t)(*text - '0')) >= UINT32_MAX) {
            return false;
        }
    }
    *identity = (uint32_t)value;
    return true;
}

int cweir_net_user(const char *name, uint32_t *user) {
    if (parse_identity(name, user)) {
        return 0;
    }
    char buffer[16384];
    struct passwd entry;
    struct passwd *found = NULL;
    const int error = getpwnam_r(name, &entry, buffer, sizeof(buffer), &found);
    if (found == NULL) {
        return error == 0 ? -ENOENT : -error;
    }
    *user = entry.pw_uid;
    return 0;
}

int cweir_net_group(const char *name, uint32_t *group) {
    if (parse_identity(name, group)) {
        return 0;
    }
    char buffer[16384];
    struct group entry;
    struct group *found = NULL;
    const int error = getgrnam_r(name, &entry, buffer, sizeof(buffer), &found);
    if (found == NULL) {
        return error == 0 ? -ENOENT : -error;
    }
    *group = entry.gr_gid;
    return 0;
}

bool cweir_net_is_member(uint32_t user, uint32_t group) {
    char buffer[16384];
    struct passwd entry;
    struct passwd *found = NULL;
    if (getpwuid_r(user, &entry, buffer, sizeof(buffer), &found) != 0 || found == NULL) {
        return false;
    }
    return cweir_net_group_list_has(entry.pw_name, (uint32_t)entry.pw_gid, group);
}

int cweir_net_peer_address(int socket, cweir_net_address_t *address) {
    memset(address, 0, sizeof(*address));
    socklen_t length = sizeof(address->storage);
    const int status = result(getpeername(socket, (struct sockaddr *)address->storage, &length));
    address->length = (uint32_t)length;
    return status;
}

// MARK: Bytes

long cweir_net_receive(int socket, void *bytes, size_t count, bool *is_truncated, bool *is_end) {
    struct iovec part = {.iov_base = bytes, .iov_len = count};
    struct msghdr message = {0};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    ssize_t received;
    do {
        received = recvmsg(socket, &message, MSG_DONTWAIT);
        if (received < 0 && errno == ENOTSOCK) {
            received = read(socket, bytes, count);
        }
    } while (received < 0 && errno == EINTR);
    if (received < 0) {
        return -errno;
    }
    if (is_truncated != NULL) {
        *is_truncated = (message.msg_flags & MSG_TRUNC) != 0;
    }
    if (is_end != NULL) {
        // An empty packet reads like the end of the connection.
        *is_end = received == 0 && cweir_net_is_over(socket);
    }
    return (long)received;
}

long cweir_net_send(int socket, const void *bytes, size_t count) {
    ssize_t sent;
    do {
        sent = send(socket, bytes, count, MSG_DONTWAIT | CWEIR_NET_NO_SIGNAL);
        if (sent < 0 && errno == ENOTSOCK) {
            sent = write(socket, bytes, count);
        }
    } while (sent < 0 && errno == EINTR);
    return sent < 0 ? -errno : (long)sent;
}

bool cweir_net_discard_input(int socket) {
    char bytes[4096];
    // Bounded: a sender that never stops gets its turn again.
    for (int round = 0; round < 64; round++) {
        const long count = cweir_net_receive(socket, bytes, sizeof(bytes), NULL, NULL);
        if (count <= 0) {
            return count != -EAGAIN;
        }
    }
    return false;
}

void cweir_net_end_sending(int socket) {
    (void)shutdown(socket, SHUT_WR);
}

// MARK: Files of sockets

int cweir_net_file_at(const char *path, cweir_net_file_t *file) {
    struct stat status;
    if (lstat(path, &status) < 0) {
        return -errno;
    }
    file->device = (uint64_t)status.st_dev;
    file->node = (uint64_t)status.st_ino;
    file->mode = (uint32_t)(status.st_mode & 07777);
    file->is_socket = S_ISSOCK(status.st_mode);
    return 0;
}

int cweir_net_remove(const char *path) {
    return result(unlink(path));
}

int cweir_net_set_mode(const char *path, uint32_t mode) {
    return result(chmod(path, (mode_t)mode));
}

int cweir_net_set_owner(const char *path, uint32_t user, uint32_t group) {
    return result(chown(path, (uid_t)user, (gid_t)group));
}

static int open_file(const char *path, int flags, mode_t mode) {
    int file;
    do {
        file = open(path, flags, mode);
    } while (file < 0 && errno == EINTR);
    return file < 0 ? -errno : file;
}

int cweir_net_lock_directory(const char *path) {
    const int directory = open_file(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
    if (directory < 0) {
        return directory;
    }
    // Bounded: another program may hold the lock of the directory.
    for (int round = 0; round < 100; round++) {
        if (flock(directory, LOCK_EX | LOCK_NB) == 0) {
            return directory;
        }
        (void)poll(NULL, 0, 10);
    }
    (void)close(directory);
    return -EWOULDBLOCK;
}

// MARK: Plain files and pipes

int cweir_net_open_spill(const char *path) {
    return open_file(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
}

int cweir_net_open_to_read(const char *path, uint32_t *mode) {
    const int file = open_file(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK, 0);
    struct stat status;
    if (file >= 0 && fstat(file, &status) < 0) {
        const int error = -errno;
        (void)close(file);
        return error;
    }
    if (file >= 0) {
        *mode = (uint32_t)(status.st_mode & 07777);
    }
    return file;
}

long cweir_net_read_at(int file, void *bytes, size_t count, int64_t offset) {
    ssize_t done;
    do {
        done = pread(file, bytes, count, (off_t)offset);
    } while (done < 0 && errno == EINTR);
    return done < 0 ? -errno : (long)done;
}

long cweir_net_write_at(int file, const void *bytes, size_t count, int64_t offset) {
    size_t written = 0;
    while (written < count) {
        const off_t place = (off_t)offset + (off_t)written;
        const ssize_t done = pwrite(file, (const char *)bytes + written, count - written, place);
        if (done < 0 && errno == EINTR) {
            continue;
        }
        if (done <= 0) {
            return done < 0 ? -errno : -ENOSPC;
        }
        written += (size_t)done;
    }
    return (long)written;
}

int cweir_net_truncate(int file, int64_t length) {
    int status;
    do {
        status = ftruncate(file, (off_t)length);
    } while (status < 0 && errno == EINTR);
    return result(status);
}

int64_t cweir_net_file_length(int file) {
    struct stat status;
    return fstat(file, &status) < 0 ? -errno : (int64_t)status.st_size;
}

int cweir_net_lock_file(int file) {
    return result(flock(file, LOCK_EX | LOCK_NB));
}

int cweir_net_make_pipe(int *ends) {
    if (pipe(ends) < 0) {
        return -errno;
    }
    for (int end = 0; end < 2; end++) {
        (void)fcntl(ends[end], F_SETFD, FD_CLOEXEC);
        (void)fcntl(ends[end], F_SETFL, O_NONBLOCK);
    }
    return 0;
}

void cweir_net_ring(int pipe) {
    // A pipe that is full can be read already.
    while (write(pipe, "", 1) < 0 && errno == EINTR) {
    }
}

void cweir_net_quiet(int pipe) {
    char bytes[64];
    ssize_t count;
    do {
        count = read(pipe, bytes, sizeof(bytes));
    } while (count == (ssize_t)sizeof(bytes) || (count < 0 && errno == EINTR));
}

int cweir_net_wait(int first, int second, int milliseconds) {
    struct pollfd entries[2] = {
        {.fd = first, .events = POLLIN},
        {.fd = second, .events = POLLIN},
    };
    const int count = poll(entries, second < 0 ? 1 : 2, milliseconds);
    if (count <= 0) {
        return 0;
    }
    return (entries[0].revents != 0 ? 1 : 0) | (entries[1].revents != 0 ? 2 : 0);
}

void cweir_net_pause(int64_t nanoseconds) {
    const struct timespec time = {.tv_sec = nanoseconds / 1000000000, .tv_nsec = (long)(nanoseconds % 1000000000)};
    (void)nanosleep(&time, NULL);
}

int64_t cweir_net_now(void) {
    struct timespec time;
    (void)clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

int64_t cweir_net_wall_clock(void) {
    struct timespec time;
    (void)clock_gettime(CLOCK_REALTIME, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

int cweir_net_random(void *bytes, size_t count) {
    return result(getentropy(bytes, count));
}

const char *cweir_net_error_text(int error) {
    return strerror(error);
}
