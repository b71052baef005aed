public import WeirCore

extension EventStream {
    /// Emits the element at a position, counted from zero in the order of arrival.
    ///
    ///     laps.element(at: 2)  // the third lap
    ///
    /// Emits the element when it arrives, with its time, finishes at once, and detaches. Remembers how
    /// many elements come before it. Watermarks pass until then; a shorter stream finishes without an element, which
    /// ``failIfEmpty()`` makes a failure.
    ///
    /// - Parameter position: The position; not negative.
    /// - Returns: The element.
    /// - Complexity: O(1) per element, without allocation.
    @inlinable
    public func element(at position: Int) -> Take<Drop<Self>> {
        precondition(position >= 0, "element: position must not be negative, but is \(position)")
        return Take(Drop(self, position), 1)
    }
}
