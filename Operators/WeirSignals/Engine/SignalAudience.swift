internal import WeirCore

/// Who wants to hear of the changes of a node, and of its end.
final class SignalAudience {
    // An observation's `deinit` takes it out again.
    private var observations: ContiguousArray<Unretained<SignalObservation>?> = []
    private var emptyPlaces = 0
    private var isTelling = false
    private var followers: ContiguousArray<Follower> = []
    // With so many followers it is time to look for those that are over.
    private var sweepCount = 16
    private var endings: [() -> Void] = []
    /// The stream of the changes with times of the system clock, once somebody has asked for it.
    var changes: AnyObject?

    /// Something that is told of each change and of the end, until it is over.
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

    /// Adds a follower, and lets go of those that are over, also where nothing changes.
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

    /// Tells everybody of a change; one that goes meanwhile is not told, one that comes is with the next change.
    func tell() {
        isTelling = true
        for place in observations.indices { observations[place]?.object.tell() }
        // One that is added meanwhile comes behind the others, and is told of the next change.
        var hasOver = false
        for place in followers.indices {
            if followers[place].isOver() { hasOver = true } else { followers[place].tell() }
        }
        isTelling = false
        closeGaps()
        if hasOver { removeOverFollowers() }
    }

    func end() {
        for follower in followers { follower.end() }
        for ending in endings { ending() }
    }
}
