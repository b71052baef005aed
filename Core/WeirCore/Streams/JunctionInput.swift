/// How the elements of an input become the signals of a junction.
public protocol JunctionPort<Input, Signal>: Sendable {
    /// The elements of the input.
    associatedtype Input: Sendable

    /// What the junction's state takes.
    associatedtype Signal: Sendable

    /// Makes a signal.
    ///
    /// - Parameter element: The element.
    /// - Returns: The signal.
    func signal(_ element: borrowing Input) -> Signal
}

/// The port of inputs that all have the same type.
@frozen
public struct PlainPort<Input: Sendable>: JunctionPort {
    /// Creates the port.
    @inlinable
    public init() {}

    @inlinable
    public func signal(_ element: borrowing Input) -> Input { copy element }
}

/// The port of the first of two types.
@frozen
public struct LeftPort<Input: Sendable, Right: Sendable>: JunctionPort {
    /// Creates the port.
    @inlinable
    public init() {}

    @inlinable
    public func signal(_ element: borrowing Input) -> Either<Input, Right> { .first(copy element) }
}

/// The port of the second of two types.
@frozen
public struct RightPort<Left: Sendable, Input: Sendable>: JunctionPort {
    /// Creates the port.
    @inlinable
    public init() {}

    @inlinable
    public func signal(_ element: borrowing Input) -> Either<Left, Input> { .second(copy element) }
}

/// A port that a closure describes, for inputs of more than two types.
@frozen
public struct WrappingPort<Input: Sendable, Signal: Sendable>: JunctionPort {
    @usableFromInline let wrap: @Sendable (Input) -> Signal

    /// Creates the port.
    ///
    /// - Parameter wrap: Makes a signal of an element; called by the thread that drives the input.
    @inlinable
    public init(_ wrap: @escaping @Sendable (Input) -> Signal) {
        self.wrap = wrap
    }

    @inlinable
    public func signal(_ element: borrowing Input) -> Signal { wrap(copy element) }
}

/// One of the inputs of a ``Junction``.
@frozen
public struct JunctionInput<Port: JunctionPort, State: JunctionState>: Sink where Port.Signal == State.Signal {
    public typealias Input = Port.Input

    @usableFromInline let junction: Junction<State>
    @usableFromInline let index: Int
    @usableFromInline let port: Port

    @inlinable
    init(_ junction: Junction<State>, _ index: Int, _ port: Port) {
        self.junction = junction
        self.index = index
        self.port = port
    }

    @inlinable
    public mutating func receive(_ element: borrowing Input, at time: Timestamp) {
        junction.receive(port.signal(element), from: index, at: time)
    }

    @inlinable
    public mutating func advance(to watermark: Timestamp) {
        junction.send(.watermark, from: index, at: watermark)
    }

    @inlinable
    public mutating func finish(_ completion: Completion) {
        junction.send(.completion(completion), from: index, at: .distantFuture)
    }

    public mutating func exchangeState(_ state: inout StateExchange) throws(StateError) {
        try junction.exchangeState(&state)
    }
}

/// A sink that is told when its stream is idle; a junction does not wait for such an input.
@usableFromInline
package protocol IdleAwareSink: Sink {
    /// Sets whether the stream is idle.
    mutating func setIdle(_ isIdle: Bool)
}

extension JunctionInput: IdleAwareSink {
    @usableFromInline
    package mutating func setIdle(_ isIdle: Bool) {
        junction.send(.idleness(isIdle), from: index, at: .distantPast)
    }
}

extension Sink {
    /// Tells the sink whether its stream is idle, where it is one that wants to know.
    @usableFromInline
    package func passOn(idleness isIdle: Bool) {
        // Its copy is as good: what knows of idleness refers to a junction.
        if var sink = self as? any IdleAwareSink { sink.setIdle(isIdle) }
    }
}
