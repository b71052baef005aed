internal import WeirCore

/// The meters of a pipeline's transports, for whoever looks at them.
///
/// Thread safety: any thread.
final class MeterBoard: Sendable {
    private let meters = Locked<[(name: String, meter: TransportMeter)]>([])

    /// Adds a meter, if there is one.
    func add(_ meter: TransportMeter?, name: String) {
        guard let meter else { return }
        meters.withLock { $0.append((name, meter)) }
    }

    /// The notices that came since the last call.
    func takeNotices() -> [String] {
        meters.withLock { $0 }.flatMap { $0.meter.takeNotices() }
    }

    /// What was counted until now, of those transports that could have lost something.
    var metrics: [(name: String, metrics: TransportMetrics)] {
        meters.withLock { $0 }
            .map { ($0.name, $0.meter.metrics) }
            .filter { $0.1.sent + $0.1.refusedConnections > 0 }
    }
}
