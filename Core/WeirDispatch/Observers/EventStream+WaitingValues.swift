public import WeirCore

extension EventStream {
    /// The elements of the stream as an asynchronous sequence with back pressure: a publisher that finds no room waits.
    ///
    ///     for await reading in readings.filter({ $0.celsius > 30 }).values() { await show(reading) }
    ///
    /// Attaches when it is called, and detaches for good when the first iteration ends: after the last element, by
    /// `break`, or because its task is cancelled; or when the sequence goes away. A publisher that waits then goes on.
    /// A failure or an interruption ends the sequence like an end does; ``throwingValues(capacity:dropped:)`` tells
    /// them apart.
    ///
    /// Only a thread of its own can wait, such as a processor's. In a task, and on the main thread, publishing may not
    /// wait for what the same thread would have to do: there an element that finds no room is dropped and counted. Do
    /// not publish with a lock that the iteration needs.
    ///
    /// - Parameters:
    ///   - capacity: How many elements may wait; positive.
    ///   - dropped: Gets the elements whose publisher could not wait, with their times.
    /// - Returns: The elements.
    public func values(
        capacity: Int = 1024,
        dropped: SideOutput<Element> = SideOutput()
    ) -> ValueSequence<AsyncStream<Element>> {
        let source = ValueSource(self, capacity: capacity, dropped: dropped)
        let stream = AsyncStream {
            try? await source.buffer.next()
        } onCancel: {
            source.end()
        }
        return ValueSequence(stream) { source.end() }
    }

    /// The elements of the stream as an asynchronous sequence with back pressure, which throws when the stream breaks
    /// off.
    ///
    ///     for try await reading in readings.timeout(after: .seconds(10)).throwingValues() { await show(reading) }
    ///
    /// Attaches, detaches and waits as ``values(capacity:dropped:)`` does. What still waits when the stream breaks off
    /// comes before the error, which is `CancellationError` for an interruption.
    ///
    /// - Parameters:
    ///   - capacity: How many elements may wait; positive.
    ///   - dropped: Gets the elements whose publisher could not wait, with their times.
    /// - Returns: The elements.
    public func throwingValues(
        capacity: Int = 1024,
        dropped: SideOutput<Element> = SideOutput()
    ) -> ValueSequence<AsyncThrowingStream<Element, any Error>> {
        let source = ValueSource(self, capacity: capacity, dropped: dropped)
        let stream = AsyncThrowingStream { try await source.buffer.next() }
        return ValueSequence(stream) { source.end() }
    }
}
