/// A queue that needs no allocation once it has grown, and lets go of what was taken in runs.
@frozen
public struct Backlog<Element: Sendable>: Sendable {
    @usableFromInline var storage: ContiguousArray<Element> = []
    @usableFromInline var head = 0

    @inlinable
    init() {}

    @inlinable
    var count: Int { storage.count - head }

    @inlinable
    var isEmpty: Bool { storage.count == head }

    @inlinable
    subscript(index: Int) -> Element { storage[head + index] }

    @inlinable
    mutating func append(_ element: consuming Element) {
        storage.append(element)
    }

    @inlinable
    mutating func removeLast() {
        storage.removeLast()
    }

    @inlinable
    mutating func removeFirst() {
        head += 1
        // Moving the rest costs no more than what was taken since the last time.
        guard head >= 32, head * 2 >= storage.count else { return }
        storage.removeFirst(head)
        head = 0
    }

    @inlinable
    mutating func removeAll() {
        storage.removeAll(keepingCapacity: true)
        head = 0
    }
}
