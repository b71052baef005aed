public import WeirCore

/// The value of an asynchronous function: one element, and then the end.
///
///     TaskValue(at: \.timestamp) { try await server.reading() }
///
/// Each sink has a task of its own, which calls the function. The element comes when the function returns; an error
/// that it throws fails the stream, `CancellationError` interrupts it. Sends no watermarks. Remembers nothing.
/// Cancelling the subscription cancels the task.
///
/// - Complexity: That of the function.
public struct TaskValue<Element: Sendable>: EventStream {
    let time: @Sendable (Element) -> Timestamp
    let make: @Sendable () async throws -> Element

    /// Creates the stream.
    ///
    /// - Parameters:
    ///   - time: The event time of the value.
    ///   - make: Makes the value; called once for each sink.
    public init(
        at time: @escaping @Sendable (Element) -> Timestamp,
        _ make: @escaping @Sendable () async throws -> Element
    ) {
        self.time = time
        self.make = make
    }

    /// Creates the stream of a value that has no time of its own: it gets that of its arrival.
    ///
    /// - Parameters:
    ///   - clock: The clock that gives the value its time.
    ///   - make: Makes the value; called once for each sink.
    public init(
        stampedBy clock: EventClock = EventClock(),
        _ make: @escaping @Sendable () async throws -> Element
    ) {
        self.init(at: { _ in clock.now() }, make)
    }

    @discardableResult
    public func attach<S: Sink>(_ sink: consuming S) -> Subscription where S.Input == Element {
        let handle = SinkHandle(sink)
        let (time, make) = (time, make)
        let task = Task {
            do {
                let element = try await make()
                guard !Task.isCancelled else { return }
                handle.receive(element, time(element))
                if !Task.isCancelled { handle.finish(.finished) }
            } catch {
                if !Task.isCancelled { handle.finish(Completion(throwing: error)) }
            }
        }
        return Subscription { task.cancel() }
    }
}
