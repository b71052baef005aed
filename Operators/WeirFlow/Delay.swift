public import WeirCore

extension EventStream {
    /// Shifts the stream in event time.
    ///
    ///     readings.delay(by: .seconds(10)).withLatest(from: alarms)
    ///
    /// Emits each element when it arrives, at a time that is `duration` after its own; watermarks are shifted too, so
    /// operators that wait for event time emit that much later. Remembers nothing. The completion passes.
    ///
    /// - Parameter duration: The shift; negative towards earlier times.
    /// - Returns: The same elements at other times; those that would leave the range of time come at its end.
    /// - Complexity: O(1) per element, without allocation.
    @inlinable
    public func delay(by duration: Duration) -> Delay<Self> {
        Delay(self, duration.wholeNanoseconds)
    }
}

/// The elements of a stream at other times; made by `delay`.
@frozen
public struct Delay<Upstream: EventStream>: EventStream {
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
        upstream.attach(DelaySink(duration, sink))
    }
}

extension Delay: GroupableStream where Upstream: GroupableStream {}

/// Shifts times.
@frozen
@usableFromInline
struct DelaySink<Downstream: Sink>: Sink {
    @usableFromInline typealias Input = Downstream.Input

    @usableFromInline let duration: Int64
    @usableFromInline var downstream: Downstream

    @inlinable
    init(_ duration: Int64, _ downstream: consuming Downstream) {
        self.duration = duration
        self.downstream = downstream
    }

    @inlinable
    mutating func receive(_ element: borrowing Input, at time: Timestamp) {
        downstream.receive(element, at: time.shifted(byNanoseconds: duration))
    }

    @inlinable
    mutating func advance(to watermark: Timestamp) {
        downstream.advance(to: watermark.shifted(byNanoseconds: duration))
    }

    @inlinable
    mutating func finish(_ completion: Completion) {
        downstream.finish(completion)
    }

    @usableFromInline
    mutating func exchangeState(_ state: inout StateExchange) throws(StateError) {
        try downstream.exchangeState(&state)
    }
}
