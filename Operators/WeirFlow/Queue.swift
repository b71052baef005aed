/// A first-in, first-out queue in one array that is used in turn; it grows, and does not shrink.
@frozen
@usableFromInline
struct Queue<Element: Sendable>: Sendable {
    // As many places as a power of two, or none.
    @usableFromInline var places: [Element?] = []
    @usableFromInline var head = 0
    @usableFromInline var count = 0

    @inlinable
    init() {}

    @inlinable
    var first: Element? { count > 0 ? places[head] : nil }

    @inlinable
    mutating func append(_ element: Element) {
        if count == places.count { grow() }
        places[(head + count) & (places.count - 1)] = element
        count += 1
    }

    @inlinable
    mutating func popFirst() -> Element? {
        guard count > 0 else { return nil }
        let element = places[head]
        places[head] = nil
        head = (head + 1) & (places.count - 1)
        count -= 1
        return element
    }

    @usableFromInline
    mutating func grow() {
        places = Array(places[head...] + places[..<head])
        head = 0
        places += [Element?](repeating: nil, count: max(8, places.count))
    }
}
