internal import WeirCore

/// Counts what happens to a transport's messages, and collects what people should know about it.
///
///     let metrics = source.meter?.metrics
///
/// Thread safety: any thread, also while the transport is in use. A transport counts once per batch, under a lock.
public final class TransportMeter: Sendable {
    private struct State: Sendable {
        var metrics = TransportMetrics()
        var notices: [String] = []
        var observer: (@Sendable (String) -> Void)?
        var probes: [@Sendable (inout TransportMetrics) -> Void] = []
        var rejected = RejectedMessages()
        var rejectionObserver: (@Sendable () -> Void)?
    }

    private let state = Locked(State())

    /// How many notices are kept until they are taken; later ones are left out.
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

    /// Returns the notices that came since the last call, such as that the kernel gave less memory than was asked
    /// for; each is a line for people.
    public func takeNotices() -> [String] {
        state.withLock { exchange(&$0.notices, with: []) }
    }

    /// Sets a function that gets notices as they come, and first of all those that came before.
    ///
    /// A thread that waits in a sink that is full cannot ask for them.
    ///
    /// - Parameter observer: Takes a notice, on whatever thread; takes the place of the observer before.
    public func observeNotices(_ observer: @escaping @Sendable (String) -> Void) {
        let notices = state.withLock { state in
            state.observer = observer
            return exchange(&state.notices, with: [])
        }
        for notice in notices { observer(notice) }
    }

    /// Returns the messages that the source refused since the last call, in their order.
    ///
    /// The source keeps up to a mebibyte of them, or one that is longer, and counts the others.
    ///
    /// - Returns: The messages, and how many more were refused that were not kept.
    public func takeRejectedMessages() -> (messages: [RejectedMessage], omitted: UInt64) {
        state.withLock { $0.rejected.take() }
    }

    /// Calls a closure when there are refused messages to take, also where there are some already.
    ///
    /// - Parameter observer: Called on any thread with the first message after each
    ///   ``takeRejectedMessages()``; must not block. Takes the place of the observer before.
    public func observeRejectedMessages(_ observer: @escaping @Sendable () -> Void) {
        let isDue = state.withLock { state in
            state.rejectionObserver = observer
            return !state.rejected.isEmpty
        }
        if isDue { observer() }
    }

    /// Keeps a message that the source refused, until it is taken; its count is that of ``update(_:)``.
    ///
    /// - Parameters:
    ///   - bytes: What arrived of it.
    ///   - cause: Why it was refused.
    ///   - origin: Who sent it; called only where there is room.
    package func keepRejected(
        _ bytes: UnsafeRawBufferPointer,
        _ cause: TransportMetrics.Rejection,
        from origin: () -> String?
    ) {
        let observer = state.withLock { state in
            unsafe state.rejected.add(cause, bytes, from: origin) ? state.rejectionObserver : nil
        }
        observer?()
    }

    /// Changes the counts.
    package func update<Result>(_ body: (inout TransportMetrics) -> Result) -> Result {
        state.withLock { body(&$0.metrics) }
    }

    /// Keeps a notice for people.
    package func note(_ notice: String) {
        let observer = state.withLock { state in
            guard state.observer == nil else { return state.observer }
            guard state.notices.count < Self.noticeLimit, !state.notices.contains(notice) else { return nil }
            state.notices.append(notice)
            return nil
        }
        observer?(notice)
    }

    /// Adds counts from elsewhere to each snapshot of the metrics, such as what the kernel dropped: it reports that
    /// with a datagram only, and after the last one there is none.
    ///
    /// - Parameter probe: Adds to the metrics; must not use the meter.
    package func addProbe(_ probe: @escaping @Sendable (inout TransportMetrics) -> Void) {
        state.withLock { $0.probes.append(probe) }
    }
}
