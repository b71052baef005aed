/// The time of what a channel sends: that of the event, or of the arrival of an element without a time.
///
/// Both questions are about a type that the compiler knows where a channel is used, so there they cost nothing.
@usableFromInline
package enum EventTime {
    /// Whether the values of a type are events.
    @inlinable
    @inline(__always)
    package static func isCarried<Element>(by type: Element.Type) -> Bool {
        type is any Event.Type
    }

    /// The time of an element.
    @inlinable
    @inline(__always)
    package static func of<Element>(
        _ element: borrowing Element,
        otherwise arrival: @autoclosure () -> Timestamp
    ) -> Timestamp {
        guard let type = Element.self as? any Event.Type else { return arrival() }
        // By the type, not by a cast of the element, which would copy a large one to the heap.
        return unsafe withUnsafePointer(to: element) { unsafe read(type, UnsafeRawPointer($0)) }
    }

    @unsafe
    @inlinable
    @inline(__always)
    static func read<E: Event>(_ type: E.Type, _ element: UnsafeRawPointer) -> Timestamp {
        // Safety: the pointer is to a value of the very type that was cast to `E.Type`.
        unsafe element.assumingMemoryBound(to: E.self).pointee.timestamp
    }
}
