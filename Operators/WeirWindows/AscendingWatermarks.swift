public import WeirCore

extension EventStream {
    /// Takes each element's time as a watermark: for streams in order, whose source sends no watermarks.
    ///
    ///     readings.ascendingWatermarks().tumbling(.seconds(1)).mean(of: \.celsius)
    ///
    /// Emits an element when it arrives, after a watermark of its time if that is later than the last one. An element
    /// that is older than one before it passes, too, and is late for the operators behind. Remembers the last
    /// watermark. Later watermarks from upstream and the completion pass.
    ///
    /// - Returns: The same elements, with a watermark before each that moves time on.
    /// - Complexity: O(1) per element, without allocation.
    @inlinable
    public func ascendingWatermarks() -> AscendingWatermarks<Self> {
        AscendingWatermarks(self)
    }
}

/// A stream whose elements' times are watermarks; made by `ascendingWatermarks`.
@frozen
public struct AscendingWatermarks<Upstream: EventStream>: EventStream {
    public typealias Element = Upstream.Element

    @usableFromInline let upstream: Upstream

    @inlinable
    init(_ upstream: Upstream) {
        self.upstream = upstream
    }

    @inlinable
    @discardableResult
    public func attach<S: Sink>(_ sink: consuming S) -> Subscription where S.Input == Element {
        upstream.attach(AscendingWatermarksSink(sink))
    }
}

extension AscendingWatermarks: GroupableStream where Upstream: GroupableStream {}

/// Sends a watermark before each element that moves time on.
@frozen
@usableFromInline
struct AscendingWatermarksSink<Downstream: Sink>: Sink {
    @usableFromInline typealias Input = Downstream.Input

    @usableFromInline var watermark = Timestamp.distantPast
    @usableFromInline var downstream: Downstream

    @inlinable
    init(_ downstream: consuming Downstream) {
        self.downstream = downstream
    }

    @inlinable
    mutating func receive(_ element: borrowing Input, at time: Timestamp) {
        advance(to: time)
        downstream.receive(element, at: time)
    }

    @inlinable
    mutating func advance(to watermark: Timestamp) {
        guard watermark > self.watermark else { return }
        self.watermark = watermark
        downstream.advance(to: watermark)
    }

    @inlinable
    mutating func finish(_ completion: Completion) {
        downstream.finish(completion)
    }
}
