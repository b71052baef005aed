/// A stream of tuples of any number of elements, one of each of several streams.
///
/// The compiler does not see the tuple in an element that is written as a pack, so operators return such a stream as a
/// ``Tupled`` one.
public protocol PackedStream: EventStream {
    /// An element of one of the streams, in its place of a tuple; the other places are `nil`.
    associatedtype Part: Sendable
}

/// A stream of combinations that lie within a duration, with its side outputs.
public protocol CombinationStream: PackedStream, WatermarkWaiting {
    /// The elements that were older than the watermark of all streams together; they take part in nothing.
    var late: SideOutput<Part> { get }

    /// The elements that were forgotten because there were too many to remember, the oldest first.
    var dropped: SideOutput<Part> { get }
}

/// A stream that pairs the elements of several streams by their numbers, with its side output.
public protocol ZippedStream: PackedStream {
    /// The elements that found no room to wait, or no partners before the end.
    var refused: SideOutput<Part> { get }
}

/// A stream whose elements are plain tuples, so that closures can take them apart; made by `all`, `sequence`,
/// `combineLatest` and `zip`.
///
///     all(smoke, heat, within: .seconds(60)).map { (smoke, heat) in smoke.room }
///
/// The elements of the side outputs are tuples too: the element is in the place of its stream, the others are `nil`.
@frozen
public struct Tupled<Upstream: PackedStream, Element: Sendable, Part: Sendable>: EventStream
where Upstream.Element == Element, Upstream.Part == Part {
    @usableFromInline let upstream: Upstream

    /// Creates the stream.
    ///
    /// - Parameter upstream: What finds the tuples.
    @inlinable
    public init(_ upstream: Upstream) {
        self.upstream = upstream
    }

    @inlinable
    @discardableResult
    public func attach<S: Sink>(_ sink: consuming S) -> Subscription where S.Input == Element {
        upstream.attach(sink)
    }
}

extension Tupled where Upstream: CombinationStream {
    /// The elements that were older than the watermark of all streams together; they take part in nothing.
    public var late: SideOutput<Part> { upstream.late }

    /// The elements that were forgotten because there were too many to remember, the oldest first.
    public var dropped: SideOutput<Part> { upstream.dropped }
}

extension Tupled: WatermarkWaiting where Upstream: WatermarkWaiting {
    @inlinable
    public var stalls: SideOutput<WatermarkStall> { upstream.stalls }
}

extension Tupled where Upstream: ZippedStream {
    /// The elements that found no room to wait, or no partners before the end.
    public var refused: SideOutput<Part> { upstream.refused }
}
