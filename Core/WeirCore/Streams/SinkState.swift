/// The state of a ``Junction`` whose inputs all drive one sink: it hands on what comes, in the order of arrival.
@frozen
public struct SinkState<Downstream: Sink>: JunctionState {
    @usableFromInline var downstream: Downstream

    /// Creates the state.
    ///
    /// - Parameter downstream: Gets the elements of all inputs, the earliest of their watermarks, and one completion.
    @inlinable
    public init(_ downstream: consuming Downstream) {
        self.downstream = downstream
    }

    @inlinable
    public mutating func receive(_ signal: Downstream.Input, from input: Int, at time: Timestamp) {
        downstream.receive(signal, at: time)
    }

    @inlinable
    public mutating func advance(to watermark: Timestamp) {
        downstream.advance(to: watermark)
    }

    @inlinable
    public mutating func setIdle(_ isIdle: Bool) {
        downstream.passOn(idleness: isIdle)
    }

    @inlinable
    public mutating func finish(_ completion: Completion) {
        downstream.finish(completion)
    }

    public mutating func exchangeState(_ state: inout StateExchange) throws(StateError) {
        try downstream.exchangeState(&state)
    }
}
