public import WeirCore

/// Elements that a function makes from random numbers: equal seeds give equal elements.
///
///     Generated(seed: 7, count: 1_000, from: start, every: .milliseconds(10)) { generator, time in
///         Reading(timestamp: time, celsius: .random(in: 15...25, using: &generator))
///     }
///
/// Each sink gets, while it is being attached and on the thread that attaches it, all elements in order, each with its
/// time, and then the completion. Sends no watermarks. Remembers nothing; each sink starts with the first.
///
/// - Complexity: The cost of the function per element.
@frozen
public struct Generated<Element: Sendable>: EventStream {
    @usableFromInline let seed: UInt64
    @usableFromInline let count: Int
    @usableFromInline let start: Timestamp
    @usableFromInline let interval: Duration
    @usableFromInline let make: @Sendable (inout SeededGenerator, Timestamp) -> Element

    /// Creates the stream.
    ///
    /// - Parameters:
    ///   - seed: The same seed gives the same elements.
    ///   - count: How many elements; not negative.
    ///   - start: The time of the first element.
    ///   - interval: How long from one element to the next; where that leads beyond the range of time, its end.
    ///   - make: Makes the element of a time.
    @inlinable
    public init(
        seed: UInt64,
        count: Int,
        from start: Timestamp = .epoch,
        every interval: Duration,
        _ make: @escaping @Sendable (inout SeededGenerator, Timestamp) -> Element
    ) {
        precondition(count >= 0, "Generated: count must not be negative, but is \(count)")
        self.seed = seed
        self.count = count
        self.start = start
        self.interval = interval
        self.make = make
    }

    @inlinable
    @discardableResult
    public func attach<S: Sink>(_ sink: consuming S) -> Subscription where S.Input == Element {
        var generator = SeededGenerator(seed: seed)
        var time = start
        for index in 0..<count {
            if index > 0 { time = time.shifted(byNanoseconds: interval.wholeNanoseconds) }
            sink.receive(make(&generator, time), at: time)
        }
        sink.finish(.finished)
        return Subscription()
    }
}
