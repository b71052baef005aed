public import WeirCore

/// The elements of an asynchronous sequence.
///
///     AsyncValues(notifications, at: \.timestamp)
///
/// Each sink gets the elements, with their times, when the sequence has them, from a task of its own, and then the
/// completion: a failure when the sequence throws, an interruption when it throws `CancellationError`. Sends no
/// watermarks. Remembers nothing. Cancelling the subscription cancels the task.
///
/// - Complexity: That of the sequence per element.
@frozen
public struct AsyncValues<Upstream: AsyncSequence & Sendable>: EventStream where Upstream.Element: Sendable {
    public typealias Element = Upstream.Element

    @usableFromInline let sequence: Upstream
    @usableFromInline let time: @Sendable (Element) -> Timestamp

    /// Creates the stream.
    ///
    /// - Parameters:
    ///   - sequence: Iterated over once for each sink.
    ///   - time: The event time of an element.
    @inlinable
    public init(_ sequence: Upstream, at time: @escaping @Sendable (Element) -> Timestamp) {
        self.sequence = sequence
        self.time = time
    }

    /// Creates the stream of elements that have no time of their own: each gets that of its arrival.
    ///
    /// - Parameters:
    ///   - sequence: Iterated over once for each sink.
    ///   - clock: The clock that gives the elements their times.
    @inlinable
    public init(_ sequence: Upstream, stampedBy clock: EventClock = EventClock()) {
        self.init(sequence, at: { _ in clock.now() })
    }

    @inlinable
    @discardableResult
    public func attach<S: Sink>(_ sink: consuming S) -> Subscription where S.Input == Element {
        let handle = SinkHandle(sink)
        let (sequence, time) = (sequence, time)
        let task = Task {
            do {
                for try await element in sequence {
                    guard !Task.isCancelled else { return }
                    handle.receive(element, time(element))
                }
                if !Task.isCancelled { handle.finish(.finished) }
            } catch {
                if !Task.isCancelled { handle.finish(Completion(throwing: error)) }
            }
        }
        return Subscription { task.cancel() }
    }
}
