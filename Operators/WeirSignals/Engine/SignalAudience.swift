internal import WeirCore

/// The followers of a node's changes and of its end.
final class SignalAudience {
    // An observation keeps itself until it is cancelled, which takes it out again.
    private var observations: ContiguousArray<Unretained<SignalObservation>?> = []
    private var emptyPlaces = 0
    private var isTelling = false
    private var followers: ContiguousArray<Follower> = []
    // The number of followers from which ended ones are searched for.
    private var sweepCount = 16
    private var endings: [() -> Void] = []
    /// The stream of the changes with times of the system clock, created on demand.
    var changes: AnyObject?

    /// A follower, which is notified of each change and of the end until it is cancelled.
    struct Follower {
        let tell: () -> Void
        let isOver: () -> Bool
        let end: () -> Void
    }

    var isEmpty: Bool { observations.count == emptyPlaces && followers.isEmpty }

    var followerCount: Int { followers.count }

    func add(_ observation: SignalObservation) -> Int {
        observations.append(Unretained(observation))
        return observations.count - 1
    }

    func removeObservation(at place: Int) {
        observations[place] = nil
        emptyPlaces += 1
        if !isTelling { closeGaps() }
    }

    private func closeGaps() {
        guard emptyPlaces > 16, emptyPlaces * 2 > observations.count else { return }
        observations.removeAll { $0 == nil }
        emptyPlaces = 0
        for (place, observation) in observations.enumerated() { observation?.with { $0.place = place } }
    }

    /// Adds a follower, and removes ended ones, so that they do not accumulate without changes.
    func addFollower(_ follower: Follower) {
        if followers.count >= sweepCount, !isTelling { removeOverFollowers() }
        followers.append(follower)
    }

    private func removeOverFollowers() {
        followers.removeAll { $0.isOver() }
        sweepCount = max(16, 2 * followers.count)
    }

    /// Adds something to call when the node goes away.
    func atEnd(_ ending: @escaping () -> Void) {
        endings.append(ending)
    }

    /// Notifies the followers of a change.
    ///
    /// One that is removed meanwhile is not notified; one that is added is notified
    /// of the next change.
    func tell() {
        isTelling = true
        for place in observations.indices { observations[place]?.object.tell() }
        // One that is added meanwhile is appended, and notified of the next change.
        var hasOver = false
        for place in followers.indices {
            if followers[place].isOver() { hasOver = true } else { followers[place].tell() }
        }
        isTelling = false
        closeGaps()
        if hasOver { removeOverFollowers() }
    }

    /// Tells observations that a checkpoint has given the value back.
    func renew() {
        isTelling = true
        for place in observations.indices { observations[place]?.object.renew() }
        isTelling = false
        closeGaps()
    }

    func end() {
        for follower in followers { follower.end() }
        for ending in endings { ending() }
    }
}
