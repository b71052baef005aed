internal import CWeirSockets
internal import WeirCore

/// Counts the datagrams that the kernel dropped at a socket because its buffer was full.
///
/// The kernel says it with each datagram, for those dropped before, and whenever it is asked, also for those dropped
/// after the last one. Its number has 32 bits, and what it has said is added up here.
///
/// Thread safety: any thread.
final class KernelDrops: Sendable {
    fileprivate struct State {
        var descriptor: Int32
        var seen: UInt32
        var total: UInt64 = 0
    }

    private let state: Locked<State>

    /// Creates a count for a socket; what the kernel dropped before, at one that was inherited, does not count.
    init(_ descriptor: Int32) {
        var seen: UInt32 = 0
        _ = unsafe cweir_net_drops(descriptor, &seen)
        state = Locked(State(descriptor: descriptor, seen: seen))
    }

    /// Adds what the kernel said with a datagram.
    func see(_ count: UInt32) {
        state.withLock { $0.see(count) }
    }

    /// Asks the kernel now.
    func total() -> UInt64 {
        state.withLock { state in
            var count: UInt32 = 0
            if state.descriptor >= 0, unsafe cweir_net_drops(state.descriptor, &count) == 0 { state.see(count) }
            return state.total
        }
    }

    /// Closes the socket, after a last look.
    func close() {
        _ = total()
        state.withLock { state in
            if state.descriptor >= 0 { cweir_net_close(state.descriptor) }
            state.descriptor = -1
        }
    }
}

extension KernelDrops.State {
    fileprivate mutating func see(_ count: UInt32) {
        // The two sources of the number may overtake each other, so an older one is skipped.
        let news = count &- seen
        guard news < 1 << 31 else { return }
        total += UInt64(news)
        seen = count
    }
}
