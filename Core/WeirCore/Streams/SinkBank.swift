/// Many sinks of one type that nobody else knows, side by side in memory, behind closures formed where it was known.
///
/// For operators that keep a pipeline for each key: an element costs a call and the memory of its own sink, not that of a
/// handle, a closure and a box for each. Sinks are told by their indexes, in the order in which they were added.
///
/// All properties are constants of a class, so a call touches no reference count of its own. Used by one thread at a
/// time, like the sinks themselves, and not from inside one of them.
public final class SinkBank<Input: Sendable>: @unchecked Sendable {
    // Safety of `@unchecked Sendable`: a bank belongs to one operator, which is driven by one thread at a time; the sinks
    // that the closures work on are themselves `Sendable`.

    /// Adds a sink, a copy of the prototype, behind the others, and hands it a watermark.
    public let append: (Timestamp) -> Void

    /// Hands an element to a sink.
    public let receive: (_ index: Int, Input, Timestamp) -> Void

    /// Hands a watermark to all sinks, in order.
    public let advance: (Timestamp) -> Void

    /// Ends a sink.
    public let finish: (_ index: Int, Completion) -> Void

    /// Forgets the sinks for which a condition on the index is not `true`; the others close up, in order.
    public let keep: (_ isKept: (_ index: Int) -> Bool) -> Void

    /// Creates a bank without sinks.
    ///
    /// - Parameter prototype: What each sink is a copy of.
    @inlinable
    public init<S: Sink>(_ prototype: S) where S.Input == Input {
        let box = StateBox(ContiguousArray<S>())
        append = { watermark in
            unsafe box.value.pointee.append(prototype)
            guard watermark > .distantPast else { return }
            unsafe box.value.pointee[box.value.pointee.count - 1].advance(to: watermark)
        }
        receive = { index, element, time in unsafe box.value.pointee[index].receive(element, at: time) }
        advance = { watermark in
            for index in unsafe box.value.pointee.indices { unsafe box.value.pointee[index].advance(to: watermark) }
        }
        finish = { index, completion in unsafe box.value.pointee[index].finish(completion) }
        keep = { isKept in
            var next = 0
            for index in unsafe box.value.pointee.indices where isKept(index) {
                unsafe box.value.pointee.swapAt(next, index)
                next += 1
            }
            unsafe box.value.pointee.removeSubrange(next...)
        }
    }
}
