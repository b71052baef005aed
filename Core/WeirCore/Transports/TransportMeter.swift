/// Counts what happens to a transport's messages, and collects what people should know about it.
///
///     let metrics = source.meter?.metrics
///
/// Thread safety: any thread, also while the transport is in use. A transport counts once per batch, under a lock.
public final class TransportMeter: Sendable {
    private struct State: Sendable {
        var metrics = TransportMetrics()
        var notices: [String] = []
        var probes: [@Sendable (inout TransportMetrics) -> Void] = []
    }

    private let state = Locked(State())

    /// How many notices are kept until somebody takes them; later ones are not of interest.
    private static let noticeLimit = 100

    package init() {}

    /// What was counted until now.
    public var metrics: TransportMetrics {
        state.withLock { state in
            var metrics = state.metrics
            for probe in state.probes { probe(&metrics) }
            return metrics
        }
    }

    /// Hands over the notices that came since the last call, such as that the kernel gave less memory than was asked
    /// for; each is a line for people.
    public func takeNotices() -> [String] {
        state.withLock { exchange(&$0.notices, with: []) }
    }

    /// Changes the counts.
    package func update<Result>(_ body: (inout TransportMetrics) -> Result) -> Result {
        state.withLock { body(&$0.metrics) }
    }

    /// Keeps a notice for people.
    package func note(_ notice: String) {
        state.withLock { state in
            guard state.notices.count < Self.noticeLimit, !state.notices.contains(notice) else { return }
            state.notices.append(notice)
        }
    }

    /// Has something counted elsewhere added whenever somebody wants the metrics, such as what the kernel dropped: it says
    /// so with a datagram only, and after the last one there is none.
    ///
    /// - Parameter probe: Adds to the metrics; must not use the meter.
    package func addProbe(_ probe: @escaping @Sendable (inout TransportMetrics) -> Void) {
        state.withLock { $0.probes.append(probe) }
    }
}
