/// A flow of elements in event time that a sink can be attached to.
///
/// A stream is a value that describes work; nothing runs until a sink is attached. Attaching twice makes two
/// independent states. Streams that start at a channel are hot: a sink gets what is published while it is attached.
///
/// To write an operator, wrap the upstream in a struct and attach your own sink around the one you are given; make
/// everything that runs per element `@inlinable`.
@dynamicMemberLookup
public protocol EventStream<Element>: Sendable {
    /// The elements of the stream.
    associatedtype Element: Sendable

    /// Attaches a sink.
    ///
    /// - Parameter sink: Moved into the stream; it is driven by one thread at a time.
    /// - Returns: The handle that detaches the sink again.
    @discardableResult
    func attach<S: Sink>(_ sink: consuming S) -> Subscription where S.Input == Element
}

extension EventStream {
    /// Calls `body` for each element.
    ///
    ///     readings.filter { $0.celsius > 30 }.subscribe { print("hot:", $0) }
    ///
    /// - Parameter body: Called by one thread at a time, on the thread that publishes.
    /// - Returns: The handle that ends the subscription.
    @inlinable
    @discardableResult
    public func subscribe(_ body: @escaping @Sendable (Element) -> Void) -> Subscription {
        attach(HandlerSink(body))
    }

    /// Calls `body` for each element, as long as an object is there.
    ///
    ///     final class Display: Sendable {
    ///         func start() { readings.subscribe(owner: self) { [weak self] in self?.show($0) } }
    ///         func show(_ reading: Reading) { print(reading) }
    ///     }
    ///
    /// - Parameters:
    ///   - owner: Not kept alive. The first signal that comes after it has gone detaches the sink.
    ///   - body: Called by one thread at a time, on the thread that publishes.
    /// - Returns: The handle that ends the subscription earlier.
    @inlinable
    @discardableResult
    public func subscribe(
        owner: any AnyObject & Sendable,
        _ body: @escaping @Sendable (Element) -> Void
    ) -> Subscription {
        attach(HandlerSink(body), owner: owner)
    }

    /// Calls `onElement` for each element with its event time, and `onCompletion` once at the end.
    ///
    ///     readings.subscribeWithTime { reading, time in print(time, reading) }
    ///
    /// - Parameters:
    ///   - onElement: Called by one thread at a time, on the thread that publishes.
    ///   - onCompletion: Called after the last element.
    /// - Returns: The handle that ends the subscription.
    @inlinable
    @discardableResult
    public func subscribeWithTime(
        _ onElement: @escaping @Sendable (Element, Timestamp) -> Void,
        onCompletion: (@Sendable (Completion) -> Void)? = nil
    ) -> Subscription {
        attach(ClosureSink(onElement: onElement, onCompletion: onCompletion))
    }

    /// Calls `onElement` for each element with its event time, as long as an object is there.
    ///
    /// - Parameters:
    ///   - owner: Not kept alive. The first signal that comes after it has gone detaches the sink.
    ///   - onElement: Called by one thread at a time, on the thread that publishes.
    ///   - onCompletion: Called after the last element.
    /// - Returns: The handle that ends the subscription earlier.
    @inlinable
    @discardableResult
    public func subscribeWithTime(
        owner: any AnyObject & Sendable,
        _ onElement: @escaping @Sendable (Element, Timestamp) -> Void,
        onCompletion: (@Sendable (Completion) -> Void)? = nil
    ) -> Subscription {
        attach(ClosureSink(onElement: onElement, onCompletion: onCompletion), owner: owner)
    }
}

/// A sink that hands elements to a closure, without their times.
///
/// Not a ``ClosureSink`` around another closure: each closure on the way is a jump and a place in memory of its own.
@frozen
@usableFromInline
struct HandlerSink<Input: Sendable>: Sink {
    @usableFromInline let body: @Sendable (Input) -> Void

    @inlinable
    init(_ body: @escaping @Sendable (Input) -> Void) {
        self.body = body
    }

    @inlinable
    mutating func receive(_ element: borrowing Input, at time: Timestamp) {
        body(copy element)
    }

    @inlinable
    mutating func advance(to watermark: Timestamp) {}

    @inlinable
    mutating func finish(_ completion: Completion) {}

    @usableFromInline
    mutating func exchangeState(_ state: inout StateExchange) throws(StateError) {}
}

/// A sink made of closures, for the end of a chain.
@frozen
public struct ClosureSink<Input: Sendable>: Sink {
    @usableFromInline
    let onElement: @Sendable (Input, Timestamp) -> Void

    @usableFromInline
    let onCompletion: (@Sendable (Completion) -> Void)?

    /// Creates the sink.
    ///
    /// - Parameters:
    ///   - onElement: Called for each element with its event time.
    ///   - onCompletion: Called once, after the last element.
    @inlinable
    public init(
        onElement: @escaping @Sendable (Input, Timestamp) -> Void,
        onCompletion: (@Sendable (Completion) -> Void)?
    ) {
        self.onElement = onElement
        self.onCompletion = onCompletion
    }

    @inlinable
    public mutating func receive(_ element: borrowing Input, at time: Timestamp) {
        onElement(element, time)
    }

    @inlinable
    public mutating func advance(to watermark: Timestamp) {}

    @inlinable
    public mutating func finish(_ completion: Completion) {
        onCompletion?(completion)
    }

    public mutating func exchangeState(_ state: inout StateExchange) throws(StateError) {}
}
