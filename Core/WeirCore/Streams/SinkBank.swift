public import CWeir

/// Many sinks of one erased type, side by side in memory, behind closures formed where the type was known.
///
/// For operators that keep a pipeline for each key: an element costs a call and the memory of its own sink, not that of a
/// handle, a closure and a box for each. Sinks are told by their indexes, in the order in which they were added.
///
/// Used by one thread at a time, like the sinks themselves, and not from inside one of them.
public final class SinkBank<Input: Sendable>: @unchecked Sendable {
    // Safety of `@unchecked Sendable`: a bank belongs to one operator, which is driven by one thread at a time; the sinks
    // that the closures work on are themselves `Sendable`.

    @usableFromInline let sinks: AnyObject
    @usableFromInline let receiveAt: (_ index: Int, Input, Timestamp) -> Void
    @usableFromInline let prefetchAt: (_ index: Int) -> Void

    /// Adds a sink, a copy of the prototype, behind the others, and hands it a watermark.
    public let append: (Timestamp) -> Void

    /// The index of the sink that is at work, or was last.
    @usableFromInline package let current = SharedCell(driven: 0)

    /// Passes a watermark to all sinks, in order.
    public let advance: (Timestamp) -> Void

    /// Ends a sink.
    public let finish: (_ index: Int, Completion) -> Void

    /// Forgets the sinks for which a condition on the index is not `true`; the others close up, in order.
    public let keep: (_ isKept: (_ index: Int) -> Bool) -> Void

    /// Saves the states of all sinks, or gives them back to as many sinks as were saved; returns whether they fitted.
    @usableFromInline let exchange: (inout StateExchange) throws(StateError) -> Bool

    /// Creates a bank without sinks.
    ///
    /// - Parameter prototype: What each sink is a copy of.
    @inlinable
    public init<S: Sink>(_ prototype: S) where S.Input == Input {
        let sinks = SinkList<S>()
        let current = current
        self.sinks = sinks
        exchange = { state throws(StateError) in
            var template = prototype
            return try state.exchangeRows(like: &template, sinks)
        }
        receiveAt = { index, element, time in unsafe sinks[index].pointee.receive(element, at: time) }
        prefetchAt = { index in unsafe cweir_prefetch(sinks[index]) }
        append = { watermark in
            sinks.append(prototype)
            guard watermark > .distantPast else { return }
            current.value = sinks.count - 1
            unsafe sinks[sinks.count - 1].pointee.advance(to: watermark)
        }
        advance = { watermark in
            sinks.forEach { index, sink in
                current.value = index
                sink.advance(to: watermark)
            }
        }
        finish = { index, completion in
            current.value = index
            unsafe sinks[index].pointee.finish(completion)
        }
        keep = { isKept in sinks.keep(isKept) }
    }

    /// Adds a sink of the prototype's type behind the others, and hands it a watermark.
    ///
    /// - Parameters:
    ///   - sink: The sink; one of another type traps.
    ///   - watermark: The watermark.
    @inlinable
    public func append<S: Sink>(_ sink: consuming S, _ watermark: Timestamp) where S.Input == Input {
        guard let sinks = sinks as? SinkList<S> else {
            preconditionFailure("a \(S.self) cannot be put among sinks of another type")
        }
        sinks.append(sink)
        guard watermark > .distantPast else { return }
        current.value = sinks.count - 1
        unsafe sinks[sinks.count - 1].pointee.advance(to: watermark)
    }

    /// Passes an element to a sink.
    ///
    /// - Parameters:
    ///   - index: The sink.
    ///   - element: The element.
    ///   - time: Its event time.
    @inlinable
    public func receive(_ index: Int, _ element: Input, _ time: Timestamp) {
        // The caller holds the bank; called as a property, the closure would be retained and released each time.
        unsafe Unmanaged.passUnretained(self)._withUnsafeGuaranteedRef {
            $0.current.value = index
            $0.receiveAt(index, element, time)
        }
    }

    /// Prefetches a sink.
    ///
    /// - Parameter index: The sink.
    @inlinable
    public func prefetch(_ index: Int) {
        unsafe Unmanaged.passUnretained(self)._withUnsafeGuaranteedRef { $0.prefetchAt(index) }
    }

    /// Saves the states of all sinks, or gives them back, in the section that is open.
    ///
    /// - Parameter state: Takes the fields. To restore, the bank has to have as many sinks as were saved.
    /// - Returns: Whether there is nothing to be dropped: `false` when the saved sinks were of another kind.
    /// - Throws: What the sinks throw.
    public func exchangeState(_ state: inout StateExchange) throws(StateError) -> Bool {
        try exchange(&state)
    }
}
