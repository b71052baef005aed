internal import Synchronization
internal import WeirCore
internal import WeirFiles
public import WeirRecords

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// A private Unix socket that answers questions about a running program.
///
/// A client sends a line and gets a text; a line that begins with `GET` is answered as HTTP, so that
/// `curl --unix-socket PATH http://weir/metrics` works. Only the user who runs the program may connect: the socket has
/// mode 0600. Clients that say nothing keep no other one waiting: each has two seconds in all, and where there are more than
/// 32, the one that has been silent longest is disconnected.
public final class ControlSocket: Sendable {
    /// Where it is.
    public let path: String

    /// How long a client may take in all.
    public static let defaultPatience = Duration.seconds(2)

    private let isOpen = Atomic(true)

    private static let questionLimit = 4096
    private static let answerLimit = 64 << 20
    private static let clientLimit = 32

    /// Opens the socket and begins to answer.
    ///
    /// A socket that a program left behind which runs no more is replaced; one that is in use is not.
    ///
    /// - Parameters:
    ///   - path: Where to put it; its folder must exist.
    ///   - patience: How long a client may take in all.
    ///   - answer: Makes the answer to a question; `nil` where it is not understood. Called on a thread of its own.
    /// - Throws: `TransportError/cannotOpen(address:reason:)`.
    public init(
        path: String,
        patience: Duration = ControlSocket.defaultPatience,
        answer: @escaping @Sendable (String) -> String?
    ) throws(TransportError) {
        // Before the object is whole: what was there before must survive where this throws.
        let listener = try Self.listen(at: path)
        self.path = path
        let isStarted = SystemThread.start("weir.control") { [weak self] in
            Self.serve(listener, patience, answer) { self?.isOpen.load(ordering: .acquiring) ?? false }
        }
        guard isStarted else {
            close(listener)
            throw .cannotOpen(address: path, reason: "the system has no threads left")
        }
    }

    private static func listen(at path: String) throws(TransportError) -> Int32 {
        if (try? ask(path, "")) != nil {
            throw .cannotOpen(address: path, reason: "another program answers there")
        }
        var status = stat()
        if unsafe lstat(path, &status) == 0 {
            guard status.st_mode & S_IFMT == S_IFSOCK else {
                throw .cannotOpen(address: path, reason: "there is something that is no socket")
            }
            guard removeAbandoned(path) else {
                throw .cannotOpen(address: path, reason: "a program is there that does not answer")
            }
        }
        let listener = UnixSocket.make(patience: defaultPatience)
        guard listener >= 0 else { throw .cannotOpen(address: path, reason: UnixSocket.reason) }
        // Before it has a name, so that it is never open to others.
        _ = fchmod(listener, 0o600)
        let bound = unsafe UnixSocket.withAddress(of: path) { address, length in
            unsafe bind(listener, address, length)
        }
        guard let bound else {
            close(listener)
            throw .cannotOpen(address: path, reason: "the path is longer than the system takes")
        }
        guard bound == 0, unsafe chmod(path, 0o600) == 0, startListening(listener) else {
            let reason = UnixSocket.reason
            close(listener)
            throw .cannotOpen(address: path, reason: reason)
        }
        return listener
    }

    private static func startListening(_ listener: Int32) -> Bool {
        #if canImport(Darwin)
            Darwin.listen(listener, 64) == 0
        #elseif canImport(Glibc)
            Glibc.listen(listener, 64) == 0
        #elseif canImport(Musl)
            Musl.listen(listener, 64) == 0
        #endif
    }

    deinit {
        remove()
    }

    /// Takes the socket away.
    public func remove() {
        guard isOpen.exchange(false, ordering: .acquiringAndReleasing) else { return }
        _ = unsafe unlink(path)
    }

    private static func serve(
        _ listener: Int32,
        _ patience: Duration,
        _ answer: (String) -> String?,
        while isOpen: () -> Bool
    ) {
        defer { close(listener) }
        var clients: [Client] = []
        defer { for client in clients { close(client.descriptor) } }
        while isOpen() {
            var entries = [pollfd(fd: listener, events: Int16(POLLIN), revents: 0)]
            entries += clients.map { pollfd(fd: $0.descriptor, events: $0.awaited, revents: 0) }
            // From time to time it is looked whether to go on, and whose time is over.
            let ready = unsafe poll(&entries, nfds_t(entries.count), 100)
            let now = MonotonicClock().now()
            var rest: [Client] = []
            for (var client, entry) in zip(clients, entries.dropFirst()) {
                if ready > 0, entry.revents != 0 {
                    client.goOn { reply(to: $0, answer) }
                }
                if client.isOver || client.deadline <= now { close(client.descriptor) } else { rest.append(client) }
            }
            clients = rest
            guard ready > 0, entries[0].revents != 0 else { continue }
            let descriptor = accept(listener, nil, nil)
            guard descriptor >= 0 else {
                // Where the system has no descriptors left the client stays, and accept(2) would fail at once again.
                if errno != EAGAIN, errno != EINTR { usleep(100_000) }
                continue
            }
            _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
            if clients.count >= clientLimit { close(clients.removeFirst().descriptor) }
            clients.append(Client(descriptor: descriptor, deadline: now + patience))
        }
    }

    /// A client that has not said all, or not taken its answer, in the order in which they came.
    private struct Client {
        let descriptor: Int32
        let deadline: Timestamp
        private(set) var isOver = false
        private var question: [UInt8] = []
        private var answer: ArraySlice<UInt8> = []

        init(descriptor: Int32, deadline: Timestamp) {
            self.descriptor = descriptor
            self.deadline = deadline
        }

