internal import CWeirSockets
internal import WeirCore

/// Makes the connections of a source: accepts them at a listener, or connects to a place.
@safe
final class ConnectionAcceptor {
    private enum Kind {
        case listener(UnixListener)
        case place(UnixPlace, SocketKind, Backoff)
    }

    private var kind: Kind
    private let address: String

    /// Creates an acceptor of connections that others make.
    init(_ listener: UnixListener, address: String) {
        kind = .listener(listener)
        self.address = address
    }

    /// Creates an acceptor that connects to a place.
    init(connectingTo place: UnixPlace, as socket: SocketKind, longestPause: Duration, address: String) {
        kind = .place(place, socket, Backoff(longest: longestPause))
        self.address = address
    }

    /// Readable when a connection waits; `nil` where this side connects.
    var descriptor: Int32? {
        guard case .listener(let listener) = kind else { return nil }
        return listener.descriptor
    }

    /// Makes the next connection.
    ///
    /// - Returns: Its descriptor, or an error below zero.
    func next() -> Int32 {
        switch kind {
        case .listener(let listener): return cweir_net_accept(listener.descriptor)
        case .place(let place, let socket, _):
            guard let target = try? place.address(for: address) else { return -1 }
            return unsafe withUnsafePointer(to: target) { target in
                let made = unsafe cweir_net_socket(target, socket.number)
                guard made >= 0 else { return made }
                let status = unsafe cweir_net_connect(made, target)
                guard status < 0 else { return made }
                cweir_net_close(made)
                return status
            }
        }
    }

    /// How long to wait after a failure, in nanoseconds.
    func pause(after error: SystemError) -> Int64 {
        guard case .place(let place, let socket, var backoff) = kind else { return 100_000_000 }
        let pause = backoff.next()
        kind = .place(place, socket, backoff)
        return pause
    }

    /// How long to wait after a connection has ended before the next one is made, in nanoseconds.
    func pauseAfterEnd() -> Int64 {
        guard case .place(let place, let socket, var backoff) = kind else { return 0 }
        backoff.reset()
        let pause = backoff.next()
        kind = .place(place, socket, backoff)
        return pause
    }

    /// Removes the file of the listener, so that no program connects any more.
    func removeFile() {
        if case .listener(let listener) = kind { listener.removeFile() }
    }

    /// Closes the listener.
    func close() {
        if case .listener(let listener) = kind { listener.close() }
    }
}
