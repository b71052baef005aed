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
    // The keys that have elements; the places that `freeEnds` names are used again.
    @usableFromInline var keys = KeyTable<Key>()
    @usableFromInline var ends: [Ends] = []
    @usableFromInline var freeEnds: [Int] = []
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
        if let place = keys.place(of: key) {
            places[ends[place].last].nextOfKey = index
            ends[place].last = index
        } else if let place = freeEnds.popLast() {
            ends[place] = Ends(index, index)
            keys.insert(key, at: place)
        } else {
            keys.insert(key, at: ends.count)
            ends.append(Ends(index, index))
        }
    }

    /// Calls `body` with the elements of a key.
    @inlinable
    func forEach(of key: Key, _ body: (Element, Timestamp) -> Void) {
        guard let place = keys.place(of: key) else { return }
        var index = ends[place].first
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
        if let place = keys.place(of: key) {
            if nextOfKey >= 0 {
                ends[place].first = nextOfKey
            } else {
                keys.remove(key)
                freeEnds.append(place)
            }
        }
        places[index].element = nil
        places[index].next = firstFree
        firstFree = index
        count -= 1
    }
}
