/// A first-in, first-out queue in one array, whose elements have positions.
///
/// Allocates nothing once it has grown to what is needed. Elements that were taken leave the memory together: when no
/// others are left, or as many as are left, at least 32.
@frozen
@usableFromInline
package struct Deque<Element> {
    @usableFromInline var storage: ContiguousArray<Element> = []

    // The first element; those before it were taken.
    @usableFromInline var head = 0

    /// Creates an empty queue.
    @inlinable
    package init() {}

    /// The number of elements.
    @inlinable
    package var count: Int { storage.count - head }

    /// Whether there are no elements.
    @inlinable
    package var isEmpty: Bool { storage.count == head }

    /// The element that comes out next.
    @inlinable
    package var first: Element? { head < storage.count ? storage[head] : nil }

    /// The element that was added last.
    @inlinable
    package var last: Element? { isEmpty ? nil : storage[storage.count - 1] }

    /// The element at a position, counted from the one that comes out next.
    @inlinable
    package subscript(position: Int) -> Element {
        get { storage[head + position] }
        _modify { yield &storage[head + position] }
    }

    /// Adds an element behind the others; O(1) amortised.
    @inlinable
    package mutating func append(_ element: consuming Element) {
        storage.append(element)
    }

    /// Puts an element at a position; O(*n*) for *n* elements behind it.
    @inlinable
    package mutating func insert(_ element: consuming Element, at position: Int) {
        if position == count { storage.append(element) } else { storage.insert(element, at: head + position) }
    }

    /// Takes the first element, of which there must be one; O(1) amortised.
    @inlinable
    @discardableResult
    package mutating func removeFirst() -> Element {
        let element = storage[head]
        head += 1
        // Moving the rest costs no more than what was taken since the last time.
        if head == storage.count || (head >= 32 && head * 2 >= storage.count) {
            storage.removeFirst(head)
            head = 0
        }
        return element
    }

    /// Takes the first element, where there is one; O(1) amortised.
    @inlinable
    package mutating func popFirst() -> Element? {
        isEmpty ? nil : removeFirst()
    }

    /// Takes the last element, of which there must be one.
    @inlinable
    @discardableResult
    package mutating func removeLast() -> Element {
        precondition(!isEmpty, "there is no last element")
        return storage.removeLast()
    }

    /// Takes the elements from one position to before another; O(*n*).
    @inlinable
    package mutating func removeAll(from start: Int, to end: Int) {
        if start < end { storage.removeSubrange(head + start..<head + end) }
        if isEmpty { removeAll() }
    }

    /// Takes all elements, and keeps the memory.
    @inlinable
    package mutating func removeAll() {
        storage.removeAll(keepingCapacity: true)
        head = 0
    }
}

extension Deque: Sendable where Element: Sendable {}
