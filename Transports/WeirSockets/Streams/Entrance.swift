internal import CWeirSockets
internal import WeirCore

/// Where connections come from: a door that others come to, or a place that this side goes to.
@safe
final class Entrance {
    private enum Kind {
        case door(UnixDoor)
        case place(UnixPlace, SocketKind, Backoff)
    }

    private var kind: Kind
    private let address: String

    /// Creates an entrance that others come to.
    init(_ door: UnixDoor, address: String) {
        kind = .door(door)
        self.address = address
    }

    /// Creates an entrance that this side goes through.
    init(connectingTo place: UnixPlace, as socket: SocketKind, longestPause: Duration, address: String) {
        kind = .place(place, socket, Backoff(longest: longestPause))
        self.address = address
    }

    /// What can be read when somebody comes; `nil` where this side goes.
    var descriptor: Int32? {
        guard case .door(let door) = kind else { return nil }
        return door.descriptor
    }

    /// Makes the next connection.
    ///
    /// - Returns: Its descriptor, or an error below zero.
    func next() -> Int32 {
        switch kind {
        case .door(let door): return cweir_net_accept(door.descriptor)
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

    /// Removes the file of the door, so that nobody new comes.
    func removeFile() {
        if case .door(let door) = kind { door.removeFile() }
    }

    /// Closes the door.
    func close() {
        if case .door(let door) = kind { door.close() }
    }
}
