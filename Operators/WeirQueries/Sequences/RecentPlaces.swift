/// Places in the order in which they were touched last, with the times.
struct RecentPlaces {
    private var previous: [Int32] = []
    private var next: [Int32] = []
    private var times: [Int64] = []

    /// The place that was touched first; negative for none.
    private(set) var oldest: Int32 = -1
    private var newest: Int32 = -1
    private static var removed: Int32 { -2 }

    /// When a place was touched.
    func time(of place: Int) -> Int64 { times[place] }

    /// Adds a place.
    mutating func add(_ place: Int, at time: Int64) {
        while times.count <= place {
            times.append(0)
            previous.append(Self.removed)
            next.append(-1)
        }
        link(place, time)
    }

    /// Whether a place was added and not removed.
    func contains(_ place: Int) -> Bool { previous[place] != Self.removed }

    /// Makes a place the newest.
    mutating func touch(_ place: Int, at time: Int64) {
        if newest == Int32(place) {
            times[place] = time
            return
        }
        remove(place)
        link(place, time)
    }

    private mutating func link(_ place: Int, _ time: Int64) {
        times[place] = time
        previous[place] = newest
        next[place] = -1
        if newest >= 0 { next[Int(newest)] = Int32(place) } else { oldest = Int32(place) }
        newest = Int32(place)
    }

    /// Removes a place.
    mutating func remove(_ place: Int) {
        let (before, after) = (previous[place], next[place])
        if before >= 0 { next[Int(before)] = after } else { oldest = after }
        if after >= 0 { previous[Int(after)] = before } else { newest = before }
        previous[place] = Self.removed
    }
}
