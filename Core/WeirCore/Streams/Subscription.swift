public import Synchronization

/// The handle of a sink that was attached to a stream.
///
/// What is attached stays attached until it is cancelled, the stream ends, or what it is attached to goes away. Letting
/// go of the handle changes nothing, so it may be ignored. A sink is detached by:
///
/// - ``cancel()``;
/// - a ``SubscriptionBag`` that the handle is left to with ``store(in:)``, when it goes;
/// - an `owner:` that was named where the sink was attached, when it has gone.
///
/// The same holds for the observations of signals. Two kinds differ: an asynchronous sequence detaches when its iteration
/// ends, and an object that shows a value to views, such as an observable signal or the latest value of a bus, when it goes.
///
/// Thread safety: any thread, also from inside the sink that the handle is for.
public final class Subscription: Sendable {
    @usableFromInline
    let cancelled = Atomic<Bool>(false)

    private let onCancel: @Sendable () -> Void

    /// Creates a handle.
    ///
    /// - Parameter onCancel: Frees what the subscription holds; called once, on the thread that cancels.
    public init(onCancel: @escaping @Sendable () -> Void = {}) {
        self.onCancel = onCancel
    }

    /// Whether ``cancel()`` was called.
    @inlinable
    public var isCancelled: Bool {
        // Relaxed: the flag guards nothing but itself; what it stops runs on the thread that drains the stream.
        cancelled.load(ordering: .relaxed)
    }

    /// Detaches the sink; calling it again does nothing.
    ///
    /// After it returns on the thread that runs the sink, the sink gets nothing more. Called on another thread while
    /// the sink is handling an element, that one element is its last.
    public func cancel() {
        guard !cancelled.exchange(true, ordering: .acquiringAndReleasing) else { return }
        onCancel()
    }
}
