internal import WeirCore

/// Places in the order in which they were touched last, with the times.
struct RecentPlaces: Sendable {
    private struct Link: Sendable {
        var time: Int64 = 0
        var previous: Int32 = removed
        var next: Int32 = -1
    }

    private var links: [Link] = []

    /// The place that was touched first; negative for none.
    private(set) var oldest: Int32 = -1
    private var newest: Int32 = -1
    private static var removed: Int32 { -2 }

    /// Makes room for places at once, of which it has none yet.
    mutating func reserve(_ count: Int) { links = Array(roomFor: count) }

    /// When a place was touched.
    func time(of place: Int) -> Int64 { links[place].time }

    /// Calls a function with each place, the one that was touched first before the others.
    func forEach(_ body: (Int) -> Void) {
        var place = oldest
        while place >= 0 {
            body(Int(place))
            place = links[Int(place)].next
        }
    }

    /// Adds a place.
    mutating func add(_ place: Int, at time: Int64) {
        while links.count <= place { links.append(Link()) }
        link(place, time)
    }

    /// Whether a place was added and not removed.
    func contains(_ place: Int) -> Bool { links[place].previous != Self.removed }

    /// Makes a place the newest.
    mutating func touch(_ place: Int, at time: Int64) {
        guard newest != Int32(place) else {
            links[place].time = time
            return
        }
        let (before, after) = (links[place].previous, links[place].next)
        if before >= 0 { links[Int(before)].next = after } else { oldest = after }
        // It is not the newest, so that one is behind it.
        links[Int(after)].previous = before
        links[Int(newest)].next = Int32(place)
        links[place] = Link(time: time, previous: newest, next: -1)
        newest = Int32(place)
    }

    private mutating func link(_ place: Int, _ time: Int64) {
        links[place] = Link(time: time, previous: newest, next: -1)
        if newest >= 0 { links[Int(newest)].next = Int32(place) } else { oldest = Int32(place) }
        newest = Int32(place)
    }

    /// Removes a place.
    mutating func remove(_ place: Int) {
        let (before, after) = (links[place].previous, links[place].next)
        if before >= 0 { links[Int(before)].next = after } else { oldest = after }
        if after >= 0 { links[Int(after)].previous = before } else { newest = before }
        links[place].previous = Self.removed
    }
}
