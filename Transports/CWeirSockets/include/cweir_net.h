#ifndef CWEIR_NET_H
#define CWEIR_NET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

// Sockets as the transports need them: never blocking, closed in child processes, without SIGPIPE.
//
// What varies between systems stands in `cweir_net_linux.c` and `cweir_net_apple.c`. Functions that return an `int` or
// `long` return a negative error number when they fail, and retry what a signal interrupted.
// Thread safety: any thread; a descriptor is closed by its last user.

typedef enum cweir_net_kind {
    CWEIR_NET_STREAM = 1,
    CWEIR_NET_DATAGRAM = 2,
    CWEIR_NET_SEQPACKET = 3,
} cweir_net_kind_t;

typedef enum cweir_net_family {
    CWEIR_NET_NONE = 0,
    CWEIR_NET_IPV4 = 4,
    CWEIR_NET_IPV6 = 6,
    CWEIR_NET_UNIX = 1,
} cweir_net_family_t;

// A `sockaddr` of any family.
typedef struct cweir_net_address {
    uint64_t storage[16];
    uint32_t length;
} cweir_net_address_t;

// MARK: Addresses

// Looks a host and a port up. Returns 0, or the resolver's error, which `cweir_net_resolve_error` explains.
int cweir_net_resolve(const char *host, const char *port, cweir_net_address_t *address);
const char *cweir_net_resolve_error(int error);

// Makes the address of a path, or of an abstract name, which only Linux has.
int cweir_net_unix_address(const char *path, size_t length, bool is_abstract, cweir_net_address_t *address);

int cweir_net_family(const cweir_net_address_t *address);
bool cweir_net_is_multicast(const cweir_net_address_t *address);

// The port, or zero where there is none.
uint16_t cweir_net_port(const cweir_net_address_t *address);
void cweir_net_set_port(cweir_net_address_t *address, uint16_t port);

// Writes the host's number, without the port, and a zero at its end.
void cweir_net_describe(const cweir_net_address_t *address, char *text, size_t size);

// Copies the number of a host into 16 bytes, of which IPv4 takes 4. Returns the family, or zero.
int cweir_net_host_number(const cweir_net_address_t *address, unsigned char *bytes);

// Reads the number of a host into 16 bytes, of which IPv4 takes 4. Returns the family, or zero.
int cweir_net_parse_number(const char *text, unsigned char *bytes);

// MARK: Making

// Returns a socket.
int cweir_net_socket(const cweir_net_address_t *address, int kind);
int cweir_net_bind(int socket, const cweir_net_address_t *address);

// Binds to a path, so that the file is never open to others than its owner, not even for a moment.
int cweir_net_bind_private(int socket, const cweir_net_address_t *address);
int cweir_net_listen(int socket);

// Returns the socket of the next connection; `-EAGAIN` where none waits.
int cweir_net_accept(int socket);

// Unix sockets connect at once, or not at all: `-EAGAIN` where too many wait there already. A connection to a port may go
// on, `-EINPROGRESS`: the socket can then be written to when it is made, or has an error that waits.
int cweir_net_connect(int socket, const cweir_net_address_t *address);

// Takes the error that waits at a socket: 0, or a negative error number.
int cweir_net_error(int socket);
int cweir_net_local_address(int socket, cweir_net_address_t *address);
void cweir_net_close(int descriptor);

// Makes an inherited descriptor like those that were made here. Returns its kind, or an error where it is no socket.
int cweir_net_adopt(int descriptor);

// Returns another descriptor of the same file or socket, closed in child processes.
int cweir_net_duplicate(int descriptor);

// Whether a socket listens.
bool cweir_net_is_listening(int socket);

// MARK: Options

int cweir_net_share_port(int socket);

// Permits to listen at a port at which old connections are still being ended.
int cweir_net_reuse_address(int socket);

// Makes a connection to a port send at once what is written, and find out that the other side's machine is gone.
void cweir_net_prepare_connection(int socket);

// How many bytes that were written to a connection or a pipe the other side has not taken yet: not acknowledged, or not
// read. Also after it is gone. Returns an error where the system cannot say.
long cweir_net_untaken(int descriptor);

// Asks for buffers. Returns how many bytes there are now, which may be fewer.
long cweir_net_grow_receive_buffer(int socket, int wanted);
long cweir_net_grow_send_buffer(int socket, int wanted);

// Makes the kernel count the datagrams that it drops. Returns 0 where it says how many when it is asked, 1 where it
// says so with each datagram, and an error where it does not.
int cweir_net_count_drops(int socket);

