#define _GNU_SOURCE // for recvmmsg, and for what -std=c11 hides

#include "cbench_sockets.h"

#include "cbench_threads.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { BATCH = 64, LONGEST = 2048, BUFFER = 256 << 10 };

static struct sockaddr_un place(const char *path) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    strncpy(address.sun_path, path, sizeof(address.sun_path) - 1);
    return address;
}

int cbench_send_stream(const char *path, const void *bytes, uint64_t count, int rounds) {
    const struct sockaddr_un address = place(path);
    const int made = socket(AF_UNIX, SOCK_STREAM, 0);
    if (made < 0 || connect(made, (const struct sockaddr *)&address, sizeof(address)) < 0) {
        return -1;
    }
    for (int round = 0; round < rounds; round += 1) {
        for (uint64_t sent = 0; sent < count;) {
            const size_t piece = count - sent < 65536 ? (size_t)(count - sent) : 65536;
            const ssize_t done = write(made, (const char *)bytes + sent, piece);
            if (done < 0) {
                (void)close(made);
                return -1;
            }
            sent += (uint64_t)done;
        }
    }
    return close(made);
}

int cbench_listen(const char *path) {
    const struct sockaddr_un address = place(path);
    const int made = socket(AF_UNIX, SOCK_STREAM, 0);
    if (made < 0 || bind(made, (const struct sockaddr *)&address, sizeof(address)) < 0 || listen(made, 1) < 0) {
        return -1;
    }
    return made;
}

int64_t cbench_read_stream(int listener) {
    static char buffer[BUFFER];
    const int made = accept(listener, NULL, NULL);
    int64_t total = 0;
    ssize_t count;
    while ((count = read(made, buffer, sizeof(buffer))) > 0) {
        total += count;
    }
    (void)close(made);
    return total;
}

static struct sockaddr_in loopback(uint16_t port) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return address;
}

int cbench_open_port(uint32_t buffer, uint16_t *port) {
    struct sockaddr_in address = loopback(0);
    socklen_t length = sizeof(address);
    const int size = (int)buffer;
    const int made = socket(AF_INET, SOCK_DGRAM, 0);
    if (made < 0 || bind(made, (const struct sockaddr *)&address, sizeof(address)) < 0
        || getsockname(made, (struct sockaddr *)&address, &length) < 0) {
        return -1;
    }
    (void)setsockopt(made, SOL_SOCKET, SO_RCVBUF, &size, sizeof(size));
#if defined(__linux__)
    (void)setsockopt(made, SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof(size));
#endif
    *port = ntohs(address.sin_port);
    return made;
}

void cbench_close(int descriptor) {
    (void)close(descriptor);
}

int cbench_connect(uint16_t port) {
    const struct sockaddr_in address = loopback(port);
    const int made = socket(AF_INET, SOCK_STREAM, 0);
    const int on = 1;
    if (made >= 0 && connect(made, (const struct sockaddr *)&address, sizeof(address)) < 0) {
        (void)close(made);
        return -1;
    }
    (void)setsockopt(made, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    return made;
}

int cbench_send_all(int socket, const void *bytes, uint64_t count) {
    for (uint64_t sent = 0; sent < count;) {
        const ssize_t done = write(socket, (const char *)bytes + sent, (size_t)(count - sent));
        if (done < 0) {
            return -1;
        }
        sent += (uint64_t)done;
    }
    return 0;
}

int64_t cbench_receive_lines(int socket, int64_t count) {
    static _Thread_local char buffer[64 << 10];
    int64_t found = 0;
    struct pollfd entry = {.fd = socket, .events = POLLIN};
    while (found < count && poll(&entry, 1, 10000) > 0) {
        const ssize_t length = read(socket, buffer, sizeof(buffer));
        if (length <= 0) {
            break;
        }
        const char *const end = buffer + length;
        for (const char *at = buffer; (at = memchr(at, '\n', (size_t)(end - at))) != NULL; at += 1) {
            found += 1;
        }
    }
    return found;
}

#if defined(__linux__)

int64_t cbench_send_datagrams(
    uint16_t port, const void *bytes, uint32_t length, int kinds, int64_t count, double rate) {
    const struct sockaddr_in address = loopback(port);
    const int made = socket(AF_INET, SOCK_DGRAM, 0);
    if (made < 0 || connect(made, (const struct sockaddr *)&address, sizeof(address)) < 0) {
        return -1;
    }
    struct mmsghdr headers[BATCH];
    struct iovec parts[BATCH];
    memset(headers, 0, sizeof(headers));
    int64_t sent = 0;
    const int64_t start = cbench_now();
    while (sent < count) {
        const int wanted = count - sent < BATCH ? (int)(count - sent) : BATCH;
        for (int index = 0; index < wanted; index += 1) {
            const size_t offset = (size_t)((sent + index) % kinds) * length;
            parts[index] = (struct iovec){.iov_base = (char *)(uintptr_t)bytes + offset, .iov_len = length};
            headers[index].msg_hdr.msg_iov = &parts[index];
            headers[index].msg_hdr.msg_iovlen = 1;
        }
        const int done = sendmmsg(made, headers, (unsigned)wanted, 0);
        if (done < 0) {
            break;
        }
        sent += done;
        while (rate > 0 && (double)(cbench_now() - start) * rate < (double)sent * 1e9) {
            (void)sched_yield();
        }
    }
    (void)close(made);
    return sent;
}

int64_t cbench_receive_datagrams(int socket, int64_t *nanoseconds) {
    static char buffers[BATCH][LONGEST];
    struct mmsghdr headers[BATCH];
    struct iovec parts[BATCH];
    memset(headers, 0, sizeof(headers));
    for (int index = 0; index < BATCH; index += 1) {
        parts[index] = (struct iovec){.iov_base = buffers[index], .iov_len = LONGEST};
        headers[index].msg_hdr.msg_iov = &parts[index];
        headers[index].msg_hdr.msg_iovlen = 1;
    }
    int64_t total = 0;
    int64_t first = 0;
    int64_t last = 0;
    while (1) {
        const int count = recvmmsg(socket, headers, BATCH, MSG_DONTWAIT, NULL);
        if (count < 0) {
            struct pollfd entry = {.fd = socket, .events = POLLIN};
            // The first one may take a moment.
            if (errno != EAGAIN || poll(&entry, 1, total == 0 ? 10000 : 500) <= 0) {
                break;
            }
            continue;
        }
        last = cbench_now();
        first = total == 0 ? last : first;
        total += count;
    }
    *nanoseconds = last - first;
    return total;
}

#else

int64_t cbench_send_datagrams(
    uint16_t port, const void *bytes, uint32_t length, int kinds, int64_t count, double rate) {
    (void)port, (void)bytes, (void)length, (void)kinds, (void)count, (void)rate;
    return -1;
}

int64_t cbench_receive_datagrams(int socket, int64_t *nanoseconds) {
    (void)socket;
    *nanoseconds = 0;
    return -1;
}

#endif
