public import WeirCore

/// Elements with their times, by key, in the order of arrival: what joins remember of one side.
///
/// All elements lie in one array of places that are used again; the elements of a key, and all elements, are linked
/// lists through it.
@frozen
@usableFromInline
struct KeyedStore<Key: Hashable & Sendable, Element: Sendable>: Sendable {
    /// A place for an element.
    @frozen
    @usableFromInline
    struct Place: Sendable {
        @usableFromInline var key: Key
        @usableFromInline var time: Timestamp
        @usableFromInline var element: Element?
        @usableFromInline var nextOfKey = -1
        // Also links the places that are free.
        @usableFromInline var next = -1

        @inlinable
        init(_ key: Key, _ time: Timestamp, _ element: Element) {
            self.key = key
            self.time = time
            self.element = element
        }
    }

    /// The elements of one key.
    @frozen
    @usableFromInline
    struct Ends: Sendable {
        @usableFromInline var first: Int
        @usableFromInline var last: Int

        @inlinable
        init(_ first: Int, _ last: Int) {
            self.first = first
            self.last = last
        }
    }

    @usableFromInline var places: [Place] = []
    @usableFromInline var endsByKey: [Key: Ends] = [:]
    @usableFromInline var first = -1
    @usableFromInline var last = -1
    @usableFromInline var firstFree = -1
    @usableFromInline var count = 0

    @inlinable
    init() {}

    @inlinable
    mutating func append(_ key: Key, _ time: Timestamp, _ element: Element) {
        let index = firstFree
        if index >= 0 {
            firstFree = places[index].next
            places[index] = Place(key, time, element)
            link(index, key)
        } else {
            places.append(Place(key, time, element))
            link(places.count - 1, key)
        }
        count += 1
    }

    @inlinable
    mutating func link(_ index: Int, _ key: Key) {
        if last >= 0 { places[last].next = index } else { first = index }
        last = index
        let previous = endsByKey[key, default: Ends(index, index)].replaceLast(index)
        guard previous != index else { return }
        places[previous].nextOfKey = index
    }

    /// Calls `body` with the elements of a key.
    @inlinable
    func forEach(of key: Key, _ body: (Element, Timestamp) -> Void) {
        var index = endsByKey[key]?.first ?? -1
        while index >= 0 {
            if let element = places[index].element { body(element, places[index].time) }
            index = places[index].nextOfKey
        }
    }

    /// Forgets what arrived first, as long as it is older than a time.
    @inlinable
    mutating func removeFirst(olderThan time: Timestamp) {
        while first >= 0, places[first].time < time { removeFirst() }
    }

    @inlinable
    mutating func removeFirst() {
        let index = first
        let (key, nextOfKey) = (places[index].key, places[index].nextOfKey)
        first = places[index].next
        if first < 0 { last = -1 }
        // What arrived first is also the first of its key.
        if nextOfKey >= 0 {
            endsByKey[key]?.first = nextOfKey
        } else {
            endsByKey[key] = nil
        }
        places[index].element = nil
        places[index].next = firstFree
        firstFree = index
        count -= 1
    }
}

extension KeyedStore.Ends {
    /// Sets the last place, and returns the one before.
    @inlinable
    mutating func replaceLast(_ index: Int) -> Int {
        let previous = last
        last = index
        return previous
    }
}