        /// What it has to be waited for.
        var awaited: Int16 { Int16(answer.isEmpty ? POLLIN : POLLOUT) }

        /// Reads or writes what can be without waiting.
        mutating func goOn(_ reply: (String) -> [UInt8]) {
            if answer.isEmpty {
                guard let line = readLine() else { return }
                answer = reply(line)[...]
            }
            guard let count = UnixSocket.writeSome(answer, to: descriptor) else { return }
            answer = answer.dropFirst(count)
            isOver = count == 0 || answer.isEmpty
        }

        /// Reads what is there, up to the end of the line.
        private mutating func readLine() -> String? {
            var piece = [UInt8](repeating: 0, count: 512)
            let count = unsafe recv(descriptor, &piece, piece.count, Int32(MSG_DONTWAIT))
            if count < 0, errno == EINTR || errno == EAGAIN { return nil }
            question += piece[..<max(0, count)]
            let end = question.firstIndex(of: UInt8(ascii: "\n"))
            isOver = count <= 0 || end == nil && question.count >= questionLimit
            return isOver ? nil : end.map { String(decoding: question[..<$0], as: UTF8.self) }
        }
    }

    /// What a client gets for its line.
    static func reply(to line: String, _ answer: (String) -> String?) -> [UInt8] {
        let words = line.split(whereSeparator: { $0 == " " || $0 == "\r" })
        guard words.first == "GET", words.count >= 2 else {
            let question = words.first.map(String.init) ?? ""
            return Array((answer(question) ?? "error: there is no answer to '\(question)'\n").utf8)
        }
        let text = answer(String(words[1].drop { $0 == "/" }))
        let head = text == nil ? "404 Not Found" : "200 OK"
        let body = Array((text ?? "there is no such page\n").utf8)
        return Array(
            "HTTP/1.0 \(head)\r\nContent-Type: text/plain; version=0.0.4\r\nContent-Length: \(body.count)\r\n\r\n".utf8
        ) + body
    }

    /// Asks a program a question.
    ///
    /// - Parameters:
    ///   - path: Its socket.
    ///   - question: One line.
    ///   - patience: How long the whole answer may take.
    /// - Returns: The answer.
    /// - Throws: `TransportError/cannotOpen(address:reason:)` where no program answers, or not in time.
    public static func ask(
        _ path: String,
        _ question: String,
        patience: Duration = defaultPatience
    ) throws(TransportError) -> String {
        let deadline = MonotonicClock().now() + patience
        let descriptor = UnixSocket.make(patience: patience)
        guard descriptor >= 0 else { throw .cannotOpen(address: path, reason: UnixSocket.reason) }
        defer { close(descriptor) }
        let connected = unsafe UnixSocket.withAddress(of: path) { address, length in
            unsafe connect(descriptor, address, length)
        }
        guard let connected else {
            throw .cannotOpen(address: path, reason: "the path is longer than the system takes")
        }
        guard connected == 0 else { throw .cannotOpen(address: path, reason: UnixSocket.reason) }
        guard
            UnixSocket.write(Array("\(question)\n".utf8), to: descriptor, until: deadline),
            let bytes = UnixSocket.readAll(descriptor, limit: answerLimit, until: deadline)
        else { throw .cannotOpen(address: path, reason: "no program answers there") }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The folder for the sockets of this user: `weir` below `XDG_RUNTIME_DIR`, or else a private one below `/tmp`.
    ///
    /// - Returns: `nil` where it cannot be made, or belongs to another user.
    public static func privateFolder() -> String? {
        let user = getuid()
        let base = ProgramEnvironment.value(of: "XDG_RUNTIME_DIR").flatMap { $0.isEmpty ? nil : $0 }
        let folder = base.map { $0 + "/weir" } ?? "/tmp/weir-\(user)"
        _ = unsafe mkdir(folder, 0o700)
        var status = stat()
        guard
            unsafe lstat(folder, &status) == 0,
            status.st_mode & S_IFMT == S_IFDIR,
            status.st_uid == user,
            status.st_mode & 0o077 == 0
        else { return nil }
        return folder
    }

    /// The sockets in a folder that a program answers at, by name; those that programs left behind are removed.
    public static func living(in folder: String) -> [String] {
        sockets(in: folder).filter { path in
            if (try? ask(path, "")) != nil { return true }
            removeAbandoned(path)
            return false
        }
    }

    /// Removes what programs have left behind in a folder of sockets that are called by the numbers of processes: those of
    /// processes that are gone.
    package static func removeAbandoned(in folder: String) {
        for path in sockets(in: folder) {
            // The number first: a program that begins has a socket that it does not listen at yet.
            guard let name = path.split(separator: "/").last, let number = pid_t(name.dropLast(".sock".count)),
                number > 0,
                kill(number, 0) == -1, errno == ESRCH
            else { continue }
            removeAbandoned(path)
        }
    }

    /// Removes a socket that no program listens at; none can begin to, for the name is taken.
    ///
    /// - Returns: Whether it is gone.
    @discardableResult
    private static func removeAbandoned(_ path: String) -> Bool {
        let descriptor = UnixSocket.make(patience: .seconds(1))
        defer { close(descriptor) }
        let connected = unsafe UnixSocket.withAddress(of: path) { address, length in
            unsafe connect(descriptor, address, length)
        }
        return unsafe connected == -1 && errno == ECONNREFUSED && unlink(path) == 0
    }

    private static func sockets(in folder: String) -> [String] {
        (FileSystem.names(inFolder: folder) ?? []).filter { $0.hasSuffix(".sock") }.map { "\(folder)/\($0)" }
    }
}
