public import WeirCore

extension EventStream {
    /// Lets an element through, and then nothing for a duration.
    ///
    ///     alarms.throttle(for: .seconds(10))
    ///
    /// Emits the first element, and then each whose time is at least `duration` after that of the last one emitted, when
    /// it arrives; drops the others, also those that are older. Remembers one time. Watermarks and the completion pass.
    ///
    /// - Parameter duration: How long to let nothing through, in event time; positive.
    /// - Returns: Elements that are at least so far apart.
    /// - Complexity: O(1) per element, without allocation.
    @inlinable
    public func throttle(for duration: Duration) -> Throttle<Self> {
        Throttle(self, Nanoseconds.positive(duration, "the time without elements"))
    }
}

/// Elements that keep their distance; made by `throttle`.
@frozen
public struct Throttle<Upstream: EventStream>: EventStream {
    public typealias Element = Upstream.Element

    @usableFromInline let upstream: Upstream
    @usableFromInline let duration: Int64

    @inlinable
    init(_ upstream: Upstream, _ duration: Int64) {
        self.upstream = upstream
        self.duration = duration
    }

    @inlinable
    @discardableResult
    public func attach<S: Sink>(_ sink: consuming S) -> Subscription where S.Input == Element {
        upstream.attach(ThrottleSink(duration, sink))
    }
}

/// Hands on what keeps its distance.
@frozen
public struct ThrottleSink<Downstream: Sink>: Sink {
    public typealias Input = Downstream.Input

    @usableFromInline let duration: Int64
    @usableFromInline var next = Timestamp.distantPast
    @usableFromInline var downstream: Downstream

    @inlinable
    init(_ duration: Int64, _ downstream: consuming Downstream) {
        self.duration = duration
        self.downstream = downstream
    }

    @inlinable
    public mutating func receive(_ element: borrowing Input, at time: Timestamp) {
        guard time >= next else { return }
        next = time.shifted(byNanoseconds: duration)
        downstream.receive(element, at: time)
    }

    @inlinable
    public mutating func advance(to watermark: Timestamp) {
        downstream.advance(to: watermark)
    }

    @inlinable
    public mutating func finish(_ completion: Completion) {
        downstream.finish(completion)
    }
}
