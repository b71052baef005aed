public import WeirCore

extension EventStream {
    /// Merges the stream with another one of the same type.
    ///
    ///     indoors.union(outdoors).union(underground)
    ///
    /// Emits each element of either stream when it arrives, with its time; the elements of each keep their order.
    /// Remembers the watermark of each and forwards the earlier one. Finishes when both have finished, and ends as soon
    /// as one fails or is interrupted. The streams may run on different threads; signals that meet a busy union wait in
    /// a ring of 1,024, and when that is full the publishing thread waits.
    ///
    /// - Parameter other: The other stream.
    /// - Returns: The elements of both.
    /// - Complexity: O(1) per element, without allocation.
    @inlinable
    public func union<Other: EventStream>(_ other: Other) -> Union<Self, Other> where Other.Element == Element {
        Union(self, other)
    }
}

extension Sequence where Element: EventStream {
    /// Merges streams of the same type.
    ///
    ///     channels.union()
    ///
    /// Emits each element of each stream when it arrives, with its time; the elements of each keep their order.
    /// Remembers the watermark of each and forwards the earliest. Finishes when all have finished, and ends as soon as
    /// one fails or is interrupted. The streams may run on different threads; signals that meet a busy union wait in a
    /// ring of 1,024, and when that is full the publishing thread waits.
    ///
    /// - Returns: The elements of all; of none, a stream that finishes at once.
    /// - Complexity: O(1) per element and O(*n*) per watermark for *n* streams, without allocation.
    @inlinable
    public func union() -> UnionOfMany<Element> {
        UnionOfMany(Array(self))
    }
}

/// The elements of two streams; made by `union`.
@frozen
public struct Union<First: EventStream, Second: EventStream>: EventStream where First.Element == Second.Element {
    public typealias Element = First.Element

    @usableFromInline let first: First
    @usableFromInline let second: Second

    @inlinable
    init(_ first: First, _ second: Second) {
        self.first = first
        self.second = second
    }

    @inlinable
    @discardableResult
    public func attach<S: Sink>(_ sink: consuming S) -> Subscription where S.Input == Element {
        let junction = Junction(SinkState(sink), inputs: 2)
        return junction.subscription(
            first.attach(junction.input(0, PlainPort())),
            second.attach(junction.input(1, PlainPort()))
        )
    }
}

/// The elements of any number of streams of one type; made by `union`.
@frozen
public struct UnionOfMany<Upstream: EventStream>: EventStream {
    public typealias Element = Upstream.Element

    @usableFromInline let streams: [Upstream]

    @inlinable
    init(_ streams: [Upstream]) {
        self.streams = streams
    }

    @inlinable
    @discardableResult
    public func attach<S: Sink>(_ sink: consuming S) -> Subscription where S.Input == Element {
        guard !streams.isEmpty else {
            sink.finish(.finished)
            return Subscription()
        }
        let junction = Junction(SinkState(sink), inputs: streams.count)
        return junction.subscription(
            streams.enumerated().map { index, stream in stream.attach(junction.input(index, PlainPort())) }
        )
    }
}
