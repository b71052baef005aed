internal import WeirCore

/// The meters of a pipeline's transports, for whoever looks at them.
///
/// Thread safety: any thread.
final class MeterBoard: Sendable {
    private let meters = Locked<[(name: String, meter: TransportMeter)]>([])
    private let observer: @Sendable (String) -> Void

    /// Creates an empty board.
    ///
    /// - Parameter observer: Takes what people should know about the transports, as it comes and on whatever thread.
    init(notices observer: @escaping @Sendable (String) -> Void) {
        self.observer = observer
    }

    /// Adds a meter, if there is one.
    func add(_ meter: TransportMeter?, name: String) {
        guard let meter else { return }
        meters.withLock { $0.append((name, meter)) }
        meter.observeNotices(observer)
    }

    /// What was counted until now, of those transports that could have lost something.
    var metrics: [(name: String, metrics: TransportMetrics)] {
        meters.withLock { $0 }
            .map { ($0.name, $0.meter.metrics) }
            .filter { $0.1.sent + $0.1.refusedConnections > 0 }
    }
}