// How many datagrams the kernel dropped at this socket so far, modulo 2^32. Returns an error where it cannot say.
int cweir_net_drops(int socket, uint32_t *count);

// Joins a group; the interface's name may be NULL, and the kernel then chooses.
int cweir_net_join(int socket, const cweir_net_address_t *group, const char *_Nullable interface);

// Sends to groups through an interface, which may be NULL, and over at most `hops` routers.
int cweir_net_send_multicast(int socket, int family, const char *_Nullable interface, int hops);

// Permits sending to broadcast addresses.
int cweir_net_permit_broadcast(int socket);

// Makes the kernel keep a record of each datagram that was refused; fails where it cannot.
int cweir_net_report_refusals(int socket, int family);

// Takes those records. Returns how many there were.
int cweir_net_take_refusals(int socket);

// MARK: Who is there

typedef struct cweir_net_credentials {
    uint32_t user;
    uint32_t group;
} cweir_net_credentials_t;

// Who made the connection.
int cweir_net_peer(int socket, cweir_net_credentials_t *credentials);

// The other side's address.
int cweir_net_peer_address(int socket, cweir_net_address_t *address);

// Makes the kernel attach the sender to each datagram.
int cweir_net_pass_credentials(int socket);

// Looks a user or a group up by name or number. Returns 0 or an error.
int cweir_net_user(const char *name, uint32_t *user);
int cweir_net_group(const char *name, uint32_t *group);

// Whether a user belongs to a group beside the first one. Answers from the system's list of users.
bool cweir_net_is_member(uint32_t user, uint32_t group);

// MARK: Bytes
//
// Also for the ends of pipes that do not block; a thread that sends to one first calls
// `cweir_child_ignore_broken_pipes`.

// Receives. Returns how many bytes, 0 at the end, `-EAGAIN` where there are none yet. `is_truncated` tells that a
// message was longer; `is_end` that 0 bytes are the end of the connection, and no empty message.
long cweir_net_receive(int socket, void *bytes, size_t count, bool *_Nullable is_truncated, bool *_Nullable is_end);

// Sends a part, or for kinds with messages all or nothing. Returns how many bytes.
long cweir_net_send(int socket, const void *bytes, size_t count);

// Receives what is there, and forgets it. Returns whether the other side has ended the connection.
bool cweir_net_discard_input(int socket);

// Ends the direction of sending.
void cweir_net_end_sending(int socket);

// MARK: Files of sockets

typedef struct cweir_net_file {
    uint64_t device;
    uint64_t node;
    uint32_t mode;
    bool is_socket;
} cweir_net_file_t;

// What is at a path; `-ENOENT` where nothing is. Links are not followed.
int cweir_net_file_at(const char *path, cweir_net_file_t *file);
int cweir_net_remove(const char *path);
int cweir_net_set_mode(const char *path, uint32_t mode);

// Sets the owner; `UINT32_MAX` leaves the user or the group as it is.
int cweir_net_set_owner(const char *path, uint32_t user, uint32_t group);

// Locks a directory against others who make sockets in it, waiting for a moment. Returns what to close, or an error.
int cweir_net_lock_directory(const char *path);

// MARK: Plain files and pipes

int cweir_net_open_spill(const char *path);

// Opens a file for reading, and tells the mode of what it opened, at the end of all links. Does not wait for a pipe.
int cweir_net_open_to_read(const char *path, uint32_t *mode);
long cweir_net_read_at(int file, void *bytes, size_t count, int64_t offset);
long cweir_net_write_at(int file, const void *bytes, size_t count, int64_t offset);
int cweir_net_truncate(int file, int64_t length);
int64_t cweir_net_file_length(int file);

// Gives a part of a file back to the disk: it reads as zeros then, and the file stays as long as it is. Returns an error
// where the file system cannot.
int cweir_net_punch_hole(int file, int64_t offset, int64_t count);

// Locks a file against other processes. Returns 0, or `-EWOULDBLOCK`.
int cweir_net_lock_file(int file);
int cweir_net_make_pipe(int *ends);
void cweir_net_ring(int pipe);
void cweir_net_quiet(int pipe);

// Does nothing for a while, or until a signal comes.
void cweir_net_pause(int64_t nanoseconds);

// Waits until one of two descriptors can be read; the second may be -1. Milliseconds below zero wait for ever.
// Returns 0 for neither, else the bits 1 and 2.
int cweir_net_wait(int first, int second, int milliseconds);

int64_t cweir_net_now(void);
int64_t cweir_net_wall_clock(void);
int cweir_net_random(void *bytes, size_t count);
const char *cweir_net_error_text(int error);

#pragma clang assume_nonnull end

#endif
