public import WeirCore

/// How many elements wait for an iteration over a stream, and which are dropped when there are more.
public enum BufferingPolicy: Sendable, Hashable {
    /// Keeps the oldest, at most this number, and drops newer ones.
    case oldest(Int)
    /// Keeps the newest, at most this number, and drops older ones.
    case newest(Int)
}

extension EventStream {
    /// The elements of the stream as an asynchronous sequence that drops what it has no room for.
    ///
    ///     for await reading in readings.filter({ $0.celsius > 30 }).droppingValues(.newest(1)) { show(reading) }
    ///
    /// Attaches when it is called, and detaches for good when the first iteration ends: after the last element, by
    /// `break`, or because its task is cancelled; or when the sequence goes away. A failure or an interruption ends the
    /// sequence like an end does; ``throwingDroppingValues(_:dropped:)`` tells them apart.
    /// ``values(capacity:dropped:)`` drops nothing where the publisher can wait.
    ///
    /// - Parameters:
    ///   - policy: How many elements may wait, and which are dropped when there are more.
    ///   - dropped: Gets those, each with the time of the element that found no room.
    /// - Returns: The elements.
    public func droppingValues(
        _ policy: BufferingPolicy = .oldest(1024),
        dropped: SideOutput<Element> = SideOutput()
    ) -> ValueSequence<AsyncStream<Element>> {
        let (stream, continuation) = AsyncStream.makeStream(of: Element.self, bufferingPolicy: .init(policy))
        let subscription = attach(
            ContinuationSink(dropped: dropped) {
                if case .dropped(let lost) = continuation.yield($0) { lost } else { nil }
            } finish: { _ in
                continuation.finish()
            }
        )
        continuation.onTermination = { _ in subscription.cancel() }
        return ValueSequence(stream) { continuation.finish() }
    }

    /// The elements of the stream as an asynchronous sequence that drops what it has no room for, and throws when the
    /// stream breaks off.
    ///
    ///     for try await reading in readings.timeout(after: .seconds(10)).throwingDroppingValues() { show(reading) }
    ///
    /// Attaches and detaches as ``droppingValues(_:dropped:)`` does. What still waits when the stream fails comes
    /// before the error.
    ///
    /// - Parameters:
    ///   - policy: How many elements may wait, and which are dropped when there are more.
    ///   - dropped: Gets those, each with the time of the element that found no room.
    /// - Returns: The elements.
    public func throwingDroppingValues(
        _ policy: BufferingPolicy = .oldest(1024),
        dropped: SideOutput<Element> = SideOutput()
    ) -> ValueSequence<AsyncThrowingStream<Element, any Error>> {
        let (stream, continuation) = AsyncThrowingStream.makeStream(
            of: Element.self,
            throwing: (any Error).self,
            bufferingPolicy: .init(policy)
        )
        let subscription = attach(
            ContinuationSink(dropped: dropped) {
                if case .dropped(let lost) = continuation.yield($0) { lost } else { nil }
            } finish: { completion in
                do {
                    try completion.get()
                    continuation.finish()
                } catch {
                    continuation.finish(throwing: error)
                }
            }
        )
        continuation.onTermination = { _ in subscription.cancel() }
        return ValueSequence(stream) { continuation.finish() }
    }
}

extension AsyncStream.Continuation.BufferingPolicy {
    package init(_ policy: WeirDispatch.BufferingPolicy) {
        self =
            switch policy {
            case .oldest(let count): .bufferingOldest(count)
            case .newest(let count): .bufferingNewest(count)
            }
    }
}

extension AsyncThrowingStream.Continuation.BufferingPolicy {
    fileprivate init(_ policy: WeirDispatch.BufferingPolicy) {
        self =
            switch policy {
            case .oldest(let count): .bufferingOldest(count)
            case .newest(let count): .bufferingNewest(count)
            }
    }
}

/// Passes elements to an asynchronous sequence.
struct ContinuationSink<Input: Sendable>: Sink {
    let dropped: SideOutput<Input>

    /// Forwards an element, and returns the one that was dropped for want of room.
    let yield: @Sendable (Input) -> Input?
    let finish: @Sendable (Completion) -> Void

    mutating func receive(_ element: borrowing Input, at time: Timestamp) {
        if let lost = yield(copy element) { dropped.send(lost, at: time) }
    }

    mutating func advance(to watermark: Timestamp) {}

    mutating func finish(_ completion: Completion) {
        finish(completion)
    }

    mutating func exchangeState(_ state: inout StateExchange) throws(StateError) {
        // What waits belongs to the task that iterates, of which nothing is known.
        try state.begin("values")
        try state.exchange(dropped)
    }
}
