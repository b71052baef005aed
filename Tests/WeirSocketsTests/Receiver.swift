#if os(Linux)
    import CWeirSockets
    import Foundation
    import Glibc
    import TestThreads
    import Testing
    import WeirFiles
    import WeirRecords

    @testable import WeirSockets

    /// The other side of a sink, of calls that do not fail where system calls are made to: it listens, has a port, or
    /// connects.
    final class Receiver: @unchecked Sendable {
        // Safety: what the thread uses is under the lock.
        private struct State {
            var listener: Int32 = -1
            var connection: Int32 = -1
            var connections = 0
            var bytes: [UInt8] = []
            var lines: [String] = []
            var isStopped = false
            var hasEnded = true
        }

        let folder: Folder
        let scheme: String
        let address: String
        var options: String
        var sink: (any TransportSink)?
        private(set) var notices: [String] = []
        private(set) var isOpen = false
        private let lock = NSLock()
        private var state = State()
        private var port: UInt16 = 0

        init(_ scheme: String) throws {
            folder = try Folder()
            self.scheme = scheme
            options = ["unix", "tcp", "http"].contains(scheme) ? "?linger=300s" : "?linger=300s&lines=1"
            guard ["udp", "tcp", "http"].contains(scheme) else {
                address = folder("s")
                return
            }
            var target = try HostAddress("//127.0.0.1:0", whole: "test", loopback: true).address
            let kind = scheme == "udp" ? SocketKind.datagram : .stream
            let made = unsafe cweir_net_socket(&target, kind.number)
            try #require(unsafe made >= 0 && cweir_net_bind(made, &target) == 0)
            _ = unsafe cweir_net_local_address(made, &target)
            address = "//127.0.0.1:\(unsafe cweir_net_port(&target))"
            state.listener = made
        }

        deinit {
            for descriptor in [state.listener, state.connection] where descriptor >= 0 { cweir_net_close(descriptor) }
        }

        var transport: any Transport {
            switch scheme {
            case "udp": UDPTransport()
            case "tcp": TCPTransport()
            case "http": HTTPTransport()
            case "unix-dgram": UnixDatagramTransport()
            case "unix-seqpacket": UnixPacketTransport()
            default: UnixTransport()
            }
        }

        private var kind: SocketKind {
            ["unix", "tcp", "http"].contains(scheme) ? .stream : scheme == "unix-seqpacket" ? .packets : .datagram
        }

        var lines: [String] { lock.withLock { state.lines } }

        /// How many connections there were.
        var connections: Int { lock.withLock { state.connections } }

        /// Keeps what the sink has to say.
        func hearNotices() { notices += sink?.meter?.takeNotices() ?? [] }

        // MARK: Opening

        /// Lets the sink find a receiver.
        func open() throws {
            isOpen = true
            switch scheme {
            case "udp": break
            // Its port is taken already, and nothing listens there.
            case "tcp", "http": try #require(cweir_net_listen(lock.withLock { state.listener }) == 0)
            default: try bind()
            }
            start { $0.receive() }
        }

        private func bind() throws {
            let descriptor = try Self.eventuallyMade { try socket() }
            var target = try UnixPlace(address, inherits: false, address: address).address(for: address)
            try #require(unsafe cweir_net_bind(descriptor, &target) == 0)
            if kind != .datagram { try #require(cweir_net_listen(descriptor) == 0) }
            lock.withLock { state.listener = descriptor }
        }

        private func socket() throws -> Int32 {
            var target = try UnixPlace(address, inherits: false, address: address).address(for: address)
            return unsafe cweir_net_socket(&target, kind.number)
        }

        /// Ends the connection, and waits for another; where there are none, goes away and comes back.
        func reopen() throws {
            switch scheme {
            case "udp": break
            case "unix-dgram":
                lock.withLock { cweir_net_close(exchange(&state.listener, with: -1)) }
                _ = unsafe unlink(address)
                try bind()
            default:
                let before = lock.withLock {
                    endConnection()
                    return state.connections
                }
                try eventually("the sink came back") { connections > before }
            }
        }

        /// Connects to a sink that listens, and again whenever the connection ends.
        func connect() throws {
            isOpen = true
            start { receiver in
                guard receiver.state.connection < 0 else { return receiver.receive() }
                guard let made = try? receiver.socket(), made >= 0 else { return false }
                let place = try? UnixPlace(receiver.address, inherits: false, address: receiver.address)
                guard var target = try? place?.address(for: receiver.address),
                    unsafe cweir_net_connect(made, &target) == 0
                else {
                    cweir_net_close(made)
                    return false
                }
                receiver.state.connection = made
                receiver.state.connections += 1
                return true
            }
        }

        private static func eventuallyMade(_ make: () throws -> Int32) throws -> Int32 {
            var made: Int32 = -1
            try eventually("there is a socket") {
                made = try make()
                return made >= 0
            }
            return made
        }

        /// Takes what is there, and ends.
        func close() {
            guard isOpen else { return }
            lock.withLock { state.isStopped = true }
            #expect(throws: Never.self) { try eventually("the receiver ended") { lock.withLock { state.hasEnded } } }
        }

        // MARK: The thread

        /// Does something until there is nothing more to do and the receiver was closed.
        private func start(_ step: @escaping @Sendable (Receiver) -> Bool) {
            lock.withLock { state.hasEnded = false }
            Thread { [self] in
                while !lock.withLock({
                    state.hasEnded = !step(self) && state.isStopped
                    return state.hasEnded
                }) {
                    usleep(50)
                }
            }.start()
        }

        /// Receives once.
        ///
        /// - Returns: Whether there was something.
        private func receive() -> Bool {
            if kind != .datagram, state.connection < 0 {
                guard state.listener >= 0 else { return false }
                state.connection = accept(state.listener, nil, nil)
                guard state.connection >= 0 else { return false }
                state.connections += 1
            }
            var bytes = [UInt8](repeating: 0, count: 65_536)
            let source = kind == .datagram ? state.listener : state.connection
            let count = unsafe recv(source, &bytes, bytes.count, Int32(MSG_DONTWAIT))
            guard count > 0 else {
                guard count == 0 || errno != EAGAIN, kind != .datagram else { return false }
                endConnection()
                return true
            }
            state.bytes += bytes[..<count]
            guard scheme != "http" else {
                answerRequest()
                return true
            }
            let pieces = state.bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            state.lines += pieces.dropLast().map { String(decoding: $0, as: UTF8.self) }
            state.bytes = Array(pieces.last ?? [])
            return true
        }

        /// Takes the lines of a request that is whole.
        private func answerRequest() {
            let text = String(decoding: state.bytes, as: UTF8.self)
            let parts = text.components(separatedBy: "\r\n\r\n")
            guard parts.count == 2, let field = parts[0].components(separatedBy: "Content-Length: ").last,
                let length = Int(field.prefix { $0.isNumber }), parts[1].utf8.count == length
            else { return }
            state.lines += parts[1].split(separator: "\n").map(String.init)
            state.bytes = []
            // A call that never fails: of those that write, only the ones to files do.
            let answer = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"
            _ = unsafe write(state.connection, answer, answer.utf8.count)
        }

        /// What a connection broke off in the middle of comes again in the next.
        private func endConnection() {
            cweir_net_close(exchange(&state.connection, with: -1))
            state.bytes = []
        }
    }
#endif
