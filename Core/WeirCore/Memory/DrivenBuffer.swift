/// A buffer for elements that wait until a chain is driven; its memory is reused.
///
/// It is filled at the end and emptied at the front. Unlike an array it has one owner, so adding an element needs no
/// check for uniqueness. It allocates only when more elements wait than ever before.
///
/// Thread safety: that of its owner.
@safe
@frozen
@usableFromInline
package struct DrivenBuffer<Element>: ~Copyable {
    // Safety: the elements from `first` to `end` are initialised, and no others; `first <= end <= capacity` holds
    // always. The buffer cannot be copied, so its memory has one owner.

    @usableFromInline var start: UnsafeMutablePointer<Element>
    @usableFromInline var capacity: Int

    /// How many of the elements that were added since the last ``rewind()`` have been taken.
    @usableFromInline package private(set) var first = 0

    /// How many elements were added since the last ``rewind()``.
    @usableFromInline package private(set) var end = 0

    /// Creates an empty buffer.
    @inlinable
    package init() {
        capacity = 0
        unsafe start = .allocate(capacity: 0)
    }

    deinit {
        unsafe (start + first).deinitialize(count: end - first)
        unsafe start.deallocate()
    }

    /// How many elements wait.
    @inlinable package var count: Int { end - first }

    /// Adds an element.
    ///
    /// - Complexity: O(1) on average; without allocation once there is room.
    @inlinable
    package mutating func append(_ element: consuming Element) {
        if end == capacity { grow() }
        unsafe (start + end).initialize(to: element)
        end += 1
    }

    /// Lends the elements that wait.
    ///
    /// - Parameter body: Is called once.
    /// - Returns: What `body` returns.
    @inlinable
    package func withWaiting<Result>(_ body: (Span<Element>) -> Result) -> Result {
        let waiting = unsafe UnsafeBufferPointer(start: start + first, count: count)
        return body(unsafe waiting.span)
    }

    /// Removes the elements that wait, and starts over at the front.
    @inlinable
    package mutating func removeAll() {
        unsafe (start + first).deinitialize(count: count)
        (first, end) = (0, 0)
    }

    @usableFromInline
    mutating func grow() {
        let larger = max(16, 2 * capacity)
        let moved = UnsafeMutablePointer<Element>.allocate(capacity: larger)
        unsafe (moved + first).moveInitialize(from: start + first, count: end - first)
        unsafe start.deallocate()
        unsafe start = moved
        capacity = larger
    }

    /// Takes elements in the order in which they were added.
    ///
    /// - Parameters:
    ///   - number: How many; not more than wait, nor than there is room for.
    ///   - output: Where they go.
    @inlinable
    package mutating func take(_ number: Int, into output: inout OutputSpan<Element>) {
        precondition(number >= 0 && number <= count, "\(number) elements cannot be taken of \(count)")
        precondition(number <= output.freeCapacity, "there is no room for \(number) elements")
        unsafe output.withUnsafeMutableBufferPointer { places, filled in
            if let base = places.baseAddress {
                unsafe (base + filled).moveInitialize(from: start + first, count: number)
            }
            filled += number
        }
        first += number
    }

    /// Starts over at the front if nothing waits.
    @inlinable
    package mutating func rewind() {
        precondition(count == 0, "\(count) elements wait")
        first = 0
        end = 0
    }
}
