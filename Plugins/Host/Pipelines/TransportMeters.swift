internal import WeirCore
internal import WeirRecords

/// The meters of a pipeline's transports.
///
/// Thread safety: any thread.
final class TransportMeters: Sendable {
    private struct Entry: Sendable {
        let name: String
        /// The input that the transport reads, where there are several.
        let input: String?
        let meter: TransportMeter
    }

    private struct State: Sendable {
        var entries: [Entry] = []
        var rejectionObserver: (@Sendable () -> Void)?
    }

    private let state = Locked(State())
    private let observer: @Sendable (String) -> Void

    /// Creates an empty set.
    ///
    /// - Parameter observer: Takes notices about the transports as they come, on any thread.
    init(notices observer: @escaping @Sendable (String) -> Void) {
        self.observer = observer
    }

    /// Adds a meter, if there is one.
    func add(_ meter: TransportMeter?, name: String, input: String? = nil) {
        guard let meter else { return }
        let rejectionObserver = state.withLock { state in
            state.entries.append(Entry(name: name, input: input, meter: meter))
            return state.rejectionObserver
        }
        meter.observeNotices(observer)
        if let rejectionObserver { meter.observeRejectedMessages(rejectionObserver) }
    }

    /// What was counted until now, of those transports that could have lost something.
    var metrics: [(name: String, metrics: TransportMetrics)] {
        state.withLock { $0.entries }
            .map { ($0.name, $0.meter.metrics) }
            .filter { $0.1.sent + $0.1.refusedConnections + $0.1.lostBytes > 0 }
    }

    /// How many messages transports refused; a header that is repeated is none.
    var refusedCount: UInt64 { metrics.reduce(0) { $0 + $1.metrics.rejected - $1.metrics[.header] } }

    /// Calls a closure on any thread when transports have refused messages to take.
    func observeRejectedMessages(_ observer: @escaping @Sendable () -> Void) {
        let entries = state.withLock { state in
            state.rejectionObserver = observer
            return state.entries
        }
        for entry in entries { entry.meter.observeRejectedMessages(observer) }
    }

    /// Takes the messages that transports refused, by input.
    func takeRejectedMessages() -> [(input: String?, messages: [RejectedMessage], omitted: UInt64)] {
        state.withLock { $0.entries }.compactMap { entry in
            let (messages, omitted) = entry.meter.takeRejectedMessages()
            return messages.isEmpty ? nil : (entry.input, messages, omitted)
        }
    }
}
