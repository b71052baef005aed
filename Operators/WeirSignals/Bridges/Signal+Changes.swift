internal import Synchronization
public import WeirCore
public import WeirDispatch

extension Signal where Value: Sendable {
    /// The changes of the signal, as a stream that any thread may attach to.
    ///
    ///     let alarms = pressure.changes.filter { $0 > 9 }
    ///
    /// A sink gets the value after each cycle that has changed it, with the time when that was carried, on the thread
    /// that made the write; not the value that the signal has when it is attached. The stream finishes when the signal
    /// is released, so keep a reference to the signal. Sends no watermarks.
    public final var changes: SignalChanges<Value> {
        if let known = node.audience.changes as? SignalChanges<Value> { return known }
        let made = changes(stampedBy: EventClock())
        node.audience.changes = made
        return made
    }

    /// The changes of the signal, as a stream that any thread may attach to.
    ///
    /// Each call makes a stream, which stays as long as the signal: keep it rather than call again.
    ///
    /// - Parameter clock: The clock that gives the elements their times.
    /// - Returns: The stream; see ``changes``.
    public final func changes(stampedBy clock: EventClock) -> SignalChanges<Value> {
        let changes = SignalChanges<Value>()
        let (cell, multicast) = (cell, changes.multicast)
        node.audience.addFollower(
            SignalAudience.Follower(
                tell: { multicast.send(cell.value, at: clock.now()) },
                isOver: { false },
                end: { multicast.finish() }
            )
        )
        return changes
    }

    /// The value and its changes, as an asynchronous sequence.
    ///
    /// Starts with the value that the signal has, and ends when it goes away, or when the first iteration ends. A write
    /// never waits for a reader.
    ///
    /// - Parameter policy: How many values may wait, and which are dropped when there are more.
    /// - Returns: The values.
    public final func droppingValues(_ policy: BufferingPolicy = .newest(1)) -> ValueSequence<AsyncStream<Value>> {
        let (stream, continuation) = AsyncStream.makeStream(of: Value.self, bufferingPolicy: .init(policy))
        continuation.yield(self())
        let (cell, ending) = (cell, Ending())
        continuation.onTermination = { _ in ending.hasCome.store(true, ordering: .relaxed) }
        node.audience.addFollower(
            SignalAudience.Follower(
                tell: { continuation.yield(cell.value) },
                isOver: { ending.hasCome.load(ordering: .relaxed) },
                end: { continuation.finish() }
            )
        )
        return ValueSequence(stream) { continuation.finish() }
    }
}

/// Whether a sequence of values has no reader any more.
private final class Ending: Sendable {
    // Relaxed: it guards nothing; a value that is yielded meanwhile goes nowhere.
    let hasCome = Atomic(false)
}

/// The changes of a signal as a stream; made by ``Signal/changes``.
///
/// Thread safety: any thread may attach.
public final class SignalChanges<Element: Sendable>: EventStream {
    @usableFromInline let multicast = Multicast<Element>()

    init() {}

    @inlinable
    @discardableResult
    public func attach<S: Sink>(_ sink: consuming S) -> Subscription where S.Input == Element {
        multicast.attach(sink)
    }
}
