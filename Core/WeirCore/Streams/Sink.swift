/// Where a stream goes: takes elements with their event times, watermarks, and at last a completion.
///
/// Operators are sinks that hold another sink, as a value: a chain of operators is one concrete type that the
/// compiler specialises and inlines as a whole. State lives in the sink's stored properties, so it can be copied,
/// compared and measured.
///
/// A sink is driven by one thread at a time, in the grammar `(receive | advance)* finish?`. It needs no
/// synchronisation of its own.
///
///     struct Print<Input: Sendable>: Sink {
///         mutating func receive(_ element: borrowing Input, at time: Timestamp) { print(time, copy element) }
///         mutating func advance(to watermark: Timestamp) {}
///         mutating func finish(_ completion: Completion) { print("done") }
///     }
public protocol Sink<Input>: Sendable {
    /// The elements that the sink takes.
    associatedtype Input: Sendable

    /// Takes one element.
    ///
    /// - Parameters:
    ///   - element: The element, by reference: copy what the state keeps.
    ///   - time: The element's event time.
    mutating func receive(_ element: borrowing Input, at time: Timestamp)

    /// Takes note that no element older than `watermark` will follow.
    ///
    /// - Parameter watermark: Not before the last one.
    mutating func advance(to watermark: Timestamp)

    /// Takes note that nothing follows.
    ///
    /// - Parameter completion: Whether the stream ended or broke off.
    mutating func finish(_ completion: Completion)

    /// Whether ``fetch(for:isNear:)`` is worth being called in the batch that follows: when each element is looked up in
    /// memory that is too large for the cache.
    var looksAhead: Bool { get }

    /// Begins to bring into the cache what an element will need that is still some elements away in its batch.
    ///
    /// It must not change what the sink does, and is not always called: not for elements that come one by one, nor for the
    /// first ones of a batch.
    ///
    /// - Parameters:
    ///   - element: An element that will be received.
    ///   - isNear: Whether this is the second call for the element, so that what the first one asked for has come.
    func fetch(for element: borrowing Input, isNear: Bool)
}

extension Sink {
    @inlinable
    public var looksAhead: Bool { false }

    @inlinable
    public func fetch(for element: borrowing Input, isNear: Bool) {}
}
