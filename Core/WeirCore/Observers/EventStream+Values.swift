/// How many elements wait for whoever iterates over a stream, and which are dropped when there are more.
public enum BufferingPolicy: Sendable, Hashable {
    /// At most so many; the newest are dropped.
    case oldest(Int)
    /// At most so many; the oldest are dropped.
    case newest(Int)
}

extension EventStream {
    /// The elements of the stream as an asynchronous sequence.
    ///
    ///     for await reading in readings.filter({ $0.celsius > 30 }).values(.newest(1)) { show(reading) }
    ///
    /// Attaches when it is called and detaches when the iteration ends. A failure ends the sequence.
    ///
    /// - Parameters:
    ///   - policy: How many elements may wait, and which are dropped when there are more.
    ///   - dropped: Gets those, each with the time of the element that found no room.
    /// - Returns: The elements.
    public func values(
        _ policy: BufferingPolicy = .oldest(1024),
        dropped: SideOutput<Element> = SideOutput()
    ) -> AsyncStream<Element> {
        let buffering: AsyncStream<Element>.Continuation.BufferingPolicy =
            switch policy {
            case .oldest(let count): .bufferingOldest(count)
            case .newest(let count): .bufferingNewest(count)
            }
        return AsyncStream(bufferingPolicy: buffering) { continuation in
            let subscription = attach(ContinuationSink(continuation: continuation, dropped: dropped))
            continuation.onTermination = { _ in subscription.cancel() }
        }
    }
}

/// Hands elements to an asynchronous sequence.
struct ContinuationSink<Input: Sendable>: Sink {
    let continuation: AsyncStream<Input>.Continuation
    let dropped: SideOutput<Input>

    mutating func receive(_ element: borrowing Input, at time: Timestamp) {
        if case .dropped(let lost) = continuation.yield(copy element) { dropped.send(lost, at: time) }
    }

    mutating func advance(to watermark: Timestamp) {}

    mutating func finish(_ completion: Completion) {
        continuation.finish()
    }
}
