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

    /// Advances event time: no element older than `watermark` will follow.
    ///
    /// - Parameter watermark: Not before the last one.
    mutating func advance(to watermark: Timestamp)

    /// Called once at the end of the stream.
    ///
    /// - Parameter completion: Whether the stream ended or failed.
    mutating func finish(_ completion: Completion)

    /// Whether calling ``prefetch(for:isNear:)`` in the next batch is worth its cost: when the sink looks up each element in
    /// memory larger than the cache.
    var wantsPrefetch: Bool { get }

    /// Prefetches the memory that a later element of the batch will need.
    ///
    /// It must have no effect on results, and is not called for single elements, nor for the first ones of a batch.
    ///
    /// - Parameters:
    ///   - element: An element that will be received.
    ///   - isNear: Whether this is the second call for the element, when the memory of the first one has arrived.
    func prefetch(for element: borrowing Input, isNear: Bool)

    /// Saves what the sink remembers, or gives it back, and passes the call on to the sink behind it.
    ///
    /// By default a checkpoint of the pipeline is refused, with the name of the sink.
    ///
    /// - Parameter state: Takes the fields, and says what goes on; see ``StateExchange``.
    /// - Throws: What `state` throws.
    mutating func exchangeState(_ state: inout StateExchange) throws(StateError)
}

extension Sink {
    @inlinable
    public var wantsPrefetch: Bool { false }

    @inlinable
    public func prefetch(for element: borrowing Input, isNear: Bool) {}

    public mutating func exchangeState(_ state: inout StateExchange) throws(StateError) {
        throw .unsaveable(operator: TypeLayout.baseName(Self.self))
    }
}
