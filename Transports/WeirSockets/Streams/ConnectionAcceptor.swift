internal import CWeirSockets
internal import WeirCore

/// Makes the connections of a source: accepts them at a listener, or connects to a place.
@safe
final class ConnectionAcceptor {
    private enum Kind {
        case listener(SocketListener)
        case place(SocketPlace, Backoff)
    }

    private var kind: Kind
    private let address: String

    /// Creates an acceptor of connections that others make.
    init(_ listener: SocketListener, address: String) {
        kind = .listener(listener)
        self.address = address
    }

    /// Creates an acceptor that connects to a place.
    init(connectingTo place: SocketPlace, longestPause: Duration, address: String) {
        kind = .place(place, Backoff(longest: longestPause))
        self.address = address
    }

    /// Readable when a connection waits; `nil` where this side connects.
    var descriptor: Int32? {
        guard case .listener(let listener) = kind else { return nil }
        return listener.descriptor
    }

    /// Makes the next connection.
    func next() -> SocketPlace.Attempt {
        switch kind {
        case .listener(let listener):
            let made = listener.accept()
            return SystemError(made).map { .failed($0) } ?? .made(made)
        case .place(let place, _): return place.connect(for: address)
        }
    }

    /// How long to wait after a failure, in nanoseconds.
    func pauseAfterFailure() -> Int64 {
        guard case .place(let place, var backoff) = kind else { return 100_000_000 }
        let pause = backoff.next()
        kind = .place(place, backoff)
        return pause
    }

    /// How long to wait after a connection has ended before the next one is made, in nanoseconds.
    func pauseAfterEnd() -> Int64 {
        guard case .place(let place, var backoff) = kind else { return 0 }
        backoff.reset()
        let pause = backoff.next()
        kind = .place(place, backoff)
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
