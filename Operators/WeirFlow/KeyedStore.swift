public import WeirCore

/// Elements with their times, by the number of their key, in the order of arrival: what joins remember of one side.
///
/// Elements are forgotten in the order in which they came. So they lie in a ring, where their positions only grow; those of
/// a key are a linked list of positions.
@frozen
@usableFromInline
struct KeyedStore<Element: Sendable>: Sendable {
    /// A place for an element.
    @frozen
    @usableFromInline
    struct Place: Sendable {
        @usableFromInline var element: Element?
        @usableFromInline var time: Timestamp
        @usableFromInline var key: Int
        // The position of the next element of the key; -1 if there is none.
        @usableFromInline var nextOfKey = -1

        @inlinable
        init(_ element: Element?, _ time: Timestamp, _ key: Int) {
            self.element = element
            self.time = time
            self.key = key
        }
    }

    /// The positions of the elements of a key; the first is -1 if there are none.
    @frozen
    @usableFromInline
    struct Ends: Sendable {
        @usableFromInline var first = -1
        @usableFromInline var last = -1

        @inlinable
        init() {}
    }

    // As many as a power of two.
    @usableFromInline var places: ContiguousArray<Place> = [Place(nil, .distantPast, 0)]
    @usableFromInline var ends: ContiguousArray<Ends> = []
    @usableFromInline var first = 0
    @usableFromInline var end = 0

    // The size from which entries behind the first ones are searched for old ones.
    @usableFromInline var crowd = 32
    // The entries since the last search: those from a position on, and those that found no room.
    @usableFromInline var lookedUpTo = 0
    @usableFromInline var refusals = 0

    @inlinable
    init() {}

    @inlinable
    var count: Int { end - first }

    /// The time of the element that arrived first.
    @inlinable
    var firstTime: Timestamp? { first < end ? self[first].time : nil }

    /// The place of a position.
    @inlinable
    subscript(position: Int) -> Place { places[position & (places.count - 1)] }

    /// The position of the first element of a key; -1 if there is none.
    @inlinable
    func first(of key: Int) -> Int { key < ends.count ? ends[key].first : -1 }

    @inlinable
    mutating func append(_ element: Element, _ time: Timestamp, key: Int) {
        if count == places.count { grow() }
        while key >= ends.count { ends.append(Ends()) }
        let position = end
        places[position & (places.count - 1)] = Place(element, time, key)
        if ends[key].first < 0 {
            ends[key].first = position
        } else {
            places[ends[key].last & (places.count - 1)].nextOfKey = position
        }
        ends[key].last = position
        end += 1
    }

    @inlinable
    @inline(never)
    mutating func grow() {
        var larger = ContiguousArray(repeating: Place(nil, .distantPast, 0), count: places.count * 2)
        for position in first..<end { larger[position & (larger.count - 1)] = self[position] }
        places = larger
    }

    /// Forgets what arrived first, if it is older than a time.
    ///
    /// - Returns: The number of its key; `nil` if nothing is forgotten.
    @inlinable
    mutating func removeFirst(olderThan time: Timestamp) -> Int? {
        guard first < end else { return nil }
        let index = first & (places.count - 1)
        guard places[index].time < time else { return nil }
        let key = places[index].key
        // What arrived first is also the first of its key.
        ends[key].first = places[index].nextOfKey
        places[index].element = nil
        first += 1
        return key
    }

    /// Removes entries older than a time that are behind younger ones, once there may be many.
    ///
    /// As a rule elements come nearly in the order of their times, and taking the first is enough. But one from the far
    /// future would keep all that came after it. So what is left is looked through whenever there is twice as much as the
    /// last time, or the limit is reached; and, of more than 64, not before a quarter is new, so that an element costs O(1)
    /// on average.
    ///
    /// - Returns: The key numbers of the removed elements, one for each.
    @inlinable
    mutating func removeHidden(olderThan time: Timestamp, limit: Int) -> [Int] {
        guard count >= min(crowd, limit), count <= 64 || (end - lookedUpTo + refusals) * 4 >= count else { return [] }
        return lookThrough(olderThan: time)
    }

    @inlinable
    @inline(never)
    mutating func lookThrough(olderThan time: Timestamp) -> [Int] {
        var forgotten: [Int] = []
        for key in ends.indices { ends[key] = Ends() }
        let positions = first..<end
        end = first
        for position in positions {
            let index = position & (places.count - 1)
            let (element, age, key) = (places[index].element.take(), places[index].time, places[index].key)
            if age < time {
                forgotten.append(key)
            } else if let element {
                append(element, age, key: key)
            }
        }
        crowd = max(32, 2 * count)
        lookedUpTo = end
        refusals = 0
        return forgotten
    }
}
